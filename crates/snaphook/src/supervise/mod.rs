//! Answers without a handler that cannot be stopped (law 5): the handlers run on a thread of their own (`workers`), and when one computes
//! past its budget and the grace (`cpu_clock`), the run goes on without it and without its thread.
//!
//! It is a plain thread and not one of tokio's blocking pool, because a runtime that shuts down waits for its pool,
//! and so would wait for the very handler that cannot be stopped.

pub(crate) mod cpu_clock;
mod workers;

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use parking_lot::Mutex;
use snaphook_core::{CallContext, Cause, EventName, HandlerError, HookRef, Limits};
use snaphook_cpu::Moment;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::dispatch::handler_loop::{Lent, LoopInputs, Run, run_handlers};
use crate::dispatch::poll_handler::{HandlerEnd, guard};
use crate::load::hook_set::HookSet;
use crate::services::Shared;
use crate::supervise::cpu_clock::CpuClock;
use crate::sync::until;

/// The parts that a worker needs, owned.
#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) loaded: Arc<HookSet>,
    pub(crate) context: Arc<CallContext>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) event: EventName,
}

impl Stage {
    pub(crate) fn inputs(&self) -> LoopInputs<'_> {
        LoopInputs {
            loaded: &self.loaded,
            handlers: self.loaded.handlers(&self.event),
            context: &self.context,
            shared: &self.shared,
        }
    }
}

/// The way a worker ended.
enum End {
    Done,
    Died,
    /// A handler has computed for so long in one poll, and does not stop.
    Stuck(Duration),
}

/// Runs the handlers under supervision. Outside a tokio runtime, or when the system gives no thread, they run here.
pub(crate) async fn supervise<R: Run>(run: &mut R, stage: &Stage, limits: &Limits) {
    let allowance = limits.handler_cpu.saturating_add(limits.stop_grace);
    let Ok(runtime) = Handle::try_current() else { return run_handlers(run, stage.inputs()).await };
    loop {
        let slot: Lent<R> = Arc::new(Mutex::new(Some(run.take())));
        let watch = CpuClock::new();
        let call = Arc::clone(stage.context.cancel_flag());
        let mut ends = Ends { worker: CancellationToken::new(), call, over: false };
        let Some(done) = start(&runtime, &slot, stage.clone(), &watch, &ends.worker) else {
            ends.over = true;
            if let Some(taken) = slot.lock().take() {
                *run = taken;
            }
            return run_handlers(run, stage.inputs()).await;
        };
        let end = wait(done, &watch, allowance).await;
        ends.over = true;
        // From here on the worker, should it still live, finds nothing to work on.
        if let Some(taken) = slot.lock().take() {
            *run = taken;
        }
        let inputs = stage.inputs();
        match end {
            End::Done => return,
            End::Stuck(spent) => {
                let culprit = watch.hook().or_else(|| handler_hook(run, inputs));
                fail(run, inputs, stuck(culprit.as_ref(), inputs, spent, allowance));
            }
            End::Died => {
                fail(run, inputs, HandlerError::new(Cause::Panic, "ended the thread that it ran on"));
                return;
            }
        }
    }
}

fn stuck(
    culprit: Option<&HookRef>,
    inputs: LoopInputs<'_>,
    spent: Duration,
    allowance: Duration,
) -> HandlerError {
    let name = culprit.map_or("?", |hook| hook.name.as_str());
    if let Some(hook) = culprit {
        inputs.loaded.break_hook(hook);
    }
    let what = if spent >= allowance {
        format!("still computes after {} s and", allowance.as_secs_f64())
    } else {
        format!("has blocked its thread for {} s without computing, and", BLOCKED_TIMEOUT.as_secs())
    };
    let message = format!("the hook \"{name}\" {what} could not be stopped; the host went on without it");
    HandlerError::new(Cause::Stuck, message)
}

fn handler_hook<R: Run>(run: &R, inputs: LoopInputs<'_>) -> Option<HookRef> {
    Some(inputs.handlers.get(run.running()?)?.info().hook.clone())
}

fn fail<R: Run>(run: &mut R, inputs: LoopInputs<'_>, error: HandlerError) {
    let index = run.running().unwrap_or_default();
    run.record(inputs, index, HandlerEnd::Answered(Err(error)));
}

/// Starts the run in the slot on a worker; `None` where the system refuses. The channel tells when it is done.
fn start<R: Run>(
    runtime: &Handle,
    slot: &Lent<R>,
    stage: Stage,
    watch: &Arc<CpuClock>,
    cancel: &CancellationToken,
) -> Option<oneshot::Receiver<()>> {
    let (tell, done) = oneshot::channel();
    let (runtime, slot, watch, cancel) =
        (runtime.clone(), Arc::clone(slot), Arc::clone(watch), cancel.clone());
    let work = move || {
        watch.install();
        if guard(|| runtime.block_on(until(Some(&cancel), run_handlers(slot, stage.inputs())))).is_ok() {
            // There is no receiver any more when the call was cancelled or answered already.
            let _ = tell.send(());
        }
    };
    workers::work(Box::new(work)).ok()?;
    Some(done)
}

/// The time that a handler may hold its thread without computing: it waits inside of the system, where nothing else
/// can wait for it. On a busy machine every thread has had a processor long before.
const BLOCKED_TIMEOUT: Duration = Duration::from_secs(30);

/// Waits for the worker, and looks now and then whether a handler computes for too long.
async fn wait(done: oneshot::Receiver<()>, watch: &CpuClock, allowance: Duration) -> End {
    let mut done = pin!(done);
    let mut pause = allowance;
    let mut idle = Idle::default();
    loop {
        let mut tick = pin!(tokio::time::sleep(pause));
        let ended = poll_fn(|cx| match done.as_mut().poll(cx) {
            Poll::Ready(Ok(())) => Poll::Ready(Some(End::Done)),
            Poll::Ready(Err(_)) => Poll::Ready(Some(End::Died)),
            Poll::Pending => tick.as_mut().poll(cx).map(|()| None),
        })
        .await;
        if let Some(end) = ended {
            return end;
        }
        let poll = watch.poll();
        let still = idle.look(poll, pause);
        pause = match poll {
            Some((_, spent)) if spent >= allowance => return End::Stuck(spent),
            Some((_, spent)) if still >= BLOCKED_TIMEOUT => return End::Stuck(spent),
            Some((_, spent)) => (allowance - spent).max(MIN_WAIT),
            None => allowance,
        };
    }
}

/// The least time between two looks at a handler that is near its end.
const MIN_WAIT: Duration = Duration::from_millis(1);

/// For how long a poll has held its thread without computing.
#[derive(Default)]
struct Idle {
    last: Option<(Moment, Duration)>,
    still: Duration,
}

impl Idle {
    /// Takes what a look saw after a pause. The pause counts as what it was meant to be: where it was longer, the whole program
    /// was paused.
    fn look(&mut self, poll: Option<(Moment, Duration)>, pause: Duration) -> Duration {
        self.still = match (self.last, poll) {
            (Some(last), Some(poll)) if last == poll => self.still + pause,
            _ => Duration::ZERO,
        };
        self.last = poll;
        self.still
    }
}

/// Ends the worker: what waits is dropped. If the whole call was dropped, a running computation is cancelled as well.
struct Ends {
    worker: CancellationToken,
    call: Arc<AtomicBool>,
    over: bool,
}

impl Drop for Ends {
    fn drop(&mut self) {
        self.worker.cancel();
        if !self.over {
            self.call.store(true, Ordering::Relaxed);
        }
    }
}
