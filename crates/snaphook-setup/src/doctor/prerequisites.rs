//! The prerequisites of all agents: hooks that load and are trusted, and folders that can be read and written.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use snaphook::{Problem, Severity};
use snaphook_adapters::CANARY;
use snaphook_audit::AuditLog;
use snaphook_discovery::{Directories, Settings, TrustState, discover};
use snaphook_state::layout;

use crate::doctor::Check;
use crate::install::HooksInForce;

/// The prerequisites of all agents.
#[derive(Debug)]
pub struct Prerequisites<'a> {
    /// The folders.
    pub directories: &'a Directories,
    /// The variables of the process.
    pub vars: &'a [(OsString, OsString)],
    /// The path of snaphook, as agents start it.
    pub program: &'a str,
    /// The hooks in force.
    pub hooks: HooksInForce,
    /// The checks of lifecycle files.
    pub lifecycle: Vec<Check>,
    /// A copy of the state folder, for calls that are tried. Without one they are tried in the state folder itself.
    pub trial: Option<PathBuf>,
    /// The log of `snaphook hook`.
    pub log: Option<PathBuf>,
    /// The text in an answer of snaphook to a call that it could not evaluate.
    pub not_evaluated: &'a str,
}

impl Prerequisites<'_> {
    /// Returns whether decisions are written down.
    fn is_audited(&self) -> bool {
        Settings::load(self.directories).0.audit.enabled
    }

    /// Checks them.
    pub(super) fn checks(&self) -> Vec<Check> {
        let mut checks = Vec::new();
        let known = discover(self.directories, &[]).project;
        let undecided = known.iter().filter(|hook| hook.state == TrustState::Undecided).count();
        let is_audited = self.is_audited();
        let HooksInForce { missing, problems, count, .. } = &self.hooks;
        let is_wrong = |problem: &&Problem| problem.severity == Severity::Error || problem.only.is_some();
        let errors: Vec<_> = problems.iter().filter(is_wrong).collect();
        if let Some(missing) = missing {
            let text = format!(
                "there are none, so every tool call is denied: {} {}",
                missing.file.display(),
                missing.message
            );
            checks.push(Check::wrong(
                "hooks",
                text,
                "write one with `snaphook new`, or remove snaphook with `snaphook uninstall AGENT`",
            ));
        }
        if undecided > 0 {
            let text =
                format!("{undecided} of the project wait for your decision, so every gated call is denied");
            checks.push(Check::wrong("hooks", text, "snaphook trust"));
        }
        for problem in errors.iter().take(20) {
            checks.push(Check::wrong(
                "hooks",
                problem.to_string(),
                "fix it; `snaphook list` shows all hooks",
            ));
        }
        if missing.is_none() && errors.is_empty() && undecided == 0 {
            checks.push(Check::fine("hooks", format!("{count} load and may run")));
        }
        checks.extend(self.lifecycle.iter().cloned());
        checks.push(match &self.directories.user_hooks {
            Some(folder) => readable("config folder", folder.parent().unwrap_or(folder)),
            None => Check::wrong("config folder", "there is none", "set HOME or SNAPHOOK_CONFIG_DIR"),
        });
        checks.push(match &self.directories.state {
            Some(folder) => writable("state folder", folder),
            None => Check::wrong("state folder", "there is none", "set HOME or SNAPHOOK_STATE_DIR"),
        });
        if let Some(log) = &self.log {
            checks.push(Check::fine("log", format!("{} has what hooks print and log", log.display())));
        }
        if let Some(state) = self.directories.state.as_ref().filter(|_| is_audited) {
            let check = writable("audit", &layout::audit(state));
            checks.extend(check.is_wrong().then_some(check));
        }
        if !is_audited {
            checks.push(Check::note("audit", "it is switched off by `enabled = false` in your config.toml"));
        }
        checks
    }

    /// Returns the last line of the audit about a call that was tried; `None` where nothing is written down.
    pub(super) fn last_line(&self) -> Option<String> {
        let state = self.trial.as_ref().filter(|_| self.is_audited())?;
        let log = AuditLog::new(layout::audit(state));
        let lines = log.lines(&AuditLog::name_of(CANARY)).unwrap_or_default();
        Some(lines.into_iter().next_back().map(|line| line.text).unwrap_or_default())
    }
}

fn readable(about: &str, folder: &Path) -> Check {
    match std::fs::read_dir(folder) {
        Ok(_) => Check::fine(about, format!("{} can be read", folder.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Check::fine(about, format!("{} does not exist yet", folder.display()))
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
