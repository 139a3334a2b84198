//! Scripts of tests: loaded like a hook, but with `test` and `expect` instead of `on`, and run function by function. Not
//! here: the two globals (`bindings/testing`), what the bench does (`snaphook-testing`).

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mlua::Function;
use parking_lot::Mutex;
use snaphook_core::{Cause, HandlerError, Limits, Problem, Script, Services, TestBench, TestCase};
use snaphook_cpu::Stretch;
use snaphook_script::testing::{self, TestListError};

use crate::bindings;
use crate::error::ScriptError;
use crate::vm::{Vm, out_of_memory};
use crate::watchdog::{Alarm, Watchdog};

/// The tests that a test script has registered, and what its functions call.
pub(crate) struct Tests {
    pub(crate) bench: Arc<dyn TestBench>,
    pub(crate) stopwatch: Slot,
    /// `None` once the script has loaded.
    list: Mutex<Option<Vec<Registered>>>,
}

/// One call of `test`.
pub(crate) type Registered = testing::Registered<Function>;

impl Tests {
    fn new(bench: Arc<dyn TestBench>) -> Self {
        Tests { bench, stopwatch: Slot::default(), list: Mutex::new(Some(Vec::new())) }
    }

    /// Adds a test.
    ///
    /// # Errors
    /// As of [`testing::add`].
    pub(crate) fn add(&self, test: Registered) -> Result<(), TestListError> {
        testing::add(self.list.lock().as_mut(), test)
    }

    fn seal(&self) -> Vec<Registered> {
        self.list.lock().take().unwrap_or_default()
    }
}

/// Loads a test script.
///
/// # Errors
/// As of a hook.
pub(crate) fn load(
    script: &Script,
    services: &Arc<dyn Services>,
    limits: &Limits,
    watchdog: &Arc<Watchdog>,
    bench: &Arc<dyn TestBench>,
) -> Result<Vec<TestCase>, Problem> {
    let file = Arc::new(TestFile {
        script: script.clone(),
        services: Arc::clone(services),
        limits: limits.clone(),
        watchdog: Arc::clone(watchdog),
        bench: Arc::clone(bench),
        current: Mutex::default(),
    });
    let loaded = file.load()?;
    let case = |(index, test): (usize, &Registered)| {
        let file = Arc::clone(&file);
        let run = Box::new(move || file.run(index));
        TestCase { name: test.name.clone(), location: test.location.clone(), run }
    };
    let cases = loaded.list.iter().enumerate().map(case).collect();
    *file.current.lock() = Some(loaded);
    Ok(cases)
}

/// A test script with the VM that it has at the moment: one that ran out of memory is replaced.
struct TestFile {
    script: Script,
    services: Arc<dyn Services>,
    limits: Limits,
    watchdog: Arc<Watchdog>,
    bench: Arc<dyn TestBench>,
    current: Mutex<Option<Arc<Loaded>>>,
}

struct Loaded {
    vm: Vm,
    tests: Arc<Tests>,
    list: Vec<Registered>,
}

impl TestFile {
    fn load(&self) -> Result<Arc<Loaded>, Problem> {
        let tests = Arc::new(Tests::new(Arc::clone(&self.bench)));
        let TestFile { script, services, limits, watchdog, .. } = self;
        let vm = Vm::load_tests(script, services, limits, watchdog, &tests)?;
        Ok(Arc::new(Loaded { vm, list: tests.seal(), tests }))
    }

    fn loaded(&self) -> Result<Arc<Loaded>, HandlerError> {
        let mut current = self.current.lock();
        if let Some(loaded) = current.as_ref().filter(|loaded| !loaded.vm.is_spent()) {
            return Ok(Arc::clone(loaded));
        }
        let failed = |problem: Problem| {
            HandlerError::new(Cause::Load, format!("the test file could not be loaded again: {problem}"))
        };
        let loaded = self.load().map_err(failed)?;
        *current = Some(Arc::clone(&loaded));
        Ok(loaded)
    }

    fn run(&self, index: usize) -> Result<(), HandlerError> {
        let loaded = self.loaded()?;
        let gone = || HandlerError::new(Cause::Load, "the test is gone since its file was loaded again");
        let test = loaded.list.get(index).ok_or_else(gone)?;
        let live = Arc::new(AtomicBool::new(true));
        let made = bindings::test_object(loaded.vm.lua(), &loaded.vm.bridge, &loaded.tests, &live);
        let Some(stopwatch) = loaded.tests.stopwatch.get() else { return Err(gone()) };
        stopwatch.begin(self.limits.handler_cpu);
        let done = made.and_then(|t| loaded.vm.call(&test.function, t));
        let stopped = stopwatch.end();
        live.store(false, Ordering::Relaxed);
        if stopped {
            let text = format!("the test used up its CPU budget of {:?}", self.limits.handler_cpu);
            return Err(HandlerError::new(Cause::Budget, text));
        }
        if loaded.vm.bridge.is_out_of_memory() {
            return Err(HandlerError::new(Cause::Memory, out_of_memory(&self.limits)));
        }
        done.map_err(|error| {
            let mut error = ScriptError::read(&error).into_handler_error(Cause::Error);
            if error.message.starts_with("attempt to yield") {
                error.message =
                    "coroutine.yield in a test: only coroutines of the script's own can yield".to_owned();
            }
            if error.cause == Cause::Memory {
                loaded.vm.bridge.note_out_of_memory();
            }
            error
        })
    }
}

/// The file of a chunk by its name.
pub(crate) fn file_of(source: &str) -> PathBuf {
    PathBuf::from(source.trim_start_matches(['@', '=']))
}

// ---- time ----

/// The place where the stopwatch of a VM is put when the VM is made.
#[derive(Default)]
pub(crate) struct Slot(Mutex<Option<Arc<Stopwatch>>>);

impl Slot {
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
    watchdog: Arc<Watchdog>,
    state: Mutex<Option<Running>>,
}

struct Running {
    left: Duration,
    since: Stretch,
    stopped: bool,
}

impl Stopwatch {
    pub(crate) fn new(alarm: Arc<Alarm>, watchdog: Arc<Watchdog>) -> Self {
        Stopwatch { alarm, watchdog, state: Mutex::default() }
    }

    fn begin(&self, allowed: Duration) {
        let since = Stretch::begin();
        *self.state.lock() = Some(Running { left: allowed, since, stopped: false });
        self.alarm.arm(&self.watchdog, since, allowed);
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
        let _resume = paused.then(|| Resume(self));
        work()
    }

    fn resume(&self) {
        if let Some(running) = self.state.lock().as_mut() {
            running.since = Stretch::begin();
            // A script that was to be stopped already is stopped now.
            let left = if running.stopped { Duration::ZERO } else { running.left };
            self.alarm.arm(&self.watchdog, running.since, left);
        }
    }
}

/// Also when the work panics.
struct Resume<'a>(&'a Stopwatch);

impl Drop for Resume<'_> {
    fn drop(&mut self) {
        self.0.resume();
    }
}
