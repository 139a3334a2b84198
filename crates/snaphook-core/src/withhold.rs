//! Results that are withheld: the text in their place, and the limits of a result that handlers can read. Not here: when a
//! handler has failed (the host), how an agent takes a replacement (the adapters).
//!
//! No text here quotes anything of a result, nor a handler's own error: either may hold what a hook would have removed.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::hook::HookRef;
use crate::payload::{Event, Payload};
use crate::tool::ToolResult;
use crate::verdict::Cause;

/// The most bytes of text that a result may have.
pub const MAX_RESULT_TEXT: usize = 32 << 20;

/// The most values that the details of a result may have, nested ones included: as many as a script may return.
pub const MAX_RESULT_VALUES: usize = 1 << 18;

/// The depth to which the details of a result may be nested.
pub const MAX_RESULT_DEPTH: usize = 100;

crate::named_enum! {
    /// The treatment of a tool's result whose `tool_result` handler fails.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum OnFailure {
        /// The result stays as it is.
        #[default]
        Keep = "keep",
        /// The model gets a text instead that says why.
        Withhold = "withhold",
    }
}

/// A result that no handler can look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Unreadable {
    /// Invalid UTF-8, or half a surrogate pair.
    #[error("its text does not decode")]
    Text,
    /// More bytes than are read.
    #[error("it is too large")]
    TooLarge,
    /// More values than a script can take.
    #[error("it has too many values")]
    TooMany,
    /// Deeper than a script can take.
    #[error("it is nested too deep")]
    TooDeep,
    /// Not the form that its protocol gives it, or one that can be read in two ways.
    #[error("its form is unknown")]
    Form,
}

impl Unreadable {
    /// Returns why handlers cannot look at this result, if so.
    pub fn of(result: &ToolResult) -> Option<Self> {
        if result.content.len() > MAX_RESULT_TEXT {
            return Some(Unreadable::TooLarge);
        }
        Self::of_value(&result.details)
    }

    /// The same of an event's fields.
    pub fn of_fields(fields: &Map<String, Value>) -> Option<Self> {
        let mut budget = ReadBudget { values: MAX_RESULT_VALUES, bytes: MAX_RESULT_TEXT };
        fields.values().try_for_each(|value| budget.take(value, MAX_RESULT_DEPTH)).err()
    }

    /// The same of the details alone.
    pub fn of_value(details: &Value) -> Option<Self> {
        let mut budget = ReadBudget { values: MAX_RESULT_VALUES, bytes: MAX_RESULT_TEXT };
        budget.take(details, MAX_RESULT_DEPTH).err()
    }
}

/// The values that may still come.
struct ReadBudget {
    values: usize,
    bytes: usize,
}

impl ReadBudget {
    fn take(&mut self, value: &Value, depth: usize) -> Result<(), Unreadable> {
        self.values = self.values.checked_sub(1).ok_or(Unreadable::TooMany)?;
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
            Value::String(text) => self.text(text),
            Value::Array(list) => {
                let depth = depth.checked_sub(1).ok_or(Unreadable::TooDeep)?;
                list.iter().try_for_each(|part| self.take(part, depth))
            }
            Value::Object(fields) => {
                let depth = depth.checked_sub(1).ok_or(Unreadable::TooDeep)?;
                fields.iter().try_for_each(|(name, part)| {
                    self.text(name)?;
                    self.take(part, depth)
                })
            }
        }
    }

    fn text(&mut self, text: &str) -> Result<(), Unreadable> {
        self.bytes = self.bytes.checked_sub(text.len()).ok_or(Unreadable::TooLarge)?;
        Ok(())
    }
}

/// The reason why a result is withheld, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withheld {
    /// A hook that withholds results failed, or did not load. `None` is one of which nothing can be read.
    Hook(Option<HookRef>, Cause),
    /// No hook could look at it.
    Unreadable(Unreadable),
    /// A hook says so, for this reason.
    Blocked(HookRef, String),
}

impl Withheld {
    /// The text for the model about this thing, "result" say: it says that it was withheld, by whom and why.
    pub fn text(&self, thing: &str) -> String {
        let mut text = format!("[snaphook withheld this {thing}: ");
        match self {
            Withheld::Hook(Some(hook), cause) => {
                text += &format!("the hook \"{}\", which has to check it, {}", hook.name, failed(*cause));
            }
            Withheld::Hook(None, cause) => {
                let failed = failed(*cause);
                text += &format!(
                    "a hook or a setting that may have to check it {failed}; `snaphook list` shows why"
                );
            }
            Withheld::Unreadable(why) => text += &format!("{why}, so no hook could check it"),
            Withheld::Blocked(hook, reason) => match reason.trim() {
                "" => text += &format!("the hook \"{}\" blocked it", hook.name),
                reason => text += &format!("the hook \"{}\" blocked it: {reason}", hook.name),
            },
        }
        text + "]"
    }
}

