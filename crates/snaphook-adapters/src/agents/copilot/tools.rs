//! Tool names of the command line, the cloud agent and VS Code in canonical words, and where their inputs have the portable
//! fields.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};
use snaphook_core::{Field, ToolCall};

use crate::agent::Unreadable;
use crate::agents::family::{payloads, tools};
use crate::calls;
use crate::field_map::FieldKeys;
use crate::fields::Fields;
use crate::patch::{self, PatchFields};

static KEYS: FieldKeys = FieldKeys(&[
    ("edit", Field::Path, &["path", "file_path", "filePath", "files", "replacements.filePath"]),
    (
        "edit",
        Field::Content,
        &["new_str", "newString", "new_string", "replacements.newString", "code", "insert_text", "file_text"],
    ),
    ("write", Field::Content, &["file_text", "content"]),
    ("notebook", Field::Content, &["newCode", "new_source"]),
    ("glob", Field::Path, &["path", "paths"]),
    ("grep", Field::Path, &["path", "paths"]),
    ("web_fetch", Field::Url, &["url", "urls"]),
]);

/// A patch, however it came.
static PATCH: PatchFields = PatchFields("input");

/// The one server whose name has the sign that separates names.
const GITHUB: &str = "github-mcp-server";

fn canonical(native: &str) -> Cow<'_, str> {
    Cow::Borrowed(match native {
        "bash" | "powershell" | "run_in_terminal" | "runInTerminal" | "runTerminalCommand" => "bash",
        "view" | "read_file" | "readFile" | "view_image" => "read",
        "create" | "create_file" | "createFile" => "write",
        "edit" | "str_replace_editor" | "apply_patch" | "replace_string_in_file" | "editFiles" => "edit",
        "multi_replace_string_in_file" | "insert_edit_into_file" => "edit",
        "edit_notebook_file" => "notebook",
        "glob" | "file_search" | "list_dir" => "glob",
        "grep" | "rg" | "grep_search" => "grep",
        "web_fetch" | "fetch_webpage" => "web_fetch",
        "web_search" => "web_search",
        "task" | "runSubagent" => "task",
        "update_todo" | "manage_todo_list" => "todo",
        _ => return server_tool(native),
    })
}

/// `server-tool` of the command line, `mcp_server_tool` of VS Code. No tool of their own has such a name; where a server's
/// name has the sign in it, its first part counts as the server.
fn server_tool(native: &str) -> Cow<'_, str> {
    let github =
        native.strip_prefix(GITHUB).and_then(|rest| rest.strip_prefix('-')).map(|tool| (GITHUB, tool));
    let split = match native.strip_prefix("mcp_") {
        _ if native.starts_with("mcp__") => None,
        Some(rest) => rest.split_once('_'),
        None => github.or_else(|| native.split_once('-')),
    };
    match split {
        Some((server, tool)) if !server.is_empty() && !tool.is_empty() => calls::mcp(server, tool).into(),
        _ => Cow::Borrowed(tools::canonical(native)),
    }
}

/// `tool_name`, `tool_input`: a map, the JSON of one, or a patch.
pub(super) fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let native = fields.need("tool_name")?;
    let given = fields.need_value("tool_input")?;
    let tool = canonical(native);
    let input = match bare_patch(given) {
        Some(patch) => json!({"input": patch}),
        None => calls::input(given, "tool_input")?,
    };
    let mut call = calls::call(fields.text("tool_use_id").unwrap_or_default(), &tool, native, input, &KEYS);
    call.subagent = fields.text("agent_id").map(Arc::from);
    if tool == "edit"
        && let Some(text) = PATCH.patch(&call.input).filter(|text| is_patch(text))
    {
        if patch::only_adds(text) {
            call.tool = Arc::from("write");
        }
        call.map = &PATCH;
    }
    payloads::number(&mut call, fields);
    Ok(call)
}

/// A patch that is the whole input. It goes back as a map nowhere, so it cannot be rewritten.
pub(super) fn bare_patch(input: &Value) -> Option<&str> {
    input.as_str().filter(|text| is_patch(text))
}

fn is_patch(text: &str) -> bool {
    patch::is_patch(text)
}
