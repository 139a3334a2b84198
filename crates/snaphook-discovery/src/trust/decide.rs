//! The consequences of decisions for the project's hooks that discovery read: which may run, and the problem that stands for
//! each that may not. Not here: what was decided (`store`), finding hooks (`find`).

use std::path::Path;

use snaphook_core::{Cause, Problem};

use super::hash::{ContentHash, hex};
use super::store::{Decisions, TrustStore};
use super::{FormerHook, ProjectHook, Trust, TrustKey, TrustState};
use crate::candidate::Candidate;
use crate::dirs::Directories;
use crate::ids::slug;
use crate::mcp_servers::SERVER_PREFIX;
use snaphook_core::printable;

/// Decides about the hooks of one discovery.
pub(crate) struct Judge<'a> {
    pub(super) directories: &'a Directories,
    pub(super) trust: &'a Trust,
    /// Read when it is first needed.
    decisions: Option<Result<Decisions, Problem>>,
    pub(super) project: String,
    /// The places where a yes at another place holds, and the store does not say so yet.
    shared: Vec<(TrustKey, ContentHash)>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(directories: &'a Directories, trust: &'a Trust) -> Self {
        let root = trust.project.as_deref().unwrap_or(&directories.project_root);
        Judge { directories, trust, decisions: None, project: lossless(root), shared: Vec::new() }
    }

    /// Returns what is known about a hook that was read. `hook` is its file or folder in the hooks folder; one that
    /// is `named` on the command line is trusted by that.
    pub(crate) fn judge(&mut self, candidate: Candidate, hook: &str, named: bool) -> ProjectHook {
        let key = TrustKey { project: self.project.clone(), hook: hook.to_owned() };
        let hash = candidate.content_hash();
        let file = hook.rsplit('/').next().unwrap_or(hook);
        let name = slug(stem(file, candidate.modules.is_some()));
        let mut judged =
            ProjectHook { candidate, key, hash, state: TrustState::Undecided, changed_from: None, name };
        let pins = self.pins(&judged);
        (judged.state, judged.changed_from) = match () {
            () if named => (TrustState::Trusted, None),
            () if !pins.is_empty() => {
                let state = if pins.contains(&hash) { TrustState::Trusted } else { TrustState::Undecided };
                (state, None)
            }
            () => {
                let (state, unnoted) = match self.decisions() {
                    Ok(decisions) => {
                        (decisions.state(&judged.key, hash), decisions.is_unnoted(&judged.key, hash))
                    }
                    Err(_) => ((TrustState::Undecided, None), false),
                };
                if unnoted && state.0 == TrustState::Trusted {
                    self.shared.push((judged.key.clone(), hash));
                }
                state
            }
        };
        judged
    }

    /// Returns what is known about something that is trusted at its place only: a yes to the same content elsewhere does not
    /// count here.
    pub(crate) fn judge_here(&mut self, candidate: Candidate, place: &str) -> ProjectHook {
        let key = TrustKey { project: self.project.clone(), hook: place.to_owned() };
        let (hash, name) = (candidate.content_hash(), candidate.hook.id.clone());
        let mut judged =
            ProjectHook { candidate, key, hash, state: TrustState::Undecided, changed_from: None, name };
        let pins = self.pins(&judged);
        if !pins.is_empty() {
            if pins.contains(&hash) {
                judged.state = TrustState::Trusted;
            }
        } else if let Ok(decisions) = self.decisions()
            && decisions.has(&judged.key)
        {
            (judged.state, judged.changed_from) = decisions.state(&judged.key, hash);
        }
        judged
    }

    /// Returns whether an entry of the hooks folder that is no hook was one that a person trusted, and the denial
    /// that it is then: it would take its gate away without a word.
    pub(crate) fn former(&mut self, hook: String, shown: &Path) -> Option<(FormerHook, Problem)> {
        let key = TrustKey { project: self.project.clone(), hook };
        let trusted = self.decisions().as_ref().is_ok_and(|decisions| decisions.is_trusted(&key));
        if !trusted {
            return None;
        }
        let message = "was a hook that you trusted, and is not a hook any more: it changed";
        let help = format!(
            "put back what it was, or remove it, or say so: `snaphook untrust {}`",
            printable(&key.hook)
        );
        let problem = Problem::error(shown, message).with_help(help).with_cause(Cause::Untrusted);
        Some((FormerHook { key }, problem))
    }

    fn pins(&self, hook: &ProjectHook) -> Vec<ContentHash> {
        let pins = self.trust.pins.0.iter().filter(|pin| hook.answers_to(&pin.name));
        pins.map(|pin| pin.hash).collect()
    }

    /// Returns where a yes at another place holds, and the store does not say so yet.
    pub(crate) fn shared(&mut self) -> Vec<(TrustKey, ContentHash)> {
        std::mem::take(&mut self.shared)
    }

    pub(super) fn decisions(&mut self) -> &Result<Decisions, Problem> {
        let (directories, owners) = (self.directories, self.trust.owners);
        self.decisions
            .get_or_insert_with(|| TrustStore::locate(directories, owners).and_then(|store| store.read()))
    }

    /// The denial that an undecided hook is.
    pub(crate) fn problem(&self, hook: &ProjectHook) -> Problem {
        let ProjectHook { candidate, .. } = hook;
        let id = &candidate.hook.id;
        let pinned = !self.pins(hook).is_empty();
        let (why, help) = match () {
            () if pinned => (
                format!("is not the version that --trust names (it is {})", hook.hash),
                format!("read it, then name this one: `snaphook trust --print {id}`"),
            ),
            () if hook.changed_from.is_some() => (
                "changed since it was decided on, so nothing of it runs".to_owned(),
                format!("see what changed and decide: `snaphook trust {id}`"),
            ),
            () => (
                "is not trusted, so nothing of it runs".to_owned(),
                format!("read it and decide: `snaphook trust {id}`"),
            ),
        };
        Problem::error(&candidate.hook.file, format!("the project hook \"{id}\" {why}"))
            .with_help(help)
            .with_cause(Cause::Untrusted)
            .with_on_failure(candidate.front_matter.on_failure)
    }

    /// Returns what is wrong with the store itself, where it was needed.
    pub(crate) fn store_problem(self) -> Option<Problem> {
        self.decisions.and_then(Result::err)
    }

    /// Returns what is wrong with the store itself, and with pins that mean no hook.
    pub(crate) fn finish(self, hooks: &[ProjectHook]) -> Vec<Problem> {
        let mut problems = Vec::new();
        if let Some(Err(problem)) = self.decisions {
            problems.push(problem.with_cause(Cause::Untrusted));
        }
        let known = |name: &str| hooks.iter().any(|hook| hook.answers_to(name));
        // Servers are looked for only where they are started.
        let is_hook = |name: &str| !name.starts_with(SERVER_PREFIX);
        for pin in self.trust.pins.0.iter().filter(|pin| is_hook(&pin.name) && !known(&pin.name)) {
            let message = format!("there is no project hook \"{}\"", crate::display::quoted(&pin.name));
            problems.push(Problem::warning("--trust", message).with_help("`snaphook list` names them"));
        }
        problems
    }
}

/// Gives a hook whose short name another one has, too, the name of its file.
pub(crate) fn tell_apart(hooks: &mut [ProjectHook]) {
    let names: Vec<_> = hooks.iter().map(|hook| hook.name.clone()).collect();
    for hook in hooks {
        if names.iter().filter(|name| **name == hook.name).count() > 1 {
            hook.name.clone_from(&hook.key.hook);
        }
    }
}

fn stem(hook: &str, folder: bool) -> &str {
    if folder { hook } else { crate::names::split(hook).0 }
}

/// A path as text, so that different paths have different texts.
fn lossless(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => format!("bytes:{}", hex(path.as_os_str().as_encoded_bytes())),
    }
}
