//! The agents, one folder each, and the list of them all.

pub mod claude_code;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub(crate) mod family;
pub mod gemini;
pub mod opencode;

use crate::agent::Agent;

/// Every agent that we speak to, in the order of the documentation.
pub static AGENTS: &[&dyn Agent] = &[
    &claude_code::ClaudeCode,
    &codex::Codex,
    &gemini::Gemini,
    &cursor::Cursor,
    &copilot::Copilot,
    &opencode::OpenCode,
];

/// The agent of this name.
pub fn agent(id: &str) -> Option<&'static dyn Agent> {
    AGENTS.iter().copied().find(|agent| agent.id() == id)
}
