//! Events from what a test, or an example of front matter, says of them. Not here: what hooks make of them.

use serde_json::{Map, Value};
use snaphook::{Event, EventName, Lifecycle, ToolCall, ToolResult};
use snaphook_script::matcher::canonical_name;

use crate::arguments::{Fields, describe};
use crate::error::TestError;

/// The fields that tell a tool call.
pub(crate) const CALL_FIELDS: [&str; 9] =
    ["tool", "command", "path", "content", "url", "input", "agent", "subagent", "id"];

const RESULT_FIELDS: &[&str] =
    &["tool", "command", "path", "url", "input", "agent", "subagent", "id", "content", "details", "is_error"];

/// An event, and the agent that it comes from.
pub(crate) struct Staged {
    pub(crate) event: Event,
    pub(crate) agent: Option<String>,
}

/// The event of `t.tool_call{…}`.
///
/// # Errors
/// Fields that tell no call.
pub(crate) fn tool_call(what: &str, arguments: Option<Value>) -> Result<Staged, TestError> {
    let mut fields = Fields::read(what, arguments, &CALL_FIELDS)?;
    let content = fields.text("content")?;
    let call = call(&mut fields, content)?;
    Ok(Staged { agent: fields.text("agent")?, event: Event::tool_call(call) })
}

/// The event of `t.tool_result{…}`.
///
/// # Errors
/// As [`tool_call`].
pub(crate) fn tool_result(what: &str, arguments: Option<Value>) -> Result<Staged, TestError> {
    let mut fields = Fields::read(what, arguments, RESULT_FIELDS)?;
    let call = call(&mut fields, None)?;
    let (content, details) = (fields.text("content")?, fields.take("details"));
    let is_error = fields.flag("is_error")?;
    let result = ToolResult::new(call, content.unwrap_or_default(), details.unwrap_or_default(), is_error);
    Ok(Staged { agent: fields.text("agent")?, event: Event::tool_result(result) })
}

/// The event of `t.emit(name, payload)`.
///
/// # Errors
/// An invalid name, or a payload that does not fit.
pub(crate) fn any(name: &str, payload: Option<Value>) -> Result<Staged, TestError> {
    let what = format!("t.emit(\"{name}\", …)");
    let name = EventName::parse(name).map_err(|error| error.to_string())?;
    let event = match name {
        EventName::Lifecycle(Lifecycle::ToolCall) => return tool_call(&what, payload),
        EventName::Lifecycle(Lifecycle::ToolResult) => return tool_result(&what, payload),
        EventName::Lifecycle(Lifecycle::PermissionRequest) => {
            let Staged { event, agent } = tool_call(&what, payload)?;
            let call = event.call().cloned().ok_or("no call")?;
            return Ok(Staged { event: Event::permission_request(call), agent });
        }
        EventName::Lifecycle(event) => {
            Event::lifecycle(event, payload_fields(&what, payload)?).map_err(|error| error.to_string())?
        }
        EventName::Bus(name) => Event::bus(name, payload_fields(&what, payload)?),
    };
    Ok(Staged { event, agent: None })
}

fn payload_fields(what: &str, payload: Option<Value>) -> Result<Map<String, Value>, TestError> {
    match payload {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Array(list)) if list.is_empty() => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map),
        Some(other) => {
            Err(format!("{what}: the payload is a map of fields, not {}", describe(&other)).into())
        }
    }
}

fn call(fields: &mut Fields, content: Option<String>) -> Result<ToolCall, TestError> {
    let tool = fields.text("tool")?.ok_or_else(|| fields.missing("tool"))?;
    if tool.trim().is_empty() {
        return Err(fields.missing("tool"));
    }
    if let Some(ours) = canonical_name(&tool).filter(|ours| *ours != tool) {
        return Err(
            format!("the tool \"{tool}\" is an agent's own name; the canonical name is \"{ours}\"").into()
        );
    }
    let command = fields.text("command")?;
    let path = fields.text("path")?;
    let url = fields.text("url")?;
    let written = match tool.as_str() {
        "edit" => "new_string",
        "notebook" => "new_source",
        _ => "content",
    };
    let portable = [("command", command), ("path", path), (written, content), ("url", url)];
    let portable: Map<String, Value> =
        portable.into_iter().filter_map(|(key, text)| Some((key.to_owned(), Value::String(text?)))).collect();
    let input = match fields.take("input") {
        None => Value::Object(portable),
        Some(Value::Array(list)) if list.is_empty() && portable.is_empty() => Value::Object(Map::new()),
        Some(input @ Value::Object(_)) if portable.is_empty() => input,
        Some(Value::Object(_) | Value::Array(_)) => {
            let names: Vec<_> = portable.keys().map(|key| format!("`{key}`")).collect();
            return Err(format!(
                "`input` is the whole input of the call, so {} cannot be given as well",
                names.join(", ")
            )
            .into());
        }
        Some(other) => return Err(fields.wrong("input", "a map", &other)),
    };
    let id = fields.text("id")?.unwrap_or_else(|| "test-call".to_owned());
    let mut call = ToolCall::new(id, tool, input);
    call.subagent = fields.text("subagent")?.map(Into::into);
    Ok(call)
}
