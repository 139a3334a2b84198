//! The events of Gemini CLI, with the effects that it honours.

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, TURN_END_TIMEOUT, row, within};
use crate::effects::Effect::{Ask, Block, Continue, HideResult, Inject, RewriteInput, Stop, Tell};

pub(super) const EVENTS: &[Row] = &within::<60, _>([
    row(
        "BeforeTool",
        &[L::ToolCall],
        &[Block, Ask, RewriteInput, Tell, Stop],
        "headless, a call that is asked about ends the run without a word; a rewritten input is merged, so one that takes a \
         field away is denied with the input to send instead",
    ),
    row(
        "AfterTool",
        &[L::ToolResult],
        &[HideResult, Inject, Tell],
        "a rewritten result is shown as the error of a failed tool",
    ),
    row("BeforeAgent", &[L::UserPrompt, L::AgentStart], &[Block, Inject, Tell], ""),
    Row {
        limit: TURN_END_TIMEOUT,
        ..row("AfterAgent", &[L::AgentEnd], &[Continue, Tell], "has no limit of its own")
    },
    row(
        "BeforeModel",
        &[L::ModelRequest],
        &[RewriteInput],
        "hooks see the texts only, and of rewritten messages only texts remain",
    ),
    row("AfterModel", &[L::ModelResponse], &[], "fires for each piece of an answer"),
    row("BeforeToolSelection", &[], &[], ""),
    row("SessionStart", &[L::Session, L::SessionStart], &[Inject, Tell], ""),
    row("SessionEnd", &[L::SessionEnd], &[Tell], "the agent does not wait"),
    row(
        "PreCompress",
        &[L::SessionBeforeCompact],
        &[Tell],
        "fires on every turn, whether anything is compressed or not",
    ),
    row("Notification", &[L::Notification], &[Tell], ""),
]);
