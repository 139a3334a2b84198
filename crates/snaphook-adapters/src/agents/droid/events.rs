//! The events of Factory Droid, with the effects that it honours.

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, TURN_END_TIMEOUT, row, within};
use crate::effects::Effect::{Block, Continue, Inject, RewriteInput, Tell};

pub(super) const EVENTS: &[Row] = &within::<60, _>([
    row(
        "PreToolUse",
        &[L::ToolCall],
        &[Block, RewriteInput, Tell],
        "hooks cannot make it ask: without a person it runs the call",
    ),
    row(
        "PostToolUse",
        &[L::ToolResult],
        &[Inject, Tell],
        "a result cannot be replaced; does not fire where the tool failed",
    ),
    row(
        "UserPromptSubmit",
        &[L::UserPrompt, L::AgentStart],
        &[Block, Inject, Tell],
        "does not fire in `droid exec`",
    ),
    row(
        "SessionStart",
        &[L::Session, L::SessionStart, L::SessionCompact],
        &[Inject, Tell],
        "a compaction goes on in another session, with an id of its own",
    ),
    row("SessionEnd", &[L::SessionEnd], &[], ""),
    Row { limit: TURN_END_TIMEOUT, ..row("Stop", &[L::AgentEnd], &[Continue, Tell], "") },
    row("SubagentStop", &[L::SubagentEnd], &[Continue, Tell], ""),
    row("PreCompact", &[L::SessionBeforeCompact], &[Block], ""),
    row("Notification", &[L::Notification], &[Tell], ""),
]);
