//! The loop of a session between the processes that the agent calls: resumed from the session's folder for one event and
//! saved there. Not here: the loop itself (`agent_loop`).

use std::time::{Duration, SystemTime};

use snaphook_adapters::Origin;

use crate::agent_loop::continuations::TurnOrigin;
use crate::agent_loop::turn::Turn;
use crate::agent_loop::{Act, AgentLoop, Moment, Saved};
use crate::context::SessionContext;

/// The file with the state of the loop.
pub(crate) const LOOP: &str = "loop.json";

/// The loop at one event.
#[derive(Debug)]
pub(crate) struct SessionLoop {
    /// The turn in this process.
    turn: Turn,
    /// The state where there is no session to keep it in.
    own: Saved,
}

impl SessionLoop {
    /// Makes the loop for an event: with the agent at work, where the event says so.
    pub(crate) fn new(is_working: bool, own: Saved) -> Self {
        // The agent waits for the answer, so no prompt can come meanwhile: checks begin at once.
        let turn = if is_working { Turn::working(Duration::ZERO) } else { Turn::new(Duration::ZERO) };
        SessionLoop { turn, own }
    }

    /// Changes the loop's state under the session's lock. `None` where the session's folder cannot be used.
    pub(crate) fn with<T>(
        &mut self,
        session: &SessionContext,
        change: impl FnOnce(&mut AgentLoop) -> T,
    ) -> Option<T> {
        let locked = match session.folder.locked() {
            None => {
                let mut agent_loop = AgentLoop::resume(self.own.clone(), self.turn.clone());
                let done = change(&mut agent_loop);
                (self.own, self.turn) = (agent_loop.save(), agent_loop.turn().clone());
                return Some(done);
            }
            Some(locked) => locked.map_err(|error| session.report(&error)).ok()?,
        };
        let saved: Saved = session.note(locked.read(LOOP));
        let mut agent_loop = AgentLoop::resume(saved.clone(), self.turn.clone());
        if saved.iterations == Default::default() {
            agent_loop.iterations_mut().skip(session.folder.unheard());
        }
        let done = change(&mut agent_loop);
        self.turn = agent_loop.turn().clone();
        let new = agent_loop.save();
        if new != saved {
            session.note(locked.write(LOOP, &new));
        }
        Some(done)
    }

    /// Gives the loop a moment that is about the turn alone, for which nothing is kept.
    pub(crate) fn turn_at(&mut self, moment: Moment) -> Vec<Act> {
        let mut agent_loop = AgentLoop::resume(Saved::default(), self.turn.clone());
        let acts = agent_loop.at(Duration::ZERO, moment);
        self.turn = agent_loop.turn().clone();
        acts
    }

    /// Asks whether the agent may be made to go on with a text.
    pub(crate) fn may_go_on(&mut self, session: &SessionContext, origin: &Origin, text: &str) -> bool {
        // Without a session to count in, the agent's own word has to do.
        if session.folder.own().is_none() {
            return !origin.continued;
        }
        let moment = Moment::GoOn(turn_origin(origin), text.to_owned());
        // Where nothing can be counted, the agent could be sent on for ever.
        let acts = self.with(session, |agent_loop| agent_loop.at(now(), moment)).unwrap_or_default();
        matches!(acts[..], [Act::GoOn(_)])
    }

    /// Returns how often the agent was made to go on since the person's prompt.
    pub(crate) fn continued(&mut self, session: &SessionContext, origin: &Origin) -> u32 {
        if session.folder.own().is_none() {
            return u32::from(origin.continued);
        }
        if !session.folder.has(LOOP) {
            return 0;
        }
        let count = self.with(session, |agent_loop| agent_loop.continued(&turn_origin(origin)));
        count.unwrap_or(u32::MAX)
    }
}

fn turn_origin(origin: &Origin) -> TurnOrigin {
    TurnOrigin { prompt: origin.prompt.clone(), continued: origin.continued }
}

/// The time since a fixed moment, which processes share.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}
