//! `snaphook doctor --coverage`: tool calls that an agent made and of which the audit knows nothing.

use std::path::Path;

use serde_json::{Value, json};
use snaphook_audit::{AuditLog, StoredLine, mask_text};
use snaphook_discovery::Directories;

use crate::doctor::transcript::{self, Transcript, TranscriptCall};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::out::{self, Paint};

/// Runs the command.
pub(super) fn coverage(
    env: &Env,
    directories: &Directories,
    file: &Path,
    as_json: bool,
) -> Result<Exit, Failure> {
    let file = env.cwd.as_deref().map_or_else(|| file.to_owned(), |here| here.join(file));
    let transcript = transcript::read(&file)?;
    let lines = lines(directories)?;
    let missing = missing(&transcript, &lines);
    let count = transcript.calls.len();
    if as_json {
        let one = |call: &&TranscriptCall| json!({"line": call.line, "id": call.id, "tool": call.tool, "input": call.input});
        let missing: Vec<_> = missing.iter().map(one).collect();
        out::print_json(&json!({"calls": count, "session": transcript.session, "missing": missing}));
    } else {
        let paint = Paint { on: env.colours(env.stdout_is_terminal) };
        for call in &missing {
            let input = out::brief(&mask_text(&call.input.to_string()), 200);
            out::print(&format!(
                "{} line {}: {} {} {input}\n",
                paint.red("not in the audit"),
                call.line,
                paint.bold(&out::brief(&call.tool, 80)),
                paint.dim(&out::brief(&call.id, 80)),
            ));
        }
        out::print(&match (count, missing.len()) {
            (0, _) => "the transcript has no tool call\n".to_owned(),
            (count, 0) => format!("{} each of {count} tool calls is in the audit\n", paint.green("ok")),
            (count, missing) => {
                format!("{} {missing} of {count} tool calls went past snaphook\n", paint.red("wrong"))
            }
        });
    }
    Ok(if missing.is_empty() { Exit::Fine } else { Exit::Failed })
}

/// The tool calls that were decided about, of every session, in order.
fn lines(directories: &Directories) -> Result<Vec<StoredLine>, Failure> {
    let state = directories.state.as_ref().ok_or_else(|| {
        Failure::Usage("there is no folder for the audit: set HOME or SNAPHOOK_STATE_DIR".to_owned())
    })?;
    let log = AuditLog::new(snaphook_state::layout::audit(state));
    let failed = |error: std::io::Error| {
        Failure::Internal(format!("failed to read the audit in {}: {error}", log.dir().display()))
    };
    let mut lines = Vec::new();
    for name in log.names().map_err(failed)? {
        lines.append(&mut log.lines(&name).map_err(failed)?);
    }
    lines.retain(|line| line.text_of("event") == "tool_call");
    Ok(lines)
}

/// The calls that no line is about. A line stands for one call: by its id; by tool and input in the same session only where the
/// transcript has no id, since the same input elsewhere, as of a subagent, would hide a call that nobody was asked about.
fn missing<'a>(transcript: &'a Transcript, lines: &[StoredLine]) -> Vec<&'a TranscriptCall> {
    let mut free: Vec<&StoredLine> = lines.iter().collect();
    let mut left: Vec<&TranscriptCall> = transcript.calls.iter().collect();
    for numbered in [true, false] {
        left.retain(|call| {
            let stands_for = |line: &&StoredLine| {
                if numbered {
                    !call.id.is_empty() && id(line) == call.id
                } else {
                    call.id.is_empty() && in_session(transcript, line) && is_same(call, line)
                }
            };
            let found = free.iter().position(stands_for);
            found.map(|at| free.remove(at)).is_none()
        });
    }
    left
}

fn id(line: &StoredLine) -> &str {
    line.text_of("gen_ai.tool.call.id")
}

fn in_session(transcript: &Transcript, line: &StoredLine) -> bool {
    transcript.session.as_deref().is_some_and(|session| line.text_of("gen_ai.conversation.id") == session)
}

/// The same tool with the same input, which stands in the audit with its secrets masked.
fn is_same(call: &TranscriptCall, line: &StoredLine) -> bool {
    let native = match line.text_of("native_tool") {
        "" => line.text_of("gen_ai.tool.name"),
        native => native,
    };
    let masked = |value: &Value| mask_text(&value.to_string()).into_owned();
    let inputs = ["original_input", "gen_ai.tool.call.arguments"];
    let input = inputs.iter().find_map(|name| line.fields.get(*name));
    native == call.tool && input.is_some_and(|input| masked(input) == masked(&call.input))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(id: &str, session: &str, tool: &str, command: &str) -> StoredLine {
        let fields = json!({
            "event": "tool_call",
            "gen_ai.tool.call.id": id,
            "gen_ai.conversation.id": session,
            "gen_ai.tool.name": "bash",
            "native_tool": tool,
            "gen_ai.tool.call.arguments": {"command": command},
        });
        StoredLine { text: fields.to_string(), fields: fields.as_object().cloned().unwrap_or_default() }
    }

    #[test]
    fn a_line_stands_for_one_call() {
        let call = |id: &str, command: &str| TranscriptCall {
            line: 1,
            id: id.to_owned(),
            tool: "Bash".to_owned(),
            input: json!({"command": command}),
        };
        let cases: [(&str, Vec<TranscriptCall>, Vec<StoredLine>, usize); 9] = [
            ("by id", vec![call("a", "ls")], vec![line("a", "other", "Bash", "rewritten")], 0),
            ("nothing", vec![call("a", "ls")], vec![], 1),
            (
                "the id of another",
                vec![call("a", "ls"), call("b", "ls")],
                vec![line("b", "s", "Bash", "ls")],
                1,
            ),
            ("the same input under another id", vec![call("a", "ls")], vec![line("x", "s", "Bash", "ls")], 1),
            ("by input", vec![call("", "ls")], vec![line("x", "s", "Bash", "ls")], 0),
            ("another input", vec![call("", "ls")], vec![line("x", "s", "Bash", "ls -l")], 1),
            ("another session", vec![call("", "ls")], vec![line("x", "t", "Bash", "ls")], 1),
            ("another tool", vec![call("", "ls")], vec![line("x", "s", "Shell", "ls")], 1),
            ("one line for two", vec![call("", "ls"), call("", "ls")], vec![line("x", "s", "Bash", "ls")], 1),
        ];
        for (name, calls, lines, wanted) in cases {
            let transcript = Transcript { session: Some("s".to_owned()), calls };
            assert_eq!(missing(&transcript, &lines).len(), wanted, "{name}");
        }
    }
}
