//! An example's twins are one hook in two languages: what people read about them is the same, and so is what they say to
//! each call and result of their cases, word by word.

use std::sync::Arc;

use serde_json::{Value, json};
use snaphook::{CallOptions, Decision, Event, Host, ToolCall, ToolResult};

use super::bed::{builder, find};
use super::cases::{Act, Case};
use super::shipped::{Example, examples_in};

fn twins() -> impl Iterator<Item = (Example, Example)> {
    let (lua, rhai) = (examples_in("lua"), examples_in("rhai"));
    assert_eq!(lua.len(), rhai.len());
    lua.into_iter().zip(rhai)
}

#[test]
fn they_say_the_same_of_themselves() {
    for (lua, rhai) in twins() {
        let matter = |example: &Example| {
            let matter = find(std::slice::from_ref(&example.path)).hooks.remove(0).front_matter;
            (matter.name, matter.description, matter.grants)
        };
        assert_eq!(matter(&lua), matter(&rhai), "{}", lua.name);
    }
}

#[test]
fn they_are_tested_alike() {
    let names = |example: &Example| {
        let folder = if example.path.is_dir() { example.path.join("init") } else { example.path.clone() };
        let file = folder.with_extension(format!("test.{}", example.language));
        let text =
            std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let quoted = text.lines().filter_map(|line| line.strip_prefix("test(\"")?.split('"').next());
        quoted.map(str::to_owned).collect::<Vec<_>>()
    };
    for (lua, rhai) in twins() {
        assert_eq!(names(&lua), names(&rhai), "{}", lua.name);
        assert!(names(&lua).len() >= 3, "{}", lua.name);
    }
}

/// Returns what a decision tells, without the places, which differ.
fn decision_json(decision: &Decision) -> Value {
    let reasons = decision
        .reasons
        .iter()
        .map(|reason| json!({ "verdict": reason.verdict, "text": reason.text, "cause": reason.cause }));
    let context: Vec<_> = decision.context.iter().map(|said| &said.text).collect();
    let input = decision.event.call().map(|call| (*call.input).clone());
    json!({
        "verdict": decision.verdict.as_str(),
        "reasons": reasons.collect::<Vec<_>>(),
        "context": context,
        "input": input,
        "terminate": decision.terminate,
    })
}

/// Returns what the hook of a host makes of a step; nothing for steps that only set the scene.
async fn outcome(host: &Host, act: &Act) -> Option<Value> {
    match act {
        Act::Call { tool, input } => {
            let call = ToolCall::new("1", tool.as_str(), input.clone());
            let decided = host.decide(Event::tool_call(call), &Default::default()).await;
            Some(decision_json(&decided.decision))
        }
        Act::Result(fields) => {
            let text = |key: &str| fields[key].as_str().unwrap_or_default().to_owned();
            let input = fields.get("input").cloned().unwrap_or_else(|| json!({}));
            let event = Event::tool_result(ToolResult {
                call: ToolCall::new("1", "bash", input),
                original_input: Default::default(),
                content: text("content").into(),
                details: Arc::new(fields["details"].clone()),
                is_error: false,
            });
            let emitted = host.emit(event, &CallOptions::default()).await;
            let context: Vec<_> = emitted.context.iter().map(|said| &said.text).collect();
            let Some(result) = (match emitted.event.payload() {
                snaphook::Payload::Result(result) => Some(result),
                _ => None,
            }) else {
                panic!("a result stays one")
            };
            Some(json!({ "content": &*result.content, "details": *result.details, "context": context }))
        }
        _ => None,
    }
}

/// The steps that need nothing around them.
fn alone(cases: &[Case]) -> impl Iterator<Item = (&str, &Act)> {
    cases.iter().filter_map(|case| match case.steps.as_slice() {
        [step] => Some((case.place.as_str(), &step.act)),
        _ => None,
    })
}

#[tokio::test]
async fn they_say_the_same_to_each_call_and_result() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for (lua, rhai) in twins() {
        let host = |example: &Example| builder(find(std::slice::from_ref(&example.path))).build();
        let (in_lua, in_rhai) = (host(&lua), host(&rhai));
        for (place, act) in alone(&lua.cases) {
            let (first, second) = (outcome(&in_lua, act).await, outcome(&in_rhai, act).await);
            compared += usize::from(first.is_some());
            if first != second {
                let [first, second] = [first, second].map(|said| said.unwrap_or_default());
                wrong.push(format!("{place} {act:?}\n  Lua:  {first}\n  Rhai: {second}"));
            }
        }
    }
    assert!(compared > 200, "{compared}");
    assert!(wrong.is_empty(), "{} of {compared}\n\n{}", wrong.len(), wrong.join("\n\n"));
}
