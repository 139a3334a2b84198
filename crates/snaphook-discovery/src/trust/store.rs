//! The decisions of people about project hooks: one JSON document in the state folder, replaced as a whole, changed by one
//! process at a time; and beside it the files of each version that a decision is about, so that a later one can be
//! compared. Not here: what follows for a hook (`decide`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use snaphook_core::Problem;

use super::hash::ContentHash;
use super::owners::Owners;
use super::{TrustKey, TrustState};
use crate::diagnostic::io_message;
use crate::dirs::Directories;
use crate::display::display_path;
use snaphook_state::{Document, DocumentError, layout, parse_format, private_fs};

/// The time that a change waits for other processes. Each holds the lock for a few small writes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// The document's largest size: some ten thousand decisions.
const MAX_BYTES: u64 = 16 << 20;

/// The version of the document that is written here.
const FORMAT: u32 = 1;

/// A file's largest size among those that are kept for comparing: JSON makes up to six bytes of one.
const MAX_KEPT_BYTES: u64 = 32 << 20;

/// The files of a version, by relative path.
pub type Kept = BTreeMap<String, String>;

/// The place where decisions are kept.
#[derive(Debug, Clone)]
pub struct TrustStore {
    dir: PathBuf,
    /// As people see it.
    shown: PathBuf,
    owners: Owners,
}

/// The decision at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decided {
    /// The content may run.
    Trusted,
    /// The content is not wanted here.
    Ignored,
    /// An earlier decision was taken back.
    Withdrawn,
    /// No decision here: a yes at another place held, and the hook ran. Noted so that it is missed when it is gone.
    Shared,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    project: String,
    hook: String,
    decided: Decided,
    hash: ContentHash,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    format: u32,
    decisions: Vec<Record>,
}

/// All decisions, the last one of each place.
#[derive(Debug, Clone, Default)]
pub struct Decisions {
    by_key: BTreeMap<TrustKey, (Decided, ContentHash)>,
}

impl Decisions {
    /// Returns what follows for a content at a place, and the other content that the place's decision was about. The
    /// rule is in the module's description.
    pub fn state(&self, key: &TrustKey, hash: ContentHash) -> (TrustState, Option<ContentHash>) {
        match self.by_key.get(key) {
            Some((Decided::Trusted, decided)) if *decided == hash => (TrustState::Trusted, None),
            Some((Decided::Ignored, decided)) if *decided == hash => (TrustState::Ignored, None),
            Some((Decided::Withdrawn, _)) => (TrustState::Undecided, None),
            Some((Decided::Shared, _)) | None if self.is_trusted_somewhere(hash) => {
                (TrustState::Trusted, None)
            }
            Some((Decided::Shared, decided)) if *decided == hash => (TrustState::Undecided, None),
            Some((_, decided)) => (TrustState::Undecided, Some(*decided)),
            None => (TrustState::Undecided, None),
        }
    }

    /// Returns whether the place has a decision of its own.
    pub fn has(&self, key: &TrustKey) -> bool {
        self.by_key.get(key).is_some_and(|(decided, _)| *decided != Decided::Shared)
    }

    /// Returns whether the hook of this place may run by the last decision, whatever its content was.
    pub fn is_trusted(&self, key: &TrustKey) -> bool {
        matches!(self.by_key.get(key), Some((Decided::Trusted | Decided::Shared, _)))
    }

    /// Returns whether a yes at another place holds for this content here, and the store does not say so yet.
    pub(crate) fn is_unnoted(&self, key: &TrustKey, hash: ContentHash) -> bool {
        match self.by_key.get(key) {
            None => true,
            Some((decided, noted)) => *decided == Decided::Shared && *noted != hash,
        }
    }

    /// Every place whose hook may run by the last decision, and the content that it was about.
    pub(crate) fn trusted(&self) -> impl Iterator<Item = (&TrustKey, ContentHash)> {
        let runs = |decided: &Decided| matches!(decided, Decided::Trusted | Decided::Shared);
        self.by_key.iter().filter(move |(_, (decided, _))| runs(decided)).map(|(at, (_, hash))| (at, *hash))
    }

    fn is_trusted_somewhere(&self, hash: ContentHash) -> bool {
        self.by_key.values().any(|decision| *decision == (Decided::Trusted, hash))
    }
}

