//! Writing a session's file. Each line is one write, so that a process that ends at any moment leaves whole lines, but for the last.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use snaphook_state::{layout, private_fs};

use super::{Line, SessionFileError};
use crate::driver::Recorder;
use crate::message::Message;
use crate::replay::FORMAT_VERSION;

/// The time that a session's file is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// The facts about a session that begins.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// The id, also the name of the file.
    pub id: String,
    /// The model.
    pub model: String,
    /// The model's address, where it is not the provider's.
    pub base_url: Option<String>,
    /// The folder that it works in.
    pub folder: PathBuf,
    /// The time, as in RFC 3339.
    pub began: String,
}

/// The file of a session that goes on. One process at a time has it.
#[derive(Debug)]
pub struct SessionFile {
    path: PathBuf,
    file: Mutex<File>,
}

impl SessionFile {
    /// Begins a session in the state folder.
    ///
    /// # Errors
    /// The file is there already, or cannot be made.
    pub fn begin(state: &Path, session: NewSession) -> Result<Self, SessionFileError> {
        let folder = layout::runs(state);
        let path = folder.join(format!("{}.jsonl", session.id));
        let failed = |source| SessionFileError::Io { file: path.clone(), source };
        private_fs::make_dir(&folder).map_err(failed)?;
        let file = private_fs::options().append(true).create_new(true).open(&path).map_err(failed)?;
        lock(&file, &session.id, &path)?;
        let session_file = SessionFile { path: path.clone(), file: Mutex::new(file) };
        let line = Line::Session {
            version: FORMAT_VERSION,
            id: session.id,
            agent: "snaphook".to_owned(),
            project: Some("empty".to_owned()),
            model: session.model,
            base_url: session.base_url,
            folder: session.folder,
            began: session.began,
        };
        session_file.write(&line).map_err(failed)?;
        Ok(session_file)
    }

    /// Opens the file of a session that is gone on with, and takes a half line at its end away.
    ///
    /// # Errors
    /// It cannot be opened, or another process has it.
    pub(super) fn open(path: &Path, id: &str) -> Result<(Self, String), SessionFileError> {
        let failed = |source| SessionFileError::Io { file: path.to_owned(), source };
        let mut file = private_fs::options().read(true).write(true).open(path).map_err(failed)?;
        lock(&file, id, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        // A line that was cut may end in the middle of a character.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(failed)?;
            bytes.truncate(whole);
        }
        file.seek(SeekFrom::Start(whole as u64)).map_err(failed)?;
        let text = String::from_utf8(bytes)
            .map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidData, error.utf8_error())))?;
        Ok((SessionFile { path: path.to_owned(), file: Mutex::new(file) }, text))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a line.
    ///
    /// # Errors
    /// Those of the system.
    pub fn write(&self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file.lock().write_all(text.as_bytes())
    }
}

/// Takes the file for this process. A program that another thread is just starting has it for a moment, too.
fn lock(file: &File, id: &str, path: &Path) -> Result<(), SessionFileError> {
    let until = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(std::fs::TryLockError::WouldBlock) if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(std::fs::TryLockError::WouldBlock) => return Err(SessionFileError::Open(id.to_owned())),
            Err(std::fs::TryLockError::Error(source)) => {
                return Err(SessionFileError::Io { file: path.to_owned(), source });
            }
        }
    }
}

impl Recorder for SessionFile {
    fn message(&self, message: &Message, _: Option<u64>) -> io::Result<()> {
        self.write(&match message.clone() {
            Message::User { content, from: None } => Line::Prompt { text: content },
            Message::User { content, from: Some(hook) } => Line::Context { hook, text: content },
            Message::Assistant { content, calls, provider } => Line::Turn { text: content, calls, provider },
            Message::Tool { call_id, content, is_error } => {
                Line::Result { id: call_id, content, is_error, details: serde_json::Value::Null }
            }
        })
    }

    fn started(&self, id: &str) -> io::Result<()> {
        self.write(&Line::Started { id: id.to_owned() })
    }

    fn compacted(&self, summary: &str) -> io::Result<()> {
        self.write(&Line::Compacted { text: summary.to_owned() })
    }

    fn cleared(&self) -> io::Result<()> {
        self.write(&Line::Cleared)
    }
}
