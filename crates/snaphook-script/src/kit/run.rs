//! One handler at work on one event. What it waits for is kept here, outside of the VM: when the handler is dropped, the
//! work that it waits for is dropped with it, also if a value of the script's still refers to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::task::{Context, Poll};

use parking_lot::Mutex;
use snaphook_core::{CallContext, PendingReply, ServiceError, ServiceReply, TextBudget};

/// The longest line that a script writes to the log, in bytes; the rest is cut.
pub const MAX_LOG_BYTES: usize = 16 << 10;

/// The number of times that one handler may wait. Waiting costs no budget, so without this a loop around `ctx.exec`
/// would be endless.
const MAX_WAITS: u32 = 1000;

/// A handler that waits again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a handler may wait for the host at most {MAX_WAITS} times for one event")]
pub struct TooManyWaits;

/// One handler at work on one event. `Local` is what the engine itself keeps of it.
pub struct Run<Local = ()> {
    /// The event's surroundings.
    pub call: Arc<CallContext>,
    /// The amount that the script has said.
    pub text_budget: TextBudget,
    /// The engine's own part.
    pub local: Local,
    waits: Mutex<BTreeMap<u64, WaitState>>,
    /// The number of times that the script has begun to wait.
    begun: AtomicU32,
}

/// Something that the script waits for.
enum WaitState {
    Running(PendingReply),
    Done(Result<ServiceReply, ServiceError>),
}

impl<Local: Default> Run<Local> {
    /// A handler that begins.
    #[inline]
    pub fn new(call: Arc<CallContext>) -> Arc<Self> {
        Arc::new(Run {
            call,
            text_budget: TextBudget::default(),
            local: Local::default(),
            waits: Mutex::default(),
            begun: AtomicU32::new(0),
        })
    }
}

impl<Local> Run<Local> {
    /// Counts one more wait of the script.
    ///
    /// # Errors
    /// The handler has waited too often.
    pub fn count_wait(&self) -> Result<(), TooManyWaits> {
        if self.begun.fetch_add(1, Ordering::Relaxed) < MAX_WAITS { Ok(()) } else { Err(TooManyWaits) }
    }

    /// Takes on work that the script waits for; gives the ticket.
    pub fn begin(&self, work: PendingReply) -> u64 {
        // No other handler's, ever: a coroutine may outlive the handler that it waited in.
        static TICKETS: AtomicU64 = AtomicU64::new(0);
        let ticket = TICKETS.fetch_add(1, Ordering::Relaxed);
        self.waits.lock().insert(ticket, WaitState::Running(work));
        ticket
    }

    /// Returns whether the script waits for anything, or has not collected what it waited for.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        !self.waits.lock().is_empty()
    }

    /// Goes on with all work, outside the VM. Says whether some of it is done, so that the script can go on.
    pub fn drive(&self, context: &mut Context<'_>) -> bool {
        // Out of the map while it is polled: it may cause events whose handlers look here.
        let waits = std::mem::take(&mut *self.waits.lock());
        let mut some_done = false;
        let mut polled = BTreeMap::new();
        for (ticket, wait) in waits {
            let wait = match wait {
                WaitState::Running(mut work) => match work.as_mut().poll(context) {
                    Poll::Pending => WaitState::Running(work),
                    Poll::Ready(done) => WaitState::Done(done),
                },
                done @ WaitState::Done(_) => done,
            };
            some_done |= matches!(wait, WaitState::Done(_));
            polled.insert(ticket, wait);
        }
        self.waits.lock().append(&mut polled);
        some_done
    }

    /// The outcome of the work behind a ticket, once it is there. Called inside the VM.
    pub fn collect(&self, ticket: u64) -> Poll<Result<ServiceReply, ServiceError>> {
        let mut waits = self.waits.lock();
        match waits.remove(&ticket) {
            Some(WaitState::Done(done)) => Poll::Ready(done),
            Some(going) => {
                waits.insert(ticket, going);
                Poll::Pending
            }
            None => Poll::Ready(Err(ServiceError("the call was cancelled".to_owned()))),
        }
    }

    /// Drops everything that is waited for.
    pub fn cancel(&self) {
        let waits = std::mem::take(&mut *self.waits.lock());
        drop(waits);
    }

    /// The same for the only owner.
    #[inline]
    pub fn cancel_now(&mut self) {
        let waits = self.waits.get_mut();
        if !waits.is_empty() {
            waits.clear();
        }
    }
}
