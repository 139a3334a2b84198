//! Stops scripts that compute too long. One thread an engine looks at every VM's [`Alarm`]; when a deadline has
//! passed it sets the VM's interrupt, which Luau looks at on every loop, call and pattern step. As long as nothing is
//! overdue a script runs without any check of ours: stepping costs nothing (see `docs/performance.md`).
//! Not here: the interrupt itself (`raw`), and who pays for the time (`handler`).

use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, Weak};
use std::task::Waker;
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::raw::Interrupt;

/// How often overdue VMs are looked for: the most that a stop comes late on an idle machine.
const TICK: Duration = Duration::from_millis(2);
/// How long the thread keeps looking after the last VM was armed. Waking it costs the caller a system call.
const LINGER: u32 = 100;

/// The deadline of one VM.
pub(crate) struct Alarm {
    state: Mutex<AlarmState>,
    /// The VM was told to stop and did not. It stays so until it is replaced.
    stuck: AtomicBool,
}

#[derive(Default)]
struct AlarmState {
    /// `None` once the VM is gone; nobody may touch its memory then.
    interrupt: Option<Interrupt>,
    deadline: Option<Instant>,
    /// When the VM should have stopped, if it was told to.
    fired: bool,
    stop_grace: Duration,
    /// Calls that wait for the VM; woken when it is given up.
    waiters: Vec<Waker>,
}

impl Alarm {
    pub(crate) fn new(interrupt: Interrupt, stop_grace: Duration) -> Arc<Self> {
        let state = AlarmState { interrupt: Some(interrupt), stop_grace, ..AlarmState::default() };
        Arc::new(Alarm { state: Mutex::new(state), stuck: AtomicBool::new(false) })
    }

    /// Starts the clock. Only while the VM computes, so that waiting is free (law 5).
    pub(crate) fn arm(&self, watchdog: &Watchdog, allowed: Duration) -> Instant {
        let now = Instant::now();
        self.state.lock().deadline = Some(now + allowed);
        watchdog.attend();
        now
    }

    /// Stops the clock. Says whether the script was told to stop; what it returned does not count then, even if it
    /// caught the error. Under the same lock as the firing, so that a late shot cannot hit the next handler.
    pub(crate) fn disarm(&self) -> bool {
        let mut state = self.state.lock();
        state.deadline = None;
        let fired = std::mem::take(&mut state.fired);
        if fired && let Some(interrupt) = &state.interrupt {
            interrupt.clear();
        }
        fired
    }

    /// Whether the VM did not stop when it was told to. It stays so until it is replaced.
    pub(crate) fn is_stuck(&self) -> bool {
        self.stuck.load(Ordering::Acquire)
    }

    /// Wakes the task when somebody leaves the VM or it is given up.
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

    /// Looks whether the VM is overdue; says whether its clock runs.
    fn look(&self, now: Instant) -> bool {
        let mut state = self.state.lock();
        let Some(deadline) = state.deadline else { return false };
        if now >= deadline && !state.fired {
            if let Some(interrupt) = &state.interrupt {
                interrupt.fire();
            }
            state.fired = true;
        }
        if now >= deadline + state.stop_grace && !self.is_stuck() {
            self.stuck.store(true, Ordering::Release);
            state.waiters.drain(..).for_each(Waker::wake);
        }
        true
    }
}

/// The thread that looks at all alarms of an engine.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    thread: Thread,
    join: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    alarms: Mutex<Vec<Weak<Alarm>>>,
    asleep: AtomicBool,
    ended: AtomicBool,
}

impl Watchdog {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system gives no thread.
    pub(crate) fn start() -> std::io::Result<Arc<Self>> {
        let shared = Arc::new(Shared {
            alarms: Mutex::default(),
            asleep: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        });
        let theirs = Arc::clone(&shared);
        let join = std::thread::Builder::new()
            .name("snaphook-watchdog".to_owned())
            .stack_size(128 << 10)
            .spawn(move || watch(&theirs))?;
        let thread = join.thread().clone();
        Ok(Arc::new(Watchdog { shared, thread, join: Mutex::new(Some(join)) }))
    }

    /// Looks after one more VM until its alarm is dropped.
    pub(crate) fn add(&self, alarm: &Arc<Alarm>) {
        self.shared.alarms.lock().push(Arc::downgrade(alarm));
    }

    /// Makes sure that the thread looks at an alarm that was just armed.
    fn attend(&self) {
        // The thread says that it falls asleep before it looks a last time, we set the deadline before we look
        // whether it sleeps: one of the two always sees the other.
        fence(Ordering::SeqCst);
        if self.shared.asleep.load(Ordering::Relaxed) {
            self.thread.unpark();
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        self.thread.unpark();
        if let Some(join) = self.join.lock().take() {
            // The last VM may be dropped by whoever it likes, but not by this thread itself.
            if join.thread().id() != std::thread::current().id() {
                let _ = join.join();
            }
        }
    }
}

fn watch(shared: &Shared) {
    let mut idle = 0;
    while !shared.ended.load(Ordering::SeqCst) {
        if look_at_all(shared) {
            idle = 0;
        } else {
            idle += 1;
        }
        if idle < LINGER {
            std::thread::park_timeout(TICK);
            continue;
        }
        shared.asleep.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if !look_at_all(shared) && !shared.ended.load(Ordering::SeqCst) {
            std::thread::park();
        }
        shared.asleep.store(false, Ordering::Relaxed);
        idle = 0;
    }
}

fn look_at_all(shared: &Shared) -> bool {
    let now = Instant::now();
    let mut running = false;
    shared.alarms.lock().retain(|alarm| match alarm.upgrade() {
        Some(alarm) => {
            running |= alarm.look(now);
            true
        }
        None => false,
    });
    running
}
