//! The protocol that Claude Code began and several agents took over: field names of payloads, tool names, and the shapes of
//! answers. Each agent says for itself which of it holds. Not here: any single agent's table.

pub(crate) mod answers;
pub(crate) mod payloads;
pub(crate) mod results;
pub(crate) mod tools;
