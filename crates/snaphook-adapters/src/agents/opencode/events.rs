//! The events of OpenCode and Kilo, with the effects that they honour: hooks of its plugins, and the types of what its `event` hook is handed.

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, row, within};
use crate::effects::Effect::{Block, Inject, RewriteInput, RewriteResult};

/// They wait for ever; this is how long our plugin does.
pub(super) const TIMEOUT_SECONDS: u64 = 60;

pub(super) const EVENTS: &[Row] = &within::<TIMEOUT_SECONDS, _>([
    row("tool.execute.before", &[L::ToolCall], &[Block, RewriteInput], "also for the tools of subagents"),
    row(
        "tool.execute.after",
        &[L::ToolResult],
        &[RewriteResult, Inject],
        "does not fire where the tool itself failed",
    ),
    row(
        "chat.message",
        &[L::UserPrompt, L::AgentStart, L::SubagentStart],
        &[Block, RewriteInput, Inject],
        "a prompt that is denied ends with an error, whose reason headless runs do not show; a subagent's task is its start",
    ),
    row(
        "experimental.session.compacting",
        &[L::SessionBeforeCompact],
        &[Inject],
        "a text goes to the writer of the summary; cannot be stopped",
    ),
    row("experimental.text.complete", &[L::ModelResponse], &[], ""),
    row("session.created", &[L::Session, L::SessionStart], &[], "what hooks add waits for the next prompt"),
    row("session.deleted", &[L::SessionEnd], &[], "only where the person deletes a session"),
    row("session.idle", &[L::AgentEnd, L::SubagentEnd], &[], "cannot be made to go on"),
    row("session.error", &[L::AgentError], &[], ""),
    row("session.compacted", &[L::SessionCompact], &[], ""),
    row("permission.asked", &[L::Notification], &[], "asks its person; hooks see the call before that"),
    row("permission.ask", &[], &[], "a hook of its plugins that is never called"),
]);
