//! `snaphook doctor --coverage`: tool calls that an agent made and that the audit does not have.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use snaphook_audit::{AuditLog, StoredLine, mask_text};
use snaphook_discovery::Directories;
use snaphook_state::layout;

use crate::doctor::transcript::{self, Transcript, TranscriptCall};

/// A transcript cannot be compared with the audit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CoverageError {
    /// The transcript cannot be read.
    #[error("{}: {source}", path.display())]
    Transcript {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{}: expected a transcript of Claude Code (JSON Lines) or a rollout of Codex CLI", .0.display())]
    NotATranscript(PathBuf),
    /// There is no state folder, and so no audit.
    #[error("there is no folder for the audit: set HOME or SNAPHOOK_STATE_DIR")]
    NoStateFolder,
    /// The audit cannot be read.
    #[error("failed to read the audit in {}: {source}", folder.display())]
    Audit {
        /// The audit's folder.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// The calls of a transcript, and those of them that the audit does not have.
#[derive(Debug)]
pub struct CoverageReport {
    /// The session's id, where it is known.
    pub session: Option<String>,
    /// The number of calls.
    pub calls: usize,
    /// Those that are missing, in order.
    pub missing: Vec<TranscriptCall>,
}

/// Compares a transcript with the audit.
///
/// # Errors
/// One of them cannot be read.
pub fn coverage(directories: &Directories, file: &Path) -> Result<CoverageReport, CoverageError> {
    let transcript = transcript::read(file)?;
    let lines = lines(directories)?;
    let (session, calls) = (transcript.session.clone(), transcript.calls.len());
    Ok(CoverageReport { session, calls, missing: missing(transcript, &lines) })
}

/// Returns the tool calls that were decided about, of every session, in order.
fn lines(directories: &Directories) -> Result<Vec<StoredLine>, CoverageError> {
    let state = directories.state.as_ref().ok_or(CoverageError::NoStateFolder)?;
    let log = AuditLog::new(layout::audit(state));
    let failed = |source| CoverageError::Audit { folder: log.dir().to_owned(), source };
    let mut lines = Vec::new();
    for name in log.names().map_err(failed)? {
        lines.append(&mut log.lines(&name).map_err(failed)?);
    }
    lines.retain(|line| line.text_of("event") == "tool_call");
    Ok(lines)
}

/// Returns the calls that no line is about. A line stands for one call: by its id; by tool and input in the same session only where the
/// transcript has no id, since the same input elsewhere, as of a subagent, would hide a call that no hook was asked about.
fn missing(transcript: Transcript, lines: &[StoredLine]) -> Vec<TranscriptCall> {
    let Transcript { session, calls: mut left } = transcript;
    let mut free: Vec<&StoredLine> = lines.iter().collect();
    for numbered in [true, false] {
        left.retain(|call| {
            let stands_for = |line: &&StoredLine| {
                if numbered {
                    !call.id.is_empty() && id(line) == call.id
                } else {
                    call.id.is_empty() && in_session(session.as_deref(), line) && is_same(call, line)
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

fn in_session(session: Option<&str>, line: &StoredLine) -> bool {
    session.is_some_and(|session| line.text_of("gen_ai.conversation.id") == session)
}

/// The same tool with the same input, which is in the audit with its secrets masked.
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
            assert_eq!(missing(transcript, &lines).len(), wanted, "{name}");
        }
    }
}
