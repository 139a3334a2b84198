//! The meter of the script that runs on this thread: what it may still compute and hold. A turn opens
//! the meter and closes it; in between the allocator counts here (`ffi::alloc`), and Rhai asks here
//! after each operation whether the script has to stop.
//!
//! Everything is numbers in one thread-local cell. A script that waits leaves its thread and may go on on another; so
//! nothing here is looked at from a frame that a script can be suspended in: each access is a call of its own.

use std::cell::Cell;
use std::time::Duration;

use snaphook_cpu::{Allowance, Stretch};

/// Operations between two looks at the clock. One operation takes a few ten milliseconds at the very most (a host
/// function at its bounds), most take some ten nanoseconds, like the look itself.
const OPERATIONS_PER_CHECK: u32 = 16;

/// The reason why a script has to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The time of its turn is up.
    Time,
    /// The hook holds too much memory.
    Memory,
}

#[derive(Clone, Copy)]
struct Turn {
    /// Bytes that the turn has taken and not given back; negative if it gave back what earlier turns took.
    taken: isize,
    /// The most that it may take.
    most: isize,
    /// The least, below zero: it cannot give back more than the hook holds.
    least: isize,
    halt: Option<Halt>,
    /// Operations until the next look at the clock.
    until_check: u32,
}

const NO_TURN: Turn =
    Turn { taken: 0, most: isize::MAX, least: isize::MIN, halt: None, until_check: OPERATIONS_PER_CHECK };

thread_local! {
    static TURN: Cell<Turn> = const { Cell::new(NO_TURN) };
    /// The time that the turn may compute; `None` is without end. Apart from the rest, which is looked at after each
    /// operation.
    static ALLOWANCE: Cell<Option<Allowance>> = const { Cell::new(None) };
    static IS_METERED: Cell<bool> = const { Cell::new(false) };
}

/// Counts a change of memory, if a script runs here. Called by the allocator.
#[inline(never)]
pub(crate) fn charge(bytes: isize) {
    if IS_METERED.get() {
        let turn = TURN.get();
        TURN.set(Turn { taken: turn.taken.saturating_add(bytes).max(turn.least), ..turn });
    }
}

/// Returns whether the script has to stop. Called by Rhai after each operation.
#[inline(never)]
pub(crate) fn check() -> Option<Halt> {
    let mut turn = TURN.get();
    if turn.taken > turn.most {
        turn.halt = Some(Halt::Memory);
    } else if turn.until_check == 0 {
        turn.until_check = OPERATIONS_PER_CHECK;
        if time_is_up() {
            turn.halt.get_or_insert(Halt::Time);
        }
    } else {
        turn.until_check -= 1;
    }
    TURN.set(turn);
    turn.halt
}

/// Returns whether the turn has computed as long as it may.
fn time_is_up() -> bool {
    let mut allowance = ALLOWANCE.get();
    let over = allowance.as_mut().is_some_and(Allowance::is_over);
    ALLOWANCE.set(allowance);
    over
}

/// Returns whether the hook may hold so many bytes more, which others hold for it. Else it has to stop.
#[inline(never)]
pub(crate) fn fits(bytes: usize) -> bool {
    let turn = TURN.get();
    let fits = turn.taken.saturating_add(isize::try_from(bytes).unwrap_or(isize::MAX)) <= turn.most;
    if !fits {
        TURN.set(Turn { halt: Some(Halt::Memory), ..turn });
    }
    fits
}

/// The work that counts as one operation inside of one call: values looked at, or eight bytes each.
const STEPS_PER_OPERATION: usize = 64;

/// Returns whether the script has to stop, after so many steps of work inside of one call. The clock is looked at as
/// soon as for that much work outside.
#[inline(never)]
pub(crate) fn work(steps: usize) -> Option<Halt> {
    let turn = TURN.get();
    let operations = u32::try_from(steps / STEPS_PER_OPERATION).unwrap_or(u32::MAX);
    TURN.set(Turn { until_check: turn.until_check.saturating_sub(operations), ..turn });
    check()
}

