//! Runs suites side by side, each on a thread of its own, and answers without one that does not come back. Not here: what
//! a suite does (`suite`, `examples`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use snaphook::{Language, Problem};
use tokio::runtime::{Builder, Handle};

use crate::coverage::{Lines, merge};
use crate::examples;
use crate::find::{FoundTests, Unit};
use crate::harness::Setting;
use crate::options::Options;
use crate::results::{Results, SuiteKind, SuiteResult, TestFailure, TestResult};
use crate::suite::{self, SuiteEvent};

/// The time beyond its own that a test may take to stop before the run goes on without it; no longer than that time
/// itself.
const OVERDUE_GRACE: Duration = Duration::from_secs(5);
/// The time between two looks whether a test is overdue or the run was cancelled.
const TICK_INTERVAL: Duration = Duration::from_millis(100);
/// The stack of a suite's thread. Some of what scripts do is deep.
const STACK_BYTES: usize = 16 << 20;

/// Is told how a run goes, on the thread that called [`run`].
pub trait Watcher {
    /// A suite has ended, and all before it.
    fn ended(&mut self, suite: &SuiteResult) {
        let _ = suite;
    }

    /// Some time has passed: so many tests have ended, and these files are at work.
    fn waiting(&mut self, done: usize, running: &[&Path]) {
        let _ = (done, running);
    }
}

impl Watcher for () {}

/// Runs the tests that were found. Blocks until all have ended, each within its time; must not be called from a task of an
/// async runtime.
pub fn run(found: &FoundTests, options: &Options, watcher: &mut dyn Watcher) -> Results {
    let began = Instant::now();
    let mut results = Results { problems: found.problems.clone(), ..Results::default() };
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            results.problems.push(Problem::error("", format!("failed to start the runtime: {error}")));
            return results;
        }
    };
    let mut stage = Stage::new(found, options, runtime.handle().clone());
    stage.run(watcher);
    results.cancelled = options.cancel.is_cancelled();
    let Stage { slots, coverage, .. } = stage;
    results.suites = slots.into_iter().filter(|slot| slot.began.is_some()).map(|slot| slot.result).collect();
    results.coverage = coverage.into_values().collect();
    results.took = began.elapsed();
    // A hook that was answered without may still be computing.
    runtime.shutdown_background();
    results
}

/// One suite in the run.
struct Slot {
    result: SuiteResult,
    tests: Vec<(String, Option<u32>)>,
    began: Option<Instant>,
    /// The test that runs now, since when.
    current: Option<(usize, Instant)>,
    over: bool,
}

struct Stage<'a> {
    found: &'a FoundTests,
    options: &'a Options,
    runtime: Handle,
    slots: Vec<Slot>,
    coverage: Lines,
    tell: Sender<(usize, SuiteEvent)>,
    told: Receiver<(usize, SuiteEvent)>,
}

impl<'a> Stage<'a> {
    fn new(found: &'a FoundTests, options: &'a Options, runtime: Handle) -> Self {
        let slot = |unit: &Unit| Slot {
            result: SuiteResult {
                file: unit.display_path().to_owned(),
                kind: unit.kind(),
                language: unit.language(),
                problem: None,
                tests: Vec::new(),
                filtered: 0,
                took: Duration::ZERO,
            },
            tests: Vec::new(),
            began: None,
            current: None,
            over: false,
        };
        let slots = found.units.iter().map(slot).collect();
        let (tell, told) = channel();
        Stage { found, options, runtime, slots, coverage: BTreeMap::new(), tell, told }
    }

    fn run(&mut self, watcher: &mut dyn Watcher) {
        let mut shown = 0;
        while self.slots.iter().any(|slot| !slot.over) {
            if self.options.cancel.is_cancelled() {
                return;
            }
            self.start_some();
            match self.told.recv_timeout(TICK_INTERVAL) {
                Ok((index, told)) => self.take(index, told),
                Err(RecvTimeoutError::Timeout) => {
                    self.give_up_overdue();
                    self.say_what_runs(watcher);
                }
                // We hold a sender ourselves.
                Err(RecvTimeoutError::Disconnected) => return,
            }
            while let Some(slot) = self.slots.get(shown).filter(|slot| slot.over) {
                watcher.ended(&slot.result);
                shown += 1;
            }
        }
    }

    fn start_some(&mut self) {
        let running = self.slots.iter().filter(|slot| slot.began.is_some() && !slot.over).count();
        let free = self.options.threads.max(1).saturating_sub(running);
        let waiting = self.slots.iter().enumerate().filter(|(_, slot)| slot.began.is_none() && !slot.over);
        let next: Vec<usize> = waiting.map(|(index, _)| index).take(free).collect();
        for index in next {
            self.start(index);
        }
    }

