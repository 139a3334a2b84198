//! The events of pi, with the effects that it honours: events of its extensions.

use std::time::Duration;

use snaphook_core::Lifecycle as L;

use crate::agent::Row;
use crate::effects::Effect::{Block, Continue, Inject, RewriteInput, RewriteResult, Tell};
use crate::effects::{Effect, Effects};

/// The time that our extension waits; pi waits for ever.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

const fn row(native: &'static str, events: &'static [L], effects: &[Effect], note: &'static str) -> Row {
    Row { native, events, effects: Effects::of(effects), limit: DEFAULT_TIMEOUT, note }
}

pub(super) const EVENTS: &[Row] = &[
    row("tool_call", &[L::ToolCall], &[Block, RewriteInput, Tell], "hooks cannot make it ask"),
    row("tool_result", &[L::ToolResult], &[RewriteResult, Inject, Tell], ""),
    row(
        "input",
        &[L::UserPrompt, L::AgentStart],
        &[Block, RewriteInput, Inject, Tell],
        "prompts of other extensions are not asked about",
    ),
    row(
        "agent_before_settle",
        &[L::AgentEnd, L::AgentError],
        &[Continue, Tell],
        "pi before 0.87 has no such event",
    ),
    row("session_start", &[L::Session, L::SessionStart], &[Tell], "what hooks add waits for the prompt"),
    row("session_shutdown", &[L::SessionEnd], &[], ""),
    row("session_before_compact", &[L::SessionBeforeCompact], &[Block, Tell], ""),
    row("session_compact", &[L::SessionCompact], &[Tell], ""),
];
