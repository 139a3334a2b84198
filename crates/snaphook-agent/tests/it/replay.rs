//! Recordings: our own format with its errors, and Claude Code transcripts.

use std::path::Path;

use serde_json::json;
use snaphook_agent::replay::{Recording, Turn};
use snaphook_agent::scratch::Base;

use crate::support::fixture;

fn parse(text: &str) -> Result<Recording, String> {
    Recording::parse(Path::new("my.jsonl"), text).map_err(|error| error.to_string())
}

#[test]
fn the_tour_is_long_enough_and_uses_every_tool() {
    let tour = Recording::tour().unwrap();
    assert_eq!((tour.name.as_str(), tour.agent.as_str(), &tour.base), ("tour", "snaphook", &Base::Sample));
    assert_eq!((tour.prompts.len(), tour.calls()), (4, 16));
    let calls = || tour.prompts.iter().flat_map(|prompt| &prompt.turns).flat_map(|turn| &turn.calls);
    for tool in snaphook_agent::tools::Toolbox::NAMES {
        assert!(calls().any(|call| call.tool == *tool), "{tool}");
    }
}

#[test]
fn a_recording_says_what_it_means() {
    let text = r#"{"type":"session","version":1,"name":"mine","agent":"acme","project":"empty"}
{"type":"file","path":"a.txt","content":"x"}

{"type":"prompt","text":"go"}
{"type":"turn","text":"ok","model":"m","calls":[{"tool":"bash","input":{"command":"ls"}},{"id":"q","tool":"mcp__a__b","native_tool":"a.b","input":{}}]}
{"type":"result","id":"q","content":"said","is_error":true,"details":{"n":1}}
{"type":"turn","subagent":"helper"}"#;
    let recording = parse(text).unwrap();
    assert_eq!((recording.name.as_str(), recording.agent.as_str()), ("mine", "acme"));
    assert_eq!(
        (&recording.base, recording.files.get("a.txt").map(String::as_str)),
        (&Base::Empty, Some("x"))
    );
    let [prompt] = recording.prompts.as_slice() else { panic!("{recording:?}") };
    let [first, second] = prompt.turns.as_slice() else { panic!("{prompt:?}") };
    let ids: Vec<_> = first.calls.iter().map(|call| (call.id.as_str(), call.native_tool.as_str())).collect();
    assert_eq!(ids, [("5-1", "bash"), ("q", "a.b")]);
    let result = first.calls.get(1).and_then(|call| call.result.clone()).unwrap();
    assert_eq!((result.content.as_str(), result.details, result.is_error), ("said", json!({"n": 1}), true));
    assert_eq!(*second, Turn { line: 7, subagent: Some("helper".into()), ..Turn::default() });
}

