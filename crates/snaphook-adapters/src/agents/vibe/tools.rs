//! Mistral Vibe's tools: canonical names, where its inputs have the portable fields, and results.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use snaphook_core::{Event, Field, ToolCall};

use super::super::family::payloads;
use crate::agent::Unreadable;
use crate::calls;
use crate::field_map::FieldKeys;
use crate::fields::Fields;

static KEYS: FieldKeys = FieldKeys(&[("edit", Field::Content, &["new_string", "content.new_str"])]);

/// The canonical name; the native one where there is none. Text for a process that runs already (`process.write`) is no command of its own.
fn canonical(native: &str) -> Cow<'_, str> {
    Cow::Borrowed(match native {
        "file_system.bash" | "process.start" => "bash",
        "file_system.read_file" => "read",
        "file_system.write_file" => "write",
        "file_system.search_replace" => "edit",
        "agents.spawn" => "task",
        "vibe.todo" => "todo",
        _ => match native.strip_prefix("mcp_").and_then(|rest| rest.split_once('.')) {
            Some((server, tool)) => return calls::mcp(server, tool).into(),
            None => native,
        },
    })
}

/// A call. Its session is a subagent's where another one is its parent.
pub(super) fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let native = fields.need("tool_name")?;
    let input = calls::input(fields.need_value("tool_input")?, "tool_input")?;
    let id = fields.text("tool_call_id").unwrap_or_default();
    let mut call = calls::call(id, &canonical(native), native, input, &KEYS);
    call.subagent = super::subagent(fields).map(Arc::from);
    Ok(call)
}

/// A result: `tool_output_text`, which has the error where the tool failed. A shell command that fails is a success with an exit code.
pub(super) fn result(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let output = fields.0.get("tool_output").cloned().unwrap_or_default();
    let code = output.get("returncode").and_then(Value::as_i64);
    let failed = has_failed(fields) || code.is_some_and(|code| code != 0);
    let content = fields.any_text(&["tool_output_text", "tool_error"]).unwrap_or_default();
    Ok(payloads::result(call(fields)?, content.to_owned(), output, failed))
}

/// Tells if the tool itself failed.
pub(super) fn has_failed(fields: Fields<'_>) -> bool {
    fields.text("tool_status") == Some("failure")
}

/// Tells if the result is values; else it is text.
pub(super) fn has_values(fields: Fields<'_>) -> bool {
    fields.0.get("tool_output").is_some_and(|output| !output.is_null())
}

/// Tells if a program of the model's made the call (`run_typescript`).
pub(super) fn of_program(fields: Fields<'_>) -> bool {
    fields.text("tool_call_id").is_some_and(|id| id.starts_with("typescript:"))
}
