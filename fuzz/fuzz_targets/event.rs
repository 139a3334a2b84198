//! Payloads of events and tool calls, as agents send them. A payload that is taken has every field that its event needs and no
//! other; a portable field that was set is read back as it was set, and nothing else of the input changed.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};
use snaphook_core::{CANONICAL_TOOLS, Event, Field, Lifecycle, Rewrite, ToolCall, ToolResult};
use snaphook_fuzz::choice_and_text;

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = choice_and_text(data) else { return };
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    if let Value::Object(fields) = &value {
        lifecycle(Lifecycle::ALL[choice % Lifecycle::ALL.len()], fields);
    }
    let tool = match CANONICAL_TOOLS.get(choice % (CANONICAL_TOOLS.len() + 2)) {
        Some(tool) => tool,
        None => ["mcp__files__move", "somebodys_own"][choice % 2],
    };
    call(&ToolCall::new("1", tool, value));
});

fn lifecycle(event: Lifecycle, fields: &Map<String, Value>) {
    let spec = event.spec();
    let Ok(made) = Event::lifecycle(event, fields.clone()) else { return };
    assert_eq!(made.subject(), Value::Object(fields.clone()));
    assert!(spec.payload.iter().all(|field| !field.required || fields.contains_key(field.name)));
    assert!(fields.keys().all(|name| spec.field(name).is_some()), "{event}");
    let mut seen = 0;
    made.visit(&mut |_, _| seen += 1);
    assert_eq!(seen, fields.len(), "{event}");
    // What it carries already is no rewrite.
    let same = made.apply(&Rewrite::Payload(fields.clone()));
    assert!(!matches!(same, Ok(Some(_))), "{event}: {same:?}");
}

fn call(call: &ToolCall) {
    let event = Event::tool_call(call.clone());
    event.visit(&mut |_, _| {});
    assert!(matches!(event.apply(&Rewrite::Input((*call.input).clone())), Ok(None)), "{call:?}");
    let result = ToolResult {
        call: call.clone(),
        original_input: Arc::clone(&call.input),
        content: "x".into(),
        details: Arc::clone(&call.input),
        is_error: false,
    };
    Event::tool_result(result).visit(&mut |_, _| {});
    for field in [Field::Command, Field::Path, Field::Content, Field::Url] {
        let mut input = (*call.input).clone();
        if call.map.set(&call.tool, &mut input, field, "of ours".to_owned()).is_err() {
            continue;
        }
        let changed = call.with_input(input);
        let read = match field {
            Field::Command => changed.command(),
            Field::Path => changed.paths().pop(),
            Field::Content => changed.content(),
            Field::Url => changed.url(),
        };
        assert_eq!(read.as_deref(), Some("of ours"), "{field:?} of {call:?}");
        let (before, after) = (call.input.as_object(), changed.input.as_object());
        let (before, after) =
            before.zip(after).unwrap_or_else(|| panic!("{call:?} has fields and is no map"));
        let changes = after.iter().filter(|(key, value)| before.get(*key) != Some(value)).count();
        assert!(before.len() == after.len() && changes <= 1, "{field:?} of {call:?}");
        let applied = event.apply(&Rewrite::Fields(vec![(field, "of ours".to_owned())]));
        let applied = applied.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(applied.is_some(), changes == 1, "{field:?} of {call:?}");
    }
}
