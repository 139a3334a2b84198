//! Scripts of tests: their functions run on a stopwatch (`stopwatch`). Not here: loading them and running one
//! after the other (`snaphook_script::kit`), the two globals (`bindings/testing`), what the bench does
//! (`snaphook-testing`).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mlua::Function;
use snaphook_core::{Cause, Problem};
use snaphook_script::kit::{TestEnd, TestVm, VmSource};
use snaphook_script::testing::Registered;

use crate::bindings;
use crate::error;
use crate::stopwatch::StopwatchSlot;
use crate::vm::{Shared, Vm};
use crate::vm_context::Tests;

impl TestVm for Vm {
    type Test = Function;
    type Clock = StopwatchSlot;

    fn load_tests(source: &VmSource<Shared>, tests: &Arc<Tests>) -> Result<Self, Problem> {
        Vm::load_test_script(source, tests)
    }

    fn run_test(
        &self,
        tests: &Arc<Tests>,
        test: &Registered<Function>,
        live: &Arc<AtomicBool>,
    ) -> Result<(), TestEnd> {
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
