//! What a handler returned, as JSON. It says no more than stands in it: a deny only from `block`, an allow only from `allow`, and
//! no verdict where the event is no gate. Printed and read again it is the same; with a key that nobody knows it is none.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};
use snaphook_core::{Answer, EventName, Lifecycle, ReplyClass, Rewrite, Verdict};
use snaphook_fuzz::{alike, choice_and_text};

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = choice_and_text(data) else { return };
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    let event = match Lifecycle::ALL.get(choice % (Lifecycle::ALL.len() + 1)) {
        Some(event) => EventName::from(*event),
        None => EventName::Bus("acme.deployed".into()),
    };
    let answer = match Answer::parse(&event, value.clone()) {
        Ok(answer) => answer,
        Err(malformed) => return assert!(!malformed.0.is_empty()),
    };
    let gate = event.class() == ReplyClass::Gate;
    let is = |key: &str| value.get(key) == Some(&Value::Bool(true));
    let expected = match () {
        () if !gate => Verdict::Abstain,
        () if is("block") => Verdict::Deny,
        () if value.get("ask").is_some() => Verdict::Ask,
        () if is("allow") => Verdict::Allow,
        () => Verdict::Abstain,
    };
    assert_eq!(answer.verdict, expected, "{event} {value}");
    assert!(answer.verdict != Verdict::Ask || !answer.reason.trim().is_empty(), "{event} {value}");
    assert!(!answer.terminate || answer.verdict == Verdict::Deny, "{event} {value}");
    assert!(!answer.failed || event.class() == ReplyClass::Check, "{event} {value}");

    let printed = print(gate, &answer);
    let again = Answer::parse(&event, printed.clone()).unwrap_or_else(|error| panic!("{printed}: {error}"));
    // An empty list is an empty map here, and a whole number a number.
    assert!(alike(&print(gate, &again), &printed), "{answer:?} {again:?}");
    assert_eq!((again.verdict, &again.reason), (answer.verdict, &answer.reason), "{event} {value}");

    let mut map = value.as_object().cloned().unwrap_or_default();
    map.insert("nobody_knows_this".to_owned(), Value::Bool(true));
    assert!(Answer::parse(&event, Value::Object(map)).is_err(), "{event} {value}");
});

/// The answer as a script would write it.
fn print(gate: bool, answer: &Answer) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    let said = json!(answer.reason);
    match answer.verdict {
        Verdict::Deny => drop((put("block", json!(true)), put("reason", said))),
        Verdict::Ask => drop(put("ask", said)),
        Verdict::Allow => drop((put("allow", json!(true)), put("reason", said))),
        Verdict::Abstain if !gate && (answer.failed || !answer.reason.is_empty()) => {
            drop((put("fail", json!(answer.failed)), put("reason", said)));
        }
        Verdict::Abstain => {}
    }
    if answer.terminate {
        put("terminate", json!(true));
    }
    for (key, text) in [("context", &answer.context), ("continue_with", &answer.continue_with)] {
        text.as_ref().map(|text| put(key, json!(text)));
    }
    match &answer.rewrite {
        None => {}
        Some(Rewrite::Input(input)) => drop(put("input", input.clone())),
        Some(Rewrite::Fields(fields)) => {
            fields.iter().for_each(|(field, text)| drop(put(field.name(), json!(text))));
        }
        Some(Rewrite::Payload(fields)) => map.extend(fields.clone()),
    }
    Value::Object(map)
}
