//! The events of Claude Code, with the effects that it honours.

use std::time::Duration;

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, TURN_END_TIMEOUT, row, within};
use crate::effects::Effect::{Ask, Block, Continue, Inject, RewriteInput, RewriteResult, Stop, Tell};

pub(super) const EVENTS: &[Row] = &within::<600, _>([
    row("PreToolUse", &[L::ToolCall], &[Block, Ask, RewriteInput, Inject, Tell, Stop], ""),
    row(
        "PostToolUse",
        &[L::ToolResult],
        &[RewriteResult, Inject, Tell],
        "a result is replaced in the tool's own shape only; where that cannot be done, the model is told",
    ),
    row(
        "PostToolUseFailure",
        &[L::ToolResult],
        &[Inject, Tell],
        "the error of a failed tool cannot be replaced",
    ),
    row("PermissionRequest", &[L::PermissionRequest], &[Block, Ask, RewriteInput, Tell, Stop], ""),
    Row {
        limit: Duration::from_secs(30),
        ..row("UserPromptSubmit", &[L::UserPrompt, L::AgentStart], &[Block, Inject, Tell], "")
    },
    row("SessionStart", &[L::Session, L::SessionStart, L::SessionCompact], &[Inject, Tell], ""),
    Row { limit: Duration::from_millis(1500), ..row("SessionEnd", &[L::SessionEnd], &[], "") },
    Row {
        limit: TURN_END_TIMEOUT,
        ..row("Stop", &[L::AgentEnd], &[Continue, Tell], "gives up after 8 times by itself")
    },
    row("StopFailure", &[L::AgentError], &[], ""),
    row("SubagentStart", &[L::SubagentStart], &[Inject, Tell], ""),
    row("SubagentStop", &[L::SubagentEnd], &[Continue, Tell], ""),
    row("PreCompact", &[L::SessionBeforeCompact], &[Block, Tell], ""),
    row(
        "PostCompact",
        &[],
        &[Tell],
        "hooks see `session_compact` with the SessionStart that follows, where a text can be added",
    ),
    row("Notification", &[L::Notification], &[Tell], ""),
]);
