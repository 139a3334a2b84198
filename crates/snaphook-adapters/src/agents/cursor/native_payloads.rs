//! Cursor's payloads, event by event.

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle, ToolCall};

use super::tools;
use crate::agent::Unreadable;
use crate::agents::family::{payloads, results};
use crate::calls;
use crate::fields::{Fields, lifecycle, value};
use crate::incoming::Origin;

/// Returns what hooks see of it.
pub(super) fn read(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    Ok(match native {
        "preToolUse" => vec![Event::tool_call(call(fields)?)],
        "beforeShellExecution" => vec![Event::tool_call(shell(fields)?)],
        "beforeMCPExecution" => vec![Event::tool_call(mcp(fields)?)],
        "beforeReadFile" => vec![Event::tool_call(file("Read", fields, &["file_path"])?)],
        "beforeTabFileRead" => vec![Event::tool_call(file("TabRead", fields, &["file_path"])?)],
        "postToolUse" => vec![result(call(fields)?, fields.0.get("tool_output"))?],
        // Nothing ran, so there is no result.
        "postToolUseFailure" if fields.text("failure_type") == Some("permission_denied") => Vec::new(),
        "postToolUseFailure" => {
            let error = fields.text("error_message").unwrap_or("the tool failed").to_owned();
            vec![payloads::result(call(fields)?, error, Value::Null, true)]
        }
        "afterShellExecution" => {
            let output = fields.text("output").unwrap_or_default().to_owned();
            vec![payloads::result(shell(fields)?, output, Value::Null, false)]
        }
        "afterMCPExecution" => vec![result(mcp(fields)?, fields.0.get("result_json"))?],
        "afterFileEdit" => vec![edited("Edit", fields)?],
        "afterTabFileEdit" => vec![edited("TabWrite", fields)?],
        "beforeSubmitPrompt" => payloads::user_prompt(fields)?,
        "sessionStart" => payloads::session_start(fields)?,
        "sessionEnd" => vec![payloads::session_end(fields)?],
        "stop" if fields.text("status") == Some("error") => {
            let error = fields.text("error_message").unwrap_or("the agent ended with an error");
            vec![lifecycle(Lifecycle::AgentError, [("error", value(Some(error)))])?]
        }
        "stop" => vec![payloads::agent_end(fields)?],
        "subagentStart" => vec![lifecycle(
            Lifecycle::SubagentStart,
            [("subagent", value(Some(subagent(fields)))), ("prompt", value(fields.text("task")))],
        )?],
        "subagentStop" => vec![lifecycle(
            Lifecycle::SubagentEnd,
            [("subagent", value(Some(subagent(fields)))), ("last_message", value(fields.text("summary")))],
        )?],
        "preCompact" => vec![payloads::compact(fields, Lifecycle::SessionBeforeCompact)?],
        "afterAgentResponse" => vec![lifecycle(
            Lifecycle::ModelResponse,
            [("model", value(fields.text("model"))), ("content", value(fields.text("text")))],
        )?],
        _ => Vec::new(),
    })
}

/// `conversation_id`, `generation_id`, `workspace_roots`. Not `cwd`: that is where a command would run, which may be
/// anywhere, and a call must not leave the project's hooks behind by it.
pub(super) fn origin(fields: Fields<'_>) -> Origin {
    let roots = fields.0.get("workspace_roots").and_then(Value::as_array);
    let root = roots.into_iter().flatten().find_map(Value::as_str).filter(|root| !root.is_empty());
    Origin {
        session: fields.any_text(&["session_id", "conversation_id"]).map(str::to_owned),
        transcript: fields.owned("transcript_path"),
        cwd: root.map(Into::into).or_else(|| fields.folder("cwd")),
        prompt: fields.owned("generation_id"),
        sender: None,
        continued: fields.0.get("loop_count").and_then(Value::as_u64).is_some_and(|count| count > 0),
    }
}

fn subagent(fields: Fields<'_>) -> &str {
    fields.any_text(&["subagent_id", "subagent_type"]).unwrap_or("subagent")
}

/// `tool_name`, `tool_input`, `tool_use_id`.
fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let native = fields.need("tool_name")?;
    let input = calls::input(fields.need_value("tool_input")?, "tool_input")?;
    let tool = tools::canonical(native, fields.text("mcp_server_name"));
    Ok(numbered(&tool, native, input, fields))
}

fn numbered(tool: &str, native: &str, input: Value, fields: Fields<'_>) -> ToolCall {
    let id = fields.any_text(&["tool_use_id", "tool_call_id"]).unwrap_or_default();
    let mut call = calls::call(id, tool, native, input, &tools::KEYS);
    payloads::number(&mut call, fields);
    call
}

/// `command`, `cwd`.
fn shell(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    fields.need("command")?;
    Ok(numbered("bash", "Shell", picked(fields, &["command", "cwd"]), fields))
}

/// `tool_name` without `MCP:`, `tool_input` as text, the server's name.
fn mcp(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let tool = fields.need("tool_name")?;
    let input = calls::input(fields.need_value("tool_input")?, "tool_input")?;
    let native = if tool.starts_with("MCP:") { tool.to_owned() } else { format!("MCP:{tool}") };
    let tool = tools::canonical(&native, fields.text("mcp_server_name")).into_owned();
    Ok(numbered(&tool, &native, input, fields))
}

/// `file_path`. Not `content`: what is in a file has no place in an audit line about reading it.
fn file(native: &str, fields: Fields<'_>, names: &[&str]) -> Result<ToolCall, Unreadable> {
    fields.need("file_path")?;
    let tool = tools::canonical(native, None);
    Ok(numbered(&tool, native, picked(fields, names), fields))
}

fn edited(native: &str, fields: Fields<'_>) -> Result<Event, Unreadable> {
    let call = file(native, fields, &["file_path", "edits"])?;
    Ok(payloads::result(call, String::new(), Value::Null, false))
}

fn picked(fields: Fields<'_>, names: &[&str]) -> Value {
    let given = names.iter().filter_map(|name| Some(((*name).to_owned(), fields.0.get(*name)?.clone())));
    Value::Object(given.collect::<Map<_, _>>())
}

/// A result that is JSON in a text. Of an MCP tool it has to be: what looks like it and does not read here, the agent may read.
fn result(call: ToolCall, output: Option<&Value>) -> Result<Event, Unreadable> {
    let text = output.and_then(Value::as_str).map(str::trim_start).unwrap_or_default();
    let is_torn = text.starts_with(['{', '[']) && serde_json::from_str::<Value>(text).is_err();
    if is_torn && call.family() == "mcp" {
        return Err(Unreadable("the tool's result is not valid JSON".to_owned()));
    }
    let output = output.map(calls::parsed).unwrap_or_default();
    let is_error = output.get("isError") == Some(&Value::Bool(true));
    let details = if output.is_string() { json!(null) } else { output.clone() };
    Ok(payloads::result(call, results::text(&output), details, is_error))
}
