//! Grok Build's tools: canonical names, where its inputs have the portable fields, and results in its tagged shapes.

use std::sync::Arc;

use serde_json::{Map, Value};
use snaphook_core::{Event, Field, ToolCall};

use super::super::family::{payloads, results};
use crate::agent::Unreadable;
use crate::field_map::FieldKeys;
use crate::fields::{Fields, kind};

const FILE: &[&str] = &["target_file", "file_path", "filePath", "path"];
const FOLDER: &[&str] = &["target_directory", "dir_path", "path"];

static KEYS: FieldKeys = FieldKeys(&[
    ("read", Field::Path, FILE),
    ("write", Field::Path, FILE),
    ("edit", Field::Path, FILE),
    ("edit", Field::Content, &["new_string", "newString", "content", "edits.new_string"]),
    ("glob", Field::Path, FOLDER),
    ("grep", Field::Path, FOLDER),
]);

/// The canonical name; the native one where there is none.
fn canonical(native: &str) -> &str {
    match native {
        "run_terminal_command" | "run_terminal_cmd" | "bash" => "bash",
        "read_file" | "read" => "read",
        "write_file" | "create_file" | "write" => "write",
        "search_replace" | "edit_file" | "edit" => "edit",
        "list_dir" | "glob" | "glob_file_search" => "glob",
        "grep" | "grep_search" => "grep",
        "web_fetch" => "web_fetch",
        "web_search" => "web_search",
        "task" | "spawn_subagent" => "task",
        "todo_write" => "todo",
        other => other,
    }
}

/// `mcp__SERVER__TOOL` of what the agent calls `SERVER__TOOL`.
fn mcp(native: &str) -> Option<String> {
    let (server, tool) = native.strip_prefix("mcp__").unwrap_or(native).split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then(|| format!("mcp__{server}__{tool}"))
}

/// The agent's own field, or the one under Claude Code's name.
fn either<'a>(fields: Fields<'a>, own: &str, other: &str) -> Option<&'a Value> {
    fields.0.get(own).or_else(|| fields.0.get(other))
}

/// The tool of an MCP server and its input, where they are in the input of the agent's own tool for all of those.
fn wrapped<'a>(native: &str, input: &'a Value) -> Option<(&'a str, &'a Value)> {
    let map = input.as_object()?;
    let tool = map.get("tool_name")?.as_str()?;
    let inner = map.get("tool_input").filter(|inner| inner.is_object())?;
    let of_another = native == "use_tool" || (native == tool && mcp(native).is_some());
    (of_another && map.len() == 2).then_some((tool, inner))
}

/// The tool whose input is in another one's, if so.
pub(super) fn is_wrapped(fields: Fields<'_>) -> Option<&str> {
    let native = fields.any_text(&["toolName", "tool_name"])?;
    let input = either(fields, "toolInput", "tool_input")?;
    wrapped(native, input).map(|(tool, _)| tool)
}

/// A call. An input of more than 128 KiB comes as the beginning of its text, and cannot be judged.
pub(super) fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let native = fields.any_text(&["toolName", "tool_name"]);
    let native = native.ok_or_else(|| Unreadable("`toolName` is missing".to_owned()))?;
    let input = either(fields, "toolInput", "tool_input");
    let input = input.ok_or_else(|| Unreadable("`toolInput` is missing".to_owned()))?;
    if !input.is_object() {
        return Err(Unreadable(format!("`toolInput` is {}, not a map", kind(input))));
    }
    let (native, input) = match wrapped(native, input) {
        Some((tool, inner)) => (tool, inner),
        None => (native, input),
    };
    let name = mcp(native);
    let id = fields.any_text(&["toolUseId", "tool_use_id"]).unwrap_or_default();
    let mut call =
        ToolCall::new(id, name.as_deref().unwrap_or(canonical(native)), input.clone()).native(native);
    if name.is_none() {
        call.map = &KEYS;
    }
    call.subagent = fields.any_text(&super::SUBAGENT).map(Arc::from);
    payloads::number(&mut call, fields);
    Ok(call)
}

/// A result: what the model would read, and whether the tool failed.
pub(super) fn result(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let call = call(fields)?;
    let response = either(fields, "toolResult", "tool_response").unwrap_or(&Value::Null);
    if let (Value::Null, Some(error)) = (response, fields.text("error")) {
        return Ok(payloads::result(call, error.to_owned(), Value::Null, true));
    }
    let prompted = response.get("output_for_prompt").and_then(Value::as_str);
    let content = match prompted.or_else(|| of_server(response)) {
        Some(text) => text.to_owned(),
        None => results::text(response),
    };
    let failed = response.get("exit_code").and_then(Value::as_i64).is_some_and(|code| code != 0);
    let details = if response.is_string() { Value::Null } else { response.clone() };
    Ok(payloads::result(call, content, details, failed))
}

/// The text of an MCP tool's result: `{"type": "MCP", "output": {"OkayOutput": TEXT}}`.
fn of_server(response: &Value) -> Option<&str> {
    let output = response.get("output")?.as_object()?;
    let mut texts = output.values();
    texts.next()?.as_str().filter(|_| texts.next().is_none())
}

/// The result with another text, in the shape that the agent takes: all of a shell's fields, or the plain text of an MCP
/// tool. `None` for other tools, and where the agent sent a part only.
pub(super) fn replaced(fields: Fields<'_>, text: &str) -> Option<Value> {
    let response = either(fields, "toolResult", "tool_response")?;
    match response {
        Value::Object(map) if map.get("output_for_prompt").is_some_and(Value::is_string) => {
            let mut new: Map<String, Value> = map.clone();
            new.insert("output_for_prompt".to_owned(), text.into());
            // The raw bytes, which the model does not read.
            new.insert("output".to_owned(), Value::Array(Vec::new()));
            Some(Value::Object(new))
        }
        _ if fields.flag("toolResultTruncated") => None,
        _ => fields.any_text(&["toolName", "tool_name"]).and_then(mcp).map(|_| Value::from(text)),
    }
}