impl TrustStore {
    /// The store of these folders.
    ///
    /// # Errors
    /// There is no state folder, or it is in the project, which could then decide about itself. (The user's whole home may
    /// be the project.)
    pub fn locate(directories: &Directories, owners: Owners) -> Result<Self, Problem> {
        let Some(state) = &directories.state else {
            return Err(Problem::error(
                "~",
                "there is no folder for state, so no project hook can be trusted",
            )
            .with_help("set HOME or SNAPHOOK_STATE_DIR"));
        };
        let dir = layout::trust(state);
        let shown = directories.display_path(&dir, snaphook_core::Scope::User);
        let root = resolved(&directories.project_root);
        let at_home = directories.home.as_deref().is_some_and(|home| resolved(home).starts_with(&root));
        if !at_home && resolved(&dir).starts_with(&root) {
            let message =
                "is in the project, which must not decide about itself, so no project hook is trusted";
            return Err(Problem::error(shown, message)
                .with_help("name a folder outside of the project with SNAPHOOK_STATE_DIR"));
        }
        Ok(TrustStore { dir, shown, owners })
    }

    /// Returns what was decided so far; nothing where there is no store yet.
    ///
    /// # Errors
    /// It cannot be read, is not whole, or others than the user may change it.
    pub fn read(&self) -> Result<Decisions, Problem> {
        let store = self.decisions_file();
        let broken = |error: DocumentError| match error {
            DocumentError::Read(error) => self.broken(io_message(&error)),
            error => self.broken(error.to_string()),
        };
        let Some(bytes) = store.read().map_err(broken)? else { return Ok(Decisions::default()) };
        for path in [self.dir.as_path(), store.path()] {
            if let Some(problem) = self.owners.own(path, &display_path(path)) {
                return Err(problem);
            }
        }
        self.decisions(parse_format(&bytes, FORMAT).map_err(broken)?)
    }

    fn decisions(&self, document: Written) -> Result<Decisions, Problem> {
        let mut decisions = Decisions::default();
        for Record { project, hook, decided, hash } in document.decisions {
            if decisions.by_key.insert(TrustKey { project, hook }, (decided, hash)).is_some() {
                return Err(self.broken("is damaged: it has two decisions for one place".to_owned()));
            }
        }
        Ok(decisions)
    }

    fn broken(&self, why: String) -> Problem {
        let message = format!("the trust store {why}; until it is fixed no project hook is trusted");
        let help = "move it away to decide anew with `snaphook trust`";
        Problem::error(self.shown.join("decisions.json"), message).with_help(help)
    }

