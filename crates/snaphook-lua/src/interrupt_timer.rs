//! Stops scripts that compute too long. One thread an engine checks every VM's [`Alarm`]. When a
//! deadline has passed, it compares the processor time of the script's thread with the budget, and
//! sets the VM's interrupt if the budget is used up; Luau checks the interrupt on every loop, call
//! and pattern step. Until then a script runs without checks: see `docs/dev/performance.md`. The
//! thread is the engine's own, or one that the program has anyway and that calls
//! [`InterruptChecker::check`]. Not here: the interrupt itself (`ffi`), the budget of a handler
//! (`handler`).

use std::array;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::task::Waker;
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

use parking_lot::Mutex;
use snaphook_cpu::{Moment, Stretch};

use crate::ffi::Interrupt;

/// The time between two checks: the most that a stop comes late on an idle machine.
const CHECK_INTERVAL: Duration = Duration::from_millis(2);
/// The number of checks without a running script after which the thread sleeps. Waking it costs the
/// caller a system call.
const IDLE_CHECKS: u32 = 100;

/// The deadline of one VM.
///
/// Arming and disarming are one atomic exchange each: they are part of every gate. Only firing, and the end of a turn
/// that was fired at, take the lock.
pub(crate) struct Alarm {
    /// When the budget may be used up: nanoseconds of [`Moment`]; [`OFF`] while no script computes, [`FIRED`] once the script was
    /// told to stop. No two turns have the same, so a reader that finds it unchanged has read the other numbers of the same turn.
    deadline: AtomicU64,
    /// The turn, as numbers of a [`Stretch`].
    stretch: [AtomicU64; 3],
    /// Nanoseconds that the turn may compute.
    allowed: AtomicU64,
    state: Mutex<AlarmState>,
    /// The VM was told to stop and did not. It stays so until it is replaced.
    stuck: AtomicBool,
}

const OFF: u64 = 0;
const FIRED: u64 = u64::MAX;

struct AlarmState {
    /// `None` once the VM is gone; its memory must not be touched then.
    interrupt: Option<Interrupt>,
    stop_grace: Duration,
    /// Calls that wait for the VM; woken when it is given up.
    waiters: Vec<Waker>,
}

impl Alarm {
    pub(crate) fn new(interrupt: Interrupt, stop_grace: Duration) -> Arc<Self> {
        let state = AlarmState { interrupt: Some(interrupt), stop_grace, waiters: Vec::new() };
        Arc::new(Alarm {
            deadline: AtomicU64::new(OFF),
            stretch: array::from_fn(|_| AtomicU64::new(0)),
            allowed: AtomicU64::new(0),
            state: Mutex::new(state),
            stuck: AtomicBool::new(false),
        })
    }

