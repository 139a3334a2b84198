//! One file of another product, and what it comes to here. Not here: reading files (`discobot`, `iteratr`, `marvin`).

use std::path::PathBuf;

use serde_json::Value;
use snaphook_discovery::printable;
use snaphook_state::plain_fs;

/// The largest file that is imported, in bytes.
pub(crate) const MAX_BYTES: u64 = 16 << 20;

/// One file of another product.
#[derive(Debug)]
pub struct ImportedFile {
    /// The file.
    pub from: PathBuf,
    /// The result for it.
    pub fate: Fate,
    /// The hook that it is here: names and values.
    pub facts: Vec<(&'static str, Value)>,
    /// The differences from what it was.
    pub notes: Vec<String>,
}

/// The fate of a file.
#[derive(Debug)]
pub enum Fate {
    /// It is copied.
    Copied {
        /// The place of the copy.
        to: PathBuf,
        /// The copy's content.
        bytes: Vec<u8>,
        /// True if the copy may be run.
        executable: bool,
    },
    /// It is not a hook, or not one that can be imported; the others are. The text says why.
    Left(String),
    /// Nothing is imported until this is fixed. The text says what.
    Wrong(String),
}

impl ImportedFile {
    pub(crate) fn left(from: PathBuf, why: impl Into<String>) -> Self {
        ImportedFile { from, fate: Fate::Left(why.into()), facts: Vec::new(), notes: Vec::new() }
    }

    pub(crate) fn wrong(from: PathBuf, why: impl Into<String>) -> Self {
        ImportedFile { from, fate: Fate::Wrong(why.into()), facts: Vec::new(), notes: Vec::new() }
    }

    /// Checks the place that it is for: a file that is there is never overwritten.
    pub(crate) fn checked(mut self) -> Self {
        let Fate::Copied { to, bytes, .. } = &self.fate else { return self };
        if to.symlink_metadata().is_err() {
            return self;
        }
        let place = printable(&to.display().to_string());
        self.fate = match plain_fs::read(to, MAX_BYTES) {
            Ok(there) if there == *bytes => Fate::Left(format!("is at {place} already")),
            _ => {
                Fate::Wrong(format!("{place} exists already, and is not overwritten: move one of them away"))
            }
        };
        self
    }
}