    /// Trusts contents, each at its place. An earlier decision of the place ends. All of them are written, or none.
    ///
    /// # Errors
    /// The store is broken or cannot be written; then nothing changed.
    pub fn trust<'a>(&self, hooks: impl IntoIterator<Item = Verdict<'a>>) -> Result<(), Problem> {
        self.decide(hooks, Decided::Trusted)
    }

    /// Ignores contents, each at its place.
    ///
    /// # Errors
    /// As [`TrustStore::trust`].
    pub fn ignore<'a>(&self, hooks: impl IntoIterator<Item = Verdict<'a>>) -> Result<(), Problem> {
        self.decide(hooks, Decided::Ignored)
    }

    fn decide<'a>(
        &self,
        hooks: impl IntoIterator<Item = Verdict<'a>>,
        decided: Decided,
    ) -> Result<(), Problem> {
        self.change(|decisions| {
            for (key, files) in hooks {
                let hash = ContentHash::of(files);
                // First what is compared with, so that no decision is without it.
                self.keep(hash, files)?;
                decisions.by_key.insert(key.clone(), (decided, hash));
            }
            Ok(())
        })
    }

    /// Takes decisions back. A content that was trusted at the place is trusted at no place any more; any other is undecided
    /// at the place, whatever was decided there.
    ///
    /// # Errors
    /// As [`TrustStore::trust`].
    pub fn withdraw<'a>(
        &self,
        hooks: impl IntoIterator<Item = (&'a TrustKey, ContentHash)>,
    ) -> Result<(), Problem> {
        self.change(|decisions| {
            for (key, hash) in hooks {
                let (state, _) = decisions.state(key, hash);
                decisions.by_key.insert(key.clone(), (Decided::Withdrawn, hash));
                if state != TrustState::Trusted {
                    continue;
                }
                for decision in decisions.by_key.values_mut() {
                    if matches!(decision, (Decided::Trusted | Decided::Shared, decided) if *decided == hash) {
                        decision.0 = Decided::Withdrawn;
                    }
                }
            }
            Ok(())
        })
    }

    /// Notes that a yes at another place holds at these, where there is no decision yet.
    ///
    /// # Errors
    /// As [`TrustStore::trust`].
    pub fn note_shared<'a>(
        &self,
        hooks: impl IntoIterator<Item = &'a (TrustKey, ContentHash)>,
    ) -> Result<(), Problem> {
        self.change(|decisions| {
            for (key, hash) in hooks {
                if decisions.is_unnoted(key, *hash) {
                    decisions.by_key.insert(key.clone(), (Decided::Shared, *hash));
                }
            }
            Ok(())
        })
    }

    /// Reads, changes and writes under the lock.
    fn change(&self, how: impl FnOnce(&mut Decisions) -> Result<(), Problem>) -> Result<(), Problem> {
        let contents = self.dir.join("contents");
        private_fs::make_dir(&contents).map_err(|error| self.unwritten(&error))?;
        let store = self.decisions_file();
        let failed = |error: DocumentError| match error {
            DocumentError::Write(error) => self.unwritten(&error),
            error => self.broken(error.to_string()),
        };
        let _lock = store.lock(LOCK_TIMEOUT).map_err(failed)?;
        let mut decisions = self.read()?;
        how(&mut decisions)?;
        let record = |(key, (decided, hash)): (&TrustKey, &(Decided, ContentHash))| Record {
            project: key.project.clone(),
            hook: key.hook.clone(),
            decided: *decided,
            hash: *hash,
        };
        let document = Written { format: FORMAT, decisions: decisions.by_key.iter().map(record).collect() };
        let text = serde_json::to_vec_pretty(&document).map_err(|error| self.unwritten(&error.into()))?;
        store.replace(&text).map_err(failed)?;
        forget(&contents, &decisions);
        Ok(())
    }

    fn unwritten(&self, error: &std::io::Error) -> Problem {
        let message = format!("the trust store cannot be written, so nothing was decided: {error}");
        Problem::error(&self.shown, message)
    }

    fn keep(&self, hash: ContentHash, files: &BTreeMap<String, Arc<[u8]>>) -> Result<(), Problem> {
        // What is a hook was read as UTF-8.
        let text = |(path, bytes): (&String, &Arc<[u8]>)| {
            (path.clone(), String::from_utf8_lossy(bytes).into_owned())
        };
        let kept: Kept = files.iter().map(text).collect();
        self.kept_file(hash).replace_json(&kept).map_err(|error| match error {
            DocumentError::Write(error) => self.unwritten(&error),
            error => self.broken(error.to_string()),
        })
    }

    /// The files of a version that a decision is about, for comparing; `None` if they are not there whole.
    pub fn kept(&self, hash: ContentHash) -> Option<Kept> {
        let kept: Kept = self.kept_file(hash).read_json().ok()??;
        let files = kept.iter().map(|(path, text)| (path.clone(), Arc::from(text.as_bytes())));
        (ContentHash::of(&files.collect()) == hash).then_some(kept)
    }

    fn decisions_file(&self) -> Document {
        Document::new(self.dir.join("decisions.json"), MAX_BYTES).durable()
    }

    fn kept_file(&self, hash: ContentHash) -> Document {
        let file = self.dir.join("contents").join(format!("{}.json", hash.hex()));
        Document::new(file, MAX_KEPT_BYTES).durable()
    }
}

/// A place, and the files that are there.
pub type Verdict<'a> = (&'a TrustKey, &'a BTreeMap<String, Arc<[u8]>>);

/// Removes what no decision is about any more. What cannot be removed is tried again with the next change.
fn forget(contents: &Path, decisions: &Decisions) {
    let needed: BTreeSet<_> =
        decisions.by_key.values().map(|(_, hash)| format!("{}.json", hash.hex())).collect();
    for entry in fs::read_dir(contents).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_none_or(|name| !needed.contains(name)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns where a path leads, also if its last parts do not exist yet.
fn resolved(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    for ancestor in path.ancestors() {
        if let Ok(real) = fs::canonicalize(ancestor) {
            return missing.iter().rev().fold(real, |path, name| path.join(name));
        }
        missing.extend(ancestor.file_name().map(std::ffi::OsStr::to_owned));
    }
    path.to_owned()
}
