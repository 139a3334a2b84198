//! Reading a tool's input: typed access by name, with errors that name the tool and the key.

use serde_json::Value;
use snaphook_core::ToolCall;

use super::ToolRefused;

/// The names under which agents give a tool its file.
pub(super) const PATH: &[&str] = &["file_path", "path"];

/// The input of a call.
pub(super) struct Input<'a> {
    tool: &'a str,
    value: &'a Value,
}

impl<'a> Input<'a> {
    pub(super) fn of(call: &'a ToolCall) -> Self {
        Input { tool: &call.tool, value: &call.input }
    }

    /// The same tool's reading of a part of its input.
    pub(super) fn part(&self, value: &'a Value) -> Self {
        Input { tool: self.tool, value }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.value.get(key).filter(|value| !value.is_null())
    }

    /// The first of the names that is there, as text.
    pub(super) fn maybe_text(&self, keys: &[&str]) -> Result<Option<&'a str>, ToolRefused> {
        let Some((key, value)) = keys.iter().find_map(|key| Some((key, self.get(key)?))) else {
            return Ok(None);
        };
        value.as_str().map(Some).ok_or_else(|| self.wrong(key, "text"))
    }

    pub(super) fn text(&self, keys: &[&str]) -> Result<&'a str, ToolRefused> {
        self.maybe_text(keys)?.ok_or_else(|| {
            let name = keys.first().copied().unwrap_or_default();
            ToolRefused(format!("{} needs `{name}`", self.tool))
        })
    }

    pub(super) fn flag(&self, key: &str) -> Result<bool, ToolRefused> {
        match self.get(key) {
            None => Ok(false),
            // Models write "true" as text now and then.
            Some(Value::String(text)) if text == "true" || text == "false" => Ok(text == "true"),
            Some(value) => value.as_bool().ok_or_else(|| self.wrong(key, "true or false")),
        }
    }

    /// A whole number, not below zero. Scripts may have turned it into a float.
    pub(super) fn count(&self, key: &str) -> Result<Option<usize>, ToolRefused> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let number = value.as_u64().or_else(|| {
            let float = value.as_f64().filter(|float| float.fract() == 0.0 && *float >= 0.0)?;
            // Above 2^53 a float is no exact count, and no file has so many lines.
            (float <= 9_007_199_254_740_992.0).then_some(float as u64)
        });
        match number {
            Some(number) => Ok(Some(usize::try_from(number).unwrap_or(usize::MAX))),
            None => Err(self.wrong(key, "a whole number, 0 or more")),
        }
    }

    pub(super) fn wrong(&self, key: &str, expected: &str) -> ToolRefused {
        ToolRefused(format!("{}: `{key}` must be {expected}", self.tool))
    }
}
