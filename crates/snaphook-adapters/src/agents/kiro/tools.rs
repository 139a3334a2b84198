//! Kiro CLI's tools: canonical names, where its inputs have the portable fields, and results.

use std::sync::Arc;

use serde_json::Value;
use snaphook_core::{Event, Field, ToolCall};

use super::super::family::{payloads, results};
use crate::agent::Unreadable;
use crate::field_map::FieldKeys;
use crate::fields::Fields;

const FILE: &[&str] = &["path", "file_path", "operations.path", "operations.image_paths", "ops.path"];
const NEW: &[&str] = &["file_text", "new_str", "content", "text"];

static KEYS: FieldKeys = FieldKeys(&[
    ("read", Field::Path, FILE),
    ("write", Field::Path, FILE),
    ("write", Field::Content, NEW),
    ("edit", Field::Path, FILE),
    ("edit", Field::Content, NEW),
]);

/// The canonical name; the native one where there is none.
fn canonical(native: &str) -> &str {
    match native {
        "execute_bash" | "execute_cmd" | "shell" => "bash",
        "fs_read" | "read" => "read",
        "fs_write" | "write" => "write",
        "glob" => "glob",
        "grep" => "grep",
        "web_fetch" => "web_fetch",
        "web_search" => "web_search",
        "use_subagent" | "delegate" | "subagent" => "task",
        "todo_list" | "todo" => "todo",
        other => other,
    }
}

/// A call. The writing tool says by its `command` whether it makes a file or changes one; an MCP tool is `@SERVER/TOOL`.
/// Nothing numbers calls.
pub(super) fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let mut call = payloads::call(fields, canonical)?;
    match call.native_tool.strip_prefix('@').and_then(|name| name.split_once('/')) {
        Some((server, tool)) => call.tool = Arc::from(format!("mcp__{server}__{tool}")),
        None => call.map = &KEYS,
    }
    let change = call.input.get("command").and_then(Value::as_str);
    if &*call.tool == "write" && change.is_some_and(|change| change != "create") {
        call.tool = Arc::from("edit");
    }
    payloads::number(&mut call, fields);
    Ok(call)
}

/// A result; or all results of a turn, for a hook that is run at its end.
pub(super) fn results(fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    match fields.0.get("hook_events").and_then(Value::as_array) {
        Some(several) => several
            .iter()
            .map(|one| match one {
                Value::Object(map) => result(Fields(map)),
                _ => Err(Unreadable("one of `hook_events` is not a map".to_owned())),
            })
            .collect(),
        None => Ok(vec![result(fields)?]),
    }
}

fn result(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let call = call(fields)?;
    let response = fields.0.get("tool_response").unwrap_or(&Value::Null);
    let said = response.get("result").or_else(|| response.get("items")).unwrap_or(response);
    let content = match said {
        Value::Array(items) => items.iter().map(item).collect::<Vec<_>>().join("\n"),
        other => results::text(other),
    };
    let failed = response.get("success").and_then(Value::as_bool) == Some(false);
    let details = if response.is_string() { Value::Null } else { response.clone() };
    Ok(payloads::result(call, content, details, failed))
}

/// One part of a result: text, plain or tagged.
fn item(item: &Value) -> String {
    results::text(item.get("Text").unwrap_or(item))
}
