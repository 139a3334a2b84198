//! One file that is read whole, replaced whole and changed by one process at a time. Not here: what the
//! file means, and what its keeper does where it is damaged.

use std::fs::File;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{plain_fs, private_fs};

/// A file of the state folder.
#[derive(Debug, Clone)]
pub struct Document {
    file: PathBuf,
    max_bytes: u64,
    durable: bool,
}

/// The reason that a document cannot be read or replaced. The text is the end of a sentence about it:
/// "cannot be read: …", "is damaged: …".
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The system does not let it be read.
    #[error("cannot be read: {0}")]
    Read(Error),
    /// The system does not let it, its folder or its lock be written.
    #[error("cannot be written: {0}")]
    Write(Error),
    /// The file is longer than it may be.
    #[error("is longer than {max_bytes} bytes")]
    TooLong {
        /// The most that it may have.
        max_bytes: u64,
    },
    /// The new content is longer than it may be; the file is as it was.
    #[error("would become longer than {max_bytes} bytes")]
    WouldBeTooLong {
        /// The most that it may have.
        max_bytes: u64,
    },
    /// The file is not the JSON that it should be.
    #[error("is damaged: {0}")]
    Damaged(serde_json::Error),
    /// The file was written by a newer or older version.
    #[error("has format {found}; this version of snaphook knows {known}")]
    Format {
        /// The file's format.
        found: u32,
        /// The format that is asked for.
        known: u32,
    },
}

/// For callers whose own errors are those of the system: the system's error as it was, and all else by
/// its text.
impl From<DocumentError> for Error {
    fn from(error: DocumentError) -> Self {
        match error {
            DocumentError::Read(error) | DocumentError::Write(error) => error,
            error => Error::other(error),
        }
    }
}

impl Document {
    /// A document in this file, of so many bytes at most.
    pub fn new(file: impl Into<PathBuf>, max_bytes: u64) -> Self {
        Document { file: file.into(), max_bytes, durable: false }
    }

    /// The same, on the disk before a change returns. Default: a power loss may take the last change back.
    #[must_use]
    pub fn durable(mut self) -> Self {
        self.durable = true;
        self
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// Makes the folder of the file where there is none.
    ///
    /// # Errors
    /// It cannot be made, or others can write it.
    pub fn make_folder(&self) -> Result<(), DocumentError> {
        self.file.parent().map_or(Ok(()), private_fs::make_dir).map_err(DocumentError::Write)
    }

    /// Waits for other processes and holds the document until the lock is dropped. The folder is made where
    /// there is none.
    ///
    /// # Errors
    /// The folder or the lock cannot be made, or others hold it for longer than `timeout`.
    pub fn lock(&self, timeout: Duration) -> Result<File, DocumentError> {
        self.make_folder()?;
        private_fs::lock(&self.file.with_extension("lock"), timeout).map_err(DocumentError::Write)
    }

    /// Reads the file; `None` where there is none. Without the lock, too, it is whole.
    ///
    /// # Errors
    /// It cannot be read, or is too long.
    pub fn read(&self) -> Result<Option<Vec<u8>>, DocumentError> {
        match plain_fs::read(&self.file, self.max_bytes) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                Err(DocumentError::TooLong { max_bytes: self.max_bytes })
            }
            Err(error) => Err(DocumentError::Read(error)),
        }
    }

    /// Reads the file as JSON; `None` where there is none.
    ///
    /// # Errors
    /// Those of [`Document::read`], and that it is damaged.
    pub fn read_json<T: DeserializeOwned>(&self) -> Result<Option<T>, DocumentError> {
        let Some(bytes) = self.read()? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(DocumentError::Damaged)
    }

    /// Replaces the file in one step.
    ///
    /// # Errors
    /// The content is too long, or cannot be written; then the file is as it was.
    pub fn replace(&self, bytes: &[u8]) -> Result<(), DocumentError> {
        if bytes.len() as u64 > self.max_bytes {
            return Err(DocumentError::WouldBeTooLong { max_bytes: self.max_bytes });
        }
        private_fs::replace(&self.file, bytes, self.durable).map_err(DocumentError::Write)
    }

    /// Replaces the file with a value, as JSON.
    ///
    /// # Errors
    /// Those of [`Document::replace`].
    pub fn replace_json<T: Serialize>(&self, value: &T) -> Result<(), DocumentError> {
        let bytes = serde_json::to_vec(value).map_err(|error| DocumentError::Write(error.into()))?;
        self.replace(&bytes)
    }
}

/// Parses a document with a field `format`. One of another format is distinguished from a damaged one, whatever
/// else it has.
///
/// # Errors
/// It has another format, or is damaged.
pub fn parse_format<T: DeserializeOwned>(bytes: &[u8], known: u32) -> Result<T, DocumentError> {
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    if let Ok(Format { format: found }) = serde_json::from_slice(bytes)
        && found != known
    {
        return Err(DocumentError::Format { found, known });
    }
    serde_json::from_slice(bytes).map_err(DocumentError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn document(folder: &tempfile::TempDir) -> Document {
        Document::new(folder.path().join("state/one.json"), 20)
    }

    #[test]
    fn a_document_is_read_and_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let one = document(&folder);
        assert!(one.read().unwrap().is_none(), "there is none");
        let lock = one.lock(Duration::ZERO).unwrap();
        assert!(one.lock(Duration::ZERO).unwrap_err().to_string().contains("another process holds its lock"));
        drop(lock);
        one.replace_json(&json!({"a": 1})).unwrap();
        assert_eq!(one.read_json::<Value>().unwrap(), Some(json!({"a": 1})));
        let error = one.replace(b"[\"longer than twenty bytes\"]").unwrap_err();
        assert_eq!(error.to_string(), "would become longer than 20 bytes");
        assert_eq!(one.read_json::<Value>().unwrap(), Some(json!({"a": 1})), "as it was");
    }

    #[test]
    fn a_document_that_is_none_says_what_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let one = document(&folder);
        std::fs::create_dir(folder.path().join("state")).unwrap();
        for (text, wrong) in
            [("{\"a\": ", "is damaged: EOF"), ("[1, 2, 3, 4, 5, 6, 7, 8]", "is longer than 20 bytes")]
        {
            std::fs::write(one.path(), text).unwrap();
            let error = one.read_json::<Value>().unwrap_err().to_string();
            assert!(error.starts_with(wrong), "{error}");
        }
        std::fs::remove_file(one.path()).unwrap();
        std::fs::create_dir(one.path()).unwrap();
        let error = one.read().unwrap_err().to_string();
        assert_eq!(error, "cannot be read: it is a folder, not a regular file");
    }

    #[test]
    fn another_format_is_no_damage() {
        let parse = |text: &str| parse_format::<Vec<u8>>(text.as_bytes(), 1).unwrap_err().to_string();
        assert_eq!(parse(r#"{"format": 2, "new": true}"#), "has format 2; this version of snaphook knows 1");
        assert!(parse(r#"{"format": 1}"#).starts_with("is damaged"));
        assert!(parse("{").starts_with("is damaged"));
    }
}
