//! The clock of a script of tests: it runs while a test computes, and stands still while the bench works. Not
//! here: stopping a test whose time is up (`interrupt_timer`).

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use snaphook_cpu::Stretch;

use crate::interrupt_timer::{Alarm, InterruptTimer};

/// The place where the stopwatch of a VM is put when the VM is made.
#[derive(Default)]
pub(crate) struct StopwatchSlot(Mutex<Option<Arc<Stopwatch>>>);

impl StopwatchSlot {
    pub(crate) fn attach(&self, stopwatch: Stopwatch) {
        *self.0.lock() = Some(Arc::new(stopwatch));
    }

    pub(crate) fn get(&self) -> Option<Arc<Stopwatch>> {
        self.0.lock().clone()
    }
}

/// Counts what a test's script computes, and stands still while the bench works.
pub(crate) struct Stopwatch {
    alarm: Arc<Alarm>,
    timer: Arc<InterruptTimer>,
    state: Mutex<Option<RunningTest>>,
}

struct RunningTest {
    left: Duration,
    since: Stretch,
    stopped: bool,
}

impl Stopwatch {
    pub(crate) fn new(alarm: Arc<Alarm>, timer: Arc<InterruptTimer>) -> Self {
        Stopwatch { alarm, timer, state: Mutex::default() }
    }

    pub(crate) fn begin(&self, allowed: Duration) {
        let since = Stretch::begin();
        *self.state.lock() = Some(RunningTest { left: allowed, since, stopped: false });
        self.alarm.arm(&self.timer, since, allowed);
    }

    /// Says whether the script was stopped.
    pub(crate) fn end(&self) -> bool {
        let fired = self.alarm.disarm();
        let running = self.state.lock().take();
        fired || running.is_some_and(|running| running.stopped)
    }

    /// Does the bench's work with the clock standing still. A file that loads has the clock of loading, which runs on.
    pub(crate) fn pause<T>(&self, work: impl FnOnce() -> T) -> T {
        let paused = {
            let mut state = self.state.lock();
            match state.as_mut() {
                None => false,
                Some(running) => {
                    running.stopped |= self.alarm.disarm();
                    running.left = running.left.saturating_sub(running.since.spent());
                    true
                }
            }
        };
        let _resume = paused.then(|| ResumeOnDrop(self));
        work()
    }

    fn resume(&self) {
        if let Some(running) = self.state.lock().as_mut() {
            running.since = Stretch::begin();
            // A script that was to be stopped already is stopped now.
            let left = if running.stopped { Duration::ZERO } else { running.left };
            self.alarm.arm(&self.timer, running.since, left);
        }
    }
}

/// Also when the work panics.
struct ResumeOnDrop<'a>(&'a Stopwatch);

impl Drop for ResumeOnDrop<'_> {
    fn drop(&mut self) {
        self.0.resume();
    }
}
