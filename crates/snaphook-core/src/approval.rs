//! The question whose yes lets what a gate asks about pass, and its answer. Not here: other questions of hooks (`requests`), and
//! what an answer does to a decision (the host).

use std::sync::Arc;

use serde_json::Value;

use crate::hook::{HookRef, Location};

/// A question whose yes lets something pass that a gate asks about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Approval {
    /// The question, on one line that may be shown.
    pub title: String,
    /// The hooks that ask and what would happen, as lines that may be shown.
    pub message: String,
    /// The hooks that ask it; none where it is the host's.
    pub hooks: Vec<HookRef>,
    /// The place in the first hook, where it is known.
    pub location: Option<Location>,
    /// The tool as the agent calls it, and the input that would run; `None` where the event is no tool call.
    pub call: Option<(Arc<str>, Arc<Value>)>,
}

impl Approval {
    /// A question of the host's about no call.
    pub fn new(title: impl Into<String>, message: impl Into<String>) -> Self {
        Approval {
            title: title.into(),
            message: message.into(),
            hooks: Vec::new(),
            location: None,
            call: None,
        }
    }
}

/// The answer of the person to an [`Approval`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approved {
    /// It may pass.
    Yes,
    /// It may pass: the person said before that this exact call may, for the rest of the session.
    AsBefore,
    /// It may not.
    No {
        /// The person's words to the agent.
        why: Option<String>,
    },
    /// No answer: nobody can be asked, or the person closed the dialog.
    Nothing,
    /// The question is passed on; its answer comes later, from outside.
    Deferred,
}
