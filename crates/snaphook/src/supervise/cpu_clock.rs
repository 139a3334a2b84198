//! Tells computing from waiting (law 5): while a handler is polled on a thread with a watch, that says since when and whose
//! code it is. Supervised calls have one; inline calls have none and pay a look at a thread-local only, unless a program that
//! watches over its own threads gave them one.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use snaphook_core::{Handler, HookRef};
use snaphook_cpu::{Moment, Stretch};

/// One thread's watch: another thread can see by it whether a handler computes, and for how long. A program that is paused
/// computes nothing meanwhile, and one on a busy machine only while it has a processor.
///
/// For programs that end themselves with an answer when a handler cannot be stopped, and so need no thread to leave behind:
/// they make their calls inline, on a thread with a watch.
#[derive(Debug)]
pub struct CpuClock(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    /// The current poll; `None` while nothing computes.
    poll: Option<Stretch>,
    hook: Option<HookRef>,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<CpuClock>>> = const { RefCell::new(None) };
}

impl CpuClock {
    /// One that no thread has yet.
    pub fn new() -> Arc<Self> {
        Arc::new(CpuClock(Mutex::default()))
    }

    /// Makes this the watch of the thread.
    pub fn install(self: Arc<Self>) {
        CURRENT.with_borrow_mut(|current| *current = Some(self));
    }

    /// Returns how long the handler that computes now has been computing without a pause; `None` while all wait.
    pub fn computing(&self) -> Option<Duration> {
        // Asked under the lock: as long as its poll lasts, so does its thread.
        self.0.lock().poll.map(|poll| poll.spent())
    }

    /// The poll under way: when it began, and how long it has computed.
    pub(crate) fn poll(&self) -> Option<(Moment, Duration)> {
        self.0.lock().poll.map(|poll| (poll.began(), poll.spent()))
    }

    /// The hook whose code computes, or did last.
    pub fn hook(&self) -> Option<HookRef> {
        self.0.lock().hook.clone()
    }

    fn begin(&self, hook: HookRef) -> Seen {
        let poll = Some(Stretch::begin());
        std::mem::replace(&mut *self.0.lock(), Seen { poll, hook: Some(hook) })
    }
}

/// Does the work in the name of the handler's hook. Calls nest: an event that a handler causes runs inside its poll.
pub(crate) fn entered<T>(handler: &dyn Handler, work: impl FnOnce() -> T) -> T {
    let Some(watch) = CURRENT.with_borrow(Clone::clone) else { return work() };
    let before = watch.begin(handler.info().hook.clone());
    let outer = before.poll.and(before.hook);
    let _left = RestoreOuterHandler { watch, outer };
    work()
}

/// Hands the watch back to the handler around this one, with a fresh allowance, also when the work panics.
struct RestoreOuterHandler {
    watch: Arc<CpuClock>,
    outer: Option<HookRef>,
}

impl Drop for RestoreOuterHandler {
    fn drop(&mut self) {
        match self.outer.take() {
            Some(outer) => {
                self.watch.begin(outer);
            }
            None => self.watch.0.lock().poll = None,
        }
    }
}
