//! The events of Antigravity CLI, with the effects that it honours.

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, row, within};
use crate::effects::Effect::{Ask, Block, Continue, Inject};

pub(super) const EVENTS: &[Row] = &within::<30, _>([
    row("PreToolUse", &[L::ToolCall], &[Block, Ask], ""),
    row("PostToolUse", &[L::ToolResult], &[], "hooks see whether the tool failed, not what it said"),
    row(
        "PreInvocation",
        &[L::Session, L::SessionStart, L::AgentStart, L::TurnStart],
        &[Inject],
        "turns are counted from each prompt on; the prompt itself is not reported",
    ),
    row("PostInvocation", &[L::TurnEnd], &[Inject], ""),
    row(
        "Stop",
        &[L::AgentEnd, L::AgentError],
        &[Continue],
        "prompts are not reported, so the agent goes on three times a session at most",
    ),
]);