impl fmt::Display for Withheld {
    /// The text about a tool's result.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text("result"))
    }
}

fn failed(cause: Cause) -> &'static str {
    match cause {
        Cause::Error => "raised an error",
        Cause::Panic => "panicked",
        Cause::Budget => "used up its computing time",
        Cause::Timeout => "gave no answer in time",
        Cause::Memory => "reached its memory limit",
        Cause::Stuck => "could not be stopped",
        Cause::Malformed => "gave a malformed answer",
        Cause::Load => "did not load",
        Cause::Untrusted => "is not trusted",
        Cause::Cancelled => "was cancelled",
        Cause::NoRest | Cause::Headless | Cause::Audit | Cause::Hold | Cause::Default => "gave no answer",
    }
}

impl Event {
    /// A `tool_result` with a text that says why it is withheld in the place of all that it had; a `mcp.server_message` without what
    /// the server said. Any other event stays.
    #[must_use]
    pub fn withheld(&self, why: &Withheld) -> Event {
        match self.payload() {
            Payload::Result(result) => Event::tool_result(ToolResult {
                content: why.to_string().into(),
                details: Arc::new(Value::Null),
                is_error: true,
                ..(**result).clone()
            }),
            Payload::Fields(fields) if self.name().can_be_withheld() => {
                let mut fields = (**fields).clone();
                for said in ["texts", "binary"] {
                    fields.insert(said.to_owned(), Value::Array(Vec::new()));
                }
                Event::bus(self.name().as_str().into(), fields)
            }
            Payload::Fields(_) | Payload::Call(_) => self.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hook::Scope;
    use crate::tool::ToolCall;

    fn result(content: &str, details: Value) -> ToolResult {
        let call = ToolCall::new("1", "bash", json!({}));
        ToolResult::new(call, content, details, false)
    }

    fn nested(depth: usize) -> Value {
        (0..depth).fold(json!(1), |inner, at| if at % 2 == 0 { json!([inner]) } else { json!({"a": inner}) })
    }

    #[test]
    fn results_beyond_the_limits_cannot_be_read() {
        let long = "x".repeat(MAX_RESULT_TEXT + 1);
        for (result, want) in [
            (result("text", json!(null)), None),
            (result("text", nested(MAX_RESULT_DEPTH)), None),
            (result("text", nested(MAX_RESULT_DEPTH + 1)), Some(Unreadable::TooDeep)),
            (result("text", json!(vec![0; MAX_RESULT_VALUES - 1])), None),
            (result("text", json!(vec![0; MAX_RESULT_VALUES])), Some(Unreadable::TooMany)),
            (result(&long, json!(null)), Some(Unreadable::TooLarge)),
            (result("text", json!({"a": [long]})), Some(Unreadable::TooLarge)),
        ] {
            assert_eq!(Unreadable::of(&result), want);
        }
    }

    #[test]
    fn what_is_withheld_has_nothing_of_the_result() {
        let event = Event::tool_result(result("a secret", json!({"more": "secret"})));
        let hook = HookRef::new("redact", "redact", Scope::User, "redact.lua");
        for (why, want) in [
            (
                Withheld::Hook(Some(hook), Cause::Timeout),
                "[snaphook withheld this result: the hook \"redact\", which has to check it, gave no answer in time]",
            ),
            (
                Withheld::Unreadable(Unreadable::Text),
                "[snaphook withheld this result: its text does not decode, so no hook could check it]",
            ),
            (
                Withheld::Blocked(
                    HookRef::new("redact", "redact", Scope::User, "redact.lua"),
                    "no pins".into(),
                ),
                "[snaphook withheld this result: the hook \"redact\" blocked it: no pins]",
            ),
        ] {
            let Payload::Result(withheld) = event.withheld(&why).payload().clone() else { unreachable!() };
            assert_eq!(&*withheld.content, want);
            assert!(withheld.details.is_null() && withheld.is_error);
        }
        let said = json!({"server": "s", "method": "m", "kind": "result", "texts": ["a secret"], "binary": [{"bytes": 3}]});
        let said =
            Event::bus(crate::BusSpec::SERVER_MESSAGE.into(), said.as_object().cloned().unwrap_or_default());
        let withheld = said.withheld(&Withheld::Unreadable(Unreadable::Form)).subject();
        assert_eq!(
            withheld,
            json!({"server": "s", "method": "m", "kind": "result", "texts": [], "binary": []})
        );
    }
}
