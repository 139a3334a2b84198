//! The events of Cline, with the effects that it honours: first as its extension for VS Code names them, then as its command line and library do.

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, row, within};
use crate::effects::Effect::{Block, Inject, RewriteInput};

pub(super) const EVENTS: &[Row] = &within::<30, _>([
    row("PreToolUse", &[L::ToolCall], &[Block, Inject], "a text is read with the next request to the model"),
    row("PostToolUse", &[L::ToolResult], &[Inject], ""),
    row("UserPromptSubmit", &[L::UserPrompt, L::AgentStart], &[Block, Inject], ""),
    row("TaskStart", &[L::Session, L::SessionStart], &[Inject], ""),
    row("TaskResume", &[L::Session], &[Inject], ""),
    row("TaskComplete", &[L::AgentEnd], &[], "cannot be made to go on"),
    row("TaskCancel", &[L::AgentEnd], &[], ""),
    row("PreCompact", &[L::SessionBeforeCompact], &[], "cannot be stopped"),
    row(
        "tool_call",
        &[L::ToolCall],
        &[Block, RewriteInput, Inject],
        "hooks cannot make it ask: it runs the call; hooks are off with `--yolo`",
    ),
    row("tool_result", &[L::ToolResult], &[Inject], ""),
    row(
        "prompt_submit",
        &[L::UserPrompt, L::AgentStart],
        &[],
        "cannot be stopped, takes no text; was not seen to fire",
    ),
    row(
        "agent_start",
        &[L::Session, L::SessionStart],
        &[],
        "takes no text: what hooks add waits for the first call",
    ),
    row("agent_resume", &[L::Session], &[], ""),
    row("agent_end", &[L::AgentEnd], &[], "cannot be made to go on"),
    row("agent_abort", &[L::AgentEnd], &[], ""),
    row("agent_error", &[L::AgentError], &[], ""),
    row("session_shutdown", &[L::SessionEnd], &[], ""),
]);