#[test]
fn errors_name_the_line_and_what_was_expected() {
    let prompt = "{\"type\":\"prompt\",\"text\":\"go\"}\n";
    for (text, expected) in [
        ("", "my.jsonl has no prompt, so there is nothing to replay"),
        ("{\"type\":\"session\",\"version\":1}", "my.jsonl has no prompt, so there is nothing to replay"),
        ("\n{", "my.jsonl:2: not a JSON object: EOF while parsing an object at column 1"),
        ("[1]", "my.jsonl:1: expected a JSON object"),
        (
            "{}",
            "my.jsonl:1: expected an object with a `type`: one of session, prompt, turn, result, file, context, started, compacted, resumed",
        ),
        ("{\"type\":7}", "my.jsonl:1: `type` must be a string"),
        (
            "{\"type\":\"promt\",\"text\":\"\"}",
            "my.jsonl:1: unknown type \"promt\"; did you mean \"prompt\"?",
        ),
        (
            "{\"type\":\"zzz\"}",
            "my.jsonl:1: unknown type \"zzz\"; expected one of session, prompt, turn, result, file, context, started, compacted, resumed",
        ),
        ("{\"type\":\"prompt\"}", "my.jsonl:1: prompt: missing field `text`"),
        ("{\"type\":\"prompt\",\"txt\":\"\"}", "my.jsonl:1: prompt: unknown field `txt`, expected `text`"),
        (
            "{\"type\":\"prompt\",\"text\":7}",
            "my.jsonl:1: prompt: invalid type: integer `7`, expected a string",
        ),
        ("{\"type\":\"turn\"}", "my.jsonl:1: a `turn` before the first `prompt`"),
        (
            "{\"type\":\"session\",\"version\":2}",
            "my.jsonl:1: format version 2; this program reads version 1",
        ),
        ("P{\"type\":\"session\",\"version\":1}", "my.jsonl:2: `session` must be the first line"),
        (
            "P{\"type\":\"turn\",\"calls\":[{\"tool\":\"bash\",\"input\":\"ls\"}]}",
            "my.jsonl:2: turn: invalid type: string \"ls\", expected a map",
        ),
        (
            "P{\"type\":\"turn\",\"calls\":[{\"id\":\"a\",\"tool\":\"x\",\"input\":{}},{\"id\":\"a\",\"tool\":\"x\",\"input\":{}}]}",
            "my.jsonl:2: the call id \"a\" was used before",
        ),
        (
            "P{\"type\":\"turn\",\"calls\":[{\"id\":\"call-1\",\"tool\":\"x\",\"input\":{}}]}\n{\"type\":\"result\",\"id\":\"cal-1\",\"content\":\"\"}",
            "my.jsonl:3: a `result` for \"cal-1\", which no `turn` above calls; did you mean \"call-1\"?",
        ),
        (
            "{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{}}",
            "my.jsonl:1: unknown type \"session_meta\": this looks like another agent's session file; of those, only Claude Code's transcripts are read",
        ),
        (
            "{\"sessionId\":\"x\",\"projectHash\":\"y\"}",
            "my.jsonl:1: no `type`: this looks like another agent's session file; of those, only Claude Code's transcripts are read",
        ),
    ] {
        let text = text.replace("P{", &format!("{prompt}{{"));
        assert_eq!(parse(&text).unwrap_err(), expected, "{text}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = Recording::load(Path::new("/nowhere/x.jsonl")).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/x.jsonl: "), "{error}");
}

#[test]
fn a_claude_transcript_is_read() {
    let recording = Recording::load(&fixture("claude-shop.jsonl")).unwrap();
    assert_eq!((recording.agent.as_str(), &recording.base), ("claude", &Base::Empty));
    let mut told = Vec::new();
    for prompt in &recording.prompts {
        told.push(format!("> {}", prompt.text));
        for turn in &prompt.turns {
            let who = turn.subagent.as_deref().unwrap_or("-");
            let calls: Vec<_> =
                turn.calls.iter().map(|call| format!("{}={}", call.native_tool, call.tool)).collect();
            told.push(format!("{who} {:?} {}", turn.text.as_deref().unwrap_or_default(), calls.join(" ")));
        }
    }
    assert_eq!(
        told,
        [
            "> What does the shop sell?",
            "- \"I look.\" Read=read Grep=grep",
            "- \"Apples and pears.\" ",
            "> Make pears 5, and\nnote it.",
            "- \"\" Edit=edit",
            "- \"\" Write=write",
            "- \"\" Bash=bash",
            "- \"\" mcp__bank__rate=mcp__bank__rate",
            "- \"\" Task=task",
            "a1 \"\" Read=read",
            "a1 \"12 pears\" ",
            "- \"Done.\" ",
        ]
    );
    let files: Vec<_> = recording.files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert_eq!(files, [("prices.txt", "apple 3\npear 4\n"), ("stock.txt", "\n\npear 12\n")]);
    assert_eq!(recording.subagents.get("a1").map(String::as_str), Some("Check the stock"));
    let problems: Vec<_> = recording.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        problems,
        [
            "the last entry is cut off; it was left out",
            "1 entry of the unknown type \"brand-new\" left out",
            "of stock.txt only a part was recorded; the rest is missing in the replay",
        ]
    );
    let calls: Vec<_> =
        recording.prompts.iter().flat_map(|prompt| &prompt.turns).flat_map(|turn| &turn.calls).collect();
    let find = |id: &str| calls.iter().find(|call| call.id == id).unwrap();
    assert_eq!(find("toolu_5").cwd.as_deref(), Some(Path::new("notes")));
    let result = find("toolu_6").result.clone().unwrap();
    assert_eq!((result.content.as_str(), result.is_error), ("1.07\n[image]", false));
    assert!(find("toolu_5").result.as_ref().unwrap().is_error);
}

