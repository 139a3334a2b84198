//! The events of Cursor, with the effects that it honours.

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, TURN_END_TIMEOUT, row, within};
use crate::effects::Effect::{Ask, Block, Continue, Inject, RewriteInput, RewriteResult, Tell};

pub(super) const EVENTS: &[Row] = &within::<60, _>([
    row(
        "preToolUse",
        &[L::ToolCall],
        &[Block, RewriteInput],
        "fires for every tool; does not ask, and does not name the server of an MCP tool (`mcp__unknown__TOOL`)",
    ),
    row(
        "beforeShellExecution",
        &[L::ToolCall],
        &[Block, Ask],
        "the same call as preToolUse with `Shell`, here with asking and without rewriting",
    ),
    row(
        "beforeMCPExecution",
        &[L::ToolCall],
        &[Block, Ask],
        "the same call as preToolUse with `MCP:TOOL`, here with asking, the server's name and without rewriting",
    ),
    row(
        "beforeReadFile",
        &[L::ToolCall],
        &[Block],
        "the same call as preToolUse with `Read`; the file's text is not handed to hooks",
    ),
    row(
        "beforeTabFileRead",
        &[L::ToolCall],
        &[Block],
        "inline completion reads a file; the model reads no reason",
    ),
    row(
        "postToolUse",
        &[L::ToolResult],
        &[RewriteResult, Inject],
        "results of MCP tools can be replaced, no others",
    ),
    row(
        "postToolUseFailure",
        &[L::ToolResult],
        &[],
        "hooks do not see a call that was denied: it has no result",
    ),
    row("afterShellExecution", &[L::ToolResult], &[], "the same result as postToolUse"),
    row("afterMCPExecution", &[L::ToolResult], &[], "the same result as postToolUse"),
    row("afterFileEdit", &[L::ToolResult], &[], "the same edit as postToolUse, with what was replaced"),
    row("afterTabFileEdit", &[L::ToolResult], &[], "an edit of inline completion"),
    row("beforeSubmitPrompt", &[L::UserPrompt, L::AgentStart], &[Block], "the person reads why"),
    row("sessionStart", &[L::Session, L::SessionStart], &[Inject], ""),
    row("sessionEnd", &[L::SessionEnd], &[], ""),
    Row {
        limit: TURN_END_TIMEOUT,
        ..row(
            "stop",
            &[L::AgentEnd, L::AgentError],
            &[Continue],
            "goes on 5 times by itself at most (`loop_limit`), and not after the person stopped it",
        )
    },
    row("subagentStart", &[L::SubagentStart], &[], "to deny a subagent, deny the `task` call"),
    row("subagentStop", &[L::SubagentEnd], &[Continue], "goes on only where the subagent completed its work"),
    row("preCompact", &[L::SessionBeforeCompact], &[Tell], "cannot be stopped"),
    row("afterAgentResponse", &[L::ModelResponse], &[], ""),
    row("afterAgentThought", &[], &[], ""),
    row("workspaceOpen", &[], &[], ""),
]);
