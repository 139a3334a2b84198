//! The events of Qwen Code, with the effects that it honours.

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, TURN_END_TIMEOUT, row, within};
use crate::effects::Effect::{Ask, Block, Continue, HideResult, Inject, RewriteInput};

pub(super) const EVENTS: &[Row] = &within::<60, _>([
    row(
        "PreToolUse",
        &[L::ToolCall],
        &[Block, Ask],
        "headless, a call that is asked about is denied; a rewritten input is denied with the input to send instead",
    ),
    row(
        "PostToolUse",
        &[L::ToolResult],
        &[HideResult, Inject],
        "a rewritten result is shown as the error of a failed tool",
    ),
    row("PostToolUseFailure", &[L::ToolResult], &[Inject], "the error of a failed tool cannot be replaced"),
    row(
        "PermissionRequest",
        &[L::PermissionRequest],
        &[Block, Ask, RewriteInput],
        "fires where the agent is about to ask, so saying nothing is to ask",
    ),
    row(
        "UserPromptSubmit",
        &[L::UserPrompt, L::AgentStart],
        &[Block, Inject],
        "fires for whatever goes to the model; `agent_start` only where the agent marks it as written by the person",
    ),
    row("SessionStart", &[L::Session, L::SessionStart, L::SessionCompact], &[Inject], ""),
    row("SessionEnd", &[L::SessionEnd], &[], ""),
    Row {
        limit: TURN_END_TIMEOUT,
        ..row("Stop", &[L::AgentEnd], &[Continue], "gives up after 8 times by itself")
    },
    row("StopFailure", &[L::AgentError], &[], ""),
    row("SubagentStart", &[L::SubagentStart], &[Inject], ""),
    row("SubagentStop", &[L::SubagentEnd], &[Continue], "gives up after 8 times by itself"),
    row("PreCompact", &[L::SessionBeforeCompact], &[Inject], "the text goes to the writer of the summary"),
    row("PostCompact", &[], &[], "hooks see `session_compact` with the SessionStart that follows"),
    row("Notification", &[L::Notification], &[], ""),
]);
