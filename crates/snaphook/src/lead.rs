//! A thread that carries what a program does, and runs short handlers of supervised calls itself: to hand one to another thread,
//! and to be woken by it, takes longer than most handlers. A second thread watches, and carries on in its place when a handler is
//! late; the first one then is to the handler what a worker is. Not here: when a handler is answered without (`supervise`).

use std::cell::RefCell;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, Runtime};
use tokio::sync::oneshot;

use crate::drive::guard;
use crate::sync::lock;
use crate::watch::Watch;
use crate::workers;

/// The time between two looks of who watches: a handler that runs at two looks is late.
const TICK: Duration = Duration::from_millis(1);

/// The number of looks at nothing that it takes until who watches sleeps, and has to be woken.
const LINGER: u32 = 30;

/// A handler that computes for longer than this is better off on a thread of its own.
const MAX_LED_TIME: Duration = Duration::from_micros(50);

/// The time that the end waits for the two threads: one may be at a handler that never ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// The number of runs that go to threads of their own behind one that took longer or had to wait, and behind one that
/// was late.
const WARY: u32 = 4;
const MORE_WARY: u32 = 1000;

/// A runtime that two threads drive in turn: one carries everything that is spawned on it, short handlers of supervised calls
/// included, and the other one carries on where such a handler turns out not to be short.
///
/// Only for a runtime of the kind `current_thread`; another one does without.
#[derive(Debug)]
pub struct Lead {
    place: Arc<Place>,
    /// Closed when both threads are gone.
    threads: mpsc::Receiver<Infallible>,
}

impl Lead {
    /// Has this runtime driven.
    ///
    /// # Errors
    /// The system gives no threads.
    pub fn start(runtime: Runtime) -> io::Result<Self> {
        let (here, threads) = mpsc::channel();
        let lead = Lead { place: Arc::new(Place::new(runtime)), threads };
        for leads in [true, false] {
            let (place, here) = (Arc::clone(&lead.place), here.clone());
            let work = move || {
                serve(&place, leads);
                drop((place, here));
            };
            thread::Builder::new().name("snaphook-lead".to_owned()).spawn(work)?;
        }
        Ok(lead)
    }

    /// Waits for a future on the caller's thread, in the runtime. What is to be quick has to be spawned.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.place.handle.block_on(future)
    }
}

impl Drop for Lead {
    /// Ends what still runs on the runtime.
    fn drop(&mut self) {
        self.place.end();
        // Then the runtime is ours again, and ends here.
        let _ = self.threads.recv_timeout(FAREWELL);
    }
}

/// The run of a handler as its runner has it.
pub(crate) struct Job {
    pub(crate) work: Pin<Box<dyn Future<Output = ()> + Send>>,
    pub(crate) watch: Arc<Watch>,
    pub(crate) told: Told,
}

/// The completion channels of a job.
#[derive(Debug)]
pub(crate) struct Told {
    /// At the end.
    pub(crate) done: oneshot::Sender<()>,
    /// Told when the run takes longer, and is on a thread of its own from then on.
    pub(crate) late: oneshot::Sender<()>,
}

impl Job {
    /// Has a worker run it from here on. Where there is none, it ends without a word.
    pub(crate) fn hand_over(self, runtime: &Handle) -> io::Result<()> {
        let Job { work, watch, told: Told { done, late } } = self;
        let _ = late.send(());
        let runtime = runtime.clone();
        workers::work(Box::new(move || {
            watch.install();
            if guard(|| runtime.block_on(work)).is_ok() {
                // Nobody listens any more when the call was cancelled or answered without us.
                let _ = done.send(());
            }
        }))
    }
}

/// The place where jobs wait for the thread that leads.
#[derive(Debug)]
pub(crate) struct Place {
    handle: Handle,
    runtime: Driven,
    queue: Mutex<Queue>,
    /// The number of the run that the thread that leads is at; 0 where it is at none. Who changes it to 0 leads.
    running: AtomicU64,
    runs: AtomicU64,
    /// Whom to tell that it is late.
    late: Mutex<Option<oneshot::Sender<()>>>,
    /// The state of the watcher: [`NOBODY`], [`AWAKE`] or [`ASLEEP`].
    watcher: AtomicU8,
    watching: Mutex<Option<Thread>>,
    /// The number of more runs that go to workers.
    wary: AtomicU32,
    ended: AtomicBool,
}

const NOBODY: u8 = 0;
const AWAKE: u8 = 1;
const ASLEEP: u8 = 2;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    waker: Option<Waker>,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("jobs", &self.jobs.len()).finish_non_exhaustive()
    }
}

/// A runtime that nobody waits for when it is dropped.
#[derive(Debug)]
struct Driven(Option<Runtime>);

impl Drop for Driven {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Place>>> = const { RefCell::new(None) };
}

/// The place of this thread, where it leads and may run a handler now.
pub(crate) fn here() -> Option<Arc<Place>> {
    CURRENT.with_borrow(|place| place.as_ref().filter(|place| place.takes()).cloned())
}

impl Place {
    fn new(runtime: Runtime) -> Self {
        Place {
            handle: runtime.handle().clone(),
            runtime: Driven(Some(runtime)),
            queue: Mutex::default(),
            running: AtomicU64::new(0),
            runs: AtomicU64::new(0),
            late: Mutex::default(),
            // Its thread is about to be started.
            watcher: AtomicU8::new(AWAKE),
            watching: Mutex::default(),
            wary: AtomicU32::new(0),
            ended: AtomicBool::new(false),
        }
    }

