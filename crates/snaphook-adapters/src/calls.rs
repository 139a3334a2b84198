//! Tool calls and their results out of what agents send: inputs that are a map or the JSON of one, names of MCP
//! tools. What is common to the protocol that Claude Code began is in `agents::family`.

use serde_json::{Map, Value};
use snaphook_core::{FieldMap, ToolCall};

use crate::agent::Unreadable;
use crate::fields::kind;

/// A call of a tool, by its canonical name and the agent's own.
pub(crate) fn call(id: &str, tool: &str, native: &str, input: Value, map: &'static dyn FieldMap) -> ToolCall {
    let mut call = ToolCall::new(id, tool, input).native(native);
    call.map = map;
    call
}

/// The canonical name of an MCP server's tool.
pub(crate) fn mcp(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
}

/// A tool's input: a map, or text that is the JSON of one. Nothing at all is an input without arguments.
pub(crate) fn input(value: &Value, name: &str) -> Result<Value, Unreadable> {
    match value {
        Value::Object(_) => Ok(value.clone()),
        Value::Null => Ok(Value::Object(Map::new())),
        Value::String(text) if text.trim().is_empty() => Ok(Value::Object(Map::new())),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(map @ Value::Object(_)) => Ok(map),
            _ => Err(Unreadable(format!("`{name}` is text, not a map or the JSON of one"))),
        },
        other => Err(Unreadable(format!("`{name}` is {}, not a map", kind(other)))),
    }
}

/// A call that is about to be made. One that fetches several addresses cannot be judged by its one `url`.
pub(crate) fn judged(call: ToolCall) -> Result<ToolCall, Unreadable> {
    let several = call.url().is_some_and(|url| url.split_whitespace().nth(1).is_some());
    if several && &*call.tool == "web_fetch" {
        Err(Unreadable("the call fetches several addresses; fetch them one at a time".to_owned()))
    } else {
        Ok(call)
    }
}

/// Text that is JSON, parsed; other values as they are.
pub(crate) fn parsed(value: &Value) -> Value {
    match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
        other => other.clone(),
    }
}
