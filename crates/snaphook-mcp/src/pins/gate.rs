//! The gate of the pinned tools: a call to a tool that is not as it was first seen is denied, where that is wanted. It is one of the
//! host's gates, so its reason is beside all others, and in the audit.

use std::sync::Arc;

use snaphook::{
    Answer, CallContext, Event, Handler, HandlerFuture, HandlerInfo, HookRef, Lifecycle, Scope, Verdict,
};

use super::{Change, ChangeKind, PinFault, Pins};
use crate::names::{PARTS, PREFIX};

/// The name and id of the hook.
pub const PINNED_TOOLS: &str = "snaphook-pinned-tools";

/// The gate, for the host of a session with one server, or with several.
#[derive(Debug)]
pub struct PinGate {
    info: HandlerInfo,
    of: Of,
    denies: bool,
}

/// The servers whose tools are called.
#[derive(Debug)]
enum Of {
    /// Every call is one of this server's, by its own name for the tool.
    One(Arc<Pins>),
    /// The server is in the name of the tool, `mcp__SERVER__TOOL`.
    Several(Vec<Arc<Pins>>),
}

impl Of {
    /// The pins that a call concerns, and the server's name for the tool.
    fn of<'a>(&'a self, event: &'a Event) -> Option<(&'a Pins, &'a str)> {
        let call = event.call()?;
        match self {
            Of::One(pins) => Some((pins, &call.native_tool)),
            Of::Several(all) => {
                let (server, tool) = call.tool.strip_prefix(PREFIX)?.split_once(PARTS)?;
                Some((all.iter().find(|pins| pins.server().name == server)?, tool))
            }
        }
    }
}

impl PinGate {
    /// A gate that holds a server to its pins. Without `denies` it only runs where something changed, so that the audit has it.
    pub fn new(pins: Arc<Pins>, denies: bool) -> Self {
        Self::with(Of::One(pins), denies)
    }

    /// The same for a session with these servers, each under a name of its own.
    pub fn of_servers(pins: Vec<Arc<Pins>>, denies: bool) -> Self {
        Self::with(Of::Several(pins), denies)
    }

    fn with(of: Of, denies: bool) -> Self {
        let hook = HookRef::new(PINNED_TOOLS, PINNED_TOOLS, Scope::Managed, "(built in)");
        let info =
            HandlerInfo { hook, event: Lifecycle::ToolCall.into(), line: None, file: None, matcher: None };
        PinGate { info, of, denies }
    }

    fn reason(pins: &Pins, objection: Result<Option<Change>, PinFault>) -> Option<String> {
        let server = &pins.server().name;
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
        self.of.of(event).is_some_and(|(pins, tool)| pins.may_object(tool))
    }

    fn handle<'a>(&'a self, event: &'a Event, _: &'a Arc<CallContext>) -> HandlerFuture<'a> {
        let reason = self.of.of(event).and_then(|(pins, tool)| Self::reason(pins, pins.objection(tool)));
        let answer = match reason.filter(|_| self.denies) {
            Some(reason) => Answer { verdict: Verdict::Deny, reason, ..Answer::default() },
            None => Answer::default(),
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}
