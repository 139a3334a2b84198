//! The agents, one folder each, and the list of them all.

pub mod antigravity;
pub mod claude_code;
pub mod codex;
pub mod droid;
pub(crate) mod family;
pub mod gemini;
pub mod grok;
pub mod kiro;
pub mod qwen;

use crate::agent::Agent;

/// Every agent that we speak to, in the order of the documentation.
pub static AGENTS: &[&dyn Agent] = &[
    &claude_code::ClaudeCode,
    &codex::Codex,
    &gemini::Gemini,
    &qwen::Qwen,
    &droid::Droid,
    &grok::Grok,
    &antigravity::Antigravity,
    &kiro::Kiro,
];

/// The agent of this name.
pub fn agent(id: &str) -> Option<&'static dyn Agent> {
    AGENTS.iter().copied().find(|agent| agent.id() == id)
}
