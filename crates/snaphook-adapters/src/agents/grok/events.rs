//! The events of Grok Build, with the effects that it honours.

use std::time::Duration;

use snaphook_core::Lifecycle as L;

use crate::agent::Row;
use crate::effects::Effect::{Block, Continue, Inject, RewriteInput, RewriteResult, Tell};
use crate::effects::{Effect, Effects};

const LONG_TIMEOUT: Duration = Duration::from_secs(600);
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

const fn row(native: &'static str, events: &'static [L], effects: &[Effect], limit: Duration) -> Row {
    Row { native, events, effects: Effects::of(effects), limit, note: "" }
}

pub(super) const EVENTS: &[Row] = &[
    Row {
        note: "hooks cannot make it ask",
        ..row("PreToolUse", &[L::ToolCall], &[Block, RewriteInput, Inject], DEFAULT_TIMEOUT)
    },
    Row {
        note: "the result of a shell command and of an MCP tool is replaced; of other tools the model is told",
        ..row("PostToolUse", &[L::ToolResult], &[RewriteResult, Inject], LONG_TIMEOUT)
    },
    Row {
        note: "the error of a failed tool cannot be replaced",
        ..row("PostToolUseFailure", &[L::ToolResult], &[Inject], LONG_TIMEOUT)
    },
    row("UserPromptSubmit", &[L::UserPrompt, L::AgentStart], &[Block, Tell], Duration::from_secs(30)),
    row("SessionStart", &[L::Session, L::SessionStart, L::SessionCompact], &[], DEFAULT_TIMEOUT),
    row("SessionEnd", &[L::SessionEnd], &[], Duration::from_millis(1500)),
    Row {
        note: "gives up after 8 times by itself",
        ..row("Stop", &[L::AgentEnd], &[Continue], LONG_TIMEOUT)
    },
    row("StopFailure", &[L::AgentError], &[], DEFAULT_TIMEOUT),
    row("StopCancelled", &[L::AgentError], &[], DEFAULT_TIMEOUT),
    row("SubagentStart", &[L::SubagentStart], &[], DEFAULT_TIMEOUT),
    Row {
        note: "gives up after 8 times by itself",
        ..row("SubagentStop", &[L::SubagentEnd], &[Continue], LONG_TIMEOUT)
    },
    row("PreCompact", &[L::SessionBeforeCompact], &[], DEFAULT_TIMEOUT),
    row("PostCompact", &[L::SessionCompact], &[], DEFAULT_TIMEOUT),
    row("Notification", &[L::Notification], &[], DEFAULT_TIMEOUT),
];
