//! An event with what it carries. Payloads are immutable and shared; a rewrite makes a new event.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::answer::Rewrite;
use crate::bus::BusSpec;
use crate::event::EventName;
use crate::lifecycle::Lifecycle;
use crate::tool::{Field, ToolCall, ToolResult};

/// Something that happened or is about to: a name and a payload. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Event {
    name: EventName,
    payload: Payload,
}

/// The data that an event carries.
#[derive(Debug, Clone)]
pub enum Payload {
    /// Of `tool_call` and `permission_request`.
    Call(Arc<ToolCall>),
    /// Of `tool_result`.
    Result(Arc<ToolResult>),
    /// Of all others: the fields by name.
    Fields(Arc<Map<String, Value>>),
}

/// The value of one payload field, borrowed where it can be.
#[derive(Debug)]
pub enum FieldValue<'a> {
    /// Text.
    Text(Cow<'a, str>),
    /// A list of texts.
    Texts(Vec<Cow<'a, str>>),
    /// `true` or `false`.
    Bool(bool),
    /// Anything else.
    Json(&'a Value),
}

/// A payload that does not fit its event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// The event carries a tool call or result; it is made by [`Event::tool_call`] and its like.
    #[error("the payload of {0} is a tool call, not a map of fields")]
    NotAMap(Lifecycle),
    /// A required field is missing.
    #[error("{event} needs the field `{field}`")]
    Missing {
        /// The event.
        event: Lifecycle,
        /// The field.
        field: &'static str,
    },
    /// A field that the event does not have.
    #[error("{event} has no field `{field}`")]
    Unknown {
        /// The event.
        event: Lifecycle,
        /// The field.
        field: String,
    },
    /// A field of another type.
    #[error("the field `{field}` of {event} must be {expected}")]
    WrongType {
        /// The event.
        event: Lifecycle,
        /// The field.
        field: String,
        /// The form that it must have.
        expected: String,
    },
    /// A rewrite that this event cannot take.
    #[error("{0}")]
    Rewrite(String),
}

impl std::fmt::Display for Lifecycle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Event {
    /// A `tool_call`.
    pub fn tool_call(call: ToolCall) -> Self {
        Event { name: Lifecycle::ToolCall.into(), payload: Payload::Call(Arc::new(call)) }
    }

    /// A `permission_request`.
    pub fn permission_request(call: ToolCall) -> Self {
        Event { name: Lifecycle::PermissionRequest.into(), payload: Payload::Call(Arc::new(call)) }
    }

    /// A `tool_result`.
    pub fn tool_result(result: ToolResult) -> Self {
        Event { name: Lifecycle::ToolResult.into(), payload: Payload::Result(Arc::new(result)) }
    }

    /// Any other lifecycle event, its fields checked against the table.
    ///
    /// # Errors
    /// A missing, unknown or wrongly typed field.
    pub fn lifecycle(event: Lifecycle, fields: Map<String, Value>) -> Result<Self, PayloadError> {
        if matches!(event, Lifecycle::ToolCall | Lifecycle::ToolResult | Lifecycle::PermissionRequest) {
            return Err(PayloadError::NotAMap(event));
        }
        let spec = event.spec();
        if let Some(field) =
            spec.payload.iter().find(|field| field.required && !fields.contains_key(field.name))
        {
            return Err(PayloadError::Missing { event, field: field.name });
        }
        for (name, value) in &fields {
            let field =
                spec.field(name).ok_or_else(|| PayloadError::Unknown { event, field: name.clone() })?;
            if !field.kind.accepts(value) {
                let expected = field.kind.describe();
                return Err(PayloadError::WrongType { event, field: name.clone(), expected });
            }
        }
        Ok(Event { name: event.into(), payload: Payload::Fields(Arc::new(fields)) })
    }

    /// A bus event with any payload.
    pub fn bus(name: Arc<str>, fields: Map<String, Value>) -> Self {
        Event { name: EventName::Bus(name), payload: Payload::Fields(Arc::new(fields)) }
    }

    /// The name.
    pub fn name(&self) -> &EventName {
        &self.name
    }

    /// The payload.
    pub fn payload(&self) -> &Payload {
        &self.payload
    }

    /// The tool call that the event is about.
    pub fn call(&self) -> Option<&ToolCall> {
        match &self.payload {
            Payload::Call(call) => Some(call),
            Payload::Result(result) => Some(&result.call),
            Payload::Fields(_) => None,
        }
    }

    /// Returns what the event carries, as one JSON value: the input of a call, the fields of another event.
    pub fn subject(&self) -> Value {
        match &self.payload {
            Payload::Call(call) => (*call.input).clone(),
            Payload::Result(result) => Value::String(result.content.to_string()),
            Payload::Fields(fields) => Value::Object((**fields).clone()),
        }
    }

    /// Calls `visit` with each field that is there, in the order of the table. `name` is not among them.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a str, FieldValue<'a>)) {
        match &self.payload {
            Payload::Call(call) => visit_call(call, true, visit),
            Payload::Result(result) => {
                visit_call(&result.call, false, visit);
                visit("original_input", FieldValue::Json(&result.original_input));
                visit("content", FieldValue::Text(Cow::Borrowed(&result.content)));
                if !result.details.is_null() {
                    visit("details", FieldValue::Json(&result.details));
                }
                visit("is_error", FieldValue::Bool(result.is_error));
            }
            Payload::Fields(fields) => {
                for (name, value) in fields.iter() {
                    visit(name, FieldValue::Json(value));
                }
            }
        }
    }

    /// The event with a handler's rewrite, or `None` where the rewrite changes nothing.
    ///
    /// # Errors
    /// The payload has no place for it.
    pub fn apply(&self, rewrite: &Rewrite) -> Result<Option<Event>, PayloadError> {
        let changed = match (&self.payload, rewrite) {
            (Payload::Call(call), Rewrite::Input(input)) => {
                let input = crate::number::keep(&call.input, input);
                (input != *call.input).then(|| Payload::Call(Arc::new(call.with_input(input))))
            }
            (Payload::Call(call), Rewrite::Fields(fields)) => {
                let mut input = (*call.input).clone();
                for (field, value) in fields {
                    set_field(call, &mut input, *field, value)?;
                }
                (input != *call.input).then(|| Payload::Call(Arc::new(call.with_input(input))))
            }
            (Payload::Result(result), Rewrite::Payload(changes)) => {
                let mut new = (**result).clone();
                for (key, value) in changes {
                    match (key.as_str(), value) {
                        ("content", Value::String(text)) => new.content = text.as_str().into(),
                        ("details", value) => {
                            new.details = Arc::new(crate::number::keep(&result.details, value))
                        }
                        ("is_error", Value::Bool(flag)) => new.is_error = *flag,
                        _ => return Err(PayloadError::Rewrite(format!("tool_result cannot take `{key}`"))),
                    }
                }
                let same = new.content == result.content
                    && new.details == result.details
                    && new.is_error == result.is_error;
                (!same).then(|| Payload::Result(Arc::new(new)))
            }
            (Payload::Fields(fields), Rewrite::Payload(changes)) => {
                if let Some(error) = BusSpec::rewrite_error(self.name.as_str(), fields, changes) {
                    return Err(PayloadError::Rewrite(error));
                }
                let mut new = (**fields).clone();
                for (key, value) in changes {
                    let old = fields.get(key).unwrap_or(&Value::Null);
                    new.insert(key.clone(), crate::number::keep(old, value));
                }
                (new != **fields).then(|| Payload::Fields(Arc::new(new)))
            }
            _ => return Err(PayloadError::Rewrite(format!("{} cannot take this rewrite", self.name))),
        };
        Ok(changed.map(|payload| Event { name: self.name.clone(), payload }))
    }
}

