//! Asking the person at the terminal about undecided hooks.

use snaphook_discovery::trust::TrustStore;
use snaphook_discovery::{Directories, Discovery, ProjectHook, Trust, TrustState, printable};

use super::{show, told};
use crate::env::Env;
use crate::exit::Failure;
use crate::out::{self, Paint};
use crate::terminal;

/// The question about one hook that has been shown. No answer is a no.
pub(super) fn trust(hook: &ProjectHook) -> bool {
    terminal::confirm(&format!("Trust {} with this content?", printable(&hook.name)))
}

/// Asks about each undecided hook, once, before a session begins. Says whether a decision was made, so that the hooks have to
/// be read anew.
///
/// # Errors
/// The store cannot be written.
pub(crate) fn at_start(
    env: &Env,
    directories: &Directories,
    discovery: &Discovery,
    trust_options: &Trust,
) -> Result<bool, Failure> {
    let undecided = |hook: &&ProjectHook| hook.state == TrustState::Undecided;
    let open: Vec<_> = discovery.project.iter().filter(undecided).collect();
    if open.is_empty() || !env.can_ask() {
        return Ok(false);
    }
    let Ok(store) = TrustStore::locate(directories, trust_options.owners) else { return Ok(false) };
    if store.read().is_err() {
        return Ok(false);
    }
    let paint = Paint { on: env.colours(env.stderr_is_terminal) };
    let mut yes = Vec::new();
    for hook in open {
        out::print_error(&show::hook(hook, &store, paint));
        if trust(hook) {
            yes.push(hook);
        }
    }
    store.trust(yes.iter().map(|hook| (&hook.place, &hook.candidate.raw))).map_err(told)?;
    Ok(!yes.is_empty())
}
