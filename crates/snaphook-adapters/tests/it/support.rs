//! Payloads to events and outcomes to replies, as the command does it.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use snaphook_adapters::{Agent, Incoming, Reply, fit_to_agent};
use snaphook_core::{Event, Payload};
use snaphook_core::{NewResult, Outcome, Ruling};

pub fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_else(|| panic!("no map: {value}"))
}

/// Returns what hooks see of a payload, the parts that matter.
pub fn seen(incoming: &Incoming) -> Value {
    let mut seen = Map::new();
    let names: Vec<&str> = incoming.events.iter().map(|event| event.name().as_str()).collect();
    seen.insert("events".into(), json!(names));
    if let Some(event) = incoming.events.first() {
        fields(event, &mut seen);
    }
    let origin = &incoming.origin;
    let mut put = |name: &str, value: Option<Value>| seen.extend(value.map(|value| (name.to_owned(), value)));
    put("session", origin.session.clone().map(Value::from));
    put("cwd", origin.cwd.as_ref().map(|cwd| cwd.to_string_lossy().into_owned().into()));
    put("prompt_id", origin.prompt.clone().map(Value::from));
    put("really", origin.sender.map(Value::from));
    put("continued", origin.continued.then_some(true.into()));
    Value::Object(seen)
}

fn fields(event: &Event, seen: &mut Map<String, Value>) {
    if let Some(call) = event.call() {
        seen.insert("tool".into(), (*call.tool).into());
        seen.insert("native_tool".into(), (*call.native_tool).into());
        seen.insert("id".into(), (*call.id).into());
        let texts = [("command", call.command()), ("content", call.content()), ("url", call.url())];
        for (name, text) in texts {
            seen.extend(text.map(|text| (name.to_owned(), text.into())));
        }
        if !call.paths().is_empty() {
            seen.insert("paths".into(), json!(call.paths()));
        }
        seen.extend(call.subagent.as_ref().map(|subagent| ("subagent".to_owned(), (**subagent).into())));
    }
    match event.payload() {
        Payload::Result(result) => {
            seen.insert("content".into(), (*result.content).into());
            seen.insert("is_error".into(), result.is_error.into());
        }
        Payload::Fields(fields) => seen.extend((**fields).clone()),
        Payload::Call(_) => {}
    }
}

/// Returns what hooks want, from a fixture.
pub fn outcome(value: &Value) -> Outcome {
    let texts = |name: &str| match &value[name] {
        Value::Null => Vec::new(),
        Value::String(text) => vec![text.clone()],
        list => list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect(),
    };
    let known = ["deny", "ask", "allow", "input", "result", "is_error", "context", "continue", "stop"];
    for key in object(value).keys() {
        assert!(known.contains(&key.as_str()), "{key} is nothing that a hook can want");
    }
    let ruling = match (&value["deny"], &value["ask"], &value["allow"]) {
        (Value::String(reason), ..) => Ruling::Deny(reason.clone()),
        (_, Value::String(question), _) => Ruling::Ask(question.clone()),
        (.., Value::Bool(true)) => Ruling::Allow,
        _ => Ruling::Nothing,
    };
    Outcome {
        ruling,
        input: Some(&value["input"]).filter(|input| !input.is_null()).cloned(),
        result: value["result"].as_str().map(|content| NewResult {
            content: content.into(),
            details: Arc::new(Value::Null),
            is_error: value["is_error"].as_bool().unwrap_or_default(),
        }),
        context: texts("context"),
        continue_with: texts("continue"),
        stop: value["stop"].as_bool().unwrap_or_default(),
    }
}

/// Returns the answer to the agent, and what was lost.
pub fn respond(agent: &dyn Agent, incoming: &Incoming, outcome: Outcome) -> (Reply, Vec<String>) {
    let fitted = fit_to_agent(agent, incoming, outcome);
    let reply = if fitted.response.is_nothing() {
        agent.nothing(Some(&incoming.native))
    } else {
        agent.answer(incoming, &fitted.response)
    };
    (reply, fitted.lost)
}

/// A reply as fixtures write it: the document parsed, what is empty left out.
pub fn shown(reply: &Reply) -> Value {
    let mut shown = Map::new();
    if !reply.stdout.is_empty() {
        let document = serde_json::from_str(&reply.stdout).unwrap_or_else(|_| reply.stdout.clone().into());
        shown.insert("stdout".into(), document);
    }
    if !reply.stderr.is_empty() {
        shown.insert("stderr".into(), reply.stderr.clone().into());
    }
    if reply.code != 0 {
        shown.insert("code".into(), reply.code.into());
    }
    Value::Object(shown)
}
