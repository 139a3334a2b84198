//! The one loop that all reply classes share: next handler, drive it, record what it came to. What "next" and
//! "record" mean is the class's business (`gate`, `emit`).

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use snaphook_core::{CallContext, Event, Handler};

use crate::dispatch::poll_handler::{HandlerEnd, poll_handler};
use crate::load::hook_set::HookSet;
use crate::services::Shared;

/// The delay before a handler is ended that has a limit of its own and did not keep it: ending a program takes time.
const OWN_LIMIT_GRACE: Duration = Duration::from_secs(10);

/// The surroundings that the handlers of one event run in.
#[derive(Clone, Copy)]
pub(crate) struct LoopInputs<'a> {
    pub(crate) loaded: &'a HookSet,
    pub(crate) handlers: &'a [Arc<dyn Handler>],
    pub(crate) context: &'a Arc<CallContext>,
    pub(crate) shared: &'a Shared,
}

/// The state of one event on its way through its handlers.
pub(crate) trait Run: Send + 'static {
    /// The handler to run now, and what on.
    fn next(&mut self, inputs: LoopInputs<'_>) -> Option<(usize, Event)>;
    /// Takes what it came to.
    fn record(&mut self, inputs: LoopInputs<'_>, index: usize, end: HandlerEnd);
    /// The handler that was named last.
    fn running(&self) -> Option<usize>;
    /// Returns how long one handler may take, waiting included.
    fn limit(&self) -> Option<Duration>;
    /// Takes everything out and leaves a run that has nothing more to do.
    fn take(&mut self) -> Self;
}

/// The place where a run is kept while it is end.
pub(crate) trait Slot<R> {
    /// Works on the run; `None` when it was taken away.
    fn with<T>(&mut self, work: impl FnOnce(&mut R) -> T) -> Option<T>;
}

impl<R: Run> Slot<R> for &mut R {
    fn with<T>(&mut self, work: impl FnOnce(&mut R) -> T) -> Option<T> {
        Some(work(self))
    }
}

/// A run that a worker drives until its supervisor takes it away.
pub(crate) type Lent<R> = Arc<Mutex<Option<R>>>;

impl<R: Run> Slot<R> for Lent<R> {
    fn with<T>(&mut self, work: impl FnOnce(&mut R) -> T) -> Option<T> {
        self.lock().as_mut().map(work)
    }
}

/// Runs the handlers until all is said. No lock is held while a handler runs.
pub(crate) async fn run_handlers<R: Run>(mut slot: impl Slot<R>, inputs: LoopInputs<'_>) {
    let Some(limit) = slot.with(|run| run.limit()) else { return };
    while let Some(Some((index, event))) = slot.with(|run| run.next(inputs)) {
        let Some(handler) = inputs.handlers.get(index) else { return };
        let limit = match handler.time_limit() {
            // It keeps its limit itself: this is for one that does not.
            Some(own) => Some(own + OWN_LIMIT_GRACE),
            None => limit,
        };
        let end = poll_handler(&**handler, &event, inputs.context, limit).await;
        if slot.with(|run| run.record(inputs, index, end)).is_none() {
            return;
        }
    }
}
