//! Recorded sessions: our own format and Claude Code's transcripts. What was read, written in our own format and read again, is the
//! same; every call has an id of its own and lies in a line of the file; what a small file makes stays small.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use snaphook_agent::replay::{RecordedCall, Recording};
use snaphook_fuzz::alike;

/// Files that were read in part get the lines before that part, empty, up to a limit for all together.
const MAX_TEXT_BYTES: usize = 1 << 20;

fuzz_target!(|text: &str| {
    let recording = match Recording::parse(Path::new("x.jsonl"), text) {
        Ok(recording) => recording,
        Err(error) => return assert!(error.to_string().starts_with("x.jsonl"), "{error}"),
    };
    let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    let mut ids: Vec<&str> = calls(&recording).map(|call| call.id.as_str()).collect();
    assert_eq!(ids.len(), recording.calls());
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "an id twice: {ids:?}");
    assert!(calls(&recording).all(|call| (1..=lines).contains(&call.line)));
    let files: usize = recording.files.values().map(String::len).sum();
    assert!(files <= text.len() * 4 + MAX_TEXT_BYTES, "{files} bytes of files from {} bytes", text.len());

    let written = write(&recording);
    let again = Recording::parse(Path::new("again.jsonl"), &written)
        .unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(again.prompts.len(), recording.prompts.len());
    for (one, other) in recording.prompts.iter().zip(&again.prompts) {
        assert_eq!((&one.text, one.turns.len()), (&other.text, other.turns.len()));
        for (one, other) in one.turns.iter().zip(&other.turns) {
            assert_eq!((&one.text, &one.model, &one.subagent), (&other.text, &other.model, &other.subagent));
        }
    }
    for (one, other) in calls(&recording).zip(calls(&again)) {
        assert_eq!((&one.id, &one.tool, &one.native_tool), (&other.id, &other.tool, &other.native_tool));
        assert!(alike(&one.input, &other.input), "{} became {}", one.input, other.input);
        let said = |call: &RecordedCall| call.result.as_ref().map(|it| (it.content.clone(), it.is_error));
        assert_eq!(said(one), said(other));
    }
    assert_eq!(recording.files, again.files);
});

fn calls(recording: &Recording) -> impl Iterator<Item = &RecordedCall> {
    recording.prompts.iter().flat_map(|prompt| &prompt.turns).flat_map(|turn| &turn.calls)
}

/// The recording in our own format.
fn write(recording: &Recording) -> String {
    let mut lines = vec![json!({"type": "session", "version": 1, "name": recording.name})];
    for (path, content) in &recording.files {
        lines.push(json!({"type": "file", "path": path, "content": content}));
    }
    for prompt in &recording.prompts {
        lines.push(json!({"type": "prompt", "text": prompt.text}));
        for turn in &prompt.turns {
            let calls: Vec<Value> = turn.calls.iter().map(|call| {
                json!({"id": call.id, "tool": call.tool, "native_tool": call.native_tool, "input": call.input})
            }).collect();
            lines.push(json!({
                "type": "turn", "text": turn.text, "model": turn.model, "subagent": turn.subagent, "calls": calls,
            }));
        }
    }
    for call in calls(recording) {
        if let Some(result) = &call.result {
            lines.push(json!({
                "type": "result", "id": call.id, "content": result.content, "details": result.details,
                "is_error": result.is_error,
            }));
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}
