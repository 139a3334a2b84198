//! The loop of an agent's session as one machine: prompts and turns, checks after a turn, how often the agent is made to
//! go on, iterations with the lists of a lifecycle file.
//!
//! ```text
//!             Prompt               Ended                 Due                  Evaluated
//! resting ─────────────► working ─────────► grace ─────────────► checking ─────────────► deciding
//!    ▲                    ▲ ▲ │               │ Prompt: no checks     │ Prompt: abandoned     │
//!    │                    │ └─┼───────────────┴───────────────────────┴                       │
//!    │                    │   └ Failed: on_error, three recoveries in a row at most           │
//!    │                    └──────────────────── GoOn, three times a prompt at most ───────────┤
//!    └───────────────────────────────────────── Rest: the iteration has ended ────────────────┘
//! ```
//!
//! The machine does nothing itself and reads no clock: it gets what happened ([`Moment`]) and when, and answers
//! with what is to be done ([`Act`]). So the same machine serves a program that drives an agent, and commands that an
//! agent calls for each event, which keep its state between them ([`Saved`]).
//!
//! Lives here: the turn ([`turn`]), continuations ([`continuations`]), iterations ([`iterations`]) with the output that
//! waits ([`pending`]). Not here: running lists of commands and checks, and talking to an agent.

pub mod continuations;
pub mod iterations;
pub mod pending;
pub mod turn;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use continuations::{Continuations, TurnOrigin};
use iterations::{Iterations, Limits, Phase, SavedIterations, Signal, Step};
use turn::Turn;

/// A thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
    /// The session starts.
    Begin,
    /// The person wrote a prompt.
    Prompt(String),
    /// The person wrote a prompt that hooks blocked.
    PromptBlocked(String),
    /// A program has the next prompt.
    NextPrompt(String),
    /// The agent's turn has ended: its last word is out.
    Ended,
    /// Time has passed.
    Due,
    /// The evaluation of this number has ended.
    Evaluated(u64),
    /// Hooks or checks want the agent to go on, with this text.
    GoOn(TurnOrigin, String),
    /// Nothing wants the agent to go on.
    Rest,
    /// The agent failed, by this.
    Failed(String),
    /// The list that was to run has run; this is the output of the commands that pipe theirs.
    Ran(String),
    /// True if the session is complete.
    Complete(bool),
    /// There is no further iteration.
    Stop,
    /// The person wants the turn that runs to end.
    CancelTurn,
    /// Everything is to end at once.
    Cancel,
}

/// A thing that is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Refuse the prompt: a turn is running.
    Refuse,
    /// End the turn that runs.
    EndTurn,
    /// Say [`Moment::Due`] at this time.
    WaitUntil(Duration),
    /// Start the evaluation of this number.
    Evaluate(u64),
    /// End the evaluation of this number: its result is not needed.
    Abandon(u64),
    /// Make the agent go on, for the so many-th time since the person's prompt.
    GoOn(u32),
    /// Say that the agent was made to go on often enough, and leave it at that.
    Enough,
    /// Do this step of the iterations, then say the moment that it names: [`Moment::Ran`], [`Moment::Complete`], [`Moment::Stop`].
    Iterate(Step),
}

/// The state that outlives a process.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    /// The iterations.
    pub iterations: SavedIterations,
    /// The continuations.
    pub continuations: Continuations,
}

/// The loop.
#[derive(Debug, Clone, Default)]
pub struct AgentLoop {
    turn: Turn,
    continuations: Continuations,
    iterations: Iterations,
}

impl AgentLoop {
    /// Makes a loop in which nothing has happened. `grace` is the time between the end of a turn and its checks, in which
    /// the person may speak first; with none they begin at once.
    pub fn new(grace: Duration, limits: Limits) -> Self {
        AgentLoop {
            turn: Turn::new(grace),
            continuations: Continuations::default(),
            iterations: Iterations::new(limits),
        }
    }

    /// Makes the loop of a process that is called for one event: what ran in an earlier one runs no more.
    pub fn resume(saved: Saved, turn: Turn) -> Self {
        let Saved { iterations, continuations } = saved;
        AgentLoop { turn, continuations, iterations: Iterations::resume(iterations) }
    }

