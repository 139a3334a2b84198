//! Long work inside one call looks at the meter: Rhai itself does so between calls only.

use rhai::{Dynamic, EvalAltResult, Position};

use crate::meter;
use crate::natives::Failure;

/// Steps between two looks: some ten microseconds of work.
const STEPS: usize = 4096;

/// Counts the steps of one call.
#[derive(Default)]
pub(super) struct InterruptCheck(usize);

impl InterruptCheck {
    /// Takes so many steps: a step is one value looked at, or eight bytes.
    ///
    /// # Errors
    /// The script has to stop. No script can catch that.
    pub(super) fn count(&mut self, steps: usize) -> Result<(), Failure> {
        self.0 = self.0.saturating_add(steps);
        if self.0 < STEPS {
            return Ok(());
        }
        check_steps(std::mem::take(&mut self.0))
    }
}

/// For work that is done at one go over so many bytes.
///
/// # Errors
/// As [`InterruptCheck::count`].
pub(crate) fn check_bytes(bytes: usize) -> Result<(), Failure> {
    match bytes / 8 {
        // Most texts are short.
        steps if steps < STEPS => Ok(()),
        steps => check_steps(steps),
    }
}

fn check_steps(steps: usize) -> Result<(), Failure> {
    match meter::work(steps) {
        None => Ok(()),
        Some(_) => Err(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE).into()),
    }
}
