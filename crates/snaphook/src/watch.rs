//! Tells computing from waiting (law 5): while a handler is polled on a thread with a watch, that says since when and whose
//! code it is. Supervised calls have one; inline calls have none and pay a look at a thread-local only, unless a program that
//! watches over its own threads gave them one.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use snaphook_core::{Handler, HookRef};

use crate::sync::lock;

/// One thread's watch: another thread can see by it whether a handler computes, and for how long.
///
/// For programs that end themselves with an answer when a handler cannot be stopped, and so need no thread to leave behind:
/// they make their calls inline, on a thread with a watch.
#[derive(Debug)]
pub struct Watch {
    start: Instant,
    /// Nanoseconds from `start` when the current poll began, plus one; 0 while nothing computes.
    since: AtomicU64,
    hook: Mutex<Option<HookRef>>,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Watch>>> = const { RefCell::new(None) };
}

impl Watch {
    /// One that no thread has yet.
    pub fn new() -> Arc<Self> {
        Arc::new(Watch { start: Instant::now(), since: AtomicU64::new(0), hook: Mutex::new(None) })
    }

    /// Makes this the watch of the thread.
    pub fn install(self: Arc<Self>) {
        CURRENT.with_borrow_mut(|current| *current = Some(self));
    }

    /// Leaves the thread without a watch.
    pub(crate) fn remove() {
        CURRENT.with_borrow_mut(|current| *current = None);
    }

    /// How long the handler that computes now has been computing without a pause; `None` while all wait.
    pub fn computing(&self) -> Option<Duration> {
        let since = self.since.load(Ordering::Relaxed).checked_sub(1)?;
        Some(self.start.elapsed().saturating_sub(Duration::from_nanos(since)))
    }

    /// The hook whose code computes, or did last.
    pub fn hook(&self) -> Option<HookRef> {
        lock(&self.hook).clone()
    }

    fn begin(&self, hook: Option<HookRef>) -> Option<HookRef> {
        let now = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX - 1);
        let before = std::mem::replace(&mut *lock(&self.hook), hook);
        self.since.store(now + 1, Ordering::Relaxed);
        before
    }
}

/// Does the work in the name of the handler's hook. Calls nest: an event that a handler causes runs inside its poll.
pub(crate) fn entered<T>(handler: &dyn Handler, work: impl FnOnce() -> T) -> T {
    let Some(watch) = CURRENT.with_borrow(Clone::clone) else { return work() };
    let outer = (watch.computing().is_some()).then(|| watch.hook()).flatten();
    watch.begin(Some(handler.info().hook.clone()));
    let _left = Left { watch, outer };
    work()
}

/// Hands the watch back to the handler around this one, with a fresh allowance, also when the work panics.
struct Left {
    watch: Arc<Watch>,
    outer: Option<HookRef>,
}

impl Drop for Left {
    fn drop(&mut self) {
        match self.outer.take() {
            Some(outer) => {
                self.watch.begin(Some(outer));
            }
            None => self.watch.since.store(0, Ordering::Relaxed),
        }
    }
}
