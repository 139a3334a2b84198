//! The rows of agents' tables of events, the ground of what is said about an agent, and a payload that cannot be read. Not
//! here: the port that each agent fills (`agent`).

use std::time::Duration;

use snaphook_core::Lifecycle;

use crate::effects::{Effect, Effects};

/// The time that agents are told to wait at the end of a turn, where they take any number: checks of changed files
/// run then, of which one alone may take a quarter of an hour.
pub(crate) const TURN_END_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// One event of an agent, with what an answer to it can do. The one source of what is said about agents anywhere.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The agent's own name of the event, as it is in its settings and on our command line.
    pub native: &'static str,
    /// The events that it can be for hooks; one that can be denied comes first. Empty for one that no hook can see.
    pub events: &'static [Lifecycle],
    /// The effects that an answer can have.
    pub effects: Effects,
    /// The time that the agent waits by itself, or as long as `snaphook install` tells it to wait.
    pub limit: Duration,
    /// A note for people, for the documentation; empty where there is nothing.
    pub note: &'static str,
}

/// A row that waits as long as the others of its table; see [`within`].
pub(crate) const fn row(
    native: &'static str,
    events: &'static [Lifecycle],
    effects: &[Effect],
    note: &'static str,
) -> Row {
    Row { native, events, effects: Effects::of(effects), limit: Duration::ZERO, note }
}

/// The rows of a table whose agent waits so many seconds by itself, but for those that have a limit of their own.
pub(crate) const fn within<const SECONDS: u64, const N: usize>(mut rows: [Row; N]) -> [Row; N] {
    let mut at = 0;
    while at < N {
        if rows[at].limit.is_zero() {
            rows[at].limit = Duration::from_secs(SECONDS);
        }
        at += 1;
    }
    rows
}

impl Row {
    /// Returns whether it comes with each piece of what a model says: asked about only where a hook is for it.
    pub fn is_frequent(&self) -> bool {
        let of_model =
            |event: &Lifecycle| matches!(event, Lifecycle::ModelRequest | Lifecycle::ModelResponse);
        !self.events.is_empty() && self.events.iter().all(of_model)
    }

    /// Returns whether the event can be denied: then whatever fails denies.
    pub fn is_gate(&self) -> bool {
        self.effects.has(Effect::Block)
            && self.events.first().is_some_and(|event| event.class() == snaphook_core::ReplyClass::Gate)
    }
}

/// The ground of what is said about an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// The agent itself was run with snaphook as its hook (`tests/interop/agents.sh`), in this version.
    Run(&'static str),
    /// It was not run here: its documentation is the source, and records of others.
    Documented,
}

impl Tier {
    /// Says it to a person.
    pub fn text(self) -> String {
        match self {
            Tier::Run(version) => format!("run here, version {version}"),
            Tier::Documented => "documented only, not run here".to_owned(),
        }
    }
}

/// A payload that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);
