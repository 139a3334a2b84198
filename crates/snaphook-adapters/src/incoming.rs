//! The payload of an agent, in the words of the design.

use std::path::PathBuf;

use serde_json::{Map, Value};
use snaphook_core::Event;

use crate::fields::Fields;
use crate::row::Unreadable;

/// An agent's event, read.
#[derive(Debug, Clone)]
pub struct Incoming {
    /// The agent's own name of the event.
    pub native: String,
    /// The events that it is for hooks, in order; one that can be denied comes first. Empty for one that no hook can
    /// see.
    pub events: Vec<Event>,
    /// The origin of it.
    pub origin: Origin,
    /// The payload as the agent sent it, whole: answers take some of it back.
    pub raw: Map<String, Value>,
}

impl Incoming {
    /// The event of a payload. `events` reads what it is for hooks.
    pub(crate) fn of(
        payload: &Map<String, Value>,
        native: &str,
        origin: Origin,
        events: impl FnOnce(&str, Fields<'_>) -> Result<Vec<Event>, Unreadable>,
    ) -> Result<Self, Unreadable> {
        let events = events(native, Fields(payload))?;
        Ok(Incoming { native: native.to_owned(), events, origin, raw: payload.clone() })
    }
}

/// The origin of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The agent's id of the session.
    pub session: Option<String>,
    /// The session's file.
    pub transcript: Option<String>,
    /// The agent's working directory.
    pub cwd: Option<PathBuf>,
    /// The person's prompt that this belongs to, where the agent numbers them.
    pub prompt: Option<String>,
    /// The agent that really sent it, where that is another than the one it was read as: some also run the hooks of others.
    pub sender: Option<&'static str>,
    /// True if the agent is at work already because a hook made it go on.
    pub continued: bool,
}
