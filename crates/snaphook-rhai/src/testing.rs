//! Scripts of tests: their functions run on stacks of their own, which cannot wait. Not here: loading them and running one
//! after the other (`snaphook_script::kit`), the globals (`bindings/testing`), what the bench does (`snaphook-testing`).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rhai::Dynamic;
use snaphook_core::{Cause, HandlerError, Problem};
use snaphook_script::kit::{TestEnd, TestVm, VmSource};
use snaphook_script::testing::Registered;

use crate::bindings::testing::TestObject;
use crate::callback::Callback;
use crate::vm::{RunEnd, Shared, Vm, no_stack, read_outside};
use crate::vm_context::Tests;

impl TestVm for Vm {
    type Test = Callback;
    /// The meter is stopped where the bench works; see [`with_clock_stopped`](crate::meter::with_clock_stopped).
    type Clock = ();

    fn load_tests(source: &VmSource<Arc<Shared>>, tests: &Arc<Tests>) -> Result<Self, Problem> {
        Vm::load_any(source, Some(Arc::clone(tests)))
    }

    fn run_test(
        &self,
        _: &Arc<Tests>,
        test: &Registered<Callback>,
        live: &Arc<AtomicBool>,
    ) -> Result<(), TestEnd> {
        let file = test.location.file.display().to_string();
        let ended = self.run_to_end(self.context.limits.handler_cpu, || {
            let mut args = [Dynamic::from(TestObject::new(live))];
            let done = self.call(&test.function, &mut args);
            done.map(drop).map_err(|error| read_outside(error, &file))
        });
        match ended {
            RunEnd::Fine => Ok(()),
            RunEnd::Failed(error) => Err(TestEnd::Failed(error.into_handler_error(Cause::Error))),
            RunEnd::OutOfTime => Err(TestEnd::OutOfTime),
            RunEnd::OutOfMemory => Err(TestEnd::OutOfMemory),
            RunEnd::NoStack(error) => Err(TestEnd::Failed(HandlerError::new(Cause::Error, no_stack(&error)))),
        }
    }

    fn drop_tests(&self, list: Vec<Registered<Callback>>) {
        self.drop_inside(list);
    }
}
