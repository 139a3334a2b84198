//! Legal and malformed answers, one line each.

use serde_json::json;

use super::*;

fn parse(event: &str, value: Value) -> String {
    let name = EventName::parse(event).unwrap();
    match Answer::parse(&name, value) {
        Err(Malformed(message)) => format!("malformed: {message}"),
        Ok(answer) if answer == Answer::default() => "nothing".to_owned(),
        Ok(answer) => {
            let mut parts = vec![answer.verdict.as_str().to_owned()];
            parts.extend((!answer.reason.is_empty()).then(|| format!("reason={}", answer.reason)));
            parts.extend(answer.rewrite.map(|rewrite| format!("{rewrite:?}")));
            parts.extend(answer.hold.map(|hold| format!("hold={}", hold.to_json())));
            parts.extend(answer.context.map(|text| format!("context={text}")));
            parts.extend(answer.terminate.then(|| "terminate".to_owned()));
            parts.extend(answer.failed.then(|| "failed".to_owned()));
            parts.extend(answer.continue_with.map(|text| format!("continue_with={text}")));
            parts.join(" ")
        }
    }
}

#[test]
fn legal_answers() {
    for (event, value, expected) in [
        ("tool_call", json!(null), "nothing"),
        ("tool_call", json!({}), "nothing"),
        ("tool_call", json!([]), "nothing"),
        ("tool_call", json!({"block": false}), "nothing"),
        ("tool_call", json!({"block": false, "reason": "x"}), "nothing"),
        ("tool_call", json!({"block": true}), "deny"),
        ("tool_call", json!({"block": true, "reason": "no"}), "deny reason=no"),
        ("tool_call", json!({"block": true, "reason": "no", "terminate": true}), "deny reason=no terminate"),
        ("tool_call", json!({"ask": "sure?"}), "ask reason=sure?"),
        ("tool_call", json!({"allow": true}), "allow"),
        ("tool_call", json!({"context": "t"}), "abstain context=t"),
        ("tool_call", json!({"command": "ls"}), r#"abstain Fields([(Command, "ls")])"#),
        ("tool_call", json!({"input": []}), "abstain Input(Object {})"),
        ("tool_call", json!({"ask": "so?", "command": "ls"}), r#"ask reason=so? Fields([(Command, "ls")])"#),
        (
            "tool_call",
            json!({"hold": {"net": "none"}, "command": "ls"}),
            r#"abstain Fields([(Command, "ls")]) hold={"net":"none"}"#,
        ),
        (
            "tool_call",
            json!({"hold": {"profile": "guarded"}, "ask": "so?"}),
            r#"ask reason=so? hold={"profile":"guarded"}"#,
        ),
        ("permission_request", json!({"hold": {"env": {}}}), r#"abstain hold={"env":[]}"#),
        ("user_prompt", json!({"prompt": "p"}), r#"abstain Payload({"prompt": String("p")})"#),
        ("tool_result", json!({"content": "c"}), r#"abstain Payload({"content": String("c")})"#),
        ("files_changed", json!({"fail": true, "reason": "red"}), "abstain reason=red failed"),
        ("files_changed", json!({"fail": false}), "nothing"),
        ("agent_end", json!({"continue_with": "go"}), "abstain continue_with=go"),
        ("task.completed", json!({"context": "t"}), "abstain context=t"),
        ("shutdown", json!(null), "nothing"),
    ] {
        assert_eq!(parse(event, value.clone()), expected, "{event} {value}");
    }
}

#[test]
fn malformed_answers() {
    for (event, value) in [
        ("tool_call", json!("block")),
        ("tool_call", json!(true)),
        ("tool_call", json!(false)),
        ("tool_call", json!([1])),
        ("tool_call", json!({"blocked": true})),
        ("tool_call", json!({"blok": true})),
        ("tool_call", json!({"block": "true"})),
        ("tool_call", json!({"block": 1})),
        ("tool_call", json!({"block": true, "reason": 3})),
        ("tool_call", json!({"reason": "forgot to block"})),
        ("tool_call", json!({"block": true, "allow": true})),
        ("tool_call", json!({"block": true, "ask": "?"})),
        ("tool_call", json!({"allow": true, "ask": "?"})),
        ("tool_call", json!({"allow": false})),
        ("tool_call", json!({"ask": true})),
        ("tool_call", json!({"ask": " "})),
        ("tool_call", json!({"terminate": true})),
        ("tool_call", json!({"input": "ls"})),
        ("tool_call", json!({"input": {}, "command": "ls"})),
        ("tool_call", json!({"block": true, "command": "ls"})),
        ("tool_call", json!({"hold": "guarded"})),
        ("tool_call", json!({"hold": {}})),
        ("tool_call", json!({"hold": []})),
        ("tool_call", json!({"hold": {"deny_writes": ["a"]}})),
        ("tool_call", json!({"hold": {"deny_write": ["*.md"]}})),
        ("tool_call", json!({"hold": {"net": "none"}, "block": true})),
        ("user_prompt", json!({"hold": {"net": "none"}})),
        ("tool_result", json!({"isError": false})),
        ("tool_result", json!({"content": ["x"]})),
        ("files_changed", json!({"reason": "red"})),
        ("turn_end", json!({"block": true})),
        ("turn_end", json!({"continue_with": "go"})),
        ("shutdown", json!({"context": "t"})),
    ] {
        let text = parse(event, value.clone());
        assert!(text.starts_with("malformed: "), "{event} {value}: {text}");
    }
    assert_eq!(
        parse("tool_call", json!({"blocked": true})),
        "malformed: tool_call answer has an unknown key `blocked`; did you mean `block`? (legal: block, reason, ask, \
         allow, input, command, path, content, url, hold, context, terminate)"
    );
}
