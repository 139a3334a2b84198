//! Events into scripts, answers out of them.

use serde_json::{Value, json};

use crate::support::*;

#[test]
fn a_script_sees_the_event() {
    for (expression, expected) in [
        ("event.name", "tool_call"),
        ("event.tool", "bash"),
        ("event[\"tool\"]", "bash"),
        ("event.get(\"tool\")", "bash"),
        ("event.native_tool", "bash"),
        ("event.command", "ls"),
        ("event.id", "c1"),
        ("event.paths.len()", "0"),
        ("event.url == ()", "true"),
        ("event.input.nested.list[1]", "2"),
        ("event.input.nested.list", "[1, 2]"),
        ("event.input.none == ()", "true"),
        ("event.input.absent == ()", "true"),
        ("type_of(event)", "event"),
        ("type_of(event.input)", "map"),
        ("event.keys()", r#"["name", "id", "tool", "native_tool", "input", "command", "shell", "paths"]"#),
        ("event.len()", "8"),
        ("\"command\" in event", "true"),
        ("\"url\" in event", "false"),
        ("event.contains(\"input\")", "true"),
        ("{ let n = 0; for key in event { n += 1; } n }", "8"),
        ("{ event.input.command = \"pwd\"; event.input.command + event.command }", "pwdls"),
        ("{ event.input.nested.list[0] += 5; event.input.nested.list }", "[6, 2]"),
        ("{ event.input.nested.list.push(3); event.input.nested.list }", "[1, 2, 3]"),
        ("{ event.paths.push(\"a\"); event.paths }", "[\"a\"]"),
        ("{ event.tool = \"x\"; event.tool }", "x"),
        ("{ event.mine = 1; event.mine }", "1"),
        ("{ let i = event.input; i.command = \"no\"; event.input.command }", "ls"),
        ("{ let n = 0; let f = || { n += event.command.len(); }; f.call(); f.call(); n }", "4"),
    ] {
        let bed = handler(&format!("let value = {expression}; return #{{ context: `${{value}}` }};"));
        let input = json!({"command": "ls", "none": null, "nested": {"list": [1, 2]}});
        let said = tell(&bed.gate(input));
        assert_eq!(said, format!("context {expected}"), "{expression}");
    }
}

#[test]
fn answers_are_re_typed() {
    for (body, expected) in [
        ("", "nothing"),
        ("()", "nothing"),
        ("return #{};", "nothing"),
        ("#{ block: false }", "nothing"),
        ("#{ block: true, reason: \"no\" }", "deny no"),
        ("if true { return #{ block: true, reason: \"early\" }; } #{}", "deny early"),
        ("#{ ask: \"sure?\" }", "ask sure?"),
        ("#{ allow: true }", "allow "),
        ("#{ input: #{ command: \"pwd\" } }", r#"input {"command":"pwd"}"#),
        ("event.input.command = \"pwd\"; #{ input: event.input }", r#"input {"command":"pwd"}"#),
        ("#{ command: \"pwd\" }", r#"fields [(Command, "pwd")]"#),
        ("#{ context: \"x\" }", "context x"),
        ("\"block\"", r#"malformed: tool_call handler returned the text "block", not a map of answers"#),
        ("true", "malformed: tool_call handler returned the boolean true, not a map of answers"),
        ("7", "malformed: tool_call handler returned the number 7, not a map of answers"),
        ("|x| x", "malformed: tool_call answer: the value is a "),
        ("#{ block: |x| x }", "malformed: tool_call answer: `block` is a "),
        ("event", "malformed: tool_call answer"),
        (
            "#{ blocked: true }",
            "malformed: tool_call answer has an unknown key `blocked`; did you mean `block`?",
        ),
    ] {
        let said = handler(body).say();
        assert!(said == expected || (expected.len() > 25 && said.starts_with(expected)), "{body}: {said}");
    }
}

#[test]
fn values_survive_the_trip() {
    let deep = (0..60).fold(json!("end"), |inner, _| json!({ "in": inner }));
    for input in [
        json!({}),
        json!({"a": [], "b": {}, "c": [[]], "d": [{}]}),
        json!({"a": null, "b": [null, 1, null]}),
        json!({"i": 1, "f": 1.5, "n": -0.25, "big": 9_007_199_254_740_991_i64, "e": 1e300}),
        json!({"text": "ünïcödé \u{0} 🎉 \n", "empty": ""}),
        json!({"true": true, "false": false}),
        json!({ "deep": deep }),
        json!({"long": "x".repeat(100_000), "list": (0..500).collect::<Vec<_>>(), "small": 1}),
        json!({"outer": {"heavy": "y".repeat(10_000), "light": [1], "more": {"z": "z".repeat(5_000)}}}),
    ] {
        let bed = handler("#{ input: event.input }");
        let said = tell(&bed.gate(input.clone()));
        let back: Value =
            serde_json::from_str(said.trim_start_matches("input ")).unwrap_or_else(|_| panic!("{said}"));
        assert_eq!(back, input);
    }
}

#[test]
fn what_is_big_is_shared_and_nobody_notices() {
    let list: Vec<_> = (0..300).map(|n| json!({ "n": n })).collect();
    for (body, expected) in [
        ("event.input.list[299].n", "299"),
        ("event.input.list.len()", "300"),
        ("{ event.input.list[0].n = 7; event.input.list[0].n }", "7"),
        ("{ let l = event.input.list; l.clear(); event.input.list.len() }", "300"),
        ("{ let i = event.input; i.list.clear(); event.input.list.len() }", "300"),
        ("{ let n = 0; for item in event.input.list { n += item.n; } n }", "44850"),
        ("event.input.list.filter(|item| item.n > 297).len()", "2"),
        ("type_of(event.input)", "map"),
    ] {
        let bed = handler(&format!("let value = {body}; #{{ context: `${{value}}` }}"));
        assert_eq!(tell(&bed.gate(json!({ "list": list }))), format!("context {expected}"), "{body}");
    }
    let bed = handler("event.input.list[0].n = 5; #{ input: event.input }");
    assert!(tell(&bed.gate(json!({ "list": list }))).starts_with(r#"input {"list":[{"n":5},{"n":1}"#));
}

#[test]
fn a_misspelt_field_is_an_error() {
    let expected = "error at guard.rhai:2: tool_call events have no field `comand`; did you mean `command`? (fields: name, id, \
                    tool, native_tool, input, command, shell, paths, content, url, subagent)";
    assert_eq!(handler("if event.comand == \"x\" { return #{ block: true } }").say(), expected);
    // A name that only other events have.
    assert!(handler("event.is_error").say().contains("tool_call events have no field `is_error`"));
    let bed = load("on(\"tool_result\", |event| #{ content: event.contents });");
    let said = tell(&runtime().block_on(bed.fire(&result_of(&"x".repeat(9_000)))));
    assert!(said.contains("did you mean `content`?"), "{said}");
}

#[test]
fn what_a_script_does_to_one_event_does_not_show_in_the_next() {
    let bed = handler(
        "let seen = `${event.tool} ${event.input} ${event.paths} ${event.command}`;\n\
         event.tool = \"x\"; event.command = \"y\"; event.input.command = \"z\"; event.input.more = 1;\n\
         event.paths.push(\"p\"); #{ context: seen }",
    );
    let expected = r#"context bash #{"command": "ls", "list": []} [] ls"#;
    for _ in 0..3 {
        assert_eq!(tell(&bed.gate(json!({"command": "ls", "list": []}))), expected);
    }
}

#[test]
fn captured_variables_live_from_event_to_event() {
    let bed = load(
        "let seen = []; on(\"tool_call\", |event| { seen.push(event.command); #{ context: `${seen}` } });",
    );
    assert_eq!(bed.say(), r#"context ["ls"]"#);
    assert_eq!(bed.say(), r#"context ["ls", "ls"]"#);
}
