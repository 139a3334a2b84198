//! The finding of a look at a call, and the reasons that several looks have. Not here: the looks.

use crate::places::Guard;

/// The reason why snaphook's program is left alone.
pub(crate) const REPLACED: &str =
    "snaphook's own program must not be replaced, moved or copied by a tool call; ask the person to do it";

/// The reason why a text for an agent is asked about.
pub(crate) const REGISTERED: &str =
    "this text for an agent has hooks or servers of its own, which would run unseen. Let it?";

/// The finding of a look at a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finding {
    Ask(String),
    Deny(String),
}

impl Finding {
    pub(crate) fn strictest(one: Option<Finding>, other: Option<Finding>) -> Option<Finding> {
        match (one, other) {
            (one @ Some(Finding::Deny(_)), _) => one,
            (_, other @ Some(Finding::Deny(_))) => other,
            (one, other) => one.or(other),
        }
    }
}

/// The finding about what is guarded, which a text calls by this path.
pub(crate) fn finding(guard: Guard, path: &str) -> Finding {
    match guard {
        Guard::Program => Finding::Deny(REPLACED.to_owned()),
        Guard::Ask(what) => {
            let path: String = path.chars().map(|c| if c.is_control() { '…' } else { c }).collect();
            Finding::Ask(format!(
                "this may change {what} ({path}), which an agent does not change on its own. Let it?"
            ))
        }
    }
}
