//! Iterations: which list of a lifecycle file runs when, and which of its output the agent gets with which prompt.
//!
//! ```text
//! begin → session_start → [ prompt → pre_iteration → agent → post_iteration → complete? ]* → final delivery → session_end
//!                                                       ↓ failed
//!                                                    on_error → recovery prompt, three times in a row at most
//! ```
//!
//! Not here: what waits (`pending`).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use snaphook_command::lifecycle::List;

use super::pending::{Pending, join};

/// The number of times that a failing agent is prompted to recover, without a success between.
pub const MAX_RECOVERIES: u32 = 3;

/// The place where the loop is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing has happened.
    #[default]
    New,
    /// `session_start` runs.
    Starting,
    /// Waits for the next prompt.
    Idle,
    /// `pre_iteration` runs.
    Before,
    /// The agent works on the prompt.
    Working,
    /// `post_iteration` runs.
    After,
    /// `on_error` runs.
    Failing,
    /// The agent works on what `on_error` told it.
    Recovering,
    /// The caller checks whether the session is complete.
    Checking,
    /// The agent gets what is left.
    Delivering,
    /// `session_end` runs.
    Ending,
    /// All is over.
    Done,
}

/// The messages to the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signal {
    /// The session starts.
    Begin,
    /// The list that was to run has run; this is the output of the commands that pipe theirs.
    Ran(String),
    /// The next iteration is to do this.
    Prompt(String),
    /// The person spoke themselves: what failed before them does not count against the next failure.
    PersonPrompt(String),
    /// The agent has followed the recovery prompt.
    Answered,
    /// It failed, by this.
    Failed(String),
    /// True if the session is complete.
    Complete(bool),
    /// There is no further iteration.
    Stop,
    /// Everything is to end at once.
    Cancel,
}

/// The next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Run this list, then tell [`Signal::Ran`].
    Run {
        /// The list.
        list: List,
        /// The iteration's number, where there is one.
        iteration: Option<u64>,
        /// The failure, for `on_error`.
        error: Option<String>,
    },
    /// Give the agent these texts as parts of one request: the output of hooks first, where there is any, then the prompt.
    Send(Vec<String>),
    /// Look whether the session is complete, then tell [`Signal::Complete`].
    Check,
    /// Get the next prompt, or tell [`Signal::Stop`].
    Next,
    /// It is over.
    Done(Ending),
}

/// The way it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Iterations that began.
    pub iterations: u64,
    /// From the first signal to the last.
    pub duration: Duration,
    /// True if it was cancelled.
    pub cancelled: bool,
    /// Output that the agent never saw.
    pub left: Vec<String>,
}

/// When the loop ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// After so many iterations; each recovery counts as one.
    pub iterations: Option<u64>,
    /// After this time: no further iteration begins.
    pub duration: Option<Duration>,
}

/// A signal that makes no sense where the loop is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{signal:?} is not expected while the loop is {phase:?}")]
pub struct Unexpected {
    /// The place where it is.
    pub phase: Phase,
    /// The signal that it was given.
    pub signal: Box<Signal>,
}

/// The loop.
#[derive(Debug, Clone, Default)]
pub struct Iterations {
    phase: Phase,
    begun: bool,
    iteration: u64,
    recoveries: u32,
    pending: Pending,
    limits: Limits,
    /// Iterations and recoveries.
    spent: u64,
    began: Option<Duration>,
    now: Duration,
    /// The task of the agent in the iteration that begins.
    prompt: String,
    /// The failure.
    error: String,
    /// True if the session ends with the iteration that runs.
    stopping: bool,
}

impl Iterations {
    /// A loop with these limits.
    pub fn new(limits: Limits) -> Self {
        Iterations { limits, ..Iterations::default() }
    }

    /// Returns where it is.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The number of the iteration that runs or was the last, from 1; 0 before the first.
    pub fn iteration(&self) -> u64 {
        self.iteration
    }

    /// The output that waits: what hooks write between iterations (`on_task_complete`) goes there at any time.
    pub fn pending(&self) -> &Pending {
        &self.pending
    }

    /// Counts iterations that nothing ran in.
    pub(crate) fn skip(&mut self, iterations: u64) {
        self.iteration += iterations;
    }

    /// No iteration begins any more; the one that runs goes on to its end.
    pub fn stop(&mut self) {
        self.stopping = true;
    }

