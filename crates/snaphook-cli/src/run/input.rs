//! The files that a session is started with, and the one that it leaves.

use std::io::{Read as _, Write as _};
use std::path::Path;

use snaphook_state::plain_fs;

use crate::exit::Failure;

/// The longest prompt and system prompt, in bytes.
const MAX_TEXT: u64 = 1 << 20;

/// Returns the prompt on standard input.
///
/// # Errors
/// It cannot be read, is no text, or is too long.
pub(super) fn stdin() -> Result<String, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MAX_TEXT + 1).read_to_string(&mut text);
    read.map_err(|error| Failure::Usage(format!("the prompt on standard input cannot be read: {error}")))?;
    if text.len() as u64 > MAX_TEXT {
        return Err(Failure::Usage(format!("the prompt has more than {MAX_TEXT} bytes")));
    }
    Ok(text)
}

/// Returns the text of a file.
///
/// # Errors
/// It cannot be read, or is no text.
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    let failed = |error: String| Failure::Usage(format!("{}: {error}", path.display()));
    let bytes = plain_fs::read(path, MAX_TEXT).map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| failed("not UTF-8 text".to_owned()))
}

/// Puts a text behind what is in a file: several steps of a job may write to one.
///
/// # Errors
/// It cannot be written.
pub(super) fn append(path: &Path, text: &str) -> Result<(), Failure> {
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| Failure::Usage(format!("the summary {}: {error}", path.display())))
}
