//! Our own format: JSON Lines, one object a line, told apart by `type`. `docs/replay.md` describes it for authors.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use snaphook_core::nearest;

use super::{
    FORMAT_VERSION, Prompt, RecordedCall, RecordedResult, Recording, ReplayError, Turn, line_error, lines,
};
use crate::scratch::Base;

const TYPES: &[&str] = &["session", "prompt", "turn", "result", "file"];

const FOREIGN: &str =
    "this looks like another agent's session file; of those, only Claude Code's transcripts are read";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionLine {
    version: u64,
    name: Option<String>,
    #[serde(rename = "description")]
    _description: Option<String>,
    agent: Option<String>,
    project: Option<Project>,
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
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    id: Option<String>,
    tool: String,
    native_tool: Option<String>,
    input: Map<String, Value>,
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
struct Reader<'a> {
    file: &'a Path,
    recording: Recording,
    /// The place where each call stands: prompt, turn, call.
    calls: HashMap<String, (usize, usize, usize)>,
    header: bool,
}

/// Reads the format. It is strict: a recording is written by hand or by a program that can be mended.
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
    let mut reader = Reader { file, recording, calls: HashMap::new(), header: false };
    for (number, line) in lines(text) {
        let kind_and_fields = read_object(line);
        let done = kind_and_fields.and_then(|(kind, fields)| reader.take(number, &kind, fields));
        done.map_err(|message| line_error(file, number, message))?;
    }
    Ok(reader.recording)
}

fn read_object(line: &str) -> Result<(String, Map<String, Value>), String> {
    let value: Value = serde_json::from_str(line)
        .map_err(|error| format!("not a JSON object: {} at column {}", bare(&error), error.column()))?;
    let Value::Object(mut fields) = value else { return Err("expected a JSON object".to_owned()) };
    match fields.remove("type") {
        Some(Value::String(kind)) => Ok((kind, fields)),
        Some(_) => Err("`type` must be text".to_owned()),
        None if fields.contains_key("projectHash") => Err(format!("no `type`: {FOREIGN}")),
        None => Err(format!("expected an object with a `type`: one of {}", TYPES.join(", "))),
    }
}

/// An error of serde without the position in the one line, which always says line 1.
fn bare(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

fn typed<T: for<'de> Deserialize<'de>>(kind: &str, fields: Map<String, Value>) -> Result<T, String> {
    T::deserialize(Value::Object(fields)).map_err(|error| format!("{kind}: {}", bare(&error)))
}

impl Reader<'_> {
    fn take(&mut self, line: u32, kind: &str, fields: Map<String, Value>) -> Result<(), String> {
        match kind {
            "session" => self.session(typed(kind, fields)?),
            "prompt" => {
                let PromptLine { text } = typed(kind, fields)?;
                self.recording.prompts.push(Prompt { line, text, turns: Vec::new() });
                Ok(())
            }
            "turn" => self.turn(line, typed(kind, fields)?),
            "result" => self.result(typed(kind, fields)?),
            "file" => {
                let FileLine { path, content } = typed(kind, fields)?;
                self.recording.files.insert(path, content);
                Ok(())
            }
            _ => Err(unknown_type(kind)),
        }
    }

    fn session(&mut self, header: SessionLine) -> Result<(), String> {
        let first = !self.header && self.recording.prompts.is_empty() && self.recording.files.is_empty();
        if !first {
            return Err("`session` must be the first line".to_owned());
        }
        if header.version != FORMAT_VERSION {
            let version = header.version;
            return Err(format!("format version {version}; this program reads version {FORMAT_VERSION}"));
        }
        self.header = true;
        let recording = &mut self.recording;
        recording.name = header.name.unwrap_or_else(|| recording.name.clone());
        recording.agent = header.agent.unwrap_or_else(|| recording.agent.clone());
        recording.base = match header.project {
            None | Some(Project::Sample) => Base::Sample,
            Some(Project::Empty) => Base::Empty,
        };
        Ok(())
    }

    fn turn(&mut self, line: u32, turn: TurnLine) -> Result<(), String> {
        let prompt_index = self.recording.prompts.len().wrapping_sub(1);
        let Some(prompt) = self.recording.prompts.last_mut() else {
            return Err("a `turn` before the first `prompt`".to_owned());
        };
        let turn_index = prompt.turns.len();
        let mut calls = Vec::with_capacity(turn.calls.len());
        for (call_index, call) in turn.calls.into_iter().enumerate() {
            let id = call.id.unwrap_or_else(|| format!("{line}-{}", call_index + 1));
            if self.calls.insert(id.clone(), (prompt_index, turn_index, call_index)).is_some() {
                return Err(format!("the call id \"{id}\" was used before"));
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

    fn result(&mut self, line: ResultLine) -> Result<(), String> {
        let id = &line.id;
        let place = self.calls.get(id).copied();
        let call = place.and_then(|(prompt, turn, call)| {
            self.recording.prompts.get_mut(prompt)?.turns.get_mut(turn)?.calls.get_mut(call)
        });
        let Some(call) = call else {
            let near = nearest(id, self.calls.keys().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            return Err(format!("a `result` for \"{id}\", which no `turn` above calls{hint}"));
        };
        let (content, details, is_error) = (line.content, line.details, line.is_error);
        if call.result.replace(RecordedResult { content, details, is_error }).is_some() {
            return Err(format!("a second `result` for \"{id}\" in {}", self.file.display()));
        }
        Ok(())
    }
}

fn unknown_type(kind: &str) -> String {
    // What people will try, too.
    if matches!(kind, "session_meta" | "response_item" | "event_msg" | "turn_context" | "gemini") {
        return format!("unknown type \"{kind}\": {FOREIGN}");
    }
    let hint = match nearest(kind, TYPES.iter().copied()) {
        Some(near) => format!("; did you mean \"{near}\"?"),
        None => format!("; expected one of {}", TYPES.join(", ")),
    };
    format!("unknown type \"{kind}\"{hint}")
}
