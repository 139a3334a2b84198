//! OpenCode's tool names, and Kilo's, in canonical words.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use snaphook_core::{CommonFields, ToolCall};

use crate::calls;
use crate::patch::{self, PatchFields};

static PATCH: PatchFields = PatchFields("patchText");

/// Finds the canonical name of a tool that OpenCode does not have.
pub(super) type Own = fn(&str, &Value) -> Option<&'static str>;

/// Kilo's own tools, as its program names them. Those with an underscore would be taken for MCP tools.
pub(super) fn kilo(native: &str, input: &Value) -> Option<&'static str> {
    // It also lists and stops what it started.
    let starts = native == "background_process" && input.get("command").is_some();
    match native {
        _ if starts => Some("bash"),
        "notebook_edit" | "notebook_execute" | "notebook_read" => Some("notebook"),
        _ => KILO.iter().copied().find(|own| *own == native),
    }
}

const KILO: &[&str] = &[
    "agent_manager",
    "background_process",
    "board_post",
    "board_read",
    "cancel_wakeup",
    "cron_create",
    "cron_delete",
    "cron_list",
    "generate_image",
    "get_context_info",
    "goal_report",
    "kilo_local_recall",
    "kilo_memory_recall",
    "kilo_memory_save",
    "link_pr",
    "list_mcp_resource_templates",
    "list_mcp_resources",
    "open_plan",
    "read_mcp_resource",
    "repo_clone",
    "repo_overview",
    "schedule_wakeup",
    "semantic_search",
];

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
pub(super) fn call(own: Own, id: &str, native: &str, input: Value) -> ToolCall {
    let tool = own(native, &input).map_or_else(|| canonical(native), Cow::Borrowed);
    let mut call = calls::call(id, &tool, native, input, &CommonFields);
    if let Some(text) = PATCH.patch(&call.input).filter(|_| &*call.tool == "edit") {
        if patch::only_adds(text) {
            call.tool = Arc::from("write");
        }
        call.map = &PATCH;
    }
    call
}
