//! The events of Antigravity CLI, with the effects that it honours.

use std::time::Duration;

use snaphook_core::Lifecycle as L;

use crate::agent::Row;
use crate::effects::Effect::{Ask, Block, Continue, Inject};
use crate::effects::{Effect, Effects};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

const fn row(native: &'static str, events: &'static [L], effects: &[Effect], note: &'static str) -> Row {
    Row { native, events, effects: Effects::of(effects), limit: DEFAULT_TIMEOUT, note }
}

pub(super) const EVENTS: &[Row] = &[
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
];
