//! The answers of handlers, re-typed at the boundary: a script's value becomes an [`Answer`] or a
//! [`Malformed`] with the key that is wrong. Both engines use this one reading.

use serde_json::{Map, Value};

use crate::event::EventName;
use crate::executable::ProgramRun;
use crate::foreign::{self, KeyMeaning};
use crate::hold::Hold;
use crate::lifecycle::{Lifecycle, ReplyClass};
use crate::nearest::did_you_mean;
use crate::notation::Notation;
use crate::spec::{FieldSpec, FieldType};
use crate::tool::Field;
use crate::verdict::Verdict;

/// A handler's legal answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// Of a gate.
    pub verdict: Verdict,
    /// The reason, or what to ask. Empty where the handler gave none.
    pub reason: String,
    /// The change by the handler.
    pub rewrite: Option<Rewrite>,
    /// What the command may touch. Of a gate on a call that runs one.
    pub hold: Option<Box<Hold>>,
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

/// A return value that is not a legal answer to the event. Of a gate it denies.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

fn malformed<T>(message: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed(message.into()))
}

impl Answer {
    /// Reads what a handler of `event` returned, with messages in JSON's notation: [`Answer::parse_in`].
    ///
    /// # Errors
    /// As there.
    pub fn parse(event: &EventName, value: Value) -> Result<Answer, Malformed> {
        Self::parse_in(event, value, Notation::Json)
    }

    /// Reads what a handler of `event` returned. `null`, an empty map and an empty list (Lua cannot tell the two
    /// apart) are the empty answer. Messages say what to write in the language of the handler's author.
    ///
    /// # Errors
    /// An unknown key, a wrong type, keys that contradict each other, or a value that is no map.
    pub fn parse_in(event: &EventName, value: Value, notation: Notation) -> Result<Answer, Malformed> {
        let map = match value {
            Value::Null => return Ok(Answer::default()),
            Value::Array(list) if list.is_empty() => return Ok(Answer::default()),
            Value::Object(map) => map,
            other => {
                let got = describe_for(event, &other, notation);
                let (wanted, remedy) = (notation.map(), remedy(event, notation));
                return malformed(format!(
                    "{event} handler returned {got}, not {wanted} of answers; {remedy}"
                ));
            }
        };
        let legal = event.answers();
        for (key, value) in &map {
            let Some(spec) = legal.iter().find(|spec| spec.name == key) else {
                return malformed(unknown_key(event, key, legal, notation));
            };
            // In Lua an empty table is both an empty list and an empty map.
            let empty = value.as_array().is_some_and(Vec::is_empty);
            if !(spec.kind.accepts(value) || empty && spec.kind == FieldType::Map) {
                let (kind, got) = (spec.kind.describe_in(notation), describe_for(event, value, notation));
                return malformed(format!("{event} answer `{key}` must be {kind}, not {got}"));
            }
        }
        match event.class() {
            ReplyClass::Gate => gate(event, map, notation),
            ReplyClass::Rewrite => rewrite(event, map, notation),
            ReplyClass::Check => check(event, map, notation),
            ReplyClass::Notify => Ok(notice(map)),
        }
    }
}

/// Returns what to return, where a handler of `event` returned something else altogether.
pub fn remedy(event: &EventName, notation: Notation) -> String {
    let Some(first) = event.answers().first() else { return "return nothing".to_owned() };
    let value = match first.kind {
        FieldType::Bool => "true",
        FieldType::Text => "\"…\"",
        _ => "…",
    };
    let mut sample = vec![(first.name, value)];
    if event.answers().iter().any(|key| key.name == "reason") {
        sample.push(("reason", "\"…\""));
    }
    let sample = notation.record(&sample);
    match event.class() {
        ReplyClass::Gate => format!("return {sample} to deny, or nothing to let it through"),
        ReplyClass::Check => format!("return {sample} to fail, or nothing to pass"),
        ReplyClass::Rewrite | ReplyClass::Notify => format!("return {sample}, or nothing"),
    }
}

fn unknown_key(event: &EventName, key: &str, legal: &[FieldSpec], notation: Notation) -> String {
    let names: Vec<_> = legal.iter().map(|spec| spec.name).collect();
    if names.is_empty() {
        return format!("{event} takes no answer, but the handler returned `{key}`; return nothing");
    }
    let hint = match foreign::answer(key, &names) {
        Some(KeyMeaning::Block) => "; did you mean `block`?".to_owned(),
        Some(KeyMeaning::Key(name)) => format!("; did you mean `{name}`?"),
        Some(KeyMeaning::Verdict) => {
            let [block, ask, allow] = [("block", "true"), ("ask", "\"…\""), ("allow", "true")]
                .map(|(name, value)| notation.pair(name, value));
            format!("; write `{block}`, `{ask}` or `{allow}`")
        }
        None => did_you_mean(key, names.iter().copied()),
    };
    format!("{event} answer has an unknown key `{key}`{hint} (legal: {})", names.join(", "))
}

