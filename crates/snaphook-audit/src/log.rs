//! Reads what `FileAudit` wrote: sessions, their files, their lines. Not here: whether they are as they were written
//! (`verify`).

use std::collections::BTreeSet;
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::disk::{self, HEADS, Part};
use crate::heads_log::{self, RecordedHeads, VerifiedHeads};
use crate::verify::{BadLine, Verified, Wanted, verify};

/// The number of times that the files of a session may be renamed while they are read.
const ATTEMPTS: u32 = 20;

/// A folder of audit files.
#[derive(Debug, Clone)]
pub struct AuditLog {
    dir: PathBuf,
}

/// The result of verifying all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedLog {
    /// The heads.
    pub heads: VerifiedHeads,
    /// Each session by its name; also one whose files are gone.
    pub sessions: Vec<(String, Verified)>,
}

/// A line that can be read as JSON.
#[derive(Debug, Clone)]
pub struct StoredLine {
    /// The line as it is in the file.
    pub text: String,
    /// Its fields.
    pub fields: Map<String, Value>,
}

impl StoredLine {
    /// A text field; empty where it is absent.
    pub fn text_of(&self, field: &str) -> &str {
        self.fields.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns whether it is about an event of the agent, and not about the audit itself.
    pub fn is_event(&self) -> bool {
        !self.text_of("event").starts_with("audit.")
    }
}

impl AuditLog {
    /// The log in this folder, which may be absent: then nothing was audited.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        AuditLog { dir: dir.into() }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The name under which a session's files are.
    pub fn name_of(session: &str) -> String {
        disk::stem(session)
    }

    /// The names of all sessions, in order.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn names(&self) -> Result<Vec<String>> {
        let entries = match std::fs::read_dir(&self.dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut names = BTreeSet::new();
        for entry in entries {
            let name = entry?.file_name();
            names.extend(name.to_str().and_then(disk::parse_name).map(|(stem, _)| stem.to_owned()));
        }
        Ok(names.into_iter().collect())
    }

    /// The lines of a session by its name, oldest first. What is no JSON is left out: [`AuditLog::verify`] tells of it.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn lines(&self, name: &str) -> Result<Vec<StoredLine>> {
        let mut lines = Vec::new();
        for part in self.parts(name)? {
            for line in part.bytes.split(|byte| *byte == b'\n') {
                let text = std::str::from_utf8(line).unwrap_or_default();
                if let Ok(fields) = serde_json::from_str(text) {
                    lines.push(StoredLine { text: text.to_owned(), fields });
                }
            }
        }
        Ok(lines)
    }

    /// Verifies the files of a session by its name, without what the heads know of it: see [`AuditLog::verify_all`].
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn verify(&self, name: &str) -> Result<Verified> {
        self.verify_expecting(name, &[])
    }

    /// The same, and looks for lines with these hashes (`sha256:…`), which were noted before: see
    /// [`Verified::found`]. One that is not found any more was cut off, or the chain was written anew.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn verify_expecting(&self, name: &str, hashes: &[String]) -> Result<Verified> {
        Ok(verify(name, &self.parts(name)?, Wanted { hashes, heads: &[] }).0)
    }

    /// Verifies all sessions, or the one of this name, and holds them to the heads: so a file that is gone, cut at its end or
    /// written anew is noticed. Looks for lines and heads with these hashes, too.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn verify_all(&self, name: Option<&str>, hashes: &[String]) -> Result<VerifiedLog> {
        // Before the sessions: a head is written behind its line, so it is never ahead of what is read after it.
        let mut known = self.heads()?;
        known.look_for(hashes);
        let mut names: BTreeSet<String> = self.names()?.into_iter().collect();
        names.extend(known.sessions.keys().cloned());
        names.retain(|one| name.is_none_or(|name| one == name));
        let mut sessions = Vec::new();
        for name in names {
            let heads = known.sessions.get(&name).map(Vec::as_slice).unwrap_or_default();
            let (mut verified, has_heads) = verify(&name, &self.parts(&name)?, Wanted { hashes, heads });
            if has_heads
                && heads.is_empty()
                && known.verified.bad.is_none()
                && verified.lines > 1
                && verified.bad.is_none()
            {
                verified.bad = self.without_heads(&name)?;
            }
            sessions.push((name, verified));
        }
        Ok(VerifiedLog { heads: known.verified, sessions })
    }

    /// A session that began with heads and has none. They are read once more: it may have begun since.
    fn without_heads(&self, name: &str) -> Result<Option<BadLine>> {
        let known = self.heads()?;
        let why = format!("{HEADS} noted nothing of this session: it was removed, or written anew");
        let is_lost = !known.sessions.contains_key(name);
        Ok(is_lost.then(|| BadLine { file: format!("{name}.jsonl"), line: 1, why }))
    }

    fn heads(&self) -> Result<RecordedHeads> {
        let path = self.dir.join(HEADS);
        for _ in 0..ATTEMPTS {
            let mut file = match disk::open_to_read(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(RecordedHeads::default()),
                file => file?,
            };
            disk::lock_shared(&file)?;
            if disk::is_at(&file, &path)? {
                return Ok(heads_log::parse(&Part::read(&path, None, &mut file)?.bytes));
            }
        }
        Err(std::io::Error::other("the heads were replaced again and again"))
    }

    /// All files of a session as they are at one moment: writers are kept out while they are read.
    fn parts(&self, stem: &str) -> Result<Vec<Part>> {
        let current = disk::current(&self.dir, stem);
        for _ in 0..ATTEMPTS {
            let held = match disk::open_to_read(&current) {
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                file => Some(file?),
            };
            if let Some(file) = &held {
                disk::lock_shared(file)?;
                if !disk::is_at(file, &current)? {
                    continue;
                }
            }
            let numbers = disk::numbers(&self.dir, stem)?;
            let mut parts = Vec::new();
            for number in numbers {
                let path = disk::rotated(&self.dir, stem, number);
                let mut file = disk::open_to_read(&path)?;
                parts.push(Part::read(&path, Some(number), &mut file)?);
            }
            if let Some(mut file) = held {
                parts.push(Part::read(&current, None, &mut file)?);
            } else if current.exists() {
                // It was made since we looked.
                continue;
            }
            return Ok(parts);
        }
        Err(std::io::Error::other("the files were replaced again and again"))
    }
}
