//! Timing on a machine that others use too: CPU time of this thread where the system tells it, many short samples,
//! the least and the middle one. What is compared is sampled in turns, so that a slow minute hits both.

use std::time::{Duration, Instant};

/// The time that a sample shall take: long against a reading of the clock, short against a time slice.
const SAMPLE: Duration = Duration::from_micros(400);

/// One number with its spread, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// The least sample: what the work costs when nobody disturbs it.
    pub least: f64,
    /// The middle sample.
    pub middle: f64,
}

impl Timing {
    /// The spread of some samples.
    pub fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let least = samples.first().copied().unwrap_or(f64::NAN);
        Timing { least, middle: samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN) }
    }
}

/// CPU time of this thread.
#[cfg(unix)]
pub fn thread_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Returns the wall's time, where threads have no clock of their own.
#[cfg(not(unix))]
pub fn thread_cpu() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Work that is repeated.
pub struct Case<'a> {
    work: Box<dyn FnMut() + 'a>,
    times: u32,
    samples: Vec<f64>,
}

impl<'a> Case<'a> {
    /// Runs the work until it is warm and finds out how often it fits into a sample.
    pub fn new<T>(mut work: impl FnMut() -> T + 'a) -> Self {
        let mut work = Box::new(move || {
            std::hint::black_box(work());
        });
        let mut times = 1;
        loop {
            let spent = sample(&mut *work, times);
            if spent >= SAMPLE || times >= 1 << 20 {
                break;
            }
            times *= 2;
        }
        Case { work, times, samples: Vec::new() }
    }

    fn take(&mut self) {
        let spent = sample(&mut *self.work, self.times);
        self.samples.push(spent.as_nanos() as f64 / f64::from(self.times));
    }

    fn timing(&mut self) -> Timing {
        Timing::of(std::mem::take(&mut self.samples))
    }
}

fn sample(work: &mut dyn FnMut(), times: u32) -> Duration {
    let before = thread_cpu();
    for _ in 0..times {
        work();
    }
    thread_cpu().saturating_sub(before)
}

/// Times cases in turns.
pub fn compare<const N: usize>(mut cases: [Case<'_>; N], rounds: usize) -> [Timing; N] {
    for _ in 0..rounds {
        cases.iter_mut().for_each(Case::take);
    }
    cases.map(|mut case| case.timing())
}

/// Times one case.
pub fn time<T>(rounds: usize, work: impl FnMut() -> T) -> Timing {
    compare([Case::new(work)], rounds)[0]
}

/// Times work that is done once a sample, on the wall and on this thread's CPU.
pub fn once<T>(rounds: usize, mut work: impl FnMut() -> T) -> (Timing, Timing) {
    let mut samples = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (wall, cpu) = (Instant::now(), thread_cpu());
        let done = work();
        samples.0.push(wall.elapsed().as_nanos() as f64);
        samples.1.push(thread_cpu().saturating_sub(cpu).as_nanos() as f64);
        drop(done);
    }
    (Timing::of(samples.0), Timing::of(samples.1))
}

/// The process's resident memory, in bytes, where the system tells it.
pub fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024.0)
}