fn set_field(call: &ToolCall, input: &mut Value, field: Field, value: &str) -> Result<(), PayloadError> {
    call.map
        .set(&call.tool, input, field, value.to_owned())
        .map_err(|error| PayloadError::Rewrite(error.to_string()))
}

fn visit_call<'a>(call: &'a ToolCall, with_content: bool, visit: &mut dyn FnMut(&'a str, FieldValue<'a>)) {
    visit("id", FieldValue::Text(Cow::Borrowed(&call.id)));
    visit("tool", FieldValue::Text(Cow::Borrowed(&call.tool)));
    visit("native_tool", FieldValue::Text(Cow::Borrowed(&call.native_tool)));
    visit("input", FieldValue::Json(&call.input));
    if let Some(command) = call.command() {
        visit("command", FieldValue::Text(command));
        visit("shell", FieldValue::Text(Cow::Borrowed(call.shell())));
    }
    visit("paths", FieldValue::Texts(call.paths()));
    if let Some(content) = call.content().filter(|_| with_content) {
        visit("content", FieldValue::Text(content));
    }
    if let Some(url) = call.url() {
        visit("url", FieldValue::Text(url));
    }
    if let Some(subagent) = &call.subagent {
        visit("subagent", FieldValue::Text(Cow::Borrowed(subagent)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn payloads_are_checked_against_the_table() {
        let make =
            |event, value| Event::lifecycle(event, fields(value)).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(make(Lifecycle::TurnEnd, json!({"turn_index": 2})), Ok(()));
        assert_eq!(make(Lifecycle::TurnEnd, json!({})), Err("turn_end needs the field `turn_index`".into()));
        assert_eq!(
            make(Lifecycle::TurnEnd, json!({"turn_index": "2"})),
            Err("the field `turn_index` of turn_end must be a whole number".into())
        );
        assert_eq!(
            make(Lifecycle::Session, json!({"reason": "restart"})),
            Err("the field `reason` of session must be one of start, switch, clear".into())
        );
        assert_eq!(make(Lifecycle::Startup, json!({"x": 1})), Err("startup has no field `x`".into()));
        assert!(make(Lifecycle::ToolCall, json!({})).is_err());
    }

    #[test]
    fn what_a_tool_event_shows_is_what_the_table_lists() {
        let call = ToolCall::new("1", "edit", json!({"path": "a", "content": "x"}));
        let result = ToolResult::new(call.clone(), "ok", json!({"a": 1}), false);
        for event in [Event::tool_call(call), Event::tool_result(result)] {
            let EventName::Lifecycle(lifecycle) = event.name() else { unreachable!() };
            let mut seen = Vec::new();
            event.visit(&mut |name, _| seen.push(name.to_owned()));
            for field in lifecycle.spec().payload {
                assert!(!field.required || seen.iter().any(|name| name == field.name), "{}", field.name);
            }
            for name in seen {
                assert!(lifecycle.spec().field(&name).is_some(), "{lifecycle} has no {name}");
            }
        }
    }

    #[test]
    fn a_rewrite_that_changes_nothing_is_none() {
        let event = Event::tool_call(ToolCall::new("1", "bash", json!({"command": "ls", "timeout": 1.0})));
        let same = Rewrite::Input(json!({"command": "ls", "timeout": 1}));
        assert!(event.apply(&same).unwrap().is_none());
        let other = Rewrite::Fields(vec![(Field::Command, "ls -l".into())]);
        let changed = event.apply(&other).unwrap().unwrap();
        assert_eq!(changed.subject(), json!({"command": "ls -l", "timeout": 1.0}));
    }
}
