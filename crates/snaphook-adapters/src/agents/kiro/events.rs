//! The events of Kiro CLI, with the effects that it honours, engine by engine.

use std::time::Duration;

use snaphook_core::Lifecycle as L;

use crate::agent::Row;
use crate::effects::Effect::{Ask, Block, Continue, Inject};
use crate::effects::{Effect, Effects};

const START: &[L] = &[L::Session, L::SessionStart];
const PROMPT: &[L] = &[L::UserPrompt, L::AgentStart];

/// Of the older engine.
const fn row(native: &'static str, events: &'static [L], effects: &[Effect], note: &'static str) -> Row {
    Row { native, events, effects: Effects::of(effects), limit: Duration::from_secs(10), note }
}

/// Of the newer engine.
const fn new(native: &'static str, events: &'static [L], effects: &[Effect], note: &'static str) -> Row {
    Row { native, events, effects: Effects::of(effects), limit: Duration::from_secs(60), note }
}

pub(super) const EVENTS: &[Row] = &[
    row("preToolUse", &[L::ToolCall], &[Block], ""),
    row("postToolUse", &[L::ToolResult], &[], ""),
    row("userPromptSubmit", PROMPT, &[Inject], "a prompt cannot be stopped"),
    row("agentSpawn", START, &[Inject], "the text stays in front of every request"),
    row("stop", &[L::AgentEnd], &[], ""),
    new(
        "PreToolUse",
        &[L::ToolCall],
        &[Block, Ask],
        "without a person, a call that is asked about is denied",
    ),
    new("PostToolUse", &[L::ToolResult], &[], ""),
    new(
        "UserPromptSubmit",
        PROMPT,
        &[Block, Inject],
        "where hooks say nothing, the model reads an empty output and the exit code",
    ),
    new("SessionStart", START, &[Inject], ""),
    new("Stop", &[L::AgentEnd], &[Continue], ""),
];
