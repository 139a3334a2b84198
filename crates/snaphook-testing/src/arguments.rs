//! The arguments of a test script to `t` and `expect`, read with errors that name the key. Not here: their use.

use crate::error::TestError;
use serde_json::{Map, Value};
use snaphook_core::nearest;

/// The fields of one map, taken out one by one; what is left at the end is a mistake.
pub(crate) struct Fields {
    /// The way messages name the map: `t.tool_call`.
    what: String,
    map: Map<String, Value>,
    known: &'static [&'static str],
}

impl Fields {
    /// Reads a map with these keys. Nothing, and an empty list (in Lua the same as an empty map), is an empty one.
    ///
    /// # Errors
    /// Another value, or a key that is not known.
    pub(crate) fn read(
        what: impl Into<String>,
        value: Option<Value>,
        known: &'static [&'static str],
    ) -> Result<Self, TestError> {
        let what = what.into();
        let map = match value {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Array(list)) if list.is_empty() => Map::new(),
            Some(Value::Object(map)) => map,
            Some(other) => return Err(format!("{what} takes named fields, not {}", describe(&other)).into()),
        };
        for key in map.keys() {
            if !known.contains(&key.as_str()) {
                let hint = nearest(key, known.iter().copied());
                let hint = hint.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(format!("{what} has no field `{key}`{hint} (it has {})", known.join(", ")).into());
            }
        }
        Ok(Fields { what, map, known })
    }

    /// Takes a field out.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Value> {
        debug_assert!(self.known.contains(&key), "{key}");
        self.map.remove(key).filter(|value| !value.is_null())
    }

    /// Takes a text out.
    pub(crate) fn text(&mut self, key: &'static str) -> Result<Option<String>, TestError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(key, "text", &other)),
        }
    }

    /// Takes a flag out; `false` where there is none.
    pub(crate) fn flag(&mut self, key: &'static str) -> Result<bool, TestError> {
        match self.take(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(self.wrong(key, "true or false", &other)),
        }
    }

    /// Takes a whole number out.
    pub(crate) fn integer(&mut self, key: &'static str) -> Result<Option<i32>, TestError> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => {
                let number = value.as_i64().and_then(|number| i32::try_from(number).ok());
                number.map(Some).ok_or_else(|| self.wrong(key, "a whole number", &value))
            }
        }
    }

    /// Takes a list out. A single value counts as a list of one.
    pub(crate) fn list(&mut self, key: &'static str) -> Vec<Value> {
        match self.take(key) {
            None => Vec::new(),
            Some(Value::Array(list)) => list,
            Some(Value::Object(map)) if map.is_empty() => Vec::new(),
            Some(one) => vec![one],
        }
    }

    /// The error of a field of another type.
    pub(crate) fn wrong(&self, key: &str, wanted: &str, got: &Value) -> TestError {
        TestError::Usage(format!(
            "the field `{key}` of {} has to be {wanted}, not {}",
            self.what,
            describe(got)
        ))
    }

    /// The error of a field that is not there.
    pub(crate) fn missing(&self, key: &str) -> TestError {
        TestError::Usage(format!("{} needs the field `{key}`", self.what))
    }
}

/// The arguments of one call by position.
pub(crate) struct Positional {
    what: String,
    values: std::vec::IntoIter<Value>,
}

impl Positional {
    /// Takes at most so many arguments; `nil` at the end is the same as nothing.
    ///
    /// # Errors
    /// There are more.
    pub(crate) fn read(
        what: impl Into<String>,
        mut values: Vec<Value>,
        most: usize,
    ) -> Result<Self, TestError> {
        let what = what.into();
        while values.len() > most && values.last().is_some_and(Value::is_null) {
            values.pop();
        }
        if values.len() > most {
            return Err(format!("{what} takes at most {most} argument(s), not {}", values.len()).into());
        }
        Ok(Positional { what, values: values.into_iter() })
    }

    /// The next argument; `None` also for `nil`.
    pub(crate) fn next(&mut self) -> Option<Value> {
        self.values.next().filter(|value| !value.is_null())
    }

    /// The next argument as text.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, TestError> {
        match self.next() {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(format!("{}: the {name} is text, not {}", self.what, describe(&other)).into()),
        }
    }
}

/// A value as messages name it.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(flag) => format!("{flag}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => {
            let short: String = text.chars().take(40).collect();
            let dots = if short.len() < text.len() { "…" } else { "" };
            format!("the text {short:?}{dots}")
        }
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a map".to_owned(),
    }
}
