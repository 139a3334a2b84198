//! One dialog at a time: others wait in line.

use std::fmt;
use std::sync::Arc;

use snaphook_core::{Approval, Approved, BoxFuture, HookRef, Notice, UiContext, UiReply, UiRequest};
use tokio::sync::Mutex;

/// Puts a queue before a UI context, so that a second dialog never disturbs the first. One who gives up leaves the
/// queue. The builder wraps every UI context in it; hosts that share a terminal share one of these instead.
pub struct QueuedUi {
    inner: Arc<dyn UiContext>,
    turn: Mutex<()>,
}

impl QueuedUi {
    /// A queue before this UI context.
    pub fn new(inner: Arc<dyn UiContext>) -> Self {
        QueuedUi { inner, turn: Mutex::new(()) }
    }
}

impl fmt::Debug for QueuedUi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueuedUi").finish_non_exhaustive()
    }
}

impl UiContext for QueuedUi {
    fn has_ui(&self) -> bool {
        self.inner.has_ui()
    }

    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        Box::pin(async move {
            let _turn = self.turn.lock().await;
            self.inner.ask(hook, request).await
        })
    }

    fn approve<'a>(&'a self, approval: &'a Approval) -> BoxFuture<'a, Approved> {
        Box::pin(async move {
            let _turn = self.turn.lock().await;
            self.inner.approve(approval).await
        })
    }

    fn notify(&self, hook: Option<&HookRef>, notice: Notice) {
        self.inner.notify(hook, notice);
    }
}
