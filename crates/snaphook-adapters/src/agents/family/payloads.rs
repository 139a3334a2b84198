//! Payloads with Claude Code's field names, event by event. An agent takes the readers whose names it uses.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle, ToolCall, ToolResult};

use super::{results, tools};
use crate::agent::{CANARY, Unreadable};
use crate::fields::{Fields, fingerprint, lifecycle, value};
use crate::incoming::{Incoming, Origin};

/// The shell command `true`, as [`Agent::canary`](crate::Agent::canary) wants it.
pub(crate) fn canary(native: &str, tool: &str, cwd: &str) -> Value {
    json!({
        "session_id": CANARY,
        "cwd": cwd,
        "hook_event_name": native,
        "tool_name": tool,
        "tool_input": {"command": "true"},
        "tool_use_id": CANARY,
    })
}

/// `session_id`, `transcript_path`, `cwd` and what else says where an event came from.
pub(crate) fn origin(fields: Fields<'_>) -> Origin {
    Origin {
        session: fields.owned("session_id"),
        transcript: fields.owned("transcript_path"),
        cwd: fields.folder("cwd"),
        prompt: fields.any_text(&["prompt_id", "turn_id"]).map(str::to_owned),
        sender: None,
        continued: fields.flag("stop_hook_active"),
    }
}

