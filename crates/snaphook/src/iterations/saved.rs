//! The machine's state between processes, as JSON.

use serde_json::{Value, json};

use super::machine::{Iterations, Phase};
use super::pending::Pending;

/// The state that outlives a process. Limits do not: whose agent it is ends its session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Saved {
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

/// Phases by their names in the document.
const PHASES: [(Phase, &str); 12] = [
    (Phase::New, "new"),
    (Phase::Starting, "starting"),
    (Phase::Idle, "idle"),
    (Phase::Before, "before"),
    (Phase::Working, "working"),
    (Phase::After, "after"),
    (Phase::Failing, "failing"),
    (Phase::Recovering, "recovering"),
    (Phase::Checking, "checking"),
    (Phase::Delivering, "delivering"),
    (Phase::Ending, "ending"),
    (Phase::Done, "done"),
];

impl Saved {
    /// Reads what [`Saved::to_json`] wrote. What is missing or damaged counts as not there.
    pub fn from_json(document: &Value) -> Self {
        let number = |name: &str| document[name].as_u64().unwrap_or_default();
        let texts = document["pending"].as_array().cloned().unwrap_or_default();
        let phase = PHASES.iter().find(|(_, name)| document["phase"] == *name);
        Saved {
            phase: phase.map(|(phase, _)| *phase).unwrap_or_default(),
            begun: document["begun"] == true,
            iteration: number("iteration"),
            recoveries: u32::try_from(number("recoveries")).unwrap_or(u32::MAX),
            pending: texts.into_iter().filter_map(|text| text.as_str().map(str::to_owned)).collect(),
        }
    }

    /// As a document.
    pub fn to_json(&self) -> Value {
        let Saved { phase, begun, iteration, recoveries, pending } = self;
        let phase = PHASES.iter().find(|(one, _)| one == phase).map(|(_, name)| *name);
        json!({
            "phase": phase, "begun": begun, "iteration": iteration, "recoveries": recoveries, "pending": pending,
        })
    }

    /// The same for somebody who comes later: what ran then runs no more, and nobody tells what came of it. A session that was
    /// over and goes on has begun.
    #[must_use]
    pub fn settled(mut self) -> Self {
        self.phase = match self.phase {
            Phase::New => Phase::New,
            Phase::Before | Phase::Working | Phase::Failing | Phase::Recovering => Phase::Working,
            _ => Phase::Idle,
        };
        self
    }
}

impl Iterations {
    /// The machine as it was saved.
    pub fn resume(saved: Saved) -> Self {
        let Saved { phase, begun, iteration, recoveries, pending } = saved;
        Iterations {
            phase,
            begun,
            iteration,
            recoveries,
            pending: Pending::of(pending),
            ..Iterations::default()
        }
    }

    /// Returns what has to be kept for the next process.
    pub fn save(&self) -> Saved {
        Saved {
            phase: self.phase,
            begun: self.begun,
            iteration: self.iteration,
            recoveries: self.recoveries,
            pending: self.pending.texts(),
        }
    }
}
