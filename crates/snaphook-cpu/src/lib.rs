//! Processor time of threads. Budgets are counted in it: a script that was paused, or that shares its processor with twenty other
//! programs, has computed only what it computed.
//!
//! To read a thread's processor time takes a system call, which is longer than a whole gate. So a [`Stretch`] begins with a look at
//! the wall clock, and the processor's is read only where the wall clock says that it may matter: no thread computes for longer than
//! time passes.
//!
//! | file | what |
//! |---|---|
//! | `lib` | stretches of work, and allowances for them |
//! | `moment` | wall-clock moments as numbers |
//! | `thread_clock` | the system's clock of one thread |
//!
//! Not here: what a budget is, and what happens when it is used up (the engines and the host).

mod moment;
mod thread_clock;

use std::cell::Cell;
use std::time::Duration;

pub use crate::moment::Moment;
use crate::thread_clock::ThreadClock;

/// The age that a reading of this thread's clock may have when a stretch begins. Processor time that the thread
/// used in between is counted for a stretch that takes longer than this.
const FRESH: Duration = Duration::from_micros(250);

thread_local! {
    /// This thread's clock as it was last read.
    static LAST: Cell<Option<Stretch>> = const { Cell::new(None) };
}

/// Work on one thread from one moment on, which this thread and others can ask how long it has computed.
///
/// Where the system has no such clock (neither Linux nor Apple's), all time that passes is counted.
///
/// ```
/// let stretch = snaphook_cpu::Stretch::begin();
/// std::thread::sleep(std::time::Duration::from_millis(30));
/// if snaphook_cpu::is_exact() {
///     assert!(stretch.spent() < std::time::Duration::from_millis(30));
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Stretch {
    began: Moment,
    /// Processor time of the thread when it began, or shortly before.
    cpu: u64,
    clock: Option<ThreadClock>,
}

impl Stretch {
    /// Begins here and now.
    // A call of its own: a frame that can move to another thread must not keep the place of a thread-local value.
    #[inline(never)]
    pub fn begin() -> Self {
        let began = Moment::now();
        match LAST.get() {
            Some(last) if began.since(last.began) < FRESH => Stretch { began, ..last },
            _ => {
                let clock = ThreadClock::here();
                let cpu = clock.and_then(ThreadClock::nanos);
                let read = Stretch { began, cpu: cpu.unwrap_or_default(), clock: cpu.and(clock) };
                LAST.set(Some(read));
                read
            }
        }
    }

    /// When it began, by the wall clock.
    pub fn began(&self) -> Moment {
        self.began
    }

    /// Returns how long its thread has computed since; never more than the time that has passed. Up to a quarter of a
    /// millisecond from before the beginning may be in it.
    ///
    /// Can be asked on any thread, as long as the one that it is about lives.
    pub fn spent(&self) -> Duration {
        let passed = Moment::now().since(self.began);
        if passed < FRESH {
            return passed;
        }
        match self.clock.and_then(ThreadClock::nanos) {
            Some(now) => Duration::from_nanos(now.saturating_sub(self.cpu)).min(passed),
            None => passed,
        }
    }

    /// As three numbers, so that it fits atomics.
    pub fn to_raw(self) -> [u64; 3] {
        [self.began.nanos(), self.cpu, ThreadClock::to_raw(self.clock)]
    }

    /// From such numbers.
    pub fn from_raw([began, cpu, clock]: [u64; 3]) -> Self {
        Stretch { began: Moment::from_nanos(began), cpu, clock: ThreadClock::from_raw(clock) }
    }
}

/// The processor time that this thread may use from some moment on.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    stretch: Stretch,
    allowed: Duration,
    /// Before this moment it cannot be used up.
    look_at: Moment,
}

impl Allowance {
    /// So much for this stretch of work.
    pub fn of(stretch: Stretch, allowed: Duration) -> Self {
        Allowance { stretch, allowed, look_at: stretch.began.after(allowed) }
    }

    /// Returns whether it is used up. Looks at the wall clock only, as long as that is enough.
    pub fn is_over(&mut self) -> bool {
        let now = Moment::now();
        if now < self.look_at {
            return false;
        }
        let left = self.allowed.saturating_sub(self.stretch.spent());
        self.look_at = now.after(left);
        left.is_zero()
    }

    /// Allows so much more.
    pub fn extend(&mut self, more: Duration) {
        self.allowed = self.allowed.saturating_add(more);
        self.look_at = self.look_at.after(more);
    }
}

/// Returns whether this system tells processor time of threads. Where it does not, a paused program counts as one
/// that computes.
pub fn is_exact() -> bool {
    ThreadClock::here().and_then(ThreadClock::nanos).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes until this thread has computed for so long.
    fn compute(time: Duration) {
        let stretch = Stretch::begin();
        while stretch.spent() < time {
            std::hint::black_box(stretch);
        }
    }

    const PAUSE: Duration = Duration::from_millis(60);
    const WORK: Duration = Duration::from_millis(20);

    #[test]
    fn a_pause_is_not_computing() {
        let mut allowance = Allowance::of(Stretch::begin(), WORK);
        std::thread::sleep(PAUSE);
        assert!(!allowance.is_over());
        compute(WORK);
        assert!(allowance.is_over());
    }

    #[test]
    fn another_thread_sees_the_same() {
        let stretch = Stretch::begin();
        compute(WORK);
        let seen = std::thread::spawn(move || {
            compute(PAUSE);
            Stretch::from_raw(stretch.to_raw()).spent()
        });
        // This thread waits while the other one computes.
        let seen = seen.join().unwrap();
        assert!(seen >= WORK && seen < PAUSE, "{seen:?}");
    }

    #[test]
    fn what_is_extended_is_over_later() {
        let mut allowance = Allowance::of(Stretch::begin(), WORK);
        allowance.extend(WORK * 5);
        compute(WORK * 2);
        assert!(!allowance.is_over());
    }

    #[test]
    fn a_thread_that_is_gone_tells_nothing_wrong() {
        let stretch = std::thread::spawn(Stretch::begin).join().unwrap();
        let spent = stretch.spent();
        assert!(spent <= Moment::now().since(stretch.began()));
    }
}