    /// Returns what has to be kept for the next process.
    pub fn save(&self) -> Saved {
        Saved { iterations: self.iterations.save(), continuations: self.continuations.clone() }
    }

    /// Returns the turn.
    pub fn turn(&self) -> &Turn {
        &self.turn
    }

    /// Returns how often the agent was made to go on since the person's prompt.
    pub fn continued(&self, origin: &TurnOrigin) -> u32 {
        self.continuations.count(origin)
    }

    /// Returns the iterations.
    pub fn iterations(&self) -> &Iterations {
        &self.iterations
    }

    /// Returns the iterations, to be changed by an agent that drives itself and may leave out or repeat events.
    pub(crate) fn iterations_mut(&mut self) -> &mut Iterations {
        &mut self.iterations
    }

    /// Lets no further iteration begin; the one that runs goes on to its end.
    pub fn stop(&mut self) {
        self.iterations.stop();
    }

    /// Takes a moment in, and says what is to be done, in order. `now` is any clock that does not go back. A moment that
    /// makes no sense here changes nothing, and nothing is to be done.
    pub fn at(&mut self, now: Duration, moment: Moment) -> Vec<Act> {
        match moment {
            Moment::Begin => self.signal(now, Signal::Begin),
            Moment::Prompt(text) => {
                let begun = self.begin_turn();
                if begun != [Act::Refuse] {
                    self.continuations.prompted(&text);
                }
                self.iterate(begun, now, Signal::PersonPrompt(text))
            }
            Moment::PromptBlocked(text) => {
                self.continuations.prompted(&text);
                Vec::new()
            }
            Moment::NextPrompt(text) => {
                let begun = self.begin_turn();
                self.iterate(begun, now, Signal::Prompt(text))
            }
            Moment::Ended => match self.turn.ended(now) {
                Some(due) if due > now => vec![Act::WaitUntil(due)],
                Some(_) => self.at(now, Moment::Due),
                None => Vec::new(),
            },
            Moment::Due => self.turn.due(now).map(Act::Evaluate).into_iter().collect(),
            Moment::Evaluated(number) => {
                self.turn.evaluated(number);
                Vec::new()
            }
            Moment::GoOn(origin, text) => {
                if !self.continuations.one_more(&origin, &text, now) {
                    return vec![Act::Enough];
                }
                // A subagent goes on within a turn.
                if self.turn.is_deciding() {
                    self.turn.goes_on();
                }
                vec![Act::GoOn(self.continuations.count(&origin))]
            }
            Moment::Rest => {
                self.turn.rests();
                self.signal(now, Signal::Answered)
            }
            Moment::Failed(error) => {
                self.turn.rests();
                self.signal(now, Signal::Failed(error))
            }
            Moment::Ran(output) => self.signal(now, Signal::Ran(output)),
            Moment::Complete(is_complete) => self.signal(now, Signal::Complete(is_complete)),
            Moment::Stop => self.signal(now, Signal::Stop),
            Moment::CancelTurn => self.turn.cancel().then_some(Act::EndTurn).into_iter().collect(),
            Moment::Cancel => {
                self.turn.rests();
                self.signal(now, Signal::Cancel)
            }
        }
    }

    /// Starts a turn; what is to be done first.
    fn begin_turn(&mut self) -> Vec<Act> {
        match self.turn.prompt() {
            Err(turn::Refused) => vec![Act::Refuse],
            Ok(abandoned) => abandoned.map(Act::Abandon).into_iter().collect(),
        }
    }

    /// Begins an iteration, unless its turn is refused.
    fn iterate(&mut self, mut begun: Vec<Act>, now: Duration, signal: Signal) -> Vec<Act> {
        if begun != [Act::Refuse] {
            begun.extend(self.signal(now, signal));
        }
        begun
    }

    fn signal(&mut self, now: Duration, signal: Signal) -> Vec<Act> {
        let Ok(step) = self.iterations.signal(now, signal) else { return Vec::new() };
        if matches!(step, Step::Send(_)) && self.iterations.phase() == Phase::Recovering {
            self.turn.goes_on();
        }
        vec![Act::Iterate(step)]
    }
}
