//! The person is somewhere else: behind the agent's own permission prompt.

use snaphook_core::{BoxFuture, HookRef, Notice, UiContext, UiReply, UiRequest};

use super::headless::log_notice;

/// Passes confirmations of gates on to the embedder: the handler that asked becomes an "ask" with its question.
///
/// A yes outside lets the call go on without the handler's later code, so only confirmations are passed on; what
/// needs a choice or a text gets no answer, as if nobody were there.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeferUi;

impl UiContext for DeferUi {
    fn has_ui(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, _hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        Box::pin(async move {
            match request {
                UiRequest::Confirm { .. } => UiReply::Deferred,
                _ => UiReply::Nothing,
            }
        })
    }

    fn notify(&self, hook: Option<&HookRef>, notice: Notice) {
        log_notice(hook, &notice);
    }
}
