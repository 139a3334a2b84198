//! No person is there: every question gets the answer of law 6.

use snaphook_core::{BoxFuture, HookRef, Notice, UiContext, UiReply, UiRequest};

use super::headless_reply;

/// The UI context of a program without a person: questions get no answer, notices go to the log.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeadlessUi;

impl UiContext for HeadlessUi {
    fn has_ui(&self) -> bool {
        false
    }

    fn ask<'a>(&'a self, _hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        Box::pin(async move { headless_reply(&request) })
    }

    fn notify(&self, hook: Option<&HookRef>, notice: Notice) {
        log_notice(hook, &notice);
    }
}

/// Writes a notice to the log, where no person sees it otherwise.
pub(super) fn log_notice(hook: Option<&HookRef>, notice: &Notice) {
    let hook = hook.map_or("", |hook| hook.id.as_str());
    match notice {
        Notice::Message { text, level } => {
            tracing::info!(target: "snaphook::notice", hook, level = level.as_str(), "{text}");
        }
        Notice::Status { key, text } => {
            let text = text.as_deref().unwrap_or_default();
            tracing::debug!(target: "snaphook::notice", hook, key = key.as_str(), "{text}");
        }
    }
}
