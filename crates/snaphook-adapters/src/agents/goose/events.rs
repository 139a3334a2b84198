//! The events of goose, with the effects that it honours.

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, TURN_END_TIMEOUT, row, within};
use crate::effects::Effect::{Block, Continue};

/// One of several names for the same moment.
const fn twin(native: &'static str, note: &'static str) -> Row {
    row(native, &[], &[], note)
}

pub(super) const EVENTS: &[Row] = &within::<30, _>([
    row(
        "PreToolUse",
        &[L::ToolCall],
        &[Block],
        "`on_failure: block` denies where the hook fails; not for subagents",
    ),
    row("PostToolUse", &[L::ToolResult], &[], "without what the tool said"),
    row("PostToolUseFailure", &[L::ToolResult], &[], "without what the tool said"),
    row("UserPromptSubmit", &[L::UserPrompt, L::AgentStart], &[], "cannot be stopped, takes no text"),
    Row {
        limit: TURN_END_TIMEOUT,
        ..row("Stop", &[L::AgentEnd], &[Continue], "gives up after 8 times by itself")
    },
    row("SessionStart", &[L::Session, L::SessionStart], &[], ""),
    row("SessionEnd", &[L::SessionEnd], &[], ""),
    twin("PreToolUseResult", "what became of a PreToolUse"),
    twin("BeforeReadFile", "hooks see the call with PreToolUse, which can stop it"),
    twin("BeforeShellExecution", "hooks see the call with PreToolUse, which can stop it"),
    twin("AfterFileEdit", "hooks see the result with PostToolUse"),
    twin("AfterShellExecution", "hooks see the result with PostToolUse"),
]);
