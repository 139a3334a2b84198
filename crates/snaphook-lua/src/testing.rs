//! Scripts of tests: their functions run on a stopwatch, which stands still while the bench works. Not here: loading them
//! and running one after the other (`snaphook_script::kit`), the two globals (`bindings/testing`), what the bench does
//! (`snaphook-testing`).

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mlua::Function;
use parking_lot::Mutex;
use snaphook_core::{Cause, Problem};
use snaphook_cpu::Stretch;
use snaphook_script::kit::{TestEnd, TestVm, VmSource};
use snaphook_script::testing;

use crate::bindings;
use crate::error;
use crate::interrupt_timer::{Alarm, InterruptTimer};
use crate::vm::{Shared, Vm};

/// The tests that a test script has registered, and what its functions call.
pub(crate) type Tests = snaphook_script::kit::Tests<Function, StopwatchSlot>;
/// One call of `test`.
pub(crate) type Registered = testing::Registered<Function>;

impl TestVm for Vm {
    type Test = Function;
    type Clock = StopwatchSlot;

    fn load_tests(source: &VmSource<Shared>, tests: &Arc<Tests>) -> Result<Self, Problem> {
        Vm::load_test_script(source, tests)
    }

    fn run_test(&self, tests: &Arc<Tests>, test: &Registered, live: &Arc<AtomicBool>) -> Result<(), TestEnd> {
        let made = bindings::test_object(self.lua(), &self.context, tests, live);
        let limits = &self.context.limits;
        let stopwatch = tests.clock.get();
        if let Some(stopwatch) = &stopwatch {
            stopwatch.begin(limits.handler_cpu);
        }
        let done = made.and_then(|t| self.call(&test.function, t));
        if stopwatch.is_some_and(|stopwatch| stopwatch.end()) {
            return Err(TestEnd::OutOfTime);
        }
        if self.context.is_out_of_memory() {
            return Err(TestEnd::OutOfMemory);
        }
        done.map_err(|error| {
            let mut error = error::read(&error).into_handler_error(Cause::Error);
            if error.message.starts_with("attempt to yield") {
                error.message =
                    "coroutine.yield in a test: only coroutines of the script's own can yield".to_owned();
            }
            if error.cause == Cause::Memory {
                self.context.note_out_of_memory();
            }
            TestEnd::Failed(error)
        })
    }
}

/// The file of a chunk by its name.
pub(crate) fn file_of(source: &str) -> PathBuf {
    PathBuf::from(source.trim_start_matches(['@', '=']))
}

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

    fn begin(&self, allowed: Duration) {
        let since = Stretch::begin();
        *self.state.lock() = Some(RunningTest { left: allowed, since, stopped: false });
        self.alarm.arm(&self.timer, since, allowed);
    }

    /// Says whether the script was stopped.
    fn end(&self) -> bool {
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
