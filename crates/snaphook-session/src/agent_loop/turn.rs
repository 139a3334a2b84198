//! The agent's turn and the checks after it: they begin a short grace after its end, and are given up when the person
//! speaks first. Not here: how often the agent is made to go on (`continuations`).

use std::time::Duration;

/// The time between the end of a turn and its checks, for a driver with a person who may speak.
pub const GRACE: Duration = Duration::from_millis(200);

/// A turn runs already: HTTP says 409 to that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a turn is running; cancel it first")]
pub struct Refused;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum TurnState {
    /// The person's turn.
    #[default]
    Resting,
    /// The agent works.
    Working,
    /// It has ended; the evaluation begins then.
    Grace(Duration),
    /// The evaluation of this number runs.
    Checking(u64),
    /// The evaluation has ended; the caller says whether the agent goes on.
    Deciding,
}

/// The turn of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Turn {
    state: TurnState,
    grace: Duration,
    evaluations: u64,
}

impl Turn {
    /// Makes a session in which the agent rests.
    pub fn new(grace: Duration) -> Self {
        Turn { grace, ..Turn::default() }
    }

    /// Makes one in which the agent works.
    pub fn working(grace: Duration) -> Self {
        Turn { state: TurnState::Working, ..Turn::new(grace) }
    }

    /// Starts a turn; gives the number of the evaluation that is given up by it.
    pub(super) fn prompt(&mut self) -> Result<Option<u64>, Refused> {
        let abandoned = match self.state {
            TurnState::Working => return Err(Refused),
            TurnState::Checking(number) => Some(number),
            TurnState::Resting | TurnState::Grace(_) | TurnState::Deciding => None,
        };
        self.state = TurnState::Working;
        Ok(abandoned)
    }

    /// Ends the turn; gives the time of its evaluation.
    pub(super) fn ended(&mut self, now: Duration) -> Option<Duration> {
        if self.state != TurnState::Working {
            return None;
        }
        let due = now + self.grace;
        self.state = TurnState::Grace(due);
        Some(due)
    }

    /// Gives the number of the evaluation that begins, where its time has come.
    pub(super) fn due(&mut self, now: Duration) -> Option<u64> {
        match self.state {
            TurnState::Grace(until) if now >= until => {
                self.evaluations += 1;
                self.state = TurnState::Checking(self.evaluations);
                Some(self.evaluations)
            }
            _ => None,
        }
    }

    /// Ends the evaluation of this number. One that was given up is nothing any more.
    pub(super) fn evaluated(&mut self, number: u64) {
        if self.state == TurnState::Checking(number) {
            self.state = TurnState::Deciding;
        }
    }

    /// Ends the turn that runs, if one does. What is pending is checked after the next one.
    pub(super) fn cancel(&mut self) -> bool {
        let runs = self.state == TurnState::Working;
        if runs {
            self.state = TurnState::Resting;
        }
        runs
    }

    pub(super) fn is_deciding(&self) -> bool {
        self.state == TurnState::Deciding
    }

    pub(super) fn goes_on(&mut self) {
        self.state = TurnState::Working;
    }

    pub(super) fn rests(&mut self) {
        self.state = TurnState::Resting;
    }
}
