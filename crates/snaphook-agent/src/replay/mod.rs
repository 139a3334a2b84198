//! Recorded sessions: prompts, turns and tool calls, read from our own JSON Lines format or from a Claude Code
//! transcript. Not here: running them (`driver`).

mod claude;
mod format;
mod line_error;
mod paths;

pub use line_error::LineError;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use snaphook_core::Problem;
use snaphook_state::plain_fs;

use crate::scratch::Base;

/// The version of our own format.
pub const FORMAT_VERSION: u64 = 1;

/// The largest recording that is read, in bytes.
const MAX_RECORDING: u64 = 256 << 20;

/// The session that comes with this crate: a tour of the sample project.
const TOUR: &str = include_str!("../../sessions/tour.jsonl");

/// A session as it was recorded or written.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The file it came from, for messages.
    pub file: PathBuf,
    /// Its name: from the file's header, else the file's name without extension.
    pub name: String,
    /// The agent whose session it was: `snaphook` for our own format unless the header says otherwise, `claude` for a transcript.
    pub agent: String,
    /// The prompts, with what the agent did about each.
    pub prompts: Vec<Prompt>,
    /// The tasks of subagents, by their ids.
    pub subagents: BTreeMap<String, String>,
    /// Files that the session expects, by path relative to the project.
    pub files: BTreeMap<String, String>,
    /// The base that the scratch project starts from, if the caller does not say.
    pub base: Base,
    /// The problems with parts that could not be taken over.
    pub problems: Vec<Problem>,
    /// The folders of the recording that stand for the project; paths in inputs that start with one are mapped.
    pub(crate) roots: Vec<String>,
}

/// A prompt and what the agent did about it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prompt {
    /// The line in the recording, from 1.
    pub line: u32,
    /// The text that the person wrote.
    pub text: String,
    /// The agent's turns.
    pub turns: Vec<Turn>,
}

/// One answer of the model: text, and tool calls that it makes at once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// The line in the recording, from 1.
    pub line: u32,
    /// The text that the agent wrote.
    pub text: Option<String>,
    /// The model, where the recording tells.
    pub model: Option<String>,
    /// The subagent whose turn it is.
    pub subagent: Option<String>,
    /// The calls, in order.
    pub calls: Vec<RecordedCall>,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedCall {
    /// The line in the recording, from 1.
    pub line: u32,
    /// Its id, unique in the recording.
    pub id: String,
    /// The canonical name of the tool.
    pub tool: String,
    /// The agent's own name of the tool.
    pub native_tool: String,
    /// The agent's own input.
    pub input: Value,
    /// The folder it was made in, relative to the project, where it was not the project's root.
    pub cwd: Option<PathBuf>,
    /// The tool's result at that time.
    pub result: Option<RecordedResult>,
}

/// The result of a tool when the session was recorded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedResult {
    /// The text for the model.
    pub content: String,
    /// The data beside it.
    pub details: Value,
    /// True if the tool failed.
    pub is_error: bool,
}

/// The reason why a recording cannot be replayed. Reads after "failed to replay: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The problem with it.
        source: io::Error,
    },
    /// The file is too large.
    #[error("{} has {size} bytes; more than {MAX_RECORDING} are not read", file.display())]
    TooLarge {
        /// The file.
        file: PathBuf,
        /// Its size.
        size: u64,
    },
    /// A line is not what the format expects.
    #[error("{}:{line}: {cause}", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u32,
        /// The fault.
        cause: LineError,
    },
    /// The file has no prompt.
    #[error("{} has no prompt, so there is nothing to replay", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
}

impl Recording {
    /// The session that comes with this crate.
    ///
    /// # Errors
    /// None in a build that passed its tests.
    pub fn tour() -> Result<Self, ReplayError> {
        Self::parse(Path::new("tour.jsonl"), TOUR)
    }

    /// Reads a recording: our own format or a Claude Code transcript, told apart by their shape.
    ///
    /// # Errors
    /// The file cannot be read, a line is wrong, or there is no prompt in it.
    pub fn load(file: &Path) -> Result<Self, ReplayError> {
        let failed = |source| ReplayError::Io { file: file.to_owned(), source };
        let size = file.metadata().map_err(failed)?.len();
        if size > MAX_RECORDING {
            return Err(ReplayError::TooLarge { file: file.to_owned(), size });
        }
        // A crash may have torn a character apart at the very end.
        let bytes = plain_fs::read(file, MAX_RECORDING).map_err(failed)?;
        Self::parse(file, &String::from_utf8_lossy(&bytes))
    }

    /// Reads the text of a recording; `file` is named in messages.
    ///
    /// # Errors
    /// A line is wrong, or there is no prompt in it.
    pub fn parse(file: &Path, text: &str) -> Result<Self, ReplayError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let recording =
            if claude::is_transcript(text) { claude::parse(file, text)? } else { format::parse(file, text)? };
        if recording.prompts.is_empty() {
            return Err(ReplayError::Empty { file: file.to_owned() });
        }
        Ok(recording)
    }

    /// Returns how many tool calls there are.
    pub fn calls(&self) -> usize {
        self.prompts.iter().flat_map(|prompt| &prompt.turns).map(|turn| turn.calls.len()).sum()
    }

    /// The input of a call for a project that lies elsewhere than the recorded one did.
    pub(crate) fn input_in(&self, call: &RecordedCall, project: &Path) -> Value {
        paths::relocate(&self.roots, project, &call.tool, &call.input)
    }
}

/// The lines of a text with their numbers, blank ones left out.
fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let numbered = text.lines().zip(1u32..).map(|(line, number)| (number, line));
    numbered.filter(|(_, line)| !line.trim().is_empty())
}
