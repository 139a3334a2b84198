//! The events of Claude Code, with the effects that it honours.

use std::time::Duration;

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, TURN_END_TIMEOUT};
use crate::effects::Effect::{Ask, Block, Continue, Inject, RewriteInput, RewriteResult, Stop, Tell};
use crate::effects::{Effect, Effects};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);

const fn row(native: &'static str, events: &'static [L], effects: &[Effect]) -> Row {
    Row { native, events, effects: Effects::of(effects), limit: DEFAULT_TIMEOUT, note: "" }
}

pub(super) const EVENTS: &[Row] = &[
    row("PreToolUse", &[L::ToolCall], &[Block, Ask, RewriteInput, Inject, Tell, Stop]),
    Row {
        note: "a result is replaced in the tool's own shape only; where that cannot be done, the model is told",
        ..row("PostToolUse", &[L::ToolResult], &[RewriteResult, Inject, Tell])
    },
    Row {
        note: "the error of a failed tool cannot be replaced",
        ..row("PostToolUseFailure", &[L::ToolResult], &[Inject, Tell])
    },
    row("PermissionRequest", &[L::PermissionRequest], &[Block, Ask, RewriteInput, Tell, Stop]),
    Row {
        limit: Duration::from_secs(30),
        ..row("UserPromptSubmit", &[L::UserPrompt, L::AgentStart], &[Block, Inject, Tell])
    },
    row("SessionStart", &[L::Session, L::SessionStart, L::SessionCompact], &[Inject, Tell]),
    Row { limit: Duration::from_millis(1500), ..row("SessionEnd", &[L::SessionEnd], &[]) },
    Row {
        note: "gives up after 8 times by itself",
        limit: TURN_END_TIMEOUT,
        ..row("Stop", &[L::AgentEnd], &[Continue, Tell])
    },
    row("StopFailure", &[L::AgentError], &[]),
    row("SubagentStart", &[L::SubagentStart], &[Inject, Tell]),
    row("SubagentStop", &[L::SubagentEnd], &[Continue, Tell]),
    row("PreCompact", &[L::SessionBeforeCompact], &[Block, Tell]),
    Row {
        note: "hooks see `session_compact` with the SessionStart that follows, where a text can be added",
        ..row("PostCompact", &[], &[Tell])
    },
    row("Notification", &[L::Notification], &[Tell]),
];
