//! Scripts of tests: loaded like a hook, but with `test` and `expect` instead of `on`, and run function by function. Not
//! here: what the bench does (`snaphook-testing`), the globals (`bindings/testing`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rhai::Dynamic;
use snaphook_core::{Cause, HandlerError, Limits, Problem, Script, Services, TestBench, TestCase};
use snaphook_script::testing::{self, TestListError};

use crate::bindings::testing::TestObject;
use crate::error::ScriptError;
use crate::on::Callback;
use crate::vm::{Ended, Shared, Vm, out_of_memory};

/// The tests that a test script has registered, and what its functions call.
pub(crate) struct Tests {
    pub(crate) bench: Arc<dyn TestBench>,
    /// `None` once the script has loaded.
    list: Mutex<Option<Vec<Registered>>>,
}

/// One call of `test`.
pub(crate) type Registered = testing::Registered<Callback>;

impl Tests {
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
    shared: &Arc<Shared>,
    bench: &Arc<dyn TestBench>,
) -> Result<Vec<TestCase>, Problem> {
    let file = Arc::new(TestFile {
        script: script.clone(),
        services: Arc::clone(services),
        limits: limits.clone(),
        shared: Arc::clone(shared),
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
    shared: Arc<Shared>,
    bench: Arc<dyn TestBench>,
    current: Mutex<Option<Arc<Loaded>>>,
}

struct Loaded {
    vm: Vm,
    list: Vec<Registered>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        self.vm.drop_inside(std::mem::take(&mut self.list));
    }
}

impl TestFile {
    fn load(&self) -> Result<Arc<Loaded>, Problem> {
        let list = Mutex::new(Some(Vec::new()));
        let tests = Arc::new(Tests { bench: Arc::clone(&self.bench), list });
        let TestFile { script, services, limits, shared, .. } = self;
        let vm = Vm::load_tests(script, services, limits, shared, &tests)?;
        Ok(Arc::new(Loaded { vm, list: tests.seal() }))
    }

    fn loaded(&self) -> Result<Arc<Loaded>, HandlerError> {
        let mut current = self.current.lock();
        if let Some(loaded) = current.as_ref().filter(|loaded| !loaded.vm.bridge.is_spent()) {
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
        let file = test.location.file.display().to_string();
        let ended = loaded.vm.run_to_end(self.limits.handler_cpu, || {
            let mut args = [Dynamic::from(TestObject::new(&live))];
            let done = loaded.vm.call(&test.function, &mut args);
            done.map(drop).map_err(|error| crate::vm::read_outside(error, &file))
        });
        live.store(false, Ordering::Relaxed);
        match ended {
            Ended::Fine => Ok(()),
            Ended::Failed(error) => Err(ScriptError::into_handler_error(error, Cause::Error)),
            Ended::OutOfTime => {
                let text = format!("the test used up its CPU budget of {:?}", self.limits.handler_cpu);
                Err(HandlerError::new(Cause::Budget, text))
            }
            Ended::OutOfMemory => Err(HandlerError::new(Cause::Memory, out_of_memory(&self.limits))),
            Ended::NoStack(error) => {
                Err(HandlerError::new(Cause::Error, format!("there is no memory for a stack: {error}")))
            }
        }
    }
}
