//! The events of Codex CLI, with the effects that it honours.

use std::time::Duration;

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, TURN_END_TIMEOUT};
use crate::effects::Effect::{Ask, Block, Continue, Inject, RewriteInput, RewriteResult, Tell};
use crate::effects::{Effect, Effects};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);

/// The time that Codex waits while it ends, whatever its settings say.
const SESSION_END_TIMEOUT: Duration = Duration::from_secs(3);

const fn row(native: &'static str, events: &'static [L], effects: &[Effect]) -> Row {
    Row { native, events, effects: Effects::of(effects), limit: DEFAULT_TIMEOUT, note: "" }
}

pub(super) const EVENTS: &[Row] = &[
    Row {
        note: "hooks cannot make it ask; of a rewritten input of Bash and apply_patch it takes the `command`",
        ..row("PreToolUse", &[L::ToolCall], &[Block, RewriteInput, Inject, Tell])
    },
    Row {
        note: "a shell command that failed is not marked as failed; of a rewritten result of more than 10,000 bytes the model \
               reads the two ends and where the rest is",
        ..row("PostToolUse", &[L::ToolResult], &[RewriteResult, Inject, Tell])
    },
    Row {
        note: "fires where Codex is about to ask, so saying nothing is to ask",
        ..row("PermissionRequest", &[L::PermissionRequest], &[Block, Ask, Tell])
    },
    Row {
        note: "a subagent's task fires it, too, without `agent_start`",
        ..row("UserPromptSubmit", &[L::UserPrompt, L::AgentStart], &[Block, Inject, Tell])
    },
    row("SessionStart", &[L::Session, L::SessionStart, L::SessionCompact], &[Inject, Tell]),
    Row { limit: SESSION_END_TIMEOUT, ..row("SessionEnd", &[L::SessionEnd], &[]) },
    Row {
        note: "has no limit of its own",
        limit: TURN_END_TIMEOUT,
        ..row("Stop", &[L::AgentEnd], &[Continue, Tell])
    },
    Row { limit: SESSION_END_TIMEOUT, ..row("Interrupt", &[L::AgentError], &[Tell]) },
    row("SubagentStart", &[L::SubagentStart], &[Inject, Tell]),
    row("SubagentStop", &[L::SubagentEnd], &[Continue, Tell]),
    row("PreCompact", &[L::SessionBeforeCompact], &[Block, Tell]),
    Row {
        note: "hooks see `session_compact` with the SessionStart that follows, where a text can be added",
        ..row("PostCompact", &[], &[Tell])
    },
];
