//! What the script that runs on this thread may still compute and hold. A turn opens the meter and closes it; in between
//! the allocator counts here (`raw::alloc`), and Rhai asks here after each operation whether the script has to stop.
//!
//! Everything is numbers in one thread-local cell. A script that waits leaves its thread and may go on on another; so
//! nothing here is looked at from a frame that a script can be suspended in: each access is a call of its own.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Operations between two looks at the clock. One operation takes a few ten milliseconds at the very most (a host
/// function at its bounds), most take some ten nanoseconds, like the look itself.
const OPERATIONS: u32 = 16;

/// Why a script has to stop.
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
    deadline: Option<Instant>,
    halt: Option<Halt>,
    /// Operations until the next look at the clock.
    until_look: u32,
}

const NO_TURN: Turn = Turn {
    taken: 0,
    most: isize::MAX,
    least: isize::MIN,
    deadline: None,
    halt: None,
    until_look: OPERATIONS,
};

thread_local! {
    static TURN: Cell<Turn> = const { Cell::new(NO_TURN) };
    static OPEN: Cell<bool> = const { Cell::new(false) };
}

/// Counts a change of memory, if a script runs here. Called by the allocator.
#[inline(never)]
pub(crate) fn charge(bytes: isize) {
    if OPEN.get() {
        let turn = TURN.get();
        TURN.set(Turn { taken: turn.taken.saturating_add(bytes).max(turn.least), ..turn });
    }
}

/// Whether the script has to stop. Called by Rhai after each operation.
#[inline(never)]
pub(crate) fn look() -> Option<Halt> {
    let mut turn = TURN.get();
    if turn.taken > turn.most {
        turn.halt = Some(Halt::Memory);
    } else if turn.until_look == 0 {
        turn.until_look = OPERATIONS;
        if turn.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            turn.halt.get_or_insert(Halt::Time);
        }
    } else {
        turn.until_look -= 1;
    }
    TURN.set(turn);
    turn.halt
}

/// What counts as one operation inside of one call: values looked at, or eight bytes each.
const STEPS: usize = 64;

/// Whether the script has to stop, after so many steps of work inside of one call. The clock is looked at as soon as for
/// that much work outside.
#[inline(never)]
pub(crate) fn work(steps: usize) -> Option<Halt> {
    let turn = TURN.get();
    let operations = u32::try_from(steps / STEPS).unwrap_or(u32::MAX);
    TURN.set(Turn { until_look: turn.until_look.saturating_sub(operations), ..turn });
    look()
}

/// One script's stay on this thread. Ends when it is dropped, also by a panic; stays nest, as when a test of a hook runs
/// the hook.
pub(crate) struct Visit {
    began: Instant,
    before: (Turn, bool),
}

/// What a stay came to.
pub(crate) struct Spent {
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
        let began = Instant::now();
        let before = (TURN.get(), OPEN.get());
        TURN.set(Turn { most, least: -held.max(0), deadline: began.checked_add(time), ..NO_TURN });
        OPEN.set(true);
        Visit { began, before }
    }

    /// Closes it.
    #[inline(never)]
    pub(crate) fn end(self) -> Spent {
        OPEN.set(false);
        let turn = TURN.get();
        let now = Instant::now();
        let late = turn.deadline.is_some_and(|deadline| now >= deadline);
        let full = turn.taken > turn.most;
        let halt = turn.halt.or(full.then_some(Halt::Memory)).or(late.then_some(Halt::Time));
        Spent { time: now.duration_since(self.began), memory: turn.taken, halt }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        put_back(self.before);
    }
}

#[inline(never)]
fn put_back((turn, open): (Turn, bool)) {
    OPEN.set(false);
    TURN.set(turn);
    OPEN.set(open);
}

/// Does the host's own work in the middle of a turn: what it allocates or frees is not the script's. What it makes must
/// not be dropped by the script, and the other way round; [`Foreign`] is for what scripts hold.
pub(crate) fn outside<T>(work: impl FnOnce() -> T) -> T {
    let _closed = Closed::new();
    work()
}

struct Closed(bool);

impl Closed {
    #[inline(never)]
    fn new() -> Self {
        Closed(OPEN.replace(false))
    }
}

impl Drop for Closed {
    #[inline(never)]
    fn drop(&mut self) {
        OPEN.set(self.0);
    }
}

/// Does work that takes no time of the script's, and is not on its account: a test's hook at work, say.
pub(crate) fn timeless<T>(work: impl FnOnce() -> T) -> T {
    let _closed = Closed::new();
    let _stopped = Stopped(Instant::now());
    work()
}

struct Stopped(Instant);

impl Drop for Stopped {
    #[inline(never)]
    fn drop(&mut self) {
        let turn = TURN.get();
        let deadline = turn.deadline.and_then(|deadline| deadline.checked_add(self.0.elapsed()));
        TURN.set(Turn { deadline, ..turn });
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

/// Whether the program's allocator counts.
pub(crate) fn is_counting() -> bool {
    let visit = Visit::begin(Duration::MAX, 0, usize::MAX);
    let block = std::hint::black_box(vec![0u8; 64]);
    let taken = visit.end().memory;
    drop(block);
    taken > 0
}
