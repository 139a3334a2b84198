//! The clock of a test: the system's until the test sets it.

use parking_lot::Mutex;
use snaphook::{Clock, SystemClock};

/// Tells the time that the test set, else the system's.
#[derive(Debug, Default)]
pub(crate) struct TestClock(Mutex<Option<f64>>);

impl TestClock {
    /// Sets it; it stands still from then on.
    pub(crate) fn set(&self, seconds: f64) {
        *self.0.lock() = Some(seconds);
    }
}

impl Clock for TestClock {
    fn now(&self) -> f64 {
        self.0.lock().unwrap_or_else(|| SystemClock.now())
    }
}
