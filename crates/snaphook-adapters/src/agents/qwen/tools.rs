//! Qwen Code's tools: canonical names and where its inputs have the portable fields.

use snaphook_core::{Field, ToolCall};

use super::super::family::payloads;
use crate::agent::Unreadable;
use crate::field_map::FieldKeys;
use crate::fields::Fields;

const FILE: &[&str] = &["file_path", "absolute_path", "path"];
const FOLDER: &[&str] = &["path", "dir_path"];

static KEYS: FieldKeys = FieldKeys(&[
    ("read", Field::Path, &["file_path", "absolute_path", "path", "paths", "include"]),
    ("write", Field::Path, FILE),
    ("edit", Field::Path, FILE),
    ("glob", Field::Path, FOLDER),
    ("grep", Field::Path, FOLDER),
]);

/// The canonical name; the native one where there is none, as for `mcp__SERVER__TOOL`.
fn canonical(native: &str) -> &str {
    match native {
        "run_shell_command" | "monitor" => "bash",
        "read_file" | "read_many_files" => "read",
        "write_file" => "write",
        "edit" | "replace" => "edit",
        "glob" | "list_directory" => "glob",
        "grep_search" | "search_file_content" => "grep",
        "web_fetch" => "web_fetch",
        "web_search" => "web_search",
        "task" | "agent" => "task",
        "todo_write" => "todo",
        "notebook_edit" => "notebook",
        other => other,
    }
}

/// A call.
pub(super) fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let mut call = payloads::call(fields, canonical)?;
    if call.family() != "mcp" {
        call.map = &KEYS;
    }
    Ok(call)
}
