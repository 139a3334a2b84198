//! Long work inside one call lets the engine look at its clock. A native function cannot ask the engine, but the engine
//! looks whenever a function is called: so we call one that does nothing.

use rhai::{Module, NativeCallContext};

use crate::natives::{Failure, pure};

/// No name that a script could write.
const NAME: &str = "a pulse";
/// Steps between two looks: some hundred microseconds of work.
const STEPS: usize = 50_000;

/// Counts the steps of one call.
pub(super) struct Pulse<'a> {
    context: &'a NativeCallContext<'a>,
    steps: usize,
}

impl<'a> Pulse<'a> {
    pub(super) fn new(context: &'a NativeCallContext<'a>) -> Self {
        Pulse { context, steps: 0 }
    }

    /// Takes so many steps: a step is one value looked at, or eight bytes.
    ///
    /// # Errors
    /// The engine stops the script.
    pub(super) fn beat(&mut self, steps: usize) -> Result<(), Failure> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps < STEPS {
            return Ok(());
        }
        self.steps = 0;
        self.context.call_native_fn_raw(NAME, true, &mut []).map(|_| ())
    }
}

pub(super) fn register(library: &mut Module) {
    // Volatile: its worth is in being called.
    pure(NAME).with_volatility(true).set_into_module(library, || ());
}
