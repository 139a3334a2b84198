//! The events of pi, with the effects that it honours: events of its extensions.

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, row, within};
use crate::effects::Effect::{Block, Continue, Inject, RewriteInput, RewriteResult, Tell};

/// The time that our extension waits; pi waits for ever.
pub(super) const TIMEOUT_SECONDS: u64 = 60;

pub(super) const EVENTS: &[Row] = &within::<TIMEOUT_SECONDS, _>([
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
]);
