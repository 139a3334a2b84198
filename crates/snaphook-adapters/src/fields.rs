//! Reading an agent's JSON: unknown fields never matter, and what a gate is judged by has to be there.

use std::path::PathBuf;

use serde_json::{Map, Value};
use snaphook_core::{Event, Lifecycle, PayloadError};

use crate::row::Unreadable;

/// Takes texts and values out of a payload.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub(crate) &'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// A text that is not empty.
    pub(crate) fn text(self, name: &str) -> Option<&'a str> {
        self.0.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// The same, owned.
    pub(crate) fn owned(self, name: &str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    /// The first of these that is a text.
    pub(crate) fn any_text(self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|name| self.text(name))
    }

    /// A text without which the event cannot be judged.
    pub(crate) fn need(self, name: &str) -> Result<&'a str, Unreadable> {
        match self.0.get(name) {
            Some(Value::String(text)) if !text.is_empty() => Ok(text),
            Some(other) => Err(Unreadable(format!("`{name}` is {}, not text", kind(other)))),
            None => Err(Unreadable(format!("`{name}` is missing"))),
        }
    }

    /// The event's name from this field, or as the command line names it.
    pub(crate) fn event_name(self, field: &str, named: Option<&'a str>) -> Result<&'a str, Unreadable> {
        self.text(field).or(named).ok_or_else(|| Unreadable(format!("`{field}` is missing")))
    }

    /// A value without which the event cannot be judged.
    pub(crate) fn need_value(self, name: &str) -> Result<&'a Value, Unreadable> {
        self.0.get(name).ok_or_else(|| Unreadable(format!("`{name}` is missing")))
    }

    /// A flag; absent is no.
    pub(crate) fn flag(self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// A folder.
    pub(crate) fn folder(self, name: &str) -> Option<PathBuf> {
        self.text(name).map(PathBuf::from)
    }
}

/// Returns what a value is, for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(text) if text.is_empty() => "empty",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

/// A lifecycle event of these fields; those without a value are left out.
pub(crate) fn lifecycle<const N: usize>(
    event: Lifecycle,
    fields: [(&str, Option<Value>); N],
) -> Result<Event, Unreadable> {
    let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let event = Event::lifecycle(event, given.collect());
    event.map_err(|error: PayloadError| Unreadable(error.to_string()))
}

/// A text as a value.
pub(crate) fn value(text: Option<&str>) -> Option<Value> {
    text.map(Value::from)
}

/// An id for what has none: the same for the same texts in any process (FNV-1a, 64 bits).
pub(crate) fn fingerprint(texts: &[&str]) -> String {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}
