//! The part of a session that outlives the process: one folder a session in the state folder, with the data that hooks
//! keep (`state/`), texts that wait for the agent, and the state of its loop. Many processes may be at it at once.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use snaphook_adapters::Origin;
use snaphook_command::status::Store;
use snaphook_discovery::Directories;
use snaphook_state::{Document, DocumentError, layout, private_fs};

use crate::status_folder;

/// The time that a session is remembered after its last event that kept anything.
const SESSION_TTL: Duration = Duration::from_secs(14 * 24 * 3600);

/// The number of old sessions that one process clears away: the agent waits for it.
const SWEPT_AT_ONCE: usize = 50;

/// The most text that waits for an agent that never takes any, in bytes.
const MAX_WAITING: usize = 256 << 10;

/// The longest document of a session that is read, in bytes.
const MAX_DOCUMENT: u64 = 16 << 20;

/// One session's folder; nothing is kept where there is no state folder, or the agent names no session.
#[derive(Debug, Clone)]
pub(crate) struct SessionFolder {
    all: Option<PathBuf>,
    own: Option<PathBuf>,
    hooks: Option<Store>,
}

impl SessionFolder {
    /// The folder of the session that the event belongs to.
    pub(crate) fn of(directories: &Directories, agent: &str, origin: &Origin) -> Self {
        let all = directories.state.as_ref().map(|state| layout::sessions_of(state, agent));
        let id = origin.session.as_deref();
        // Ids come from outside and may be anything.
        let own = all.as_ref().zip(id).map(|(all, id)| all.join(status_folder::name(id)));
        SessionFolder { all, own, hooks: status_folder::of_session(directories, agent, id) }
    }

    /// Returns where hooks' state is kept.
    pub(crate) fn state(&self) -> Option<PathBuf> {
        self.own.as_ref().map(|own| own.join("state"))
    }

    /// The status of its hooks.
    pub(crate) fn hooks(&self) -> Option<Store> {
        self.hooks.clone()
    }

    /// Returns the session's own folder; `None` where the agent names no session, or there is no state folder.
    pub(crate) fn own(&self) -> Option<&Path> {
        self.own.as_deref()
    }