    /// Takes the signal in, and says what comes next. `now` is any clock that does not go back.
    ///
    /// # Errors
    /// The signal makes no sense here; nothing changed.
    pub fn signal(&mut self, now: Duration, signal: Signal) -> Result<Step, Unexpected> {
        self.now = self.now.max(now);
        self.began.get_or_insert(now);
        let step = match (self.phase, signal) {
            (Phase::Done, signal) => return Err(Unexpected { phase: Phase::Done, signal: Box::new(signal) }),
            (_, Signal::Cancel) => self.done(true),
            (Phase::New, Signal::Begin) => {
                self.begun = true;
                self.run(Phase::Starting, List::SessionStart)
            }
            (Phase::Starting, Signal::Ran(piped)) => {
                self.pending.push(piped);
                self.next()
            }
            // A prompt while the agent works: the person did not let it end.
            (Phase::Idle | Phase::Working | Phase::Recovering, Signal::Prompt(prompt)) => self.begin(prompt),
            (Phase::Idle | Phase::Working | Phase::Recovering, Signal::PersonPrompt(prompt)) => {
                self.recoveries = 0;
                self.begin(prompt)
            }
            (Phase::Before, Signal::Ran(piped)) => {
                let mut texts = self.pending.drain();
                texts.push(piped);
                self.phase = Phase::Working;
                let output = join(texts);
                let prompt = std::mem::take(&mut self.prompt);
                Step::Send(if output.is_empty() { vec![prompt] } else { vec![output, prompt] })
            }
            (Phase::Working, Signal::Answered) => {
                self.recoveries = 0;
                self.run(Phase::After, List::PostIteration)
            }
            (Phase::Recovering, Signal::Answered) => {
                self.recoveries = 0;
                self.check()
            }
            (Phase::Working | Phase::Recovering, Signal::Failed(error)) => {
                self.error = error;
                self.run(Phase::Failing, List::OnError)
            }
            (Phase::Failing, Signal::Ran(piped)) => self.recover(piped),
            (Phase::After, Signal::Ran(piped)) => {
                self.pending.push(piped);
                self.check()
            }
            (Phase::Checking, Signal::Complete(false)) => self.next(),
            (Phase::Checking, Signal::Complete(true)) => self.finish(),
            // While the agent works: the person ended its work, and then the session.
            (Phase::Idle | Phase::Working | Phase::Recovering, Signal::Stop) => self.finish(),
            (Phase::New, Signal::Stop) => self.done(false),
            // The agent has the texts of the last delivery, whether it answers well or not.
            (Phase::Delivering, Signal::Answered | Signal::Failed(_)) => {
                self.run(Phase::Ending, List::SessionEnd)
            }
            (Phase::Ending, Signal::Ran(_)) => self.done(false),
            (phase, signal) => return Err(Unexpected { phase, signal: Box::new(signal) }),
        };
        Ok(step)
    }

    fn run(&mut self, phase: Phase, list: List) -> Step {
        self.phase = phase;
        let iteration = list.has(snaphook_command::lifecycle::Variable::Iteration).then_some(self.iteration);
        let error = (list == List::OnError).then(|| self.error.clone());
        Step::Run { list, iteration, error }
    }

    fn begin(&mut self, prompt: String) -> Step {
        self.iteration += 1;
        self.spent += 1;
        self.prompt = prompt;
        self.run(Phase::Before, List::PreIteration)
    }

    /// After `on_error`: its output goes to the agent at once, unless the agent fails again and again.
    fn recover(&mut self, piped: String) -> Step {
        if piped.is_empty() {
            return self.check();
        }
        if self.recoveries >= MAX_RECOVERIES || self.is_over() {
            self.pending.push(piped);
            return self.finish();
        }
        self.recoveries += 1;
        self.spent += 1;
        self.phase = Phase::Recovering;
        Step::Send(vec![piped])
    }

    fn check(&mut self) -> Step {
        self.phase = Phase::Checking;
        Step::Check
    }

    fn next(&mut self) -> Step {
        if self.is_over() {
            return self.finish();
        }
        self.phase = Phase::Idle;
        Step::Next
    }

    fn is_over(&self) -> bool {
        let lasted = self.began.map(|began| self.now.saturating_sub(began)).unwrap_or_default();
        self.stopping
            || self.limits.iterations.is_some_and(|most| self.spent >= most)
            || self.limits.duration.is_some_and(|most| lasted >= most)
    }

    /// No further iteration: what waits is delivered, where there is something.
    fn finish(&mut self) -> Step {
        let left = self.pending.drain();
        if left.is_empty() {
            return self.run(Phase::Ending, List::SessionEnd);
        }
        self.phase = Phase::Delivering;
        Step::Send(vec![join(left)])
    }

    fn done(&mut self, cancelled: bool) -> Step {
        self.phase = Phase::Done;
        let duration = self.began.map(|began| self.now.saturating_sub(began)).unwrap_or_default();
        Step::Done(Ending { iterations: self.iteration, duration, cancelled, left: self.pending.drain() })
    }
}

/// The state of the iterations that outlives a process. Limits do not: whose agent it is ends its session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedIterations {
    /// The place where the loop is.
    pub phase: Phase,
    /// True if `session_start` has run, or runs.
    pub begun: bool,
    /// The number of the last iteration.
    pub iteration: u64,
    /// Recovery prompts since the last success.
    pub recoveries: u32,
    /// Output that waits.
    pub pending: Vec<String>,
}

impl SavedIterations {
    /// Returns the same for a later process: steps that ran are not running any more, and their results are not reported. A
    /// session that was over and goes on has begun.
    #[must_use]
    pub fn without_running_steps(mut self) -> Self {
        self.phase = match self.phase {
            Phase::New => Phase::New,
            Phase::Before | Phase::Working | Phase::Failing | Phase::Recovering => Phase::Working,
            _ => Phase::Idle,
        };
        self
    }
}

impl Iterations {
    /// Makes the machine as it was saved.
    pub fn resume(saved: SavedIterations) -> Self {
        let SavedIterations { phase, begun, iteration, recoveries, pending } = saved;
        let pending = Pending::of(pending);
        Iterations { phase, begun, iteration, recoveries, pending, ..Iterations::default() }
    }

    /// Returns what has to be kept for the next process.
    pub fn save(&self) -> SavedIterations {
        SavedIterations {
            phase: self.phase,
            begun: self.begun,
            iteration: self.iteration,
            recoveries: self.recoveries,
            pending: self.pending.texts(),
        }
    }
}
