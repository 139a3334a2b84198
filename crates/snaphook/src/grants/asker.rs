//! The hook that wants something that has to be granted, and what it is told where it is not. Not here: what is granted
//! (the modules of each kind of grant).

use std::sync::Arc;

use snaphook_core::{CallContext, Caller, HookRef, ServiceError};
use snaphook_discovery::printable;

/// The one who wants something that has to be granted. Each kind of grant decides with it: [`Asker::used`] with the
/// entry that allows it, else the error of [`Asker::missing`]. Both are in the audit's line of the event. An owned
/// value, so that work that goes on in a future (a redirect to another host) can tell of it, too.
#[derive(Clone)]
pub(crate) struct Asker {
    pub(crate) hook: HookRef,
    /// `None` while the hook loads: that belongs to no event.
    call: Option<Arc<CallContext>>,
}

impl Asker {
    pub(crate) fn new(caller: Caller<'_>) -> Self {
        Asker { hook: caller.hook.clone(), call: caller.call.cloned() }
    }

    /// Notes that this entry of `kind` allowed something.
    pub(crate) fn used(&self, kind: &str, entry: &str) {
        self.note(kind, entry, false);
    }

    /// Notes that nothing of `kind` allows it; gives the error, which names the missing `entry`. `what` is the subject of a
    /// sentence: "the program git".
    pub(crate) fn missing(&self, what: &str, kind: &str, entry: &str) -> ServiceError {
        self.note(kind, entry, true);
        missing(what, kind, entry)
    }

    pub(crate) fn note(&self, kind: &str, entry: &str, denied: bool) {
        if let Some(call) = &self.call {
            call.uses.note(&self.hook, kind, entry, denied);
        }
    }
}

/// The error for something that was not granted. It names the line that is missing.
pub(crate) fn missing(what: &str, kind: &str, entry: &str) -> ServiceError {
    let entry = entry_text(entry);
    ServiceError(format!(
        "{what} is not granted; the hook's front matter needs `{kind}: [{entry}]` under `grants`"
    ))
}

/// An entry as it is in front matter: in quotes where YAML would take it for something else.
pub(crate) fn entry_text(entry: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let begins = entry.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '/'))
        || entry.starts_with("./")
        || entry.starts_with("../");
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_word = WORDS.iter().any(|word| entry.eq_ignore_ascii_case(word));
    if begins && !is_word && entry.chars().all(plain) {
        entry.to_owned()
    } else {
        format!("\"{}\"", printable(&entry.replace('\\', "\\\\").replace('"', "\\\"")))
    }
}
