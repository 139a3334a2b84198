//! Tool calls out of an agent's own record of a session: Claude Code's transcripts and Codex CLI's rollouts. Neither format is
//! documented, so what is not understood is skipped. Not here: replaying them.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use snaphook_state::plain_fs;

use crate::doctor::CoverageError;

/// The largest transcript that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// A record of a session.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Transcript {
    /// The session's id, where it is known.
    pub(super) session: Option<String>,
    pub(super) calls: Vec<TranscriptCall>,
}

/// A tool call that the model made.
#[derive(Debug, PartialEq)]
pub struct TranscriptCall {
    /// The line of the transcript, from 1.
    pub line: usize,
    /// The id of the call.
    pub id: String,
    /// The agent's own name of the tool.
    pub tool: String,
    /// The input.
    pub input: Value,
}

/// Reads a transcript.
pub(super) fn read(file: &Path) -> Result<Transcript, CoverageError> {
    let text = plain_fs::read_text(file, MAX_BYTES)
        .map_err(|source| CoverageError::Transcript { path: file.to_owned(), source })?;
    parse(&text).ok_or_else(|| CoverageError::NotATranscript(file.to_owned()))
}

fn parse(text: &str) -> Option<Transcript> {
    let entries: Vec<(usize, Value)> = text
        .lines()
        .enumerate()
        .filter_map(|(index, line)| Some((index + 1, serde_json::from_str(line).ok()?)))
        .collect();
    let codex =
        entries.iter().any(|(_, entry)| entry["type"] == "session_meta" && entry["payload"].is_object());
    let claude = entries.iter().any(|(_, entry)| entry["type"].is_string() && entry["sessionId"].is_string());
    let mut transcript = Transcript::default();
    let mut seen = BTreeSet::new();
    for (line, entry) in &entries {
        let calls = match (codex, claude) {
            (true, _) => {
                if entry["type"] == "session_meta" {
                    transcript.session = transcript.session.or_else(|| owned(&entry["payload"]["id"]));
                }
                of_codex(entry)
            }
            (false, true) => {
                transcript.session = transcript.session.or_else(|| owned(&entry["sessionId"]));
                of_claude(entry)
            }
            (false, false) => return None,
        };
        for (id, tool, input) in calls {
            // One message may be written in several entries.
            if id.is_empty() || seen.insert(id.clone()) {
                transcript.calls.push(TranscriptCall { line: *line, id, tool, input });
            }
        }
    }
    (codex || claude).then_some(transcript)
}

fn owned(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn text(value: &Value) -> String {
    owned(value).unwrap_or_default()
}

/// `{"type": "assistant", "message": {"content": [{"type": "tool_use", …}]}}`
fn of_claude(entry: &Value) -> Vec<(String, String, Value)> {
    let blocks = entry["message"]["content"].as_array().into_iter().flatten();
    blocks
        .filter(|block| block["type"] == "tool_use")
        .map(|block| (text(&block["id"]), text(&block["name"]), block["input"].clone()))
        .collect()
}

/// `{"type": "response_item", "payload": {"type": "function_call", …}}`
fn of_codex(entry: &Value) -> Vec<(String, String, Value)> {
    let payload = &entry["payload"];
    if entry["type"] != "response_item" {
        return Vec::new();
    }
    let input = match payload["type"].as_str() {
        Some("function_call") => {
            let arguments = payload["arguments"].as_str().unwrap_or_default();
            serde_json::from_str(arguments).unwrap_or_else(|_| payload["arguments"].clone())
        }
        Some("custom_tool_call") => json!({"command": payload["input"]}),
        Some("local_shell_call") => payload["action"].clone(),
        _ => return Vec::new(),
    };
    let tool = owned(&payload["name"]).unwrap_or_else(|| "local_shell".to_owned());
    vec![(text(&payload["call_id"]), tool, input)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_both_formats_are_read() {
        let claude = r#"
{"type":"user","sessionId":"s-1","message":{"role":"user","content":"go"}}
{"type":"assistant","sessionId":"s-1","message":{"content":[{"type":"text","text":"ok"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}
{"type":"assistant","sessionId":"s-1","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}},{"type":"server_tool_use","id":"t2","name":"web_search","input":{}}]}}
not json
{"type":"assistant","sessionId":"s-1","message":{"content":[{"type":"tool_use","id":"t3","name":"Read","input":{"file_path":"/a"}}]}}
"#;
        let codex = r#"{"type":"session_meta","payload":{"id":"x-1","cwd":"/work"}}
{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c1"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"a"}}
{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch","call_id":"c2"}}
{"type":"event_msg","payload":{"type":"function_call","name":"no"}}
"#;
        let shown = |text: &str| {
            let transcript = parse(text).unwrap();
            let calls = transcript.calls.iter();
            let calls: Vec<_> =
                calls.map(|call| format!("{} {} {} {}", call.line, call.id, call.tool, call.input)).collect();
            (transcript.session, calls)
        };
        assert_eq!(
            shown(claude),
            (
                Some("s-1".to_owned()),
                vec![
                    r#"3 t1 Bash {"command":"ls"}"#.to_owned(),
                    r#"6 t3 Read {"file_path":"/a"}"#.to_owned()
                ]
            )
        );
        assert_eq!(
            shown(codex),
            (
                Some("x-1".to_owned()),
                vec![
                    r#"2 c1 exec_command {"cmd":"ls"}"#.to_owned(),
                    r#"4 c2 apply_patch {"command":"*** Begin Patch"}"#.to_owned()
                ]
            )
        );
        for nothing in ["", "{}", "[1]", "hello", "{\"type\": \"session\", \"version\": 1}"] {
            assert_eq!(parse(nothing), None, "{nothing}");
        }
    }
}
