//! The folders of the state folder. Each function takes the state folder. Not here: the files in them.

use std::path::{Path, PathBuf};

/// Decisions about project hooks.
pub fn trust(state: &Path) -> PathBuf {
    state.join("trust")
}

/// The audit log, a file for each session.
pub fn audit(state: &Path) -> PathBuf {
    state.join("audit")
}

/// Sessions of all agents.
pub fn sessions(state: &Path) -> PathBuf {
    state.join("sessions")
}

/// Sessions of an agent. The session's own folder has the name that its keeper makes of its id.
pub fn sessions_of(state: &Path, agent: &str) -> PathBuf {
    sessions(state).join(agent)
}

/// Sessions of `snaphook run` with a model, a file each.
pub fn runs(state: &Path) -> PathBuf {
    state.join("runs")
}

/// The prompts that a person wrote at `snaphook run`, a file.
pub fn prompts(state: &Path) -> PathBuf {
    runs(state).join("prompts")
}

/// Settings files as they were before snaphook changed them.
pub fn installs(state: &Path) -> PathBuf {
    state.join("installs")
}

/// Pinned tools of MCP servers.
pub fn pins(state: &Path) -> PathBuf {
    state.join("mcp")
}

/// Handlers that scripts registered, by the hash of their content.
pub fn registrations(state: &Path) -> PathBuf {
    state.join("registrations")
}

/// Values that hooks store for longer than a session.
pub fn store(state: &Path) -> PathBuf {
    state.join("store")
}

/// Projects that `snaphook run` makes for a replay, which hooks and agents may change.
pub fn scratch(state: &Path) -> PathBuf {
    state.join("scratch")
}

/// The log of problems and of what hooks print.
pub fn hook_log(state: &Path) -> PathBuf {
    state.join("hook.log")
}