/// Reads a payload of the family. `events` reads what it is for hooks.
pub(crate) fn read(
    payload: &Map<String, Value>,
    named: Option<&str>,
    events: fn(&str, Fields<'_>) -> Result<Vec<Event>, Unreadable>,
) -> Result<Incoming, Unreadable> {
    let fields = Fields(payload);
    Incoming::of(payload, native(fields, named)?, origin(fields), events)
}

/// `hook_event_name`, or the event as the command line names it.
///
/// # Errors
/// There is neither.
pub(crate) fn native<'a>(fields: Fields<'a>, named: Option<&'a str>) -> Result<&'a str, Unreadable> {
    fields.event_name("hook_event_name", named)
}

/// `tool_name`, `tool_input`, `tool_use_id`, `agent_id`. `canonical` names the tool.
pub(crate) fn call(fields: Fields<'_>, canonical: fn(&str) -> &str) -> Result<ToolCall, Unreadable> {
    let native = fields.need("tool_name")?;
    let input = fields.need_value("tool_input")?;
    if !input.is_object() {
        let kind = crate::fields::kind(input);
        return Err(Unreadable(format!("`tool_input` is {kind}, not a map")));
    }
    let id = fields.text("tool_use_id").unwrap_or_default();
    // What watches a command that it starts, or one that runs already.
    let watches = native.eq_ignore_ascii_case("monitor") && input.get("command").is_none();
    let tool = if watches { native } else { canonical(native) };
    let mut call = ToolCall::new(id, tool, input.clone()).native(native);
    call.subagent = fields.text("agent_id").map(Arc::from);
    Ok(call)
}

/// Numbers a call of an agent that does not: the id is made of what is the same before and after.
pub(crate) fn number(call: &mut ToolCall, fields: Fields<'_>) {
    if call.id.is_empty() {
        let places = ["session_id", "conversation_id", "trajectory_id", "taskId", "cwd"];
        let place = fields.any_text(&places).unwrap_or_default();
        call.id = Arc::from(fingerprint(&[place, &call.native_tool, &call.input.to_string()]));
    }
}

/// The same as a `tool_call`, with Claude Code's tool names.
pub(crate) fn tool_call(fields: Fields<'_>) -> Result<Event, Unreadable> {
    call(fields, tools::canonical).map(Event::tool_call)
}

/// A result, from `tool_response`; or from `error`, where the tool failed.
pub(crate) fn tool_result(fields: Fields<'_>, canonical: fn(&str) -> &str) -> Result<Event, Unreadable> {
    call(fields, canonical).map(|call| result_of(call, fields))
}

/// The same, of a call that the agent read itself.
pub(crate) fn result_of(call: ToolCall, fields: Fields<'_>) -> Event {
    let (content, details, is_error) = match (fields.0.get("tool_response"), fields.text("error")) {
        (Some(response), _) => {
            let details = if response.is_string() { Value::Null } else { response.clone() };
            (results::text(response), details, false)
        }
        (None, Some(error)) => (error.to_owned(), Value::Null, true),
        (None, None) => (String::new(), Value::Null, false),
    };
    result(call, content, details, is_error)
}

/// A result with nothing left to read.
pub(crate) fn result(call: ToolCall, content: String, details: Value, is_error: bool) -> Event {
    Event::tool_result(ToolResult::new(call, content, details, is_error))
}

/// `prompt`.
pub(crate) fn user_prompt(fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    prompt(fields, "prompt")
}

/// A prompt under another name. It may be empty: some are of pictures alone.
pub(crate) fn prompt(fields: Fields<'_>, name: &str) -> Result<Vec<Event>, Unreadable> {
    let prompt = match fields.need_value(name)? {
        Value::String(text) => text.as_str(),
        other => return Err(Unreadable(format!("`{name}` is {}, not text", crate::fields::kind(other)))),
    };
    Ok(vec![
        lifecycle(Lifecycle::UserPrompt, [("prompt", value(Some(prompt)))])?,
        lifecycle(Lifecycle::AgentStart, [("prompt", value(Some(prompt)))])?,
    ])
}

/// `source`: a start is both `session` and `session_start`; what goes on with another session is `session` alone.
pub(crate) fn session_start(fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    let path = || value(fields.text("transcript_path"));
    let session = |reason: &str| {
        lifecycle(Lifecycle::Session, [("reason", Some(reason.into())), ("session_path", path())])
    };
    Ok(match fields.text("source") {
        Some("clear") => vec![session("clear")?],
        Some("resume" | "fork" | "branch") => vec![session("switch")?],
        // The same session goes on with a summary of itself.
        Some("compact") => vec![lifecycle(Lifecycle::SessionCompact, [])?],
        _ => vec![session("start")?, lifecycle(Lifecycle::SessionStart, [("session_path", path())])?],
    })
}

/// `reason`.
pub(crate) fn session_end(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let path = value(fields.text("transcript_path"));
    lifecycle(Lifecycle::SessionEnd, [("session_path", path), ("reason", value(fields.text("reason")))])
}

/// `last_assistant_message`.
pub(crate) fn agent_end(fields: Fields<'_>) -> Result<Event, Unreadable> {
    lifecycle(Lifecycle::AgentEnd, [("last_message", value(fields.text("last_assistant_message")))])
}

/// `agent_id`, `agent_type`.
pub(crate) fn subagent(fields: Fields<'_>, event: Lifecycle) -> Result<Event, Unreadable> {
    let name = fields.any_text(&["agent_id", "agent_type", "agent_name"]).unwrap_or("subagent");
    match event {
        Lifecycle::SubagentStart => {
            lifecycle(event, [("subagent", value(Some(name))), ("prompt", value(fields.text("prompt")))])
        }
        _ => {
            let last = value(fields.text("last_assistant_message"));
            lifecycle(event, [("subagent", value(Some(name))), ("last_message", last)])
        }
    }
}

/// `trigger`, `custom_instructions`; `summary` afterwards.
pub(crate) fn compact(fields: Fields<'_>, event: Lifecycle) -> Result<Event, Unreadable> {
    let trigger = fields.text("trigger").filter(|trigger| matches!(*trigger, "manual" | "auto"));
    match event {
        Lifecycle::SessionBeforeCompact => lifecycle(
            event,
            [("trigger", value(trigger)), ("instructions", value(fields.text("custom_instructions")))],
        ),
        _ => {
            let summary = value(fields.any_text(&["compact_summary", "summary"]));
            lifecycle(event, [("trigger", value(trigger)), ("summary", summary)])
        }
    }
}

/// `message`, `notification_type`, `title`.
pub(crate) fn notification(fields: Fields<'_>) -> Result<Event, Unreadable> {
    lifecycle(
        Lifecycle::Notification,
        [
            ("message", value(Some(fields.text("message").unwrap_or_default()))),
            ("kind", value(fields.text("notification_type"))),
            ("title", value(fields.text("title"))),
        ],
    )
}

/// `error`.
pub(crate) fn agent_error(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let error = fields.any_text(&["error_details", "error", "message"]).unwrap_or("unknown");
    lifecycle(Lifecycle::AgentError, [("error", value(Some(error)))])
}