    /// Starts the clock. Only while the VM computes, so that waiting is free (law 5).
    pub(crate) fn arm(&self, timer: &InterruptTimer, turn: Stretch, allowed: Duration) {
        for (place, number) in self.stretch.iter().zip(turn.to_raw()) {
            place.store(number, Ordering::Relaxed);
        }
        self.allowed.store(u64::try_from(allowed.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.deadline.swap(deadline(turn.began().after(allowed)), Ordering::SeqCst);
        timer.wake();
    }

    /// Returns what the turn under way has computed beyond what it may; what it still may, if it is not overdue.
    fn overdue(&self) -> Result<Duration, Duration> {
        let turn = Stretch::from_raw(self.stretch.each_ref().map(|place| place.load(Ordering::Relaxed)));
        let allowed = Duration::from_nanos(self.allowed.load(Ordering::Relaxed));
        let spent = turn.spent();
        spent.checked_sub(allowed).ok_or_else(|| allowed.saturating_sub(spent))
    }

    /// Stops the clock. Says whether the script was told to stop; what it returned does not count then, even if it
    /// caught the error. A late shot cannot hit the next handler: the timer fires only if it finds the deadline that
    /// it saw, and under the lock that is waited for here.
    pub(crate) fn disarm(&self) -> bool {
        let fired = self.deadline.swap(OFF, Ordering::AcqRel) == FIRED;
        if fired && let Some(interrupt) = &self.state.lock().interrupt {
            interrupt.clear();
        }
        fired
    }

    /// Returns whether the VM did not stop when it was told to. It stays so until it is replaced.
    pub(crate) fn is_stuck(&self) -> bool {
        self.stuck.load(Ordering::Acquire)
    }

    /// Wakes the task when the VM is free or is given up.
    pub(crate) fn wait(&self, waker: &Waker) {
        self.state.lock().waiters.push(waker.clone());
    }

    /// Wakes everybody who waits for the VM.
    pub(crate) fn wake_waiters(&self) {
        let waiters = std::mem::take(&mut self.state.lock().waiters);
        waiters.into_iter().for_each(Waker::wake);
    }

    /// Forgets the VM's memory; called before the VM is dropped.
    pub(crate) fn retire(&self) {
        self.state.lock().interrupt = None;
    }

    /// Stops the VM if it is overdue; returns whether its clock runs.
    fn check(&self, now: Moment) -> bool {
        let deadline = self.deadline.load(Ordering::SeqCst);
        if deadline == OFF {
            return false;
        }
        if deadline != FIRED && now.nanos() < deadline {
            return true;
        }
        let (overdue, next) = match self.overdue() {
            Ok(overdue) => (overdue, FIRED),
            // Time has passed, and the script has not computed for so long: the program was paused, or the machine is busy.
            Err(left) if deadline != FIRED => (Duration::ZERO, self::deadline(now.after(left))),
            Err(_) => return true,
        };
        let mut state = self.state.lock();
        let order = (Ordering::AcqRel, Ordering::Acquire);
        if self.deadline.compare_exchange(deadline, next, order.0, order.1).is_err() || next != FIRED {
            return true;
        }
        if deadline != FIRED
            && let Some(interrupt) = &state.interrupt
        {
            interrupt.fire();
        }
        if overdue >= state.stop_grace && !self.is_stuck() {
            self.stuck.store(true, Ordering::Release);
            state.waiters.drain(..).for_each(Waker::wake);
        }
        true
    }
}

/// A moment as a deadline.
fn deadline(at: Moment) -> u64 {
    at.nanos().clamp(OFF + 1, FIRED - 1)
}

/// The timer of an engine's alarms, on the side of those who set them.
pub(crate) struct InterruptTimer {
    shared: Arc<TimerState>,
    thread: Thread,
    /// The thread where it is the engine's own.
    join: Mutex<Option<JoinHandle<()>>>,
}

struct TimerState {
    alarms: Mutex<Vec<Weak<Alarm>>>,
    asleep: AtomicBool,
    ended: AtomicBool,
}

impl InterruptTimer {
    /// Starts a thread of its own.
    ///
    /// # Errors
    /// The system gives no thread.
    pub(crate) fn start() -> std::io::Result<Arc<Self>> {
        let shared = Arc::new(TimerState::default());
        let mut checker = InterruptChecker::new(Arc::clone(&shared));
        let join = std::thread::Builder::new()
            .name("snaphook-timer".to_owned())
            .stack_size(128 << 10)
            .spawn(move || checker.run())?;
        let thread = join.thread().clone();
        Ok(Arc::new(InterruptTimer { shared, thread, join: Mutex::new(Some(join)) }))
    }

    /// Uses this thread, which calls [`InterruptChecker::check`].
    pub(crate) fn on(thread: Thread) -> (Arc<Self>, InterruptChecker) {
        let shared = Arc::new(TimerState::default());
        // The first script that computes wakes it.
        shared.asleep.store(true, Ordering::SeqCst);
        let checker = InterruptChecker::new(Arc::clone(&shared));
        (Arc::new(InterruptTimer { shared, thread, join: Mutex::new(None) }), checker)
    }

    /// Adds an alarm, which is checked until it is dropped.
    pub(crate) fn add(&self, alarm: &Arc<Alarm>) {
        self.shared.alarms.lock().push(Arc::downgrade(alarm));
    }

    /// Wakes the thread, if it sleeps, for an alarm that was just armed.
    fn wake(&self) {
        // The thread says that it falls asleep before it looks a last time, we set the deadline before we look
        // whether it sleeps, all in one order: one of the two always sees the other.
        if self.shared.asleep.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
    }
}

impl Drop for InterruptTimer {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        if let Some(join) = self.join.lock().take() {
            self.thread.unpark();
            // The last VM may be dropped on any thread, but this thread cannot join itself.
            if join.thread().id() != std::thread::current().id() {
                let _ = join.join();
            }
        }
    }
}

impl Default for TimerState {
    fn default() -> Self {
        TimerState { alarms: Mutex::default(), asleep: AtomicBool::new(false), ended: AtomicBool::new(false) }
    }
}

/// Stops the scripts of an engine whose budget is used up, for a program that calls it from a thread
/// of its own ([`LuaEngine::with_timer_thread`](crate::LuaEngine::with_timer_thread)). Without these
/// calls no script of the engine is stopped.
pub struct InterruptChecker {
    shared: Arc<TimerState>,
    /// The number of checks in a row at which no script computed.
    idle: u32,
}

impl InterruptChecker {
    fn new(shared: Arc<TimerState>) -> Self {
        InterruptChecker { shared, idle: 0 }
    }

    /// Stops the scripts whose budget is used up. Returns how long the thread may be parked before
    /// the next check; `None` is until it is unparked, which a script does when it begins to compute.
    pub fn check(&mut self) -> Option<Duration> {
        if self.shared.asleep.swap(false, Ordering::SeqCst) {
            self.idle = 0;
        }
        self.idle = if check_all(&self.shared) { 0 } else { self.idle.saturating_add(1) };
        if self.idle < IDLE_CHECKS {
            return Some(CHECK_INTERVAL);
        }
        self.shared.asleep.store(true, Ordering::SeqCst);
        if check_all(&self.shared) {
            self.shared.asleep.store(false, Ordering::SeqCst);
            self.idle = 0;
            return Some(CHECK_INTERVAL);
        }
        None
    }

    /// Checks until the engine ends.
    fn run(&mut self) {
        while !self.shared.ended.load(Ordering::SeqCst) {
            match self.check() {
                Some(time) => std::thread::park_timeout(time),
                // An end that comes now has left its mark: parking returns at once.
                None => std::thread::park(),
            }
        }
    }
}

fn check_all(shared: &TimerState) -> bool {
    let now = Moment::now();
    let mut running = false;
    shared.alarms.lock().retain(|alarm| match alarm.upgrade() {
        Some(alarm) => {
            running |= alarm.check(now);
            true
        }
        None => false,
    });
    running
}
