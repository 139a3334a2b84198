//! Our own format: JSON Lines, one object a line, told apart by `type`. `docs/replay.md` describes it for authors.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use snaphook_core::nearest;

use super::line_error::{LineError, TYPES};
use super::{FORMAT_VERSION, Prompt, RecordedCall, RecordedResult, Recording, ReplayError, Turn, lines};
use crate::scratch::Base;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionLine {
    version: u64,
    name: Option<String>,
    #[serde(rename = "description")]
    _description: Option<String>,
    agent: Option<String>,
    project: Option<Project>,
    // Of a session that was written by `snaphook run` (`crate::sessions`); a replay does not need them.
    #[serde(rename = "id")]
    _id: Option<String>,
    #[serde(rename = "folder")]
    folder: Option<String>,
    #[serde(rename = "model")]
    _model: Option<String>,
    #[serde(rename = "base_url")]
    _base_url: Option<String>,
    #[serde(rename = "began")]
    _began: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Project {
    Sample,
    Empty,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PromptLine {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnLine {
    text: Option<String>,
    model: Option<String>,
    subagent: Option<String>,
    #[serde(default)]
    calls: Vec<Call>,
    #[serde(rename = "provider")]
    _provider: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    id: Option<String>,
    tool: String,
    native_tool: Option<String>,
    input: Map<String, Value>,
    #[serde(rename = "signatures")]
    _signatures: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultLine {
    id: String,
    content: String,
    #[serde(default)]
    details: Value,
    #[serde(default)]
    is_error: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileLine {
    path: String,
    content: String,
}

/// A recording as it grows, line by line.
struct Reader {
    recording: Recording,
    /// The place where each call is: prompt, turn, call.
    calls: HashMap<String, (usize, usize, usize)>,
    header: bool,
}

/// Reads the format. It is strict: a recording is written by hand or by a program that can be fixed.
pub(super) fn parse(file: &Path, text: &str) -> Result<Recording, ReplayError> {
    let name =
        file.file_stem().map_or_else(|| "replay".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let recording = Recording {
        file: file.to_owned(),
        name,
        agent: "snaphook".to_owned(),
        prompts: Vec::new(),
        subagents: BTreeMap::new(),
        files: BTreeMap::new(),
        base: Base::Sample,
        problems: Vec::new(),
        roots: Vec::new(),
    };
    let mut reader = Reader { recording, calls: HashMap::new(), header: false };
    for (number, line) in lines(text) {
        let kind_and_fields = read_object(line);
        let done = kind_and_fields.and_then(|(kind, fields)| reader.take(number, &kind, fields));
        done.map_err(|cause| ReplayError::Line { file: file.to_owned(), line: number, cause })?;
    }
    Ok(reader.recording)
}

fn read_object(line: &str) -> Result<(String, Map<String, Value>), LineError> {
    let value: Value = serde_json::from_str(line)
        .map_err(|error| LineError::Json { cause: bare(&error), column: error.column() })?;
    let Value::Object(mut fields) = value else { return Err(LineError::NotObject) };
    match fields.remove("type") {
        Some(Value::String(kind)) => Ok((kind, fields)),
        Some(_) => Err(LineError::TypeNotText),
        None if fields.contains_key("projectHash") => Err(LineError::ForeignLine),
        None => Err(LineError::NoType),
    }
}

/// An error of serde without the position in the one line, which always says line 1.
fn bare(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

fn typed<T: for<'de> Deserialize<'de>>(kind: &str, fields: Map<String, Value>) -> Result<T, LineError> {
    T::deserialize(Value::Object(fields))
        .map_err(|error| LineError::Fields { kind: kind.to_owned(), cause: bare(&error) })
}

impl Reader {
    fn take(&mut self, line: u32, kind: &str, fields: Map<String, Value>) -> Result<(), LineError> {
        match kind {
            "session" => self.session(typed(kind, fields)?),
            "prompt" => {
                let PromptLine { text } = typed(kind, fields)?;
                self.recording.prompts.push(Prompt { line, text, turns: Vec::new() });
                Ok(())
            }
            "turn" => self.turn(line, typed(kind, fields)?),
            "result" => self.result(typed(kind, fields)?),
            // Hooks say anew what they said, and tools run anew.
            "context" | "started" | "compacted" | "resumed" => Ok(()),
            "file" => {
                let FileLine { path, content } = typed(kind, fields)?;
                self.recording.files.insert(path, content);
                Ok(())
            }
            _ => Err(unknown_type(kind)),
        }
    }

    fn session(&mut self, header: SessionLine) -> Result<(), LineError> {
        let first = !self.header && self.recording.prompts.is_empty() && self.recording.files.is_empty();
        if !first {
            return Err(LineError::LateSession);
        }
        if header.version != FORMAT_VERSION {
            return Err(LineError::Version(header.version));
        }
        self.header = true;
        let recording = &mut self.recording;
        recording.name = header.name.unwrap_or_else(|| recording.name.clone());
        recording.agent = header.agent.unwrap_or_else(|| recording.agent.clone());
        recording.roots = header.folder.into_iter().collect();
        recording.base = match header.project {
            None | Some(Project::Sample) => Base::Sample,
            Some(Project::Empty) => Base::Empty,
        };
        Ok(())
    }

    fn turn(&mut self, line: u32, turn: TurnLine) -> Result<(), LineError> {
        let prompt_index = self.recording.prompts.len().wrapping_sub(1);
        let Some(prompt) = self.recording.prompts.last_mut() else {
            return Err(LineError::TurnBeforePrompt);
        };
        let turn_index = prompt.turns.len();
        let mut calls = Vec::with_capacity(turn.calls.len());
        for (call_index, call) in turn.calls.into_iter().enumerate() {
            let id = call.id.unwrap_or_else(|| format!("{line}-{}", call_index + 1));
            if self.calls.insert(id.clone(), (prompt_index, turn_index, call_index)).is_some() {
                return Err(LineError::DuplicateCall(id));
            }
            calls.push(RecordedCall {
                line,
                id,
                native_tool: call.native_tool.unwrap_or_else(|| call.tool.clone()),
                tool: call.tool,
                input: Value::Object(call.input),
                cwd: None,
                result: None,
            });
        }
        let (text, model, subagent) = (turn.text, turn.model, turn.subagent);
        prompt.turns.push(Turn { line, text, model, subagent, calls });
        Ok(())
    }

    fn result(&mut self, line: ResultLine) -> Result<(), LineError> {
        let id = &line.id;
        let place = self.calls.get(id).copied();
        let call = place.and_then(|(prompt, turn, call)| {
            self.recording.prompts.get_mut(prompt)?.turns.get_mut(turn)?.calls.get_mut(call)
        });
        let Some(call) = call else {
            let near = nearest(id, self.calls.keys().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            return Err(LineError::UnknownCall { id: id.clone(), hint });
        };
        let (content, details, is_error) = (line.content, line.details, line.is_error);
        if call.result.replace(RecordedResult { content, details, is_error }).is_some() {
            return Err(LineError::SecondResult(line.id));
        }
        Ok(())
    }
}

fn unknown_type(kind: &str) -> LineError {
    // What people will try, too.
    if matches!(kind, "session_meta" | "response_item" | "event_msg" | "turn_context" | "gemini") {
        return LineError::ForeignType(kind.to_owned());
    }
    let hint = match nearest(kind, TYPES.iter().copied()) {
        Some(near) => format!("; did you mean \"{near}\"?"),
        None => format!("; expected one of {}", TYPES.join(", ")),
    };
    LineError::UnknownType { kind: kind.to_owned(), hint }
}
