//! Factory Droid's tools: canonical names, where its inputs have the portable fields, patches, and results.

use std::sync::Arc;

use serde_json::Value;
use snaphook_core::{Event, Field, ToolCall};

use super::super::family::{payloads, results};
use crate::agent::Unreadable;
use crate::calls;
use crate::field_map::FieldKeys;
use crate::fields::Fields;
use crate::patch::{self, PatchFields};

const FILE: &[&str] = &["file_path", "path"];

static KEYS: FieldKeys = FieldKeys(&[
    ("read", Field::Path, FILE),
    ("write", Field::Path, FILE),
    ("edit", Field::Path, FILE),
    ("edit", Field::Content, &["new_str", "new_string", "changes.new_str", "edits.new_string"]),
    ("glob", Field::Path, &["directory_path", "folder", "path"]),
    ("grep", Field::Path, &["path", "folder"]),
]);

/// The keys that may have the text of a patch: the documentation does not say.
static PATCHES: [PatchFields; 3] = [PatchFields("input"), PatchFields("patch"), PatchFields("command")];

/// The canonical name; the native one where there is none.
fn canonical(native: &str) -> &str {
    match native {
        "Execute" => "bash",
        "Read" => "read",
        "Create" | "Write" => "write",
        "Edit" | "MultiEdit" | "ApplyPatch" => "edit",
        "Glob" | "LS" => "glob",
        "Grep" => "grep",
        "FetchUrl" => "web_fetch",
        "WebSearch" => "web_search",
        "Task" => "task",
        "TodoWrite" => "todo",
        other => other,
    }
}

/// The server and the tool of what the agent calls `SERVER___TOOL`; a server's name has no underscores there.
fn of_server(native: &str) -> Option<(&str, &str)> {
    native.split_once("___").filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// A call. A patch that only adds files is a `write`, every other one an `edit`. Nothing numbers calls.
pub(super) fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let mut call = payloads::call(fields, canonical)?;
    let server = of_server(&call.native_tool).map(|(server, tool)| calls::mcp(server, tool));
    if let Some(name) = server {
        call.tool = name.into();
    }
    if &*call.native_tool == "ApplyPatch" {
        let found = PATCHES.iter().find_map(|fields| Some((fields, fields.patch(&call.input)?)));
        let (patch_fields, text) = found.ok_or_else(|| Unreadable("`tool_input` has no patch".to_owned()))?;
        if patch::only_adds(text) {
            call.tool = Arc::from("write");
        }
        call.map = patch_fields;
    } else if call.family() != "mcp" {
        call.map = &KEYS;
    }
    payloads::number(&mut call, fields);
    Ok(call)
}

/// A result. What a shell says ends with its exit code.
pub(super) fn result(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let call = call(fields)?;
    let response = fields.0.get("tool_response").unwrap_or(&Value::Null);
    let content = results::text(response);
    let last = content.trim_end().lines().next_back().unwrap_or_default();
    let code = last.strip_prefix("[Process exited with code ").and_then(|rest| rest.strip_suffix(']'));
    let failed = &*call.tool == "bash" && code.is_some_and(|code| code.trim() != "0");
    let details = if response.is_string() { Value::Null } else { response.clone() };
    Ok(payloads::result(call, content, details, failed))
}
