//! Reading a session's file, to go on with the session. Calls that ran, or may have, never run again.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{Line, SessionFile, SessionFileError};
use crate::driver::Recorder as _;
use crate::message::Message;

/// A session that is gone on with.
#[derive(Debug)]
pub struct Resumed {
    /// Its file, open for what follows.
    pub file: SessionFile,
    /// Its id.
    pub id: String,
    /// The model that it had last.
    pub model: String,
    /// The model's address, where it was not the provider's.
    pub base_url: Option<String>,
    /// The folder that it works in.
    pub folder: PathBuf,
    /// The conversation. Each call in it has a result.
    pub messages: Vec<Message>,
    /// The number of calls that were running, or about to, when it ended.
    pub interrupted_calls: usize,
}

/// The result of a call that ran when the process ended.
const MAY_HAVE_RUN: &str = "The session was interrupted while this call ran: it may have run in part or as a whole. Look at what it did \
before you make it again.";

/// The result of a call that had not begun.
const DID_NOT_RUN: &str = "The session was interrupted before this call ran: it did not run.";

/// Opens a session to go on with it. Calls without a result get one that says what is known of them.
///
/// # Errors
/// The file cannot be read or written, a line of it is wrong, or another process has the session.
pub fn resume(path: &Path) -> Result<Resumed, SessionFileError> {
    let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let (file, text) = SessionFile::open(path, &id)?;
    let mut resumed = Resumed {
        file,
        id,
        model: String::new(),
        base_url: None,
        folder: PathBuf::new(),
        messages: Vec::new(),
        interrupted_calls: 0,
    };
    let mut started: HashSet<String> = HashSet::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line).map_err(|source| SessionFileError::Line {
            file: path.to_owned(),
            line: number + 1,
            source,
        })?;
        match line {
            Line::Session { model, base_url, folder, .. } => {
                resumed.model = model;
                resumed.base_url = base_url;
                resumed.folder = folder;
            }
            Line::Resumed { model, base_url, .. } => {
                resumed.model = model;
                resumed.base_url = base_url;
            }
            Line::Prompt { text } => resumed.messages.push(Message::user(text)),
            Line::Context { hook, text } => resumed.messages.push(Message::hook(hook, text)),
            Line::Turn { text, calls, provider } => {
                resumed.messages.push(Message::assistant(text, calls, provider));
            }
            Line::Started { id } => drop(started.insert(id)),
            Line::Result { id, content, is_error, .. } => {
                resumed.messages.push(Message::tool(id, content, is_error));
            }
            Line::Compacted { text } => resumed.messages = vec![Message::user(text)],
            Line::Cleared => resumed.messages.clear(),
        }
    }
    let open = open_calls(&resumed.messages);
    resumed.interrupted_calls = open.len();
    for id in open {
        let text = if started.contains(&id) { MAY_HAVE_RUN } else { DID_NOT_RUN };
        let message = Message::tool(id, text, true);
        let written = resumed.file.message(&message, None);
        written.map_err(|source| SessionFileError::Io { file: path.to_owned(), source })?;
        resumed.messages.push(message);
    }
    Ok(resumed)
}

/// The calls that have no result.
fn open_calls(messages: &[Message]) -> Vec<String> {
    let mut open = Vec::new();
    for message in messages {
        match message {
            Message::Assistant { calls, .. } => open.extend(calls.iter().map(|call| call.id.clone())),
            Message::Tool { call_id, .. } => open.retain(|id| id != call_id),
            Message::User { .. } => {}
        }
    }
    open
}
