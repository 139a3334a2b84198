//! Runs one handler to its answer: panics stay inside, abandoned handlers are dropped, waiting has its limit.
//! Not here: which handler runs (`handler_loop`) and what its answer means (`gate`, `emit`).

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use snaphook_command::process::passed;
use snaphook_core::{Answer, BoxFuture, CallContext, Cause, Event, Handler, HandlerError};

use crate::supervise::cpu_clock;

/// The result of running a handler.
#[derive(Debug)]
pub(crate) enum HandlerEnd {
    /// It answered, or failed to.
    Answered(Result<Answer, HandlerError>),
    /// It asked a person who cannot be asked now, and was dropped; the question where it is to be asked outside.
    Abandoned(Option<String>),
}

/// Runs the handler. `limit` is how long it may take, waiting included.
pub(crate) async fn poll_handler(
    handler: &dyn Handler,
    event: &Event,
    context: &Arc<CallContext>,
    limit: Option<Duration>,
) -> HandlerEnd {
    if context.cpu_left().is_zero() {
        let message = "the handlers of this event have used up their computing time";
        return HandlerEnd::Answered(Err(HandlerError::new(Cause::Budget, message)));
    }
    context.signals.begin();
    let mut running = Running(None);
    let mut timer = None;
    poll_fn(|cx| {
        // A handler may compute, and panic, while it makes its future as well as while that is polled.
        let polled = guard(|| {
            cpu_clock::entered(handler, || {
                running.0.get_or_insert_with(|| handler.handle(event, context)).as_mut().poll(cx)
            })
        });
        // Whatever the script made of it: an abandoned handler has no say any more.
        if let Some(question) = context.signals.take_abandoned() {
            return Poll::Ready(HandlerEnd::Abandoned(question));
        }
        let error = match polled {
            Ok(Poll::Ready(outcome)) => return Poll::Ready(HandlerEnd::Answered(outcome)),
            Ok(Poll::Pending) => {
                context.signals.wake_when_abandoned(cx.waker());
                match (guard(|| time_is_up(&mut timer, limit, cx)), limit) {
                    (Ok(true), Some(limit)) => too_late(limit),
                    (Ok(_), _) => return Poll::Pending,
                    (Err(error), _) => error,
                }
            }
            Err(error) => error,
        };
        Poll::Ready(HandlerEnd::Answered(Err(error)))
    })
    .await
}

fn too_late(limit: Duration) -> HandlerError {
    let message = format!("gave no answer within {} s", limit.as_secs_f64());
    HandlerError::new(Cause::Timeout, message)
}

/// A time limit under way.
type Timer = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The timer exists only for a handler that waits: most never do. Without a tokio runtime nothing is timed.
fn time_is_up(timer: &mut Option<Timer>, limit: Option<Duration>, cx: &mut Context<'_>) -> bool {
    let Some(limit) = limit else { return false };
    if timer.is_none() && tokio::runtime::Handle::try_current().is_err() {
        return false;
    }
    timer.get_or_insert_with(|| Box::pin(passed(limit))).as_mut().poll(cx).is_ready()
}

/// Turns a panic into the error that the law knows.
pub(crate) fn guard<T>(work: impl FnOnce() -> T) -> Result<T, HandlerError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        HandlerError::new(Cause::Panic, format!("panicked: {}", panic_text(payload.as_ref())))
    })
}

/// Returns what a panic said.
pub(crate) fn panic_text(payload: &(dyn Any + Send)) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "no message",
    }
}

/// A boxed future whose end cannot panic either, also when the whole call is dropped.
pub(crate) struct Running<'a, T>(pub(crate) Option<BoxFuture<'a, T>>);

impl<T> Running<'_, T> {
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<T> {
        match &mut self.0 {
            Some(future) => future.as_mut().poll(cx),
            None => Poll::Pending,
        }
    }
}

impl<T> Drop for Running<'_, T> {
    fn drop(&mut self) {
        let future = self.0.take();
        if guard(|| drop(future)).is_err() {
            tracing::warn!(target: "snaphook", "a future panicked while it was dropped");
        }
    }
}
