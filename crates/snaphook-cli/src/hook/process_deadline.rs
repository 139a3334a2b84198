//! The second thread of a process for one event, which watches: the time that the agent waits, a handler that cannot be stopped, and
//! scripts that compute too long, for which the Luau engine would else start a thread of its own. Not here: what is answered then.

use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use snaphook::{CpuClock, Limits};
use snaphook_lua::{InterruptChecker, LuaEngine};

use snaphook_session::answer_within;

use crate::hook::late;

/// When the process has to answer, and whom it stops until then.
pub(crate) struct Deadline {
    began: Instant,
    limit: Mutex<Duration>,
    /// The thread that waits; `None` before it is started.
    thread: OnceLock<Thread>,
    checker: Mutex<Option<InterruptChecker>>,
    watch: Arc<CpuClock>,
}

impl Deadline {
    /// So long after `began`, as the agent counts.
    pub(crate) fn new(began: Instant, limit: Duration) -> Self {
        let (limit, checker) = (Mutex::new(limit), Mutex::new(None));
        Deadline { began, limit, thread: OnceLock::new(), checker, watch: CpuClock::new() }
    }

    /// That thread calls [`Deadline::wait`]; the one that calls this runs handlers.
    pub(crate) fn is_kept_by(&self, thread: Thread) {
        let _ = self.thread.set(thread);
        Arc::clone(&self.watch).install();
    }

    /// The event is another than was thought, and may have another limit.
    pub(crate) fn set(&self, limit: Duration) {
        let before = std::mem::replace(&mut *self.limit.lock(), limit);
        // A later one is seen when the earlier one has passed.
        if limit < before
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
        }
    }

    /// An engine whose scripts this thread stops; none where there is no thread.
    pub(crate) fn engine(&self) -> Option<LuaEngine> {
        let (engine, checker) = LuaEngine::with_timer_thread(self.thread.get()?.clone());
        let mut kept = self.checker.lock();
        // Two engines would need two.
        kept.is_none().then(|| {
            *kept = Some(checker);
            engine
        })
    }

    /// Waits until an answer is due without hooks, and returns the reason.
    pub(crate) fn wait(&self) -> String {
        loop {
            let limit = *self.limit.lock();
            let left = (self.began + answer_within(limit)).saturating_duration_since(Instant::now());
            if left.is_zero() {
                return late(limit);
            }
            if let Some(text) = stuck(&self.watch) {
                return text;
            }
            let next = self.checker.lock().as_mut().and_then(InterruptChecker::check);
            std::thread::park_timeout(left.min(next.unwrap_or_else(allowance)));
        }
    }
}

/// Returns how long a handler can compute that is stopped as it should be: its script is loaded within it the first
/// time.
fn allowance() -> Duration {
    let limits = Limits::default();
    limits.load_cpu + limits.handler_cpu + limits.stop_grace
}

/// Returns what is said of a handler that could not be stopped, where one computes for too long.
fn stuck(watch: &CpuClock) -> Option<String> {
    let computing = watch.computing().filter(|spent| *spent >= allowance())?;
    let name = watch.hook().map(|hook| hook.name.clone()).unwrap_or_default();
    Some(format!(
        "the hook \"{name}\" still computes after {:.1} s and could not be stopped",
        computing.as_secs_f64()
    ))
}
