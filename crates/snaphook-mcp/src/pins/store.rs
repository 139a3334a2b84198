//! The files of the pins: one a server, written whole beside the old one and renamed over it, changed by one process at a time.
//! Not here: what a change is (`mod.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use snaphook_state::{Document, DocumentError, layout, parse_format};

use super::{Change, ChangeKind, Definition, Server};

/// The time that a change waits for other processes. Each holds the lock for a small write.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest file. Definitions are left out of one that would be larger, their hashes stay.
const MAX_BYTES: usize = 16 << 20;

const FORMAT: u32 = 1;

/// The reason why the pins of a server are not known, or cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pinned tools in {} {why}", file.display())]
pub struct PinFault {
    /// The file.
    pub file: PathBuf,
    /// The fault in it.
    pub why: String,
}

/// The pins that are kept of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pinned {
    format: u32,
    /// The server whose tools they are.
    pub server: Server,
    /// True if a whole list was seen: from then on a tool that is not in it is new.
    pub complete: bool,
    /// The tools as they were when they were first seen, or accepted.
    pub tools: BTreeMap<String, Definition>,
    /// The definitions that the server told last of those that changed or are new.
    pub pending: BTreeMap<String, Definition>,
    /// Those that were not in its last list.
    pub gone: BTreeSet<String>,
}

impl Pinned {
    pub(super) fn new(server: &Server) -> Self {
        Pinned {
            format: FORMAT,
            server: server.clone(),
            complete: false,
            tools: BTreeMap::new(),
            pending: BTreeMap::new(),
            gone: BTreeSet::new(),
        }
    }

    /// Returns what is not as it was first seen, and not accepted.
    pub fn changes(&self) -> Vec<Change> {
        let pending = self.pending.iter().map(|(tool, now)| Change {
            tool: tool.clone(),
            kind: match self.tools.get(tool) {
                Some(before) => ChangeKind::Changed { fields: now.changed_fields(before) },
                None => ChangeKind::New,
            },
        });
        let gone = self.gone.iter().map(|tool| Change { tool: tool.clone(), kind: ChangeKind::Gone });
        pending.chain(gone).collect()
    }
}

/// The place where the pins of all servers are.
#[derive(Debug, Clone)]
pub struct PinStore {
    folder: PathBuf,
}

impl PinStore {
    /// The store in this state folder.
    pub fn new(state: &Path) -> Self {
        PinStore { folder: layout::pins(state) }
    }

    /// Returns what is kept of all servers, by name; files that cannot be read beside it.
    pub fn all(&self) -> (Vec<Pinned>, Vec<PinFault>) {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Default::default(),
            Err(error) => return (Vec::new(), vec![fault(&self.folder, format!("cannot be read: {error}"))]),
        };
        let (mut known, mut faults) = (Vec::new(), Vec::new());
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.extension().is_some_and(|ending| ending == "json") {
                match read(&path) {
                    Ok(Some(pinned)) => known.push(pinned),
                    Ok(None) => {}
                    Err(fault) => faults.push(fault),
                }
            }
        }
        known.sort_by(|one, other| one.server.cmp(&other.server));
        faults.sort_by(|one, other| one.file.cmp(&other.file));
        (known, faults)
    }

    /// Returns what is kept of a server; `None` where nothing is.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, server: &Server) -> Result<Option<Pinned>, PinFault> {
        let file = self.file(server);
        match read(&file)? {
            Some(pinned) if pinned.server != *server => Err(fault(&file, "are another server's".to_owned())),
            found => Ok(found),
        }
    }

    /// Reads, changes and, where that changed anything, writes, under the lock.
    ///
    /// # Errors
    /// It cannot be read or written; then nothing changed.
    pub(super) fn change<T>(
        &self,
        server: &Server,
        how: impl FnOnce(&mut Pinned) -> T,
    ) -> Result<T, PinFault> {
        let store = document(&self.file(server));
        let failed = |error: DocumentError| fault(store.path(), plural(&error));
        let _lock = store.lock(LOCK_TIMEOUT).map_err(failed)?;
        let before = self.read(server)?;
        let mut pinned = before.clone().unwrap_or_else(|| Pinned::new(server));
        let done = how(&mut pinned);
        if before.as_ref() != Some(&pinned) {
            let text = text(&mut pinned).map_err(|error| failed(DocumentError::Write(error.into())))?;
            store.replace(&text).map_err(failed)?;
        }
        Ok(done)
    }

    /// Takes what servers of this name say now as what they should say: of these tools, of all where none is named.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn accept(&self, server: &Server, tools: &[String]) -> Result<Vec<Change>, PinFault> {
        let wanted = |tool: &str| tools.is_empty() || tools.iter().any(|named| named == tool);
        self.change(server, |pinned| {
            let accepted: Vec<Change> =
                pinned.changes().into_iter().filter(|change| wanted(&change.tool)).collect();
            for change in &accepted {
                match pinned.pending.remove(&change.tool) {
                    Some(now) => drop(pinned.tools.insert(change.tool.clone(), now)),
                    None => drop(pinned.tools.remove(&change.tool)),
                }
                pinned.gone.remove(&change.tool);
            }
            accepted
        })
    }

    /// The file of a server.
    pub fn file(&self, server: &Server) -> PathBuf {
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
        let name: String = server.name.chars().take(64).map(safe).collect();
        let mut hasher = Sha256::new();
        for part in std::iter::once(&server.name).chain(&server.target) {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part.as_bytes());
        }
        let hash: String = hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(format!("{name}-{hash}.json"))
    }
}

fn fault(file: &Path, why: String) -> PinFault {
    PinFault { file: file.to_owned(), why }
}

fn text(pinned: &mut Pinned) -> serde_json::Result<Vec<u8>> {
    let text = serde_json::to_vec_pretty(pinned)?;
    if text.len() <= MAX_BYTES {
        return Ok(text);
    }
    for definition in pinned.tools.values_mut().chain(pinned.pending.values_mut()) {
        definition.value = None;
    }
    serde_json::to_vec_pretty(pinned)
}

fn document(file: &Path) -> Document {
    Document::new(file, MAX_BYTES as u64).durable()
}

fn read(file: &Path) -> Result<Option<Pinned>, PinFault> {
    let failed = |error: DocumentError| fault(file, plural(&error));
    let Some(bytes) = document(file).read().map_err(failed)? else { return Ok(None) };
    parse_format(&bytes, FORMAT).map(Some).map_err(failed)
}

/// The error as the end of a sentence about tools.
fn plural(error: &DocumentError) -> String {
    let text = error.to_string();
    let verb = [("is ", "are "), ("has ", "have ")].into_iter().find_map(|(one, many)| {
        let rest = text.strip_prefix(one)?;
        Some(format!("{many}{rest}"))
    });
    verb.unwrap_or(text)
}
