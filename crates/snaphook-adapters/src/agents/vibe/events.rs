//! The events of Mistral Vibe, with the effects that it honours.

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, TURN_END_TIMEOUT, row, within};
use crate::effects::Effect::{Block, Continue, Inject, RewriteInput, RewriteResult, Tell};

pub(super) const EVENTS: &[Row] = &within::<60, _>([
    row(
        "pre_tool",
        &[L::ToolCall],
        &[Block, RewriteInput, Tell],
        "hooks cannot make it ask: it runs the call; a program of `run_typescript` is not told why a call was denied; tells the person where it is not",
    ),
    row(
        "post_tool",
        &[L::ToolResult],
        &[RewriteResult, Inject, Tell],
        "within a program of `run_typescript`, the error of a failed call cannot be replaced",
    ),
    Row {
        limit: TURN_END_TIMEOUT,
        ..row(
            "post_agent",
            &[L::AgentEnd, L::SubagentEnd],
            &[Continue, Tell],
            "prompts are not reported, so it goes on three times a session at most",
        )
    },
]);
