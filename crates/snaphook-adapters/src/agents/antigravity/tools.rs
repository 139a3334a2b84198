//! Antigravity CLI's tools: canonical names, where its inputs have the portable fields, and MCP tools, whose inputs are one
//! level deeper.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use snaphook_core::{CommonFields, Event, Field, FieldMap, NoSuchField, ToolCall};

use super::super::family::payloads;
use crate::agent::Unreadable;
use crate::field_map::FieldKeys;
use crate::fields::{Fields, kind};

const FILE: &[&str] = &["TargetFile", "AbsolutePath", "FilePath", "Path", "path", "file_path"];
const FOLDER: &[&str] = &["DirectoryPath", "SearchDirectory", "SearchPath", "SearchDirectories", "path"];
const NEW: &[&str] = &[
    "CodeContent",
    "ReplacementContent",
    "ReplacementChunks.ReplacementContent",
    "file_text",
    "new_str",
    "content",
];

static KEYS: FieldKeys = FieldKeys(&[
    ("bash", Field::Command, &["CommandLine", "command"]),
    ("read", Field::Path, FILE),
    ("write", Field::Path, FILE),
    ("write", Field::Content, NEW),
    ("edit", Field::Path, FILE),
    ("edit", Field::Content, NEW),
    ("delete_file", Field::Path, FILE),
    ("notebook", Field::Path, &["notebook_path", "AbsolutePath", "TargetFile"]),
    ("glob", Field::Path, FOLDER),
    ("grep", Field::Path, FOLDER),
    ("web_fetch", Field::Url, &["Url", "url"]),
]);

/// An MCP tool's input is an argument of the call that reaches it.
#[derive(Debug)]
struct McpFields;

const ARGUMENTS: &str = "Arguments";

/// The canonical name; the native one where there is none.
fn canonical(native: &str) -> &str {
    match native {
        "run_command" => "bash",
        "view_file" | "view_file_outline" | "view_code_item" => "read",
        "write_to_file" => "write",
        "replace_file_content" | "multi_replace_file_content" | "str_replace_editor" => "edit",
        "list_dir" | "find_by_name" => "glob",
        "grep_search" | "codebase_search" => "grep",
        "read_url_content" => "web_fetch",
        "search_web" => "web_search",
        "invoke_subagent" | "browser_subagent" => "task",
        "notebook_edit" => "notebook",
        other => other,
    }
}

fn tool_call<'a>(fields: Fields<'a>) -> Option<Fields<'a>> {
    fields.0.get("toolCall").and_then(Value::as_object).map(Fields)
}

/// An argument of the call, as text.
pub(super) fn argument<'a>(fields: Fields<'a>, name: &str) -> Option<&'a str> {
    tool_call(fields)?.0.get("args")?.get(name)?.as_str()
}

/// A call. Its number in the conversation is the id, the same before and after.
pub(super) fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let inner = match fields.need_value("toolCall")? {
        Value::Object(map) => Fields(map),
        other => return Err(Unreadable(format!("`toolCall` is {}, not a map", kind(other)))),
    };
    let native = inner.need("name")?;
    let input = inner.need_value("args")?;
    if !input.is_object() {
        return Err(Unreadable(format!("`args` is {}, not a map", kind(input))));
    }
    let step = fields.0.get("stepIdx").and_then(Value::as_u64).map(|step| format!("step-{step}"));
    let mut call = ToolCall::new(step.unwrap_or_default(), canonical(native), input.clone()).native(native);
    match (native, argument(fields, "ServerName"), argument(fields, "ToolName")) {
        ("call_mcp_tool", Some(server), Some(tool)) => {
            call.tool = Arc::from(format!("mcp__{server}__{tool}"));
            call.map = &McpFields;
        }
        _ => call.map = &KEYS,
    }
    payloads::number(&mut call, fields);
    Ok(call)
}

/// A result, of which the payload has only the error.
pub(super) fn result(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let call = call(fields)?;
    let error = fields.owned("error");
    let failed = error.is_some();
    Ok(payloads::result(call, error.unwrap_or_default(), Value::Null, failed))
}

/// The input of the MCP tool itself; the whole input for other tools.
fn inner(input: &Value) -> &Value {
    input.get(ARGUMENTS).filter(|arguments| arguments.is_object()).unwrap_or(input)
}

impl FieldMap for McpFields {
    fn command<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        CommonFields.command(tool, inner(input))
    }

    fn paths<'a>(&self, tool: &str, input: &'a Value) -> Vec<Cow<'a, str>> {
        CommonFields.paths(tool, inner(input))
    }

    fn content<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        CommonFields.content(tool, inner(input))
    }

    fn url<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        CommonFields.url(tool, inner(input))
    }

    fn set(&self, tool: &str, input: &mut Value, field: Field, value: String) -> Result<(), NoSuchField> {
        match input.get_mut(ARGUMENTS) {
            Some(arguments @ Value::Object(_)) => CommonFields.set(tool, arguments, field, value),
            _ => CommonFields.set(tool, input, field, value),
        }
    }
}
