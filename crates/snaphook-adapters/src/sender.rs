//! The agent that really sent a payload: Cursor, Copilot, VS Code, Grok, Droid, Qwen and Devin also run what is in Claude Code's
//! settings, so a hook that is installed for two of them is asked twice about the same call. Pure: variables come from the
//! caller. Not here: what follows from it (`protocol`).
//!
//! What a payload says beats what a variable says: an agent that another one started inherits its variables.

use serde_json::{Map, Value};

use crate::fields::Fields;

/// The agent that really sent this, where it is another than `agent_id`. `env` looks a variable up.
///
/// `None` also where nothing tells: most payloads look the same whichever agent sent them.
pub fn sender(
    agent_id: &str,
    payload: &Map<String, Value>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Option<&'static str> {
    by_payload(Fields(payload)).or_else(|| by_variable(agent_id, env)).filter(|sender| *sender != agent_id)
}

/// Returns whether an agent also runs hooks that were set up for another one, so that it may tell of one event in two
/// forms.
pub fn borrows(agent_id: &str) -> bool {
    ["cursor", "copilot", "grok", "droid", "qwen", "devin"].contains(&agent_id)
}

/// Folders in which agents keep their sessions.
const HOMES: &[(&str, &str)] = &[
    (".claude", "claude-code"),
    (".codex", "codex"),
    (".cursor", "cursor"),
    (".copilot", "copilot"),
    (".qwen", "qwen"),
    (".factory", "droid"),
    (".grok", "grok"),
    (".devin", "devin"),
];

/// Returns what the payload itself tells of it.
pub(crate) fn by_payload(fields: Fields<'_>) -> Option<&'static str> {
    let has = |name: &str| fields.0.contains_key(name);
    let camel = has("hookEventName") || has("toolName");
    // Where Copilot calls it so, too, it names the event.
    let grok = has("workspaceRoot") || (has("toolInput") && !has("hookName"));
    match () {
        () if has("cursor_version") => Some("cursor"),
        () if fields.text("client_type") == Some("kimi_code_cli") => Some("kimi"),
        () if has("turn_id") && has("model") => Some("codex"),
        () if camel && grok => Some("grok"),
        () if camel && has("sessionId") => Some("copilot"),
        () if is_copilot_result(fields) => Some("copilot"),
        () => by_transcript(fields).or_else(|| is_copilot_command_line(fields).then_some("copilot")),
    }
}

fn is_copilot_result(fields: Fields<'_>) -> bool {
    fields.0.get("tool_result").is_some_and(|result| result.get("text_result_for_llm").is_some())
}

/// Copilot's command line under Claude Code's names says when, but not where the transcript is.
fn is_copilot_command_line(fields: Fields<'_>) -> bool {
    let names = ["session_id", "hook_event_name", "timestamp"];
    names.iter().all(|name| fields.text(name).is_some()) && !fields.0.contains_key("transcript_path")
}

fn by_transcript(fields: Fields<'_>) -> Option<&'static str> {
    let path = fields.any_text(&["transcript_path", "transcriptPath"])?;
    // The last one: a home folder may itself be in such a folder.
    path.rsplit(['/', '\\'])
        .find_map(|part| HOMES.iter().find(|(folder, _)| *folder == part).map(|(_, sender)| *sender))
}

/// Variables that an agent sets for the hooks that it runs, those of an agent's whole shell last.
const VARIABLES: &[(&str, &str)] = &[
    ("CURSOR_VERSION", "cursor"),
    ("GROK_HOOK_EVENT", "grok"),
    ("DROID_PROJECT_DIR", "droid"),
    ("FACTORY_PROJECT_DIR", "droid"),
    ("QWEN_PROJECT_DIR", "qwen"),
    ("GEMINI_PROJECT_DIR", "gemini"),
    ("DEVIN_PROJECT_DIR", "devin"),
    ("CRUSH_EVENT", "crush"),
    ("COPILOT_CLI", "copilot"),
];

/// The variables by which an agent is known. Where something is tried in an agent's name, they would speak for another.
pub fn variables() -> impl Iterator<Item = &'static str> {
    VARIABLES.iter().map(|(name, _)| *name)
}

fn by_variable(agent_id: &str, env: &dyn Fn(&str) -> Option<String>) -> Option<&'static str> {
    let set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    let senders = || VARIABLES.iter().filter(|(name, _)| set(name)).map(|(_, sender)| *sender);
    // Whose own variable is there has not borrowed the hook.
    if senders().any(|sender| sender == agent_id) { None } else { senders().next() }
}
