//! The events of Copilot, with the effects that it honours: first under the names of its own dialect, then under those that VS Code and the
//! command line share with Claude Code. Of the second, who sent the payload decides which effects are left (`dialect`).

use snaphook_core::Lifecycle as L;

use crate::agent::{Row, TURN_END_TIMEOUT, row, within};
use crate::effects::Effect::{Ask, Block, Continue, Inject, RewriteInput, RewriteResult, Stop, Tell};

const PROMPT: &[L] = &[L::UserPrompt, L::AgentStart];
const START: &[L] = &[L::Session, L::SessionStart];

pub(super) const EVENTS: &[Row] = &within::<30, _>([
    row(
        "preToolUse",
        &[L::ToolCall],
        &[Block, RewriteInput],
        "a hook that fails denies, one that takes too long does not; the effect of asking is not known here",
    ),
    row("postToolUse", &[L::ToolResult], &[RewriteResult, Inject], ""),
    row("postToolUseFailure", &[L::ToolResult], &[Inject], ""),
    row(
        "permissionRequest",
        &[L::PermissionRequest],
        &[Block, Stop],
        "fires before the person's own rules are looked at, so an allow goes before those; not in the cloud agent",
    ),
    row("userPromptSubmitted", PROMPT, &[], "what hooks of the command line answer is not used"),
    row(
        "userPromptTransformed",
        PROMPT,
        &[RewriteInput, Inject],
        "the same prompt as userPromptSubmitted, here with what the model gets; register one of the two",
    ),
    row("sessionStart", START, &[Inject], ""),
    row("sessionEnd", &[L::SessionEnd], &[], ""),
    Row {
        limit: TURN_END_TIMEOUT,
        ..row("agentStop", &[L::AgentEnd], &[Continue], "gives up after 8 times by itself")
    },
    row("subagentStart", &[L::SubagentStart], &[Inject], "not for the built-in `general-purpose` agent"),
    row("subagentStop", &[L::SubagentEnd], &[Continue], "gives up after 8 times by itself"),
    row("errorOccurred", &[L::AgentError], &[], ""),
    row("preCompact", &[L::SessionBeforeCompact], &[], "cannot be stopped"),
    row("notification", &[L::Notification], &[Inject], "a text may make an idle agent work again"),
    row(
        "PreToolUse",
        &[L::ToolCall],
        &[Block, Ask, RewriteInput, Inject, Tell, Stop],
        "asking on the command line only, telling the person and stopping in VS Code only",
    ),
    row(
        "PostToolUse",
        &[L::ToolResult],
        &[RewriteResult, Inject, Tell],
        "VS Code does not replace results; the command line does not report it",
    ),
    row("PostToolUseFailure", &[L::ToolResult], &[Inject], ""),
    row("PermissionRequest", &[L::PermissionRequest], &[Block, Stop], "as permissionRequest"),
    row(
        "UserPromptSubmit",
        PROMPT,
        &[Block, Inject, Tell, Stop],
        "adding a text on the command line only, telling the person and stopping in VS Code only",
    ),
    row("SessionStart", START, &[Inject], ""),
    row("SessionEnd", &[L::SessionEnd], &[], ""),
    Row { limit: TURN_END_TIMEOUT, ..row("Stop", &[L::AgentEnd], &[Continue], "") },
    row("SubagentStart", &[L::SubagentStart], &[Inject], ""),
    row("SubagentStop", &[L::SubagentEnd], &[Continue], ""),
    row("ErrorOccurred", &[L::AgentError], &[], ""),
    row("PreCompact", &[L::SessionBeforeCompact], &[Tell], "cannot be stopped; tells in VS Code only"),
    row("Notification", &[L::Notification], &[Inject], "as notification"),
]);
