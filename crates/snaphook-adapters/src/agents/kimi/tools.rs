//! Kimi Code's tools: canonical names, where its inputs have the portable fields, and results.

use std::sync::Arc;

use snaphook_core::{Event, Field, ToolCall};

use super::super::family::{payloads, tools};
use crate::agent::Unreadable;
use crate::field_map::FieldKeys;
use crate::fields::Fields;

const FILE: &[&str] = &["path", "file_path"];

static KEYS: FieldKeys = FieldKeys(&[
    ("read", Field::Path, FILE),
    ("write", Field::Path, FILE),
    ("edit", Field::Path, FILE),
    ("edit", Field::Content, &["new_string", "edits.new_string", "content"]),
    ("glob", Field::Path, &["path", "directory"]),
    ("grep", Field::Path, &["path"]),
]);

/// The canonical name; the native one where there is none, as for `mcp__SERVER__TOOL`.
fn canonical(native: &str) -> &str {
    match native {
        "FetchURL" => "web_fetch",
        "SearchWeb" => "web_search",
        "SetTodoList" => "todo",
        other => tools::canonical(other),
    }
}

/// A call, numbered as Kimi Code does it.
pub(super) fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let mut call = payloads::call(fields, canonical)?;
    if call.family() != "mcp" {
        call.map = &KEYS;
    }
    if let Some(id) = fields.text("tool_call_id") {
        call.id = Arc::from(id);
    }
    payloads::number(&mut call, fields);
    Ok(call)
}

/// A result: `tool_output`, or the message of `error`, where the tool failed.
pub(super) fn result(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let call = call(fields)?;
    let error = fields.0.get("error").and_then(|error| error.get("message")).and_then(|text| text.as_str());
    let (content, failed) = match (fields.0.get("tool_output"), error) {
        (Some(output), _) => (super::super::family::results::text(output), false),
        (None, Some(error)) => (error.to_owned(), true),
        (None, None) => (String::new(), fields.0.contains_key("error")),
    };
    Ok(payloads::result(call, content, serde_json::Value::Null, failed))
}
