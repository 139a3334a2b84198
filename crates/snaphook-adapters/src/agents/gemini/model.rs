//! Gemini CLI's model events: a request and an answer in a form of its own, and the way back of what hooks changed.

use serde_json::{Map, Value};
use snaphook_core::{Event, Lifecycle};

use crate::agent::Unreadable;
use crate::fields::{Fields, kind, lifecycle, value};

/// Our names of the request's fields, and the agent's.
const NAMES: [(&str, &str); 3] = [("model", "model"), ("messages", "messages"), ("params", "config")];

fn part<'a>(fields: Fields<'a>, name: &str) -> Result<Fields<'a>, Unreadable> {
    match fields.need_value(name)? {
        Value::Object(map) => Ok(Fields(map)),
        other => Err(Unreadable(format!("`{name}` is {}, not a map", kind(other)))),
    }
}

/// `llm_request`.
pub(super) fn request(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let request = part(fields, "llm_request")?;
    let [model, messages, params] = NAMES.map(|(_, name)| request.0.get(name).cloned());
    let messages = Some(messages.unwrap_or_else(|| Value::Array(Vec::new())));
    lifecycle(Lifecycle::ModelRequest, [("model", model), ("messages", messages), ("params", params)])
}

/// `llm_response`, a piece of an answer.
pub(super) fn response(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let response = part(fields, "llm_response")?;
    let request = part(fields, "llm_request").ok();
    let model = request.and_then(|request| request.text("model"));
    let content = response.0.get("text").cloned();
    let usage = response.0.get("usageMetadata").filter(|usage| usage.is_object()).cloned();
    lifecycle(Lifecycle::ModelResponse, [("model", value(model)), ("content", content), ("usage", usage)])
}

/// Returns whether the agent has a place for all of it: a system prompt has none.
pub(super) fn takes(input: &Value) -> bool {
    input.as_object().is_some_and(|input| input.keys().all(|key| NAMES.iter().any(|(ours, _)| ours == key)))
}

/// Returns what differs from what was sent, in the agent's names. The rest is left out: messages that are sent back
/// lose whatever is no text.
pub(super) fn changes(raw: &Map<String, Value>, input: &Value) -> Map<String, Value> {
    let before = raw.get("llm_request");
    let changed = NAMES.into_iter().filter_map(|(ours, theirs)| {
        let new = input.get(ours)?;
        (before.and_then(|before| before.get(theirs)) != Some(new)).then(|| (theirs.to_owned(), new.clone()))
    });
    changed.collect()
}
