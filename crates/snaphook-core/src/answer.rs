//! What a handler may return, re-typed at the boundary: a script's value becomes an [`Answer`] or a
//! [`Malformed`] with the key that is wrong. Both engines use this one reading.

use serde_json::{Map, Value};

use crate::event::{EventName, Lifecycle, ReplyClass};
use crate::executable::ProgramRun;
use crate::payload::did_you_mean;
use crate::spec::FieldSpec;
use crate::tool::Field;
use crate::verdict::Verdict;

/// A handler's legal answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// Of a gate.
    pub verdict: Verdict,
    /// Why, or what to ask. Empty where the handler gave none.
    pub reason: String,
    /// What the handler changed.
    pub rewrite: Option<Rewrite>,
    /// Text for the model.
    pub context: Option<String>,
    /// With a deny: the agent should stop altogether.
    pub terminate: bool,
    /// Of a check, and of an executable that runs at the start: it failed.
    pub failed: bool,
    /// Of `agent_end` and `subagent_end`: go on, with this text.
    pub continue_with: Option<String>,
    /// Of an executable that is a check or runs at the start: what its run left. No script can return one.
    pub run: Option<Box<ProgramRun>>,
}

/// A change to what an event carries.
#[derive(Debug, Clone, PartialEq)]
pub enum Rewrite {
    /// The whole native input of a call.
    Input(Value),
    /// Portable fields of a call.
    Fields(Vec<(Field, String)>),
    /// Fields of any other event.
    Payload(Map<String, Value>),
}

/// A return value that is none of the event's legal answers. Of a gate it denies.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

fn malformed<T>(message: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed(message.into()))
}

impl Answer {
    /// Reads what a handler of `event` returned. `null`, an empty map and an empty list (Lua cannot tell the two
    /// apart) are the empty answer.
    ///
    /// # Errors
    /// An unknown key, a wrong type, keys that contradict each other, or a value that is no map.
    pub fn parse(event: &EventName, value: Value) -> Result<Answer, Malformed> {
        let map = match value {
            Value::Null => return Ok(Answer::default()),
            Value::Array(list) if list.is_empty() => return Ok(Answer::default()),
            Value::Object(map) => map,
            other => {
                let got = describe_for(event, &other);
                return malformed(format!("{event} handler returned {got}, not a table of answers"));
            }
        };
        let legal = event.answers();
        for (key, value) in &map {
            let Some(spec) = legal.iter().find(|spec| spec.name == key) else {
                return malformed(unknown_key(event, key, legal));
            };
            // In Lua an empty table is both an empty list and an empty map.
            let empty = value.as_array().is_some_and(Vec::is_empty);
            if !(spec.kind.accepts(value) || empty && spec.kind == crate::spec::Kind::Map) {
                let (kind, got) = (spec.kind.describe(), describe_for(event, value));
                return malformed(format!("{event} answer `{key}` must be {kind}, not {got}"));
            }
        }
        match event.class() {
            ReplyClass::Gate => gate(event, map),
            ReplyClass::Rewrite => rewrite(event, map),
            ReplyClass::Check => check(event, map),
            ReplyClass::Notify => Ok(notice(map)),
        }
    }
}

fn unknown_key(event: &EventName, key: &str, legal: &[FieldSpec]) -> String {
    let names: Vec<_> = legal.iter().map(|spec| spec.name).collect();
    let hint = match key {
        "blocked" | "deny" | "denied" if names.contains(&"block") => "; did you mean `block`?".to_owned(),
        "isError" if names.contains(&"is_error") => "; did you mean `is_error`?".to_owned(),
        _ => did_you_mean(key, names.iter().copied()),
    };
    if names.is_empty() {
        return format!("{event} takes no answer, but the handler returned `{key}`");
    }
    format!("{event} answer has an unknown key `{key}`{hint} (legal: {})", names.join(", "))
}

/// What a value is. What a handler that rewrites returns may be what it should have removed, so nothing of it is quoted.
fn describe_for(event: &EventName, value: &Value) -> String {
    match value {
        Value::String(_) if event.class() == ReplyClass::Rewrite => "a text".to_owned(),
        Value::Number(_) if event.class() == ReplyClass::Rewrite => "a number".to_owned(),
        other => describe(other),
    }
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("the boolean {flag}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => {
            let short: String = text.chars().take(40).collect();
            let dots = if short.len() < text.len() { "…" } else { "" };
            format!("the text {:?}{dots}", short)
        }
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a map".to_owned(),
    }
}

