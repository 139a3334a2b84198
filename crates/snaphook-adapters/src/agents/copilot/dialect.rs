//! The sender of a payload, by its keys, and the payload under the names that Claude Code began: each dialect is read the same.

use serde_json::{Map, Value};

use crate::fields::Fields;

/// Copilot's own names, and the common ones.
const NAMES: &[(&str, &str)] = &[
    ("sessionId", "session_id"),
    ("transcriptPath", "transcript_path"),
    ("hookEventName", "hook_event_name"),
    ("hookName", "hook_event_name"),
    ("toolName", "tool_name"),
    ("toolArgs", "tool_input"),
    ("toolInput", "tool_input"),
    ("toolUseId", "tool_use_id"),
    ("toolCallId", "tool_use_id"),
    ("toolResult", "tool_response"),
    ("tool_result", "tool_response"),
    ("toolError", "error"),
    ("customInstructions", "custom_instructions"),
    ("agentId", "agent_id"),
    ("agentType", "agent_type"),
    ("agentName", "agent_name"),
    ("response", "last_assistant_message"),
];

/// The payload with the common names.
pub(super) fn common(payload: &Map<String, Value>) -> Map<String, Value> {
    let mut common = payload.clone();
    for (own, name) in NAMES {
        if let (Some(value), false) = (payload.get(*own), payload.contains_key(*name)) {
            common.insert((*name).to_owned(), value.clone());
        }
    }
    common
}

/// Returns whether an event has a name of Copilot's own dialect: those begin small.
pub(super) fn is_own(native: &str) -> bool {
    native.starts_with(|first: char| first.is_ascii_lowercase())
}

/// Returns whether VS Code sent it. Both it and the command line have events with Claude Code's names; the command
/// line sends no call id, names a result differently, and says where the transcript is with few events.
pub(super) fn is_vs_code(native: &str, payload: &Map<String, Value>) -> bool {
    let has = |name: &str| payload.contains_key(name);
    let told = has("tool_use_id") || has("tool_response") || (has("transcript_path") && !is_unclear(native));
    has("hookEventName") || (!is_own(native) && told)
}

/// Events that both send with the same keys.
pub(super) fn is_unclear(native: &str) -> bool {
    matches!(native, "Stop" | "SubagentStart" | "SubagentStop" | "PreCompact")
}

/// The text that the model gets instead of a prompt, and whether the prompt is in it exactly once.
pub(super) fn transformed(payload: &Map<String, Value>) -> (Option<&str>, bool) {
    let fields = Fields(payload);
    let (text, prompt) = (fields.text("transformedPrompt"), fields.text("prompt"));
    let once = text.zip(prompt).is_some_and(|(text, prompt)| text.matches(prompt).count() == 1);
    (text, once)
}
