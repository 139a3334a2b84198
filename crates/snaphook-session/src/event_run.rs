//! One event under a host's hooks, and what is known of it. Not here: its way through hooks, checks and lifecycle files
//! (`event`).

use std::sync::Arc;
use std::time::Duration;

use snaphook::{CallOptions, Event, EventName, Host, Lifecycle, Payload};
use snaphook_adapters::{Effects, Incoming, Row};

use crate::context::SessionContext;
use crate::service::Service;

/// One event under a host's hooks.
pub(crate) struct EventRun<'a> {
    pub(crate) service: &'a Service<'a>,
    pub(crate) session: &'a Arc<SessionContext>,
    pub(crate) row: &'static Row,
    pub(crate) incoming: &'a Incoming,
    /// The effects that an answer can have.
    pub(crate) effects: Effects,
    pub(crate) host: &'a Host,
    pub(crate) options: CallOptions,
}

impl EventRun<'_> {
    /// Logs a line about this event.
    pub(crate) fn log(&self, text: &str) {
        self.session.log.line(&format!("{}: {text}", self.incoming.native));
    }

    /// Returns whether it is this event for hooks.
    pub(crate) fn is(&self, lifecycle: Lifecycle) -> bool {
        self.find(lifecycle).is_some()
    }

    /// Returns the event of this name.
    pub(crate) fn find(&self, lifecycle: Lifecycle) -> Option<&Event> {
        let name = EventName::Lifecycle(lifecycle);
        self.incoming.events.iter().find(|event| *event.name() == name)
    }

    /// Returns the time by which the agent has its answer, as long as there is a handler to wait for.
    pub(crate) fn limit(&self) -> Duration {
        answer_within(self.row.limit)
    }

    /// Returns the prompt with which the person starts the agent. What a subagent is asked to do is a prompt, too, and
    /// starts none.
    pub(crate) fn prompt_of_the_person(&self) -> Option<&str> {
        self.find(Lifecycle::AgentStart)?;
        match self.find(Lifecycle::UserPrompt)?.payload() {
            Payload::Fields(fields) => fields.get("prompt")?.as_str(),
            _ => None,
        }
    }
}

/// Returns when we answer, where the agent waits so long: early enough for a slow machine to deliver it.
pub fn answer_within(limit: Duration) -> Duration {
    limit.mul_f64(0.9).min(limit.saturating_sub(Duration::from_millis(300)))
}
