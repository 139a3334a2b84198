//! The events of Codex CLI, with the effects that it honours.

use std::time::Duration;

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, TURN_END_TIMEOUT, row, within};
use crate::effects::Effect::{Ask, Block, Continue, Inject, RewriteInput, RewriteResult, Tell};

/// The time that Codex waits while it ends, whatever its settings say.
const SESSION_END_TIMEOUT: Duration = Duration::from_secs(3);

pub(super) const EVENTS: &[Row] = &within::<600, _>([
    row(
        "PreToolUse",
        &[L::ToolCall],
        &[Block, RewriteInput, Inject, Tell],
        "hooks cannot make it ask; of a rewritten input of Bash and apply_patch it takes the `command`",
    ),
    row(
        "PostToolUse",
        &[L::ToolResult],
        &[RewriteResult, Inject, Tell],
        "a shell command that failed is not marked as failed; of a rewritten result of more than 10,000 bytes the model \
               reads the two ends and where the rest is",
    ),
    row(
        "PermissionRequest",
        &[L::PermissionRequest],
        &[Block, Ask, Tell],
        "fires where Codex is about to ask, so saying nothing is to ask",
    ),
    row(
        "UserPromptSubmit",
        &[L::UserPrompt, L::AgentStart],
        &[Block, Inject, Tell],
        "a subagent's task fires it, too, without `agent_start`",
    ),
    row("SessionStart", &[L::Session, L::SessionStart, L::SessionCompact], &[Inject, Tell], ""),
    Row { limit: SESSION_END_TIMEOUT, ..row("SessionEnd", &[L::SessionEnd], &[], "") },
    Row {
        limit: TURN_END_TIMEOUT,
        ..row("Stop", &[L::AgentEnd], &[Continue, Tell], "has no limit of its own")
    },
    Row { limit: SESSION_END_TIMEOUT, ..row("Interrupt", &[L::AgentError], &[Tell], "") },
    row("SubagentStart", &[L::SubagentStart], &[Inject, Tell], ""),
    row("SubagentStop", &[L::SubagentEnd], &[Continue, Tell], ""),
    row("PreCompact", &[L::SessionBeforeCompact], &[Block, Tell], ""),
    row(
        "PostCompact",
        &[],
        &[Tell],
        "hooks see `session_compact` with the SessionStart that follows, where a text can be added",
    ),
]);
