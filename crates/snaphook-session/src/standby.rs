//! The answer to a tool's result that stands by while hooks look at it: should nothing else be answered (the time is up, a panic, hooks
//! that cannot be had), the result is withheld where a hook says so in its front matter, or where it is not known yet. Not here:
//! results that cannot be read (`torn`).

use std::sync::Arc;

use parking_lot::Mutex;
use snaphook::{
    Cause, Event, HookRef, Host, Lifecycle, NewResult, Outcome, Payload, ToolCall, ToolResult, Withheld,
};
use snaphook_adapters::{Agent, Incoming, Reply, Row, fit_to_agent};

/// The answer to one event where hooks do not.
#[derive(Debug, Default)]
pub struct Standby(Mutex<StandbyState>);

#[derive(Debug, Default)]
struct StandbyState {
    /// The payload of the agent, once it is read.
    incoming: Option<Arc<Incoming>>,
    /// For whom the result is withheld, once that is known.
    hook: Option<HookRef>,
    /// No hook withholds it.
    free: bool,
}

/// Returns whether the event is about what a tool said, and nothing else.
pub fn is_result(row: &Row) -> bool {
    row.events == [Lifecycle::ToolResult]
}

/// The result that an event is about.
pub(crate) fn result_of(incoming: &Incoming) -> Option<&ToolResult> {
    incoming.events.iter().find_map(|event: &Event| match event.payload() {
        Payload::Result(result) => Some(&**result),
        _ => None,
    })
}

impl Standby {
    /// This is what the agent sent.
    pub(crate) fn came(&self, incoming: &Arc<Incoming>) {
        self.0.lock().incoming = Some(Arc::clone(incoming));
    }

    /// These are the hooks.
    pub(crate) fn hooks(&self, host: &Host, incoming: &Incoming) {
        let unknown = || ToolCall::new("", "unknown", serde_json::Value::Null);
        let call = result_of(incoming).map_or_else(unknown, |result| result.call.clone());
        let mut state = self.0.lock();
        match host.checks_result(&call) {
            Some(hook) => state.hook = hook,
            None => state.free = true,
        }
    }

    /// The answer that withholds the result; `None` where hooks let it be shown, or where the event is about none.
    pub(crate) fn reply(&self, agent: &dyn Agent, row: &Row, cause: Cause) -> Option<Reply> {
        if !is_result(row) {
            return None;
        }
        let state = self.0.lock();
        if state.free {
            return None;
        }
        let nothing = || Incoming {
            native: row.native.to_owned(),
            events: Vec::new(),
            origin: Default::default(),
            raw: Default::default(),
        };
        let incoming = state.incoming.as_deref().cloned().unwrap_or_else(nothing);
        let result = NewResult {
            content: Withheld::Hook(state.hook.clone(), cause).to_string().into(),
            details: Arc::default(),
            is_error: true,
        };
        let outcome = Outcome { result: Some(result), ..Outcome::default() };
        Some(agent.answer(&incoming, &fit_to_agent(agent, &incoming, outcome).response))
    }
}
