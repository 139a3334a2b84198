//! The options of one call: its cancellation, its UI, its supervision.

use std::fmt;
use std::sync::Arc;

use snaphook_core::UiContext;
use tokio_util::sync::CancellationToken;

/// The one who answers when a gate's verdict is "ask".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AskMode {
    /// The host asks its UI context; without one the event is denied (law 6).
    #[default]
    Resolve,
    /// The question stays in the decision for the embedder: the agent's own permission prompt.
    Defer,
}

/// Options of one call. The default: not cancellable but by dropping the future, the host asks, inline.
#[derive(Clone, Default)]
pub struct CallOptions {
    /// Cancels the call: its handlers, dialogs and processes end, and a gated event is denied.
    pub cancel: Option<CancellationToken>,
    /// The one who answers questions.
    pub ask: AskMode,
    /// Whom the host asks about this call, and about events that it causes. Default: its own UI context. One dialog at a time is
    /// for this one to see to; notices go to the host's.
    pub ui: Option<Arc<dyn UiContext>>,
    /// Run the handlers on a thread of their own, and answer without one that cannot be stopped (law 5). Costs the
    /// start of a thread, some ten microseconds. Needs a tokio runtime; outside one the call is inline.
    pub supervised: bool,
}

impl CallOptions {
    /// With supervision, else the defaults.
    pub fn supervised() -> Self {
        CallOptions { supervised: true, ..CallOptions::default() }
    }
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions")
            .field("ask", &self.ask)
            .field("supervised", &self.supervised)
            .finish_non_exhaustive()
    }
}