/// One script's stay on this thread. Ends when it is dropped, also by a panic; stays nest, as when a test of a hook runs
/// the hook.
pub(crate) struct Visit {
    stretch: Stretch,
    before: (Turn, Option<Allowance>, bool),
}

/// The result of a stay.
pub(crate) struct VisitResult {
    pub(crate) time: Duration,
    /// Bytes that the hook holds more (or less) than before.
    pub(crate) memory: isize,
    pub(crate) halt: Option<Halt>,
}

impl Visit {
    /// Opens the meter: so much time, and so many bytes for a hook that holds so many.
    #[inline(never)]
    pub(crate) fn begin(time: Duration, held: isize, limit: usize) -> Self {
        let most = isize::try_from(limit).unwrap_or(isize::MAX).saturating_sub(held);
        let stretch = Stretch::begin();
        let before = (TURN.get(), ALLOWANCE.get(), IS_METERED.get());
        ALLOWANCE.set((time < Duration::MAX).then(|| Allowance::of(stretch, time)));
        TURN.set(Turn { most, least: -held.max(0), ..NO_TURN });
        IS_METERED.set(true);
        Visit { stretch, before }
    }

    /// Closes it.
    #[inline(never)]
    pub(crate) fn end(self) -> VisitResult {
        IS_METERED.set(false);
        let turn = TURN.get();
        let late = time_is_up();
        let full = turn.taken > turn.most;
        let halt = turn.halt.or(full.then_some(Halt::Memory)).or(late.then_some(Halt::Time));
        VisitResult { time: self.stretch.spent(), memory: turn.taken, halt }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        restore(self.before);
    }
}

#[inline(never)]
fn restore((turn, allowance, open): (Turn, Option<Allowance>, bool)) {
    IS_METERED.set(false);
    TURN.set(turn);
    ALLOWANCE.set(allowance);
    IS_METERED.set(open);
}

/// Does the host's own work in the middle of a turn: what it allocates or frees is not the script's. What it makes must
/// not be dropped by the script, and the other way round; [`Foreign`] is for what scripts hold.
pub(crate) fn outside<T>(work: impl FnOnce() -> T) -> T {
    let _closed = ReopenOnDrop::new();
    work()
}

struct ReopenOnDrop(bool);

impl ReopenOnDrop {
    #[inline(never)]
    fn new() -> Self {
        ReopenOnDrop(IS_METERED.replace(false))
    }
}

impl Drop for ReopenOnDrop {
    #[inline(never)]
    fn drop(&mut self) {
        IS_METERED.set(self.0);
    }
}

/// Does work that takes no time of the script's, and is not on its account: a test's hook at work, say.
pub(crate) fn with_clock_stopped<T>(work: impl FnOnce() -> T) -> T {
    let _closed = ReopenOnDrop::new();
    let _stopped = ExtendOnDrop(Stretch::begin());
    work()
}

struct ExtendOnDrop(Stretch);

impl Drop for ExtendOnDrop {
    #[inline(never)]
    fn drop(&mut self) {
        if let Some(mut allowance) = ALLOWANCE.get() {
            allowance.extend(self.0.spent());
            ALLOWANCE.set(Some(allowance));
        }
    }
}

/// Something of the host's that a script holds. Dropping it is not on the script's account, as making it was not.
#[derive(Clone)]
pub(crate) struct Foreign<T>(Option<T>);

impl<T> Foreign<T> {
    pub(crate) fn new(inner: T) -> Self {
        Foreign(Some(inner))
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut()
    }

    /// The inner thing, to be dropped inside of [`outside`].
    pub(crate) fn take(mut self) -> Option<T> {
        self.0.take()
    }
}

impl<T> Drop for Foreign<T> {
    fn drop(&mut self) {
        let inner = self.0.take();
        outside(|| drop(inner));
    }
}

/// Returns whether the program's allocator counts.
pub(crate) fn is_counting() -> bool {
    let visit = Visit::begin(Duration::MAX, 0, usize::MAX);
    let block = std::hint::black_box(vec![0u8; 64]);
    let taken = visit.end().memory;
    drop(block);
    taken > 0
}
