//! What all agents stand on: hooks that load and are trusted, and folders that can be read and written.

use std::path::Path;

use snaphook::{Problem, Severity};
use snaphook_adapters::CANARY;
use snaphook_audit::AuditLog;
use snaphook_discovery::{Directories, Settings, Trust, TrustState, lifecycle_files};

use crate::doctor::Check;
use crate::env::Env;
use crate::exit::Failure;
use crate::install::place::{InForce, in_force};
use crate::lifecycle::{Known, State};
use crate::trial::{self, Trial};
use crate::wiring;

/// The facts that were found about it.
pub(super) struct Ground<'a> {
    pub(super) env: &'a Env,
    pub(super) directories: &'a Directories,
    /// The hooks in force.
    pub(super) hooks: InForce,
    /// Hooks of the project that nobody has decided about.
    undecided: usize,
    lifecycle: Vec<Known>,
    /// True if decisions are written down.
    audited: bool,
    /// A copy of the state folder, for calls that are tried.
    trial: Option<Trial>,
}

impl<'a> Ground<'a> {
    /// # Errors
    /// An engine does not start, or the state folder cannot be copied.
    pub(super) fn of(env: &'a Env, directories: &'a Directories) -> Result<Self, Failure> {
        let hooks = in_force(env, directories, "doctor")?;
        let known = wiring::hooks_of(env, directories, &[], &Trust::default());
        let undecided = known.project.iter().filter(|hook| hook.state == TrustState::Undecided).count();
        let audited = Settings::load(directories).0.audit.enabled;
        let lifecycle = Known::all(&lifecycle_files(directories, &Trust::default()));
        let state = directories.state.as_deref();
        let trial = state.map(|state| Trial::of(state, &[trial::STORE, trial::TRUST])).transpose()?;
        Ok(Ground { env, directories, hooks, undecided, lifecycle, audited, trial })
    }

    /// Returns what of it is right and wrong.
    pub(super) fn checks(&self) -> Vec<Check> {
        let mut checks = Vec::new();
        let InForce { missing, problems, hooks, .. } = &self.hooks;
        let is_wrong = |problem: &&Problem| problem.severity == Severity::Error || problem.only.is_some();
        let errors: Vec<_> = problems.iter().filter(is_wrong).collect();
        if let Some(missing) = missing {
            let text = format!(
                "there is none, so every tool call is denied: {} {}",
                missing.file.display(),
                missing.message
            );
            checks.push(Check::wrong(
                "hooks",
                text,
                "write one with `snaphook new`, or take snaphook out with `snaphook uninstall AGENT`",
            ));
        }
        if self.undecided > 0 {
            let text = format!(
                "{} of the project wait for your decision, so every gated call is denied",
                self.undecided
            );
            checks.push(Check::wrong("hooks", text, "snaphook trust"));
        }
        for problem in errors.iter().take(20) {
            checks.push(Check::wrong(
                "hooks",
                problem.to_string(),
                "mend it; `snaphook list` shows all hooks",
            ));
        }
        if missing.is_none() && errors.is_empty() && self.undecided == 0 {
            checks.push(Check::fine("hooks", format!("{hooks} load and may run")));
        }
        checks.extend(self.lifecycle.iter().map(lifecycle));
        checks.push(match &self.directories.user_hooks {
            Some(folder) => readable("config folder", folder.parent().unwrap_or(folder)),
            None => Check::wrong("config folder", "there is none", "set HOME or SNAPHOOK_CONFIG_DIR"),
        });
        checks.push(match &self.directories.state {
            Some(folder) => writable("state folder", folder),
            None => Check::wrong("state folder", "there is none", "set HOME or SNAPHOOK_STATE_DIR"),
        });
        if let Some(state) = &self.directories.state {
            let file = snaphook_state::layout::hook_log(state);
            checks.push(Check::fine("log", format!("{} has what hooks print and log", file.display())));
        }
        if let Some(state) = self.directories.state.as_ref().filter(|_| self.audited) {
            let check = writable("audit", &snaphook_state::layout::audit(state));
            checks.extend(check.is_wrong().then_some(check));
        }
        if !self.audited {
            checks.push(Check::note("audit", "it is switched off: your config.toml says `enabled = false`"));
        }
        checks
    }

    /// The state folder of a call that is tried.
    pub(super) fn tried_in(&self) -> Option<&Path> {
        self.trial.as_ref().map(Trial::path)
    }

    /// The last line of the audit about a call that was tried; `None` where nothing is written down.
    pub(super) fn last_line(&self) -> Option<String> {
        let state = self.tried_in().filter(|_| self.audited)?;
        let log = AuditLog::new(snaphook_state::layout::audit(state));
        let lines = log.lines(&AuditLog::name_of(CANARY)).unwrap_or_default();
        Some(lines.into_iter().next_back().map(|line| line.text).unwrap_or_default())
    }
}

fn lifecycle(known: &Known) -> Check {
    let about = format!("lifecycle file {}", known.file);
    let (why, help) = known.why();
    let text = format!("{}: {why}", known.state.as_str());
    match known.state {
        State::Loaded if known.leaves_out() => Check::wrong(&about, text, "correct these lines"),
        State::Loaded => Check::fine(&about, text),
        State::Ignored => Check::note(&about, text),
        State::Untrusted | State::Broken => {
            Check::wrong(&about, text, help.unwrap_or_else(|| "mend it".to_owned()))
        }
    }
}

fn readable(about: &str, folder: &Path) -> Check {
    match std::fs::read_dir(folder) {
        Ok(_) => Check::fine(about, format!("{} can be read", folder.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Check::fine(about, format!("{} is not there yet", folder.display()))
        }
        Err(error) => {
            Check::wrong(about, format!("{}: {error}", folder.display()), "let your user read the folder")
        }
    }
}

fn writable(about: &str, folder: &Path) -> Check {
    // What is missing is made in the first folder above it that is there.
    let there = folder.ancestors().find(|above| above.exists()).unwrap_or(folder);
    if there.is_dir() && may_write(there) {
        return Check::fine(about, format!("{} can be written", folder.display()));
    }
    let text = format!("{} cannot be written", there.display());
    Check::wrong(about, text, "let your user write the folder, or set SNAPHOOK_STATE_DIR")
}

#[cfg(unix)]
fn may_write(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn may_write(folder: &Path) -> bool {
    folder.metadata().is_ok_and(|known| !known.permissions().readonly())
}