#[test]
fn a_damaged_transcript_is_read_as_far_as_it_goes() {
    let whole = std::fs::read_to_string(fixture("claude-shop.jsonl")).unwrap();
    let calls = Recording::parse(Path::new("x"), &whole).unwrap().calls();
    // Cut off anywhere, and with any line missing.
    let first_prompt = whole.find("What does the shop").unwrap();
    let begun = first_prompt + whole.get(first_prompt..).unwrap().find('\n').unwrap();
    for end in (0..whole.len()).step_by(61).filter(|end| whole.is_char_boundary(*end)) {
        let cut = Recording::parse(Path::new("x"), whole.get(..end).unwrap_or_default());
        assert_eq!(cut.is_ok(), end >= begun, "{end}");
        assert!(cut.is_ok_and(|recording| recording.calls() <= calls) || end < begun, "{end}");
    }
    let lines: Vec<_> = whole.lines().collect();
    for missing in 0..lines.len() {
        let rest: Vec<_> =
            lines.iter().enumerate().filter(|(at, _)| *at != missing).map(|(_, line)| *line).collect();
        let recording = Recording::parse(Path::new("x"), &rest.join("\n")).unwrap();
        assert!(recording.calls() + 2 >= calls, "{missing}");
    }
}

#[test]
fn a_session_in_the_root_folder_maps_no_paths() {
    let entry = |kind: &str, message: serde_json::Value| {
        json!({"type": kind, "uuid": "1", "parentUuid": null, "sessionId": "s", "cwd": "/", "message": message}).to_string()
    };
    let call = json!({"id": "m", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls /etc"}}]});
    let text = [entry("user", json!({"content": "go"})), entry("assistant", call)].join("\n");
    let recording = parse(&text).unwrap();
    assert_eq!((recording.calls(), recording.agent.as_str()), (1, "claude"));
}

#[test]
fn numbers_in_a_small_transcript_make_no_large_files() {
    const FILES: usize = 50;
    let entry = |kind: &str, message: serde_json::Value, details: serde_json::Value| {
        json!({
            "type": kind, "uuid": "1", "parentUuid": null, "sessionId": "s", "cwd": "/p", "message": message,
            "toolUseResult": details,
        })
        .to_string()
    };
    let mut text = vec![entry("user", json!({"content": "go"}), json!(null))];
    for index in 0..FILES {
        let call = json!({"type": "tool_use", "id": format!("t{index}"), "name": "Read", "input": {}});
        text.push(entry("assistant", json!({"id": "m", "content": [call]}), json!(null)));
        let result = json!({"type": "tool_result", "tool_use_id": format!("t{index}"), "content": "x"});
        let file = json!({"filePath": format!("/p/{index}"), "content": "end", "startLine": u64::MAX, "numLines": 1, "totalLines": 2});
        text.push(entry("user", json!({"content": [result]}), json!({"file": file})));
    }
    let recording = parse(&text.join("\n")).unwrap();
    assert_eq!(recording.files.len(), FILES);
    assert!(recording.files.values().all(|text| text.ends_with("end")));
    let bytes: usize = recording.files.values().map(String::len).sum();
    assert!(bytes < 2 << 20, "{bytes} bytes");
    let moved = recording.problems.iter().filter(|problem| problem.message.contains("other numbers")).count();
    assert!((1..FILES).contains(&moved), "{moved}: it is reported");
}