    /// Returns whether a handler is expected to be short, and somebody watches.
    fn takes(&self) -> bool {
        let less = |runs: u32| runs.checked_sub(1);
        self.wary.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err() && self.is_watched()
    }

    fn is_watched(&self) -> bool {
        self.watcher.load(Ordering::SeqCst) != NOBODY
    }

    /// Has the thread that leads run this next.
    pub(crate) fn give(&self, job: Job) {
        let waker = {
            let mut queue = lock(&self.queue);
            queue.jobs.push_back(job);
            queue.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        let waker = lock(&self.queue).waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
        if let Some(watching) = &*lock(&self.watching) {
            watching.unpark();
        }
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    fn be_wary(&self, runs: u32) {
        self.wary.fetch_max(runs, Ordering::Relaxed);
    }

    // ---- who leads ----

    /// Drives the runtime until somebody else does, or all is over.
    fn lead(self: &Arc<Self>) {
        let Some(runtime) = &self.runtime.0 else { return };
        let mut told = None;
        while let Some(job) = runtime.block_on(self.next(told.take())) {
            if !self.is_watched() {
                let _ = job.hand_over(&self.handle);
                continue;
            }
            match self.run(job) {
                ControlFlow::Continue(done) => told = done,
                ControlFlow::Break(()) => return,
            }
        }
    }

    /// The next job, if not all is over. Who waits for the one before is told first: from in here that takes no system call.
    async fn next(&self, mut told: Option<Told>) -> Option<Job> {
        let mut first = true;
        poll_fn(|cx| {
            if let Some(told) = told.take() {
                let _ = told.done.send(());
            }
            let mut queue = lock(&self.queue);
            queue.waker = Some(cx.waker().clone());
            if self.has_ended() {
                return Poll::Ready(None);
            }
            // Between two jobs all else has its turn.
            if std::mem::take(&mut first) && !queue.jobs.is_empty() {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            queue.jobs.pop_front().map_or(Poll::Pending, |job| Poll::Ready(Some(job)))
        })
        .await
    }

    /// Runs a job as far as it goes. Breaks where somebody else leads now; else gives whom to tell that it is done.
    fn run(&self, mut job: Job) -> ControlFlow<(), Option<Told>> {
        // In the place of the one that is told below: who watches has to find it.
        let (nobody, _) = oneshot::channel();
        *lock(&self.late) = Some(std::mem::replace(&mut job.told.late, nobody));
        let turn = self.begin();
        let began = Instant::now();
        Arc::clone(&job.watch).install();
        let polled = {
            let _in = self.handle.enter();
            // What it waits for wakes the worker that it goes to then, which looks at it again at once.
            guard(|| job.work.as_mut().poll(&mut Context::from_waker(Waker::noop())))
        };
        Watch::remove();
        if began.elapsed() > MAX_LED_TIME {
            self.be_wary(WARY);
        }
        let leads = self.running.compare_exchange(turn, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if leads && let Some(late) = lock(&self.late).take() {
            job.told.late = late;
        }
        let mut told = None;
        match polled {
            Ok(Poll::Ready(())) => told = Some(job.told),
            Ok(Poll::Pending) => {
                self.be_wary(WARY);
                let _ = job.hand_over(&self.handle);
            }
            // It ends without a word, and who waits for it sees that.
            Err(_) => {}
        }
        if leads {
            return ControlFlow::Continue(told);
        }
        if let Some(told) = told {
            let _ = told.done.send(());
        }
        ControlFlow::Break(())
    }

    fn begin(&self) -> u64 {
        let turn = self.runs.fetch_add(1, Ordering::Relaxed) + 1;
        // Who watches says that it falls asleep before it looks a last time, and we say that we run before we look whether it
        // sleeps, all in one order: one of the two always sees the other.
        self.running.store(turn, Ordering::SeqCst);
        if self.watcher.load(Ordering::SeqCst) == ASLEEP
            && let Some(watching) = &*lock(&self.watching)
        {
            watching.unpark();
        }
        turn
    }

    // ---- who watches ----

    /// Watches until it has to lead; false where all is over.
    fn watch(&self) -> bool {
        *lock(&self.watching) = Some(thread::current());
        self.watcher.store(AWAKE, Ordering::SeqCst);
        let (mut seen, mut idle) = (0, 0);
        while !self.has_ended() {
            let running = self.running.load(Ordering::SeqCst);
            if running != 0 && running == seen && self.take_over(running) {
                return true;
            }
            idle = if running == 0 { idle + 1 } else { 0 };
            seen = running;
            if idle < LINGER {
                thread::park_timeout(TICK);
                continue;
            }
            self.watcher.store(ASLEEP, Ordering::SeqCst);
            if self.running.load(Ordering::SeqCst) == 0 && !self.has_ended() {
                thread::park();
            }
            self.watcher.store(AWAKE, Ordering::SeqCst);
            idle = 0;
        }
        false
    }

    fn take_over(&self, running: u64) -> bool {
        // Before it can be somebody's turn again: nobody watches who leads.
        self.watcher.store(NOBODY, Ordering::SeqCst);
        if self.running.compare_exchange(running, 0, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            self.watcher.store(AWAKE, Ordering::SeqCst);
            return false;
        }
        self.be_wary(MORE_WARY);
        if let Some(late) = lock(&self.late).take() {
            let _ = late.send(());
        }
        true
    }
}

/// One of the two threads.
fn serve(place: &Arc<Place>, mut leads: bool) {
    CURRENT.set(Some(Arc::clone(place)));
    while !place.has_ended() {
        if leads {
            place.lead();
        }
        leads = place.watch();
    }
    CURRENT.set(None);
}
