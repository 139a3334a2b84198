//! The open requests of one side, each in one place: at its gate, or sent on, with what is done with the answer.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use snaphook::CancellationToken;
use snaphook_mcp_transport::message::Id;

use crate::proxy::called_tool::CalledTool;
use crate::proxy::sessions::{OpeningSession, Session};

/// The most requests of one side that are open at a time.
const MAX_OPEN_REQUESTS: usize = 10_000;

/// The use of the agent's answer to the editor.
#[derive(Debug)]
pub(super) enum EditorAwaits {
    /// It passes.
    Plain,
    /// It says that the session is there, and which id it has where the request did not.
    Session(Box<OpeningSession>),
    /// It says that this session is closed.
    Close(String),
}

/// The use of the editor's answer to the agent.
#[derive(Debug)]
pub(super) struct AgentAwaits {
    pub(super) called: Arc<CalledTool>,
    pub(super) session: Arc<Session>,
    pub(super) cancel: CancellationToken,
}

#[derive(Debug)]
enum Stage<T> {
    Gate(CancellationToken),
    Sent(T),
}

/// The reason why a request is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotTaken {
    /// Its id is that of an open one.
    Twice,
    /// There are too many.
    TooMany,
}

/// The requests, by id.
#[derive(Debug)]
pub(super) struct OpenRequests<T>(Mutex<HashMap<Id, Stage<T>>>);

impl<T> Default for OpenRequests<T> {
    fn default() -> Self {
        OpenRequests(Mutex::default())
    }
}

impl<T> OpenRequests<T> {
    /// Takes a request that goes to its gate.
    pub(super) fn to_gate(&self, id: &Id, cancel: &CancellationToken) -> Result<(), NotTaken> {
        self.take(id, Stage::Gate(cancel.clone()))
    }

    /// Takes a request that is sent on at once.
    pub(super) fn pass(&self, id: &Id, awaits: T) -> Result<(), NotTaken> {
        self.take(id, Stage::Sent(awaits))
    }

    fn take(&self, id: &Id, stage: Stage<T>) -> Result<(), NotTaken> {
        let mut open = self.0.lock();
        if open.contains_key(id) {
            return Err(NotTaken::Twice);
        }
        if open.len() >= MAX_OPEN_REQUESTS {
            return Err(NotTaken::TooMany);
        }
        open.insert(id.clone(), stage);
        Ok(())
    }

    /// Notes that a request has passed its gate.
    pub(super) fn forward(&self, id: &Id, awaits: T) {
        self.0.lock().insert(id.clone(), Stage::Sent(awaits));
    }

    /// Ends a request; false if it was not open.
    pub(super) fn finish(&self, id: &Id) -> bool {
        self.0.lock().remove(id).is_some()
    }

    /// Returns whether a request is open.
    pub(super) fn is_open(&self, id: &Id) -> bool {
        self.0.lock().contains_key(id)
    }

    /// Cancels a request that is at its gate; false if it is not there.
    pub(super) fn cancel(&self, id: &Id) -> bool {
        match self.0.lock().get(id) {
            Some(Stage::Gate(cancel)) => {
                cancel.cancel();
                true
            }
            Some(Stage::Sent(_)) | None => false,
        }
    }

    /// Takes the answer to a request that was sent on.
    pub(super) fn answered(&self, id: &Id) -> Option<T> {
        let mut open = self.0.lock();
        match open.remove(id)? {
            Stage::Sent(awaits) => Some(awaits),
            // No answer to it can be due.
            gate @ Stage::Gate(_) => {
                open.insert(id.clone(), gate);
                None
            }
        }
    }

    /// Ends all requests, and returns those that were sent on.
    pub(super) fn drain(&self) -> Vec<Id> {
        let sent = |(id, stage)| matches!(stage, Stage::Sent(_)).then_some(id);
        self.0.lock().drain().filter_map(sent).collect()
    }
}
