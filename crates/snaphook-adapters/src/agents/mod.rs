//! The agents, one folder each, and the list of them all.

pub mod claude_code;
pub(crate) mod family;

use crate::agent::Agent;

/// Every agent that we speak to, in the order of the documentation.
pub static AGENTS: &[&dyn Agent] = &[&claude_code::ClaudeCode];

/// The agent of this name.
pub fn agent(id: &str) -> Option<&'static dyn Agent> {
    AGENTS.iter().copied().find(|agent| agent.id() == id)
}
