//! The events of Windsurf, with the effects that it honours: before something happens it can be stopped, and nothing else.

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, row, within};
use crate::effects::Effect::Block;

/// Its own limit is nowhere said.
pub(super) const EVENTS: &[Row] = &within::<30, _>([
    row("pre_read_code", &[L::ToolCall], &[Block], "the path may be a folder that is read with all in it"),
    row("pre_write_code", &[L::ToolCall], &[Block], ""),
    row("pre_run_command", &[L::ToolCall], &[Block], ""),
    row("pre_mcp_tool_use", &[L::ToolCall], &[Block], ""),
    row("pre_user_prompt", &[L::UserPrompt, L::AgentStart], &[Block], ""),
    row("post_read_code", &[L::ToolResult], &[], "without what was read"),
    row("post_write_code", &[L::ToolResult], &[], ""),
    row("post_run_command", &[L::ToolResult], &[], "without what the command said"),
    row("post_mcp_tool_use", &[L::ToolResult], &[], ""),
    row("post_cascade_response", &[L::AgentEnd], &[], ""),
    row(
        "post_cascade_response_with_transcript",
        &[],
        &[],
        "hooks see `agent_end` with post_cascade_response",
    ),
    row("post_setup_worktree", &[], &[], ""),
]);
