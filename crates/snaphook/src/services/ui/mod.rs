//! UI contexts that need no terminal: nobody there, a script of answers, a person outside, and a queue before any
//! of them. The terminal's lives with the program that owns the terminal.

mod defer;
mod headless;
mod queued;
mod scripted;

use snaphook_core::{UiReply, UiRequest};

pub use defer::DeferUi;
pub use headless::HeadlessUi;
pub use queued::QueuedUi;
pub use scripted::{AskedQuestion, ScriptedUi};

/// Returns the answer without a person (law 6): no to a confirmation, nothing to the rest.
pub fn headless_reply(request: &UiRequest) -> UiReply {
    match request {
        UiRequest::Confirm { .. } => UiReply::Confirmed(false),
        UiRequest::Select { .. } | UiRequest::Input { .. } | UiRequest::Editor { .. } => UiReply::Nothing,
    }
}

/// Returns whether a reply answers this question.
pub(crate) fn fits(request: &UiRequest, reply: &UiReply) -> bool {
    match (request, reply) {
        (_, UiReply::Nothing) | (UiRequest::Confirm { .. }, UiReply::Confirmed(_)) => true,
        (UiRequest::Select { options, .. }, UiReply::Selected(index)) => *index < options.len(),
        (UiRequest::Input { .. } | UiRequest::Editor { .. }, UiReply::Text(_)) => true,
        _ => false,
    }
}
