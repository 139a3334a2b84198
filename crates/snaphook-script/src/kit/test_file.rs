//! Scripts of tests: loaded like a hook, but with `test` and `expect` instead of `on`, and run function by function. Not
//! here: the globals (`bindings/testing` of each engine), what the bench does (`snaphook-testing`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use snaphook_core::{Cause, HandlerError, Problem, TestBench, TestCase};

use super::budget;
use super::vm::{Vm, VmSource};
use crate::testing::{self, Registered, TestListError};

/// The VM of a script of tests.
pub trait TestVm: Vm {
    /// A function of a script, as `test` keeps it.
    type Test: Send + Sync + 'static;
    /// The clock that stands still while the bench works, where the engine needs one of its own.
    type Clock: Default + Send + Sync + 'static;

    /// Makes a VM and runs a script of tests in it.
    ///
    /// # Errors
    /// As [`Vm::load`].
    fn load_tests(
        source: &VmSource<Self::Shared>,
        tests: &Arc<Tests<Self::Test, Self::Clock>>,
    ) -> Result<Self, Problem>;

    /// Runs one test with a `t` that is of use as long as `live` is true.
    ///
    /// # Errors
    /// The way the test failed.
    fn run_test(
        &self,
        tests: &Arc<Tests<Self::Test, Self::Clock>>,
        test: &Registered<Self::Test>,
        live: &Arc<AtomicBool>,
    ) -> Result<(), TestEnd>;

    /// Drops the functions of the tests.
    fn drop_tests(&self, list: Vec<Registered<Self::Test>>) {
        drop(list);
    }
}

/// The way in which a test failed.
pub enum TestEnd {
    /// The script raised an error.
    Failed(HandlerError),
    /// It computed too long.
    OutOfTime,
    /// It took too much memory.
    OutOfMemory,
}

/// The tests that a script has registered, and what its functions call.
pub struct Tests<Function, Clock> {
    /// The bench.
    pub bench: Arc<dyn TestBench>,
    /// The engine's clock.
    pub clock: Clock,
    /// `None` once the script has loaded.
    list: Mutex<Option<Vec<Registered<Function>>>>,
}

impl<Function, Clock: Default> Tests<Function, Clock> {
    fn new(bench: Arc<dyn TestBench>) -> Self {
        Tests { bench, clock: Clock::default(), list: Mutex::new(Some(Vec::new())) }
    }

    /// Adds a test.
    ///
    /// # Errors
    /// As of [`testing::add`].
    pub fn add(&self, test: Registered<Function>) -> Result<(), TestListError> {
        testing::add(self.list.lock().as_mut(), test)
    }

    fn seal(&self) -> Vec<Registered<Function>> {
        self.list.lock().take().unwrap_or_default()
    }
}

/// Loads a script of tests.
///
/// # Errors
/// As of a hook.
pub fn load_tests<V: TestVm>(
    source: VmSource<V::Shared>,
    bench: &Arc<dyn TestBench>,
) -> Result<Vec<TestCase>, Problem> {
    let file = Arc::new(TestFile::<V> { source, bench: Arc::clone(bench), current: Mutex::new(None) });
    let loaded = file.load()?;
    let case = |(index, test): (usize, &Registered<V::Test>)| {
        let file = Arc::clone(&file);
        let run = Box::new(move || file.run(index));
        TestCase { name: test.name.clone(), location: test.location.clone(), run }
    };
    let cases = loaded.list.iter().enumerate().map(case).collect();
    *file.current.lock() = Some(loaded);
    Ok(cases)
}

/// A script of tests with its present VM: one that is spent is replaced.
struct TestFile<V: TestVm> {
    source: VmSource<V::Shared>,
    bench: Arc<dyn TestBench>,
    current: Mutex<Option<Arc<LoadedFile<V>>>>,
}

struct LoadedFile<V: TestVm> {
    vm: V,
    tests: Arc<Tests<V::Test, V::Clock>>,
    list: Vec<Registered<V::Test>>,
}

impl<V: TestVm> Drop for LoadedFile<V> {
    fn drop(&mut self) {
        self.vm.drop_tests(std::mem::take(&mut self.list));
    }
}

impl<V: TestVm> TestFile<V> {
    fn load(&self) -> Result<Arc<LoadedFile<V>>, Problem> {
        let tests = Arc::new(Tests::new(Arc::clone(&self.bench)));
        let vm = V::load_tests(&self.source, &tests)?;
        Ok(Arc::new(LoadedFile { vm, list: tests.seal(), tests }))
    }

    fn loaded(&self) -> Result<Arc<LoadedFile<V>>, HandlerError> {
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
        let done = loaded.vm.run_test(&loaded.tests, test, &live);
        live.store(false, Ordering::Relaxed);
        let limits = &self.source.limits;
        done.map_err(|end| match end {
            TestEnd::Failed(error) => error,
            TestEnd::OutOfTime => {
                let text = format!("the test used up its CPU budget of {:?}", limits.handler_cpu);
                HandlerError::new(Cause::Budget, text)
            }
            TestEnd::OutOfMemory => budget::out_of_memory(limits),
        })
    }
}