    fn start(&mut self, index: usize) {
        let Some(unit) = self.found.units.get(index) else { return };
        let setting = setting(unit, &self.found.root, &self.found.cwd, self.options, &self.runtime);
        let (tell, unit, filter) = (self.tell.clone(), unit.clone(), self.options.filter.clone());
        let work = move || {
            // There is no receiver any more for a suite that was given up.
            let say = |told: SuiteEvent| drop(tell.send((index, told)));
            match &unit {
                Unit::File(file) => suite::run(file, setting, filter.as_ref(), &say),
                Unit::Examples(hook) => examples::run(hook, &setting, filter.as_ref(), &say),
            }
            say(SuiteEvent::Done);
        };
        let thread = std::thread::Builder::new().name("snaphook-test".to_owned()).stack_size(STACK_BYTES);
        let started = thread.spawn(work);
        if let Some(slot) = self.slots.get_mut(index) {
            slot.began = Some(Instant::now());
            if let Err(error) = started {
                slot.result.problem =
                    Some(Problem::error(&slot.result.file, format!("failed to start a thread: {error}")));
                slot.over = true;
            }
        }
    }

    fn take(&mut self, index: usize, told: SuiteEvent) {
        let Some(slot) = self.slots.get_mut(index).filter(|slot| !slot.over) else { return };
        match told {
            SuiteEvent::Loaded { tests, filtered } => {
                slot.tests = tests;
                slot.result.filtered = filtered;
            }
            SuiteEvent::Began(test) => slot.current = Some((test, Instant::now())),
            SuiteEvent::Ended(result, lines) => {
                slot.current = None;
                slot.result.tests.push(result);
                if self.options.coverage {
                    merge(&mut self.coverage, lines);
                }
            }
            SuiteEvent::Broken(problem) => slot.result.problem = Some(problem),
            SuiteEvent::Done => end(slot),
        }
    }

    /// Goes on without a suite whose test does not come back, nor does its thread.
    fn give_up_overdue(&mut self) {
        let allowed = self.options.time + OVERDUE_GRACE.min(self.options.time);
        for slot in self.slots.iter_mut().filter(|slot| !slot.over) {
            // Loading has the limits of the engine; here is only for what they do not hold.
            let since = slot.current.map_or(slot.began, |(_, began)| Some(began));
            let Some(took) = since.map(|since| since.elapsed()).filter(|took| *took > allowed) else {
                continue;
            };
            let Some((stuck, _)) = slot.current else {
                let text = "does not come back from loading";
                slot.result.problem = Some(Problem::error(&slot.result.file, text));
                end(slot);
                continue;
            };
            let rest = slot.tests.split_off(stuck.min(slot.tests.len()));
            for (at, (name, line)) in rest.into_iter().enumerate() {
                let message = match at {
                    0 => format!("it still computes after {took:.1?} and cannot be stopped"),
                    _ => "it was not run, because a test before it could not be stopped".to_owned(),
                };
                let file = slot.result.file.clone();
                let failure = Some(TestFailure { file, line, message, traceback: None });
                let took = if at == 0 { took } else { Duration::ZERO };
                slot.result.tests.push(TestResult {
                    name,
                    line,
                    failure,
                    log: Vec::new(),
                    outcomes: Vec::new(),
                    took,
                });
            }
            end(slot);
        }
    }

    fn say_what_runs(&self, watcher: &mut dyn Watcher) {
        let done = self.slots.iter().map(|slot| slot.result.tests.len()).sum();
        let running = self.slots.iter().filter(|slot| slot.began.is_some() && !slot.over);
        let running: Vec<&Path> = running.map(|slot| slot.result.file.as_path()).collect();
        watcher.waiting(done, &running);
    }
}

fn end(slot: &mut Slot) {
    slot.over = true;
    slot.current = None;
    slot.result.took = slot.began.map(|began| began.elapsed()).unwrap_or_default();
    debug_assert!(
        slot.result.kind == SuiteKind::Examples || slot.result.problem.is_some() || slot.began.is_some()
    );
}

/// Returns what the hooks of a unit run in.
pub(crate) fn setting(unit: &Unit, root: &Path, cwd: &Path, options: &Options, runtime: &Handle) -> Setting {
    let folder = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
    let (path, shown, hook) = match unit {
        Unit::File(file) => (folder(&file.path), folder(&file.shown), file.hook()),
        // The places of a hook that was found are shown from the working directory.
        Unit::Examples(_) => (cwd.to_owned(), PathBuf::new(), String::new()),
    };
    let language: Language = options.language.unwrap_or_else(|| unit.language());
    Setting {
        root: if path.starts_with(root) { root.to_owned() } else { PathBuf::from(&path) },
        folder: path,
        shown_folder: shown,
        hook,
        language,
        only: options.language.is_some(),
        engines: options.engines.clone(),
        limits: options.limits.clone(),
        env: Arc::from(options.env.clone()),
        runtime: runtime.clone(),
        script_cpu: options.script_cpu,
        time: options.time,
        outcomes: options.outcomes,
    }
}
