//! The gate of the pinned tools: a call to a tool that is not as it was first seen is denied, where that is wanted. It is one of the
//! host's gates, so its reason is beside all others, and in the audit.

use std::sync::Arc;

use snaphook::{
    Answer, CallContext, Event, Handler, HandlerFuture, HandlerInfo, HookRef, Lifecycle, Scope, Verdict,
};

use super::{Change, ChangeKind, PinFault, Pins};

/// The name and id of the hook.
pub const PINNED_TOOLS: &str = "snaphook-pinned-tools";

/// The gate, for the host of a session with one server.
#[derive(Debug)]
pub struct PinGate {
    info: HandlerInfo,
    pins: Arc<Pins>,
    denies: bool,
}

impl PinGate {
    /// A gate that holds a server to its pins. Without `denies` it only runs where something changed, so that the audit has it.
    pub fn new(pins: Arc<Pins>, denies: bool) -> Self {
        let hook = HookRef::new(PINNED_TOOLS, PINNED_TOOLS, Scope::Managed, "(built in)");
        let info =
            HandlerInfo { hook, event: Lifecycle::ToolCall.into(), line: None, file: None, matcher: None };
        PinGate { info, pins, denies }
    }

    fn reason(&self, objection: Result<Option<Change>, PinFault>) -> Option<String> {
        let server = &self.pins.server().name;
        match objection {
            Ok(None) => None,
            Ok(Some(change)) if change.kind == ChangeKind::Twice => {
                Some(format!("{change}, so a call to it is ambiguous; the server has to be fixed"))
            }
            Ok(Some(change)) => Some(format!(
                "{change}, and that was not accepted; ask the person to review it with `snaphook mcp pins {server}`, and to run \
                 `snaphook mcp accept {server}` if it is fine"
            )),
            Err(fault) => Some(format!(
                "{fault}, so the tool's earlier definition is unknown; ask the person to fix that"
            )),
        }
    }
}

impl Handler for PinGate {
    fn info(&self) -> &HandlerInfo {
        &self.info
    }

    fn selects(&self, event: &Event, _: &CallContext) -> bool {
        event.call().is_some_and(|call| self.pins.may_object(&call.native_tool))
    }

    fn handle<'a>(&'a self, event: &'a Event, _: &'a Arc<CallContext>) -> HandlerFuture<'a> {
        let reason = event.call().and_then(|call| self.reason(self.pins.objection(&call.native_tool)));
        let answer = match reason.filter(|_| self.denies) {
            Some(reason) => Answer { verdict: Verdict::Deny, reason, ..Answer::default() },
            None => Answer::default(),
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}
