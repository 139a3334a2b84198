//! Asking the person at the terminal about undecided hooks.

use snaphook_discovery::trust::TrustStore;
use snaphook_discovery::{Directories, Discovery, ProjectHook, Trust, TrustState, printable};

use super::{show, store_failure};
use crate::env::Env;
use crate::exit::Failure;
use crate::print::{self, Paint};
use crate::terminal::{self, Confirmation};

/// The message to a person who ends the questions: what they said yes to before counts for nothing, either.
pub(super) const NOTHING_DECIDED: &str = "interrupted: nothing was decided\n";

/// The question about one hook that has been shown.
pub(super) fn trust(hook: &ProjectHook) -> Confirmation {
    terminal::confirm(&format!("Trust {} with this content?", printable(&hook.name)))
}

/// The result of asking before a session.
pub(crate) enum AtStart {
    /// The hooks are as they were.
    Unchanged,
    /// A decision was made, so that they have to be read anew.
    Decided,
    /// Ctrl-C: nothing was decided, and no session is wanted.
    Interrupted,
}

/// Asks about each undecided hook, once, before a session begins.
///
/// # Errors
/// The store cannot be written.
pub(crate) fn at_start(
    env: &Env,
    directories: &Directories,
    discovery: &Discovery,
    trust_options: &Trust,
) -> Result<AtStart, Failure> {
    let undecided = |hook: &&ProjectHook| hook.state == TrustState::Undecided;
    let open: Vec<_> = discovery.project.iter().filter(undecided).collect();
    if open.is_empty() || !env.can_ask() {
        return Ok(AtStart::Unchanged);
    }
    let Ok(store) = TrustStore::locate(directories, trust_options.owners) else {
        return Ok(AtStart::Unchanged);
    };
    if store.read().is_err() {
        return Ok(AtStart::Unchanged);
    }
    let paint = Paint { on: env.colours(env.stderr_is_terminal) };
    let mut yes = Vec::new();
    for hook in open {
        print::stderr(&show::hook(hook, &store, paint));
        match trust(hook) {
            Confirmation::Yes => yes.push(hook),
            Confirmation::No => {}
            Confirmation::Interrupted => {
                print::stderr(NOTHING_DECIDED);
                return Ok(AtStart::Interrupted);
            }
        }
    }
    store.trust(yes.iter().map(|hook| (&hook.key, &hook.candidate.raw))).map_err(store_failure)?;
    Ok(if yes.is_empty() { AtStart::Unchanged } else { AtStart::Decided })
}