    /// Returns whether a document of this name is kept.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.own.as_ref().is_some_and(|own| own.join(name).exists())
    }

    /// Counts a prompt for which there is nothing else to keep. One byte a prompt: to append is a tenth of the time that a document
    /// takes, and needs no lock.
    pub(crate) fn count_unheard(&self) -> io::Result<()> {
        let Some(own) = &self.own else { return Ok(()) };
        private_fs::make_dir(own)?;
        private_fs::options().append(true).create(true).open(own.join(UNHEARD))?.write_all(b".")
    }

    /// Returns how many prompts were counted so.
    pub(crate) fn unheard(&self) -> u64 {
        self.own.as_ref().and_then(|own| fs::metadata(own.join(UNHEARD)).ok()).map_or(0, |known| known.len())
    }

    /// The session's own folder, made and locked: held for one small change.
    ///
    /// # Errors
    /// It cannot be made. `None` where the agent names no session, or there is no state folder.
    pub(crate) fn locked(&self) -> Option<io::Result<Locked<'_>>> {
        let own = self.own.as_deref()?;
        Some(lock(own).map(|lock| Locked { own, _lock: lock }))
    }

    /// Takes the texts that wait: those for the model with `soon`, those to go on with `after`.
    pub(crate) fn take_waiting(&self, soon: bool, after: bool) -> io::Result<(Vec<String>, Vec<String>)> {
        let Some(own) = self.own.as_ref().filter(|own| own.join(WAITING).exists()) else {
            return Ok(Default::default());
        };
        let _lock = lock(own)?;
        let mut waiting: Waiting = read(own, WAITING)?;
        let take =
            |texts: &mut Vec<String>, wanted: bool| if wanted { std::mem::take(texts) } else { Vec::new() };
        let taken = (take(&mut waiting.soon, soon), take(&mut waiting.after, after));
        if waiting.soon.is_empty() && waiting.after.is_empty() {
            fs::remove_file(own.join(WAITING))?;
        } else {
            write(own, WAITING, &waiting)?;
        }
        Ok(taken)
    }

    /// Returns the texts that wait.
    pub(crate) fn waiting(&self) -> Vec<String> {
        let waiting: Option<Waiting> = self.own.as_ref().and_then(|own| read(own, WAITING).ok());
        waiting.map(|waiting| [waiting.soon, waiting.after].concat()).unwrap_or_default()
    }

    /// Keeps texts for a later event.
    pub(crate) fn keep_waiting(&self, soon: Vec<String>, after: Vec<String>) -> io::Result<()> {
        let Some(own) = &self.own else {
            return Err(io::Error::other("the agent names no session, so text for it was dropped"));
        };
        let _lock = lock(own)?;
        let mut waiting: Waiting = read(own, WAITING)?;
        waiting.soon.extend(soon);
        waiting.after.extend(after);
        if waiting.soon.iter().chain(&waiting.after).map(String::len).sum::<usize>() > MAX_WAITING {
            return Err(io::Error::other("too much text waits for the agent already; more was dropped"));
        }
        write(own, WAITING, &waiting)
    }

    /// Removes sessions that were not resumed.
    pub(crate) fn sweep(&self) {
        let folders = self.all.as_ref().and_then(|all| fs::read_dir(all).ok());
        let old = |path: &Path| {
            let parts = [path.join("state"), path.join("hooks"), path.to_owned()];
            let known = parts.iter().filter_map(|part| fs::metadata(part).ok()?.modified().ok());
            let changed = known.max().unwrap_or_else(SystemTime::now);
            changed.elapsed().is_ok_and(|age| age > SESSION_TTL)
        };
        let folders = folders.into_iter().flatten().flatten().map(|entry| entry.path());
        for folder in
            folders.filter(|folder| old(folder) && Some(folder) != self.own.as_ref()).take(SWEPT_AT_ONCE)
        {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// A session's folder that is locked for this process.
pub(crate) struct Locked<'a> {
    own: &'a Path,
    _lock: File,
}

impl Locked<'_> {
    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        self.own
    }

    /// Reads a document of it; the default where there is none, or where it is damaged.
    pub(crate) fn read<T: DeserializeOwned + Default>(&self, name: &str) -> io::Result<T> {
        read(self.own, name)
    }

    /// Puts a document in the place of what was there.
    pub(crate) fn write(&self, name: &str, document: &impl Serialize) -> io::Result<()> {
        write(self.own, name, document)
    }
}

const WAITING: &str = "waiting.json";
const UNHEARD: &str = "prompts";

/// Texts that wait for the agent.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Waiting {
    /// Those for the model.
    soon: Vec<String>,
    /// Those to go on with.
    after: Vec<String>,
}

fn document(own: &Path, name: &str) -> Document {
    Document::new(own.join(name), MAX_DOCUMENT)
}

/// Reads a document; the default where there is none, or where it is damaged.
fn read<T: DeserializeOwned + Default>(own: &Path, name: &str) -> io::Result<T> {
    match document(own, name).read_json() {
        Ok(value) => Ok(value.unwrap_or_default()),
        Err(DocumentError::Damaged(_)) => Ok(T::default()),
        Err(error) => Err(error.into()),
    }
}

fn write(own: &Path, name: &str, value: &impl Serialize) -> io::Result<()> {
    Ok(document(own, name).replace_json(value)?)
}

fn lock(own: &Path) -> io::Result<File> {
    private_fs::make_dir(own)?;
    let file = private_fs::lockable(&own.join("lock"))?;
    // Each holder does one small write; the deadline of the whole call bounds the wait.
    file.lock()?;
    Ok(file)
}