/// Returns what a value is. What a handler that rewrites returns may be what it should have removed, so nothing of it
/// is quoted.
fn describe_for(event: &EventName, value: &Value, notation: Notation) -> String {
    match value {
        Value::String(_) if event.class() == ReplyClass::Rewrite => "a text".to_owned(),
        Value::Number(_) if event.class() == ReplyClass::Rewrite => "a number".to_owned(),
        other => describe(other, notation),
    }
}

fn describe(value: &Value, notation: Notation) -> String {
    match value {
        Value::Null => notation.nothing().to_owned(),
        Value::Bool(flag) => format!("the boolean {flag}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => {
            let short: String = text.chars().take(40).collect();
            let dots = if short.len() < text.len() { "…" } else { "" };
            format!("the text {:?}{dots}", short)
        }
        Value::Array(_) => notation.list().to_owned(),
        Value::Object(_) => notation.map().to_owned(),
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

fn gate(event: &EventName, mut map: Map<String, Value>, notation: Notation) -> Result<Answer, Malformed> {
    let block = flag(&mut map, "block");
    let reason = text(&mut map, "reason");
    let ask = text(&mut map, "ask");
    let allow = flag(&mut map, "allow");
    let terminate = flag(&mut map, "terminate") == Some(true);
    let context = text(&mut map, "context");
    let hold = match map.remove("hold").map(|value| Hold::parse(&value)) {
        None => None,
        Some(Ok(hold)) => Some(Box::new(hold)),
        Some(Err(error)) => return malformed(format!("{event} answer: {error}")),
    };
    let rewrite = gate_rewrite(event, map)?;

    let blocked = block == Some(true);
    let is_true = |key| notation.pair(key, "true");
    let contradiction = match () {
        () if blocked && allow == Some(true) => "`block` and `allow` contradict each other".to_owned(),
        () if blocked && ask.is_some() => "`block` and `ask` contradict each other".to_owned(),
        () if ask.is_some() && allow == Some(true) => "`ask` and `allow` contradict each other".to_owned(),
        () if allow == Some(false) => format!("`allow` must be true; to deny, return `{}`", is_true("block")),
        () if blocked && rewrite.is_some() => "`block` and a rewrite contradict each other".to_owned(),
        () if blocked && hold.is_some() => "`block` and `hold` contradict each other".to_owned(),
        () if terminate && !blocked => format!("`terminate` needs `{}` beside it", is_true("block")),
        () if ask.as_deref().is_some_and(|question| question.trim().is_empty()) => {
            "`ask` must not be empty".to_owned()
        }
        // `block = condition, reason = …` is how many write it, so a reason beside `block = false` is no fault;
        // one that stands alone is a gate that forgot to block.
        () if reason.is_some() && block.is_none() && ask.is_none() && allow.is_none() => {
            format!("`reason` needs `{}`, `ask` or `{}` beside it", is_true("block"), is_true("allow"))
        }
        () => String::new(),
    };
    if !contradiction.is_empty() {
        return malformed(format!("{event} answer: {contradiction}"));
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
    Ok(Answer { verdict, reason, rewrite, hold, context, terminate, ..Answer::default() })
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

fn rewrite(event: &EventName, mut map: Map<String, Value>, notation: Notation) -> Result<Answer, Malformed> {
    let context = text(&mut map, "context");
    let (block, reason) = (flag(&mut map, "block"), text(&mut map, "reason"));
    let rewrite = (!map.is_empty()).then_some(Rewrite::Payload(map));
    if block == Some(true) && rewrite.is_some() {
        return malformed(format!("{event} answer: `block` and a rewrite contradict each other"));
    }
    if reason.is_some() && block.is_none() {
        let block_true = notation.pair("block", "true");
        return malformed(format!("{event} answer: `reason` needs `{block_true}` beside it"));
    }
    if block == Some(true) {
        let reason = reason.unwrap_or_default();
        return Ok(Answer { verdict: Verdict::Deny, reason, ..Answer::default() });
    }
    Ok(Answer { rewrite, context, ..Answer::default() })
}

fn check(event: &EventName, mut map: Map<String, Value>, notation: Notation) -> Result<Answer, Malformed> {
    let fail = flag(&mut map, "fail");
    let reason = text(&mut map, "reason");
    if reason.is_some() && fail.is_none() {
        let fail_true = notation.pair("fail", "true");
        return malformed(format!("{event} answer: `reason` needs `{fail_true}` beside it"));
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