fn text(map: &mut Map<String, Value>, key: &str) -> Option<String> {
    match map.remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn flag(map: &mut Map<String, Value>, key: &str) -> Option<bool> {
    map.remove(key).and_then(|value| value.as_bool())
}

fn gate(event: &EventName, mut map: Map<String, Value>) -> Result<Answer, Malformed> {
    let block = flag(&mut map, "block");
    let reason = text(&mut map, "reason");
    let ask = text(&mut map, "ask");
    let allow = flag(&mut map, "allow");
    let terminate = flag(&mut map, "terminate") == Some(true);
    let context = text(&mut map, "context");
    let rewrite = gate_rewrite(event, map)?;

    let blocked = block == Some(true);
    let contradiction = match () {
        () if blocked && allow == Some(true) => Some("`block` and `allow` contradict each other"),
        () if blocked && ask.is_some() => Some("`block` and `ask` contradict each other"),
        () if ask.is_some() && allow == Some(true) => Some("`ask` and `allow` contradict each other"),
        () if allow == Some(false) => Some("`allow` must be true; to deny, return `block = true`"),
        () if blocked && rewrite.is_some() => Some("`block` and a rewrite contradict each other"),
        () if terminate && !blocked => Some("`terminate` needs `block = true`"),
        () if ask.as_deref().is_some_and(|question| question.trim().is_empty()) => {
            Some("`ask` must not be empty")
        }
        // `block = condition, reason = …` is how many write it, so a reason beside `block = false` is no fault;
        // one that stands alone is a gate that forgot to block.
        () if reason.is_some() && block.is_none() && ask.is_none() && allow.is_none() => {
            Some("`reason` needs `block = true`, `ask` or `allow = true` beside it")
        }
        () => None,
    };
    if let Some(message) = contradiction {
        return malformed(format!("{event} answer: {message}"));
    }
    let (verdict, reason) = match ask {
        _ if blocked => (Verdict::Deny, reason.unwrap_or_default()),
        Some(question) => (
            Verdict::Ask,
            match reason {
                Some(reason) => format!("{question} ({reason})"),
                None => question,
            },
        ),
        None if allow == Some(true) => (Verdict::Allow, reason.unwrap_or_default()),
        None => (Verdict::Abstain, String::new()),
    };
    Ok(Answer { verdict, reason, rewrite, context, terminate, ..Answer::default() })
}

fn gate_rewrite(event: &EventName, mut map: Map<String, Value>) -> Result<Option<Rewrite>, Malformed> {
    if *event == EventName::Lifecycle(Lifecycle::UserPrompt) {
        return Ok((!map.is_empty()).then_some(Rewrite::Payload(map)));
    }
    let input = map.remove("input");
    let fields: Vec<_> = [Field::Command, Field::Path, Field::Content, Field::Url]
        .into_iter()
        .filter_map(|field| Some((field, text(&mut map, field.name())?)))
        .collect();
    match (input, fields.first()) {
        (Some(_), Some((field, _))) => {
            malformed(format!("{event} answer: `input` and `{}` contradict each other", field.name()))
        }
        (Some(Value::Array(_)), None) => Ok(Some(Rewrite::Input(Value::Object(Map::new())))),
        (Some(input), None) => Ok(Some(Rewrite::Input(input))),
        (None, Some(_)) => Ok(Some(Rewrite::Fields(fields))),
        (None, None) => Ok(None),
    }
}

fn rewrite(event: &EventName, mut map: Map<String, Value>) -> Result<Answer, Malformed> {
    let context = text(&mut map, "context");
    let (block, reason) = (flag(&mut map, "block"), text(&mut map, "reason"));
    let rewrite = (!map.is_empty()).then_some(Rewrite::Payload(map));
    if block == Some(true) && rewrite.is_some() {
        return malformed(format!("{event} answer: `block` and a rewrite contradict each other"));
    }
    if reason.is_some() && block.is_none() {
        return malformed(format!("{event} answer: `reason` needs `block = true` beside it"));
    }
    if block == Some(true) {
        let reason = reason.unwrap_or_default();
        return Ok(Answer { verdict: Verdict::Deny, reason, ..Answer::default() });
    }
    Ok(Answer { rewrite, context, ..Answer::default() })
}

fn check(event: &EventName, mut map: Map<String, Value>) -> Result<Answer, Malformed> {
    let fail = flag(&mut map, "fail");
    let reason = text(&mut map, "reason");
    if reason.is_some() && fail.is_none() {
        return malformed(format!("{event} answer: `reason` needs `fail = true` beside it"));
    }
    Ok(Answer { failed: fail == Some(true), reason: reason.unwrap_or_default(), ..Answer::default() })
}

fn notice(mut map: Map<String, Value>) -> Answer {
    let context = text(&mut map, "context");
    let continue_with = text(&mut map, "continue_with");
    Answer { context, continue_with, ..Answer::default() }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
