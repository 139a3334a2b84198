//! Threads for work that may not come back, used again where it does: to start one costs more than most handlers. Plain threads:
//! nothing waits for them when the process ends. Not here: who watches over them (`supervise`).

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SendError, Sender, channel};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

type Job = Box<dyn FnOnce() + Send>;

/// The number of threads that wait for work at most.
const MAX_IDLE: usize = 8;

/// The time that one waits before it ends.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// One that waits, by the number of its wait.
struct Idle {
    wait: u64,
    give: Sender<Job>,
}

static IDLE: Mutex<Vec<Idle>> = Mutex::new(Vec::new());
static WAITS: AtomicU64 = AtomicU64::new(0);

/// Does the work on a thread of its own. The work must not panic.
///
/// # Errors
/// There is no thread for it.
pub(crate) fn work(mut job: Job) -> io::Result<()> {
    while let Some(idle) = take_idle() {
        match idle.give.send(job) {
            Ok(()) => return Ok(()),
            // It has just ended.
            Err(SendError(back)) => job = back,
        }
    }
    thread::Builder::new().name("snaphook-handlers".to_owned()).spawn(move || serve(job))?;
    Ok(())
}

fn take_idle() -> Option<Idle> {
    IDLE.lock().pop()
}

fn serve(mut job: Job) {
    loop {
        job();
        let (give, take) = channel();
        let wait = WAITS.fetch_add(1, Ordering::Relaxed);
        {
            let mut idle = IDLE.lock();
            if idle.len() >= MAX_IDLE {
                return;
            }
            idle.push(Idle { wait, give });
        }
        let Ok(next) = take.recv_timeout(IDLE_TIMEOUT).or_else(|_| {
            // The caller that has taken it off the list is about to give it work; else none can any more.
            IDLE.lock().retain(|idle| idle.wait != wait);
            take.recv()
        }) else {
            return;
        };
        job = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::HashSet;
    use std::sync::{Arc, Barrier};

    #[test]
    fn work_that_has_to_meet_meets_and_threads_are_used_again() {
        let (say, heard) = channel();
        for _ in 0..50 {
            // More than wait: each of them needs a thread of its own.
            let barrier = Arc::new(Barrier::new(MAX_IDLE + 3));
            for _ in 0..MAX_IDLE + 2 {
                let (barrier, say) = (Arc::clone(&barrier), say.clone());
                let job = move || {
                    barrier.wait();
                    say.send(thread::current().id()).unwrap();
                };
                work(Box::new(job)).unwrap();
            }
            barrier.wait();
        }
        drop(say);
        let threads: Vec<_> = heard.iter().collect();
        assert_eq!(threads.len(), 50 * (MAX_IDLE + 2));
        let different: HashSet<_> = threads.iter().collect();
        assert!(different.len() < threads.len(), "{}", different.len());
    }
}
