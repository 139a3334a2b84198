//! Codex CLI's tools: canonical names, patches, and how failures are recognised.

use std::sync::Arc;

use serde_json::Value;
use snaphook_core::{Event, ToolCall};

use super::super::family::{payloads, results};
use crate::agent::Unreadable;
use crate::fields::{Fields, kind};
use crate::patch::{self, PatchFields};

/// The text of a patch is where that of a shell command does.
static PATCH: PatchFields = PatchFields("command");

/// The canonical name; the native one where there is none, as for `mcp__SERVER__TOOL`. Every way to a shell is `Bash`, but for
/// text that is typed into a command that runs already: `write_stdin`.
fn canonical(native: &str) -> &str {
    match native {
        "Bash" | "shell" | "shell_command" | "local_shell" | "exec_command" => "bash",
        "apply_patch" => "edit",
        "read_file" | "view_image" => "read",
        "grep_files" => "grep",
        "list_dir" => "glob",
        "web_search" => "web_search",
        "update_plan" => "todo",
        "spawn_agent" => "task",
        other => other,
    }
}

/// A call. A patch that only adds files is a `write`, every other one an `edit`.
pub(super) fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let mut call = payloads::call(fields, canonical)?;
    if &*call.native_tool == "apply_patch" {
        let text = PATCH.patch(&call.input).ok_or_else(|| {
            let found = call.input.get(PATCH.0).map_or("missing", kind);
            Unreadable(format!("`tool_input.{}` is {found}, not a patch", PATCH.0))
        })?;
        if patch::only_adds(text) {
            call.tool = Arc::from("write");
        }
        call.map = &PATCH;
    }
    Ok(call)
}

/// A result. A patch says its exit code first and MCP tools say whether they failed; of a shell command that is not known.
pub(super) fn result(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let call = call(fields)?;
    let response = fields.0.get("tool_response").unwrap_or(&Value::Null);
    let failed = match response {
        Value::String(text) => {
            let code = text.strip_prefix("Exit code: ").and_then(|rest| rest.lines().next());
            &*call.native_tool == "apply_patch" && code.is_some_and(|code| code.trim() != "0")
        }
        other => other.get("isError").and_then(Value::as_bool).unwrap_or_default(),
    };
    let details = if response.is_string() { Value::Null } else { response.clone() };
    Ok(payloads::result(call, results::text(response), details, failed))
}
