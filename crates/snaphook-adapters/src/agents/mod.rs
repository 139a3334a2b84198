//! The agents, one folder each, and the list of them all.

pub mod antigravity;
pub mod claude_code;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod crush;
pub mod cursor;
pub mod droid;
pub(crate) mod family;
pub mod gemini;
pub mod goose;
pub mod grok;
pub mod kimi;
pub mod kiro;
pub(crate) mod line;
pub mod opencode;
pub mod pi;
pub mod qwen;
pub mod vibe;
pub mod windsurf;

use crate::agent::Agent;

/// Every agent that we speak to, in the order of the documentation.
pub static AGENTS: &[&dyn Agent] = &[
    &claude_code::ClaudeCode,
    &codex::Codex,
    &gemini::Gemini,
    &cursor::Cursor,
    &copilot::Copilot,
    &opencode::OPENCODE,
    &opencode::KILO,
    &pi::Pi,
    &windsurf::Windsurf,
    &goose::Goose,
    &cline::Cline,
    &crush::Crush,
    &qwen::Qwen,
    &droid::Droid,
    &grok::Grok,
    &kimi::Kimi,
    &vibe::Vibe,
    &antigravity::Antigravity,
    &kiro::Kiro,
];

/// The agent of this name.
pub fn agent(id: &str) -> Option<&'static dyn Agent> {
    AGENTS.iter().copied().find(|agent| agent.id() == id)
}
