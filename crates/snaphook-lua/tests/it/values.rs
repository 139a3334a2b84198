//! Events into scripts, answers out of them.

use serde_json::{Value, json};
use snaphook_core::{Event, ToolCall};

use crate::support::*;

#[test]
fn a_script_sees_the_event() {
    for (expression, expected) in [
        ("event.name", json!("tool_call")),
        ("event.tool", json!("bash")),
        ("event.native_tool", json!("bash")),
        ("event.command", json!("ls")),
        ("event.id", json!("c1")),
        ("#event.paths", json!(0)),
        ("event.url == nil", json!(true)),
        ("event.input.nested.list[2]", json!(2)),
        ("event.input.none == snaphook.json.null", json!(true)),
        ("event.input.absent == nil", json!(true)),
        ("type(event)", json!("table")),
        ("type(event.input)", json!("table")),
        ("math.type and 1 or 0", json!(0)),
    ] {
        let bed = handler(&format!("return {{ context = snaphook.json.encode({expression}) }}"));
        let input = json!({"command": "ls", "none": null, "nested": {"list": [1, 2]}});
        let said = tell(&bed.gate(input));
        assert_eq!(said, format!("context {expected}"), "{expression}");
    }
}

#[test]
fn answers_are_re_typed() {
    for (body, expected) in [
        ("", "nothing"),
        ("return nil", "nothing"),
        ("return {}", "nothing"),
        ("return { block = false }", "nothing"),
        ("return { block = true, reason = 'no' }", "deny no"),
        ("return { ask = 'sure?' }", "ask sure?"),
        ("return { allow = true }", "allow "),
        ("return { input = { command = 'pwd' } }", r#"input {"command":"pwd"}"#),
        ("event.input.command = 'pwd' return { input = event.input }", r#"input {"command":"pwd"}"#),
        ("return { command = 'pwd' }", r#"fields [(Command, "pwd")]"#),
        ("return { context = 'x' }", "context x"),
        (
            "return 'block'",
            r#"malformed: tool_call handler returned the text "block", not a table of answers"#,
        ),
        ("return true", "malformed: tool_call handler returned the boolean true, not a table of answers"),
        ("return nil, 'x'", "malformed: tool_call handler returned 2 values, not one"),
        ("return {}, {}", "malformed: tool_call handler returned 2 values, not one"),
        (
            "return table.unpack(table.create(5000, 1))",
            "malformed: tool_call handler returned 5000 values, not one",
        ),
        ("return function() end", "malformed: tool_call answer: the value is a function"),
        ("return ctx", "malformed: tool_call answer: the value is an object of the host"),
        ("return snaphook", "malformed: tool_call answer: the value is an object of the host"),
        ("return { input = ctx }", "malformed: tool_call answer: `input` is an object of the host"),
        ("return table.freeze({})", "nothing"),
        (
            "return setmetatable({}, { __metatable = 'locked' })",
            "malformed: tool_call answer: the value is a table with a metatable; answers are plain tables",
        ),
        ("return { block = print }", "malformed: tool_call answer: `block` is a function"),
        (
            "return { input = { a = { b = 0/0 } } }",
            "malformed: tool_call answer: `input.a.b` is not a finite number",
        ),
        (
            "return { input = { a = { 1, x = 2 } } }",
            "malformed: tool_call answer: `input.a` mixes list items and named keys, or has gaps",
        ),
        ("return { [1.5] = true }", "malformed: tool_call answer: the value has a key that is a number"),
        ("return { reason = '\\255' }", "malformed: tool_call answer: `reason` is text that is not UTF-8"),
        ("local t = {} t.input = t return t", "malformed: tool_call answer: `input.input"),
    ] {
        let said = handler(body).say();
        assert!(said == expected || (expected.len() > 40 && said.starts_with(expected)), "{body}: {said}");
    }
}

#[test]
fn answers_nest_as_deep_as_events() {
    for (levels, expected) in [(126, "input {"), (127, "malformed: tool_call answer: `input.a")] {
        let body =
            format!("local t = 1 for i = 1, {levels} do t = {{ t }} end return {{ input = {{ a = t }} }}");
        let said = handler(&body).say();
        assert!(said.starts_with(expected), "{levels}: {said}");
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
        let bed = handler("return { input = event.input }");
        let said = tell(&bed.gate(input.clone()));
        let back: Value =
            serde_json::from_str(said.trim_start_matches("input ")).unwrap_or_else(|_| panic!("{said}"));
        assert_eq!(back, input);
    }
}

#[test]
fn big_parts_come_on_first_touch_and_nobody_notices() {
    let big = "x".repeat(100_000);
    for (body, expected) in [
        ("return { context = tostring(#event.content) }", "100000"),
        (
            "local n = 0 for k, v in event do n += 1 if k == 'content' then assert(#v == 100000) end end return { context = tostring(n) }",
            "11",
        ),
        ("local n = 0 for k, v in pairs(event) do n += 1 end return { context = tostring(n) }", "11"),
        (
            "local n, k = 0 repeat k = next(event, k) n += 1 until k == nil return { context = tostring(n - 1) }",
            "11",
        ),
        ("local c = table.clone(event) return { context = tostring(#c.content) }", "100000"),
        ("return { context = type(event) .. ' ' .. type(event.content) }", "table string"),
        (
            "event.content = 'mine' for k, v in pairs(event) do if k == 'content' then return { context = v } end end",
            "mine",
        ),
        ("return { context = tostring(#snaphook.json.encode(event) > 100000) }", "true"),
        ("return { context = tostring(pcall(setmetatable, event, {})) }", "false"),
        ("return { context = tostring(event.url) }", "nil"),
    ] {
        let bed = load(&format!("on('tool_result', function(event, ctx)\n{body}\nend)"));
        let said = tell(&runtime().block_on(bed.fire(&result_of(&big))));
        assert_eq!(said, format!("context {expected}"), "{body}");
    }
}

#[test]
fn calls_name_any_number_of_files() {
    let bed = handler(
        "local last = event.paths[#event.paths] return { context = #event.paths .. ' ' .. (last and #last or 'none') }",
    );
    // Twice: the first of a sort is made with its shape.
    for (count, length) in
        [(0, 0), (1, 5), (64, 5), (65, 5), (1, 5_000), (0, 0), (1, 5), (300, 9_000), (1, 5)]
    {
        let call = ToolCall::new("c1", "mcp__fs__read", json!({ "paths": vec!["p".repeat(length); count] }));
        let said = tell(&runtime().block_on(bed.fire(&Event::tool_call(call))));
        let last = if count == 0 { "none".to_owned() } else { length.to_string() };
        assert_eq!(said, format!("context {count} {last}"));
    }
}

#[test]
fn a_misspelt_field_is_an_error() {
    let expected = "error at guard.lua:2: tool_call events have no field `comand`; did you mean `command`? (fields: name, id, \
                    tool, native_tool, input, command, shell, paths, content, url, subagent)";
    assert_eq!(handler("if event.comand == 'x' then return { block = true } end").say(), expected);
    let bed = load("on('tool_result', function(event) return { content = event.contents } end)");
    for content in ["small", &"x".repeat(9_000)] {
        let said = tell(&runtime().block_on(bed.fire(&result_of(content))));
        assert!(said.contains("did you mean `content`?"), "{said}");
    }
}

#[test]
fn what_a_script_does_to_one_event_does_not_show_in_the_next() {
    let bed = handler(
        "local seen = snaphook.json.encode({ event.tool, event.input, event.paths, event.command })\n\
         event.tool = 'x' event.name = nil event.command = 'y' event.input.command = 'z' event.input.more = 1\n\
         assert(not pcall(table.insert, event.paths, 'p')) return { context = seen }",
    );
    let expected = r#"context ["bash",{"command":"ls","list":[]},[],"ls"]"#;
    for _ in 0..3 {
        assert_eq!(tell(&bed.gate(json!({"command": "ls", "list": []}))), expected);
    }
    // Another input, another tool, more kinds than are kept.
    for index in 0..40 {
        let said = tell(&bed.gate(json!({"command": "ls", format!("key{index}"): index})));
        let expected = format!(r#"context ["bash",{{"command":"ls","key{index}":{index}}},[],"ls"]"#);
        assert_eq!(said, expected);
    }
}

#[test]
fn short_and_long_texts_are_searched_alike() {
    for (expression, expected) in [
        ("('a.b'):find('.', 1, true)", "2 2"),
        ("('a.b'):find('%.')", "2 2"),
        ("('abc'):find('(b)(c)')", "2 3 b c"),
        ("('abc'):find('x')", "nil"),
        ("string.find(12345, 34)", "3 4"),
        ("('x'):rep(5000):find('x', -1, true)", "5000 5000"),
        ("(('x'):rep(5000) .. 'a.b'):find('a.b', 1, true)", "5001 5003"),
        ("(('x'):rep(5000) .. 'a.b'):find('a(%.)b')", "5001 5003 ."),
        ("pcall(string.find)", "invalid argument #1 to 'find' (string expected, got nil)"),
        ("pcall(string.find, {}, 'x')", "invalid argument #1 to 'find' (string expected, got table)"),
        ("pcall(string.find, 'x')", "missing argument #2 to 'find' (string expected)"),
        ("coroutine.wrap(string.find)('abc', 'c')", "3 3"),
    ] {
        let body = format!(
            "local parts = table.pack({expression}) for i = 1, parts.n do parts[i] = tostring(parts[i]) end\n\
             return {{ context = table.concat(parts, ' ') }}"
        );
        let said = handler(&body).say();
        // Errors of the original may carry a place.
        assert!(said.starts_with("context ") && said.ends_with(expected), "{expression}: {said}");
    }
}

/// An answer is read from a table itself, not from its metatable: an answer that comes by one is malformed.
#[test]
fn an_answer_with_a_metatable_is_malformed() {
    for (answer, place) in [
        ("setmetatable({}, { __index = { block = true, reason = 'mine' } })", "the value"),
        ("setmetatable({}, { __metatable = 'locked', __index = { block = true } })", "the value"),
        ("setmetatable({ allow = true }, {})", "the value"),
        ("{ input = setmetatable({ command = 'ls' }, { __index = event.input }) }", "`input`"),
        ("{ input = { command = 'ls', list = { setmetatable({}, {}) } } }", "`input.list.1`"),
        ("setmetatable({}, { __index = ctx })", "the value"),
        ("os", "the value"),
    ] {
        let said = handler(&format!("return {answer}")).say();
        let expected = format!("{place} is a table with a metatable; answers are plain tables");
        assert!(said.starts_with("malformed") && said.contains(&expected), "{answer}: {said}");
    }
}

/// Tables that the host made have metatables, too.
#[test]
fn what_the_host_gave_may_be_in_an_answer() {
    let big =
        json!({"command": "x".repeat(5000), "list": [], "deep": {"text": "y".repeat(5000), "none": []}});
    for (answer, input) in [
        ("{ input = event.input }", big.clone()),
        ("{ input = { deep = event.input.deep } }", json!({"deep": big["deep"]})),
        ("{ input = { paths = event.paths } }", json!({"paths": []})),
        ("{ input = snaphook.json.decode('{\"a\":[],\"b\":[1]}') }", json!({"a": [], "b": [1]})),
        ("{ input = { a = snaphook.json.array({}) } }", json!({"a": []})),
        ("{ input = { names = snaphook.fs.list('x') } }", json!({"names": ["a", "b"]})),
        (
            "{ input = { size = snaphook.fs.stat('x') } }",
            json!({"size": {"kind": "file", "modified": 1.5, "size": 5}}),
        ),
        ("{ input = { code = { ctx.exec('x').code } } }", json!({"code": [0]})),
    ] {
        let said = tell(&handler(&format!("return {answer}")).gate(big.clone()));
        let got = said.strip_prefix("input ").map(|text| serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(got, Some(input), "{answer}: {said}");
    }
}
