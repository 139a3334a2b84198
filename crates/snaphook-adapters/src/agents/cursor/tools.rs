//! Cursor's tool names in canonical words, and where its inputs have the portable fields.

use std::borrow::Cow;

use snaphook_core::Field;

use crate::calls;
use crate::field_map::FieldKeys;

const FILE: &[&str] = &["file_path", "path", "target_file"];

/// Names of inputs that other agents do not have.
pub(super) static KEYS: FieldKeys = FieldKeys(&[
    ("read", Field::Path, FILE),
    ("write", Field::Path, FILE),
    ("edit", Field::Path, FILE),
    ("notebook", Field::Path, &["target_notebook", "notebook_path", "file_path"]),
    ("glob", Field::Path, &["target_directory", "path"]),
    ("write", Field::Content, &["content", "contents"]),
]);

/// The name of the server where Cursor does not name it.
const NO_SERVER: &str = "unknown";

/// The canonical name. `server` is the MCP server's, where the payload has it.
pub(super) fn canonical<'a>(native: &'a str, server: Option<&str>) -> Cow<'a, str> {
    if let Some(tool) = native.strip_prefix("MCP:") {
        return calls::mcp(server.unwrap_or(NO_SERVER), tool).into();
    }
    Cow::Borrowed(match native {
        "Shell" => "bash",
        "Read" | "TabRead" => "read",
        "Write" => "write",
        "StrReplace" | "Edit" | "MultiEdit" | "TabWrite" => "edit",
        "Glob" | "LS" => "glob",
        "Grep" => "grep",
        "WebFetch" => "web_fetch",
        "WebSearch" => "web_search",
        "Task" => "task",
        "TodoWrite" => "todo",
        "EditNotebook" => "notebook",
        other => other,
    })
}
