//! OpenCode's tool names in canonical words.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use snaphook::{CommonFields, ToolCall};

use crate::calls;
use crate::patch::{self, PatchFields};

static PATCH: PatchFields = PatchFields("patchText");

/// The canonical name. Every name with an underscore that is not OpenCode's own may be an MCP server's tool, or a tool that a
/// plugin made: both count as one. Where the server's name has an underscore, its first part counts as the server.
fn canonical(native: &str) -> Cow<'_, str> {
    Cow::Borrowed(match native {
        "bash" => "bash",
        "read" => "read",
        "write" => "write",
        "edit" | "multiedit" | "patch" | "apply_patch" => "edit",
        "glob" | "list" => "glob",
        "grep" => "grep",
        "webfetch" => "web_fetch",
        "websearch" => "web_search",
        "task" => "task",
        "todowrite" | "todoread" => "todo",
        "plan_enter" | "plan_exit" => native,
        _ => match native.split_once('_') {
            Some((server, tool))
                if !server.is_empty() && !tool.is_empty() && !native.starts_with("mcp__") =>
            {
                return calls::mcp(server, tool).into();
            }
            _ => native,
        },
    })
}

/// A call. A patch that only adds files is a `write`.
pub(super) fn call(id: &str, native: &str, input: Value) -> ToolCall {
    let mut call = calls::call(id, &canonical(native), native, input, &CommonFields);
    if let Some(text) = PATCH.patch(&call.input).filter(|_| &*call.tool == "edit") {
        if patch::only_adds(text) {
            call.tool = Arc::from("write");
        }
        call.map = &PATCH;
    }
    call
}
