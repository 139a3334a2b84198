//! The events of Kimi Code, with the effects that it honours.

use std::time::Duration;

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, row, within};
use crate::effects::Effect::{Block, Continue, Inject};

/// The longest that it takes.
const MAX_TIMEOUT: Duration = Duration::from_secs(600);

pub(super) const EVENTS: &[Row] = &within::<60, _>([
    row(
        "PreToolUse",
        &[L::ToolCall],
        &[Block],
        "hooks cannot make it ask: it runs the call; a rewritten input is denied with the input to send instead",
    ),
    row("PostToolUse", &[L::ToolResult], &[], "takes no text; a result cannot be replaced"),
    row("PostToolUseFailure", &[L::ToolResult], &[], "as PostToolUse"),
    row("UserPromptSubmit", &[L::UserPrompt, L::AgentStart], &[Block, Inject], ""),
    row("SessionStart", &[L::Session, L::SessionStart], &[], "what hooks add waits for the prompt"),
    row("SessionEnd", &[L::SessionEnd], &[], ""),
    Row {
        limit: MAX_TIMEOUT,
        ..row("Stop", &[L::AgentEnd], &[Continue], "goes on once a turn; fires for a subagent, too")
    },
    row("StopFailure", &[L::AgentError], &[], ""),
    row("Interrupt", &[L::AgentError], &[], ""),
    row("SubagentStart", &[L::SubagentStart], &[], ""),
    row("SubagentStop", &[L::SubagentEnd], &[], ""),
    row("PreCompact", &[L::SessionBeforeCompact], &[], "cannot be stopped"),
    row("PostCompact", &[L::SessionCompact], &[], ""),
    row("Notification", &[L::Notification], &[], ""),
]);
