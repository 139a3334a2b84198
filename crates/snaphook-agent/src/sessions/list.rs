//! The sessions that are kept, newest first.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use snaphook_state::layout;

use super::{Line, SessionFileError};

/// The most of a file that is read for a list, in bytes.
const MAX_HEAD: u64 = 1 << 20;

/// A session that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// The model.
    pub model: String,
    /// The folder that it works in.
    pub folder: PathBuf,
    /// The time when it began, as in RFC 3339.
    pub began: String,
    /// The time of its last line.
    pub changed: SystemTime,
    /// The first prompt.
    pub prompt: String,
    /// True if its file cannot be read as a session.
    pub broken: bool,
}

/// Every session, the one that was changed last first.
pub fn list(state: &Path) -> Vec<SessionInfo> {
    let entries = std::fs::read_dir(layout::runs(state)).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let mut all: Vec<SessionInfo> = files.filter_map(info).collect();
    all.sort_by(|one, other| other.changed.cmp(&one.changed).then_with(|| other.id.cmp(&one.id)));
    all
}

/// The session of this id, or of the one id that begins so; without one the newest of this folder.
///
/// # Errors
/// There is none, or several.
pub fn find(state: &Path, id: Option<&str>, folder: &Path) -> Result<SessionInfo, SessionFileError> {
    let mut all = list(state);
    let Some(id) = id else {
        return all.into_iter().find(|session| session.folder == folder).ok_or(SessionFileError::NoneHere);
    };
    if let Some(exact) = all.iter().position(|session| session.id == id) {
        return Ok(all.swap_remove(exact));
    }
    all.retain(|session| session.id.starts_with(id));
    if all.len() > 1 {
        let ids = all.iter().map(|session| session.id.as_str()).collect::<Vec<_>>().join(", ");
        return Err(SessionFileError::Ambiguous(id.to_owned(), ids));
    }
    all.pop().ok_or_else(|| SessionFileError::Unknown(id.to_owned()))
}

fn info(path: PathBuf) -> Option<SessionInfo> {
    let metadata = path.symlink_metadata().ok().filter(|metadata| metadata.is_file())?;
    let mut info = SessionInfo {
        id: path.file_stem()?.to_str()?.to_owned(),
        model: String::new(),
        folder: PathBuf::new(),
        began: String::new(),
        changed: metadata.modified().ok()?,
        prompt: String::new(),
        broken: true,
        path,
    };
    let file = File::open(&info.path).ok()?;
    for line in BufReader::new(file.take(MAX_HEAD)).lines() {
        match line.ok().and_then(|line| serde_json::from_str(&line).ok()) {
            Some(Line::Session { model, folder, began, .. }) => {
                info.model = model;
                info.folder = folder;
                info.began = began;
                info.broken = false;
            }
            Some(Line::Prompt { text }) => {
                info.prompt = text;
                break;
            }
            Some(_) => {}
            None => break,
        }
    }
    Some(info)
}
