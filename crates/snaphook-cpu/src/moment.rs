//! Moments of the wall clock as numbers, so that a deadline fits an atomic. Not here: the clock that scripts read.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A moment: nanoseconds since this was first asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(u64);

impl Moment {
    /// Now.
    pub fn now() -> Self {
        static BEGAN: OnceLock<Instant> = OnceLock::new();
        Moment(nanos(BEGAN.get_or_init(Instant::now).elapsed()))
    }

    /// So much later.
    pub fn after(self, time: Duration) -> Self {
        Moment(self.0.saturating_add(nanos(time)))
    }

    /// The time between.
    pub fn since(self, earlier: Moment) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// As a number.
    pub fn nanos(self) -> u64 {
        self.0
    }

    /// From such a number.
    pub fn from_nanos(nanos: u64) -> Self {
        Moment(nanos)
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
