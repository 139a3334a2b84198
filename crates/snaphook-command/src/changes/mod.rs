//! The changed files of a project: everything that git calls dirty, and what of it is new since the last evaluation. Not here:
//! what becomes of that (the host's checks), and where the marker is (`status`).
//!
//! # Dirty
//!
//! Where the project is in a git repository, one `git status` says it: staged or not, untracked, deleted, with both names of a
//! rename. git is called directly, without a shell, with NUL-separated output; settings that change what it prints or that
//! start programs are overruled, also those of the repository itself, and the variables of a surrounding git are not passed on.
//! Submodules, and repositories inside, are asked by themselves in the same way. Ignored files do not count.
//!
//! Elsewhere, and where git fails, the folder is walked, its ignore files honoured: dirty is what is newer than the marker's
//! beginning, without one every file, as in a repository without a commit.
//!
//! # New
//!
//! The marker ([`Marker`]) keeps each dirty file's times, length and, where need be, a hash. A file is new where it was not
//! dirty before or where one of them differs; so is a file that was moved to its place with its old time, because the
//! time of the change of its entry counts as well. The marker's own time is taken before git is asked, and everything that it keeps is
//! read after that, so what is written meanwhile is new the next time. A file that was written in the same tick of
//! the file system's clock in which it was looked at could change once more without any trace: of such files the content's
//! hash is kept. A marker of another program has a time and nothing in it: then new is what is not older.

mod error;
mod git;
mod marker;
mod porcelain;
mod regular;
mod stamp;
mod walk;

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, SystemTime};

pub use error::GitError;
pub use git::{below, clean as git_environment, may_be_in_repository as in_repository};
pub use marker::Marker;
pub use porcelain::{Entry, parse as parse_status};
pub use regular::check_repository;
pub use stamp::Stamp;

/// The place to look in.
#[derive(Debug, Clone, Copy)]
pub struct LookOptions<'a> {
    /// The project's root, absolute.
    pub root: &'a Path,
    /// The environment that git gets, and in whose `PATH` it is looked for.
    pub env: &'a [(OsString, OsString)],
    /// The time that git may take.
    pub git_limit: Duration,
    /// The number of files that are walked over at most, where git cannot be asked.
    pub max_files: usize,
}

impl<'a> LookOptions<'a> {
    /// A project, with the usual bounds: git has a minute, and 200,000 files are walked over.
    pub fn new(root: &'a Path, env: &'a [(OsString, OsString)]) -> Self {
        LookOptions { root, env, git_limit: Duration::from_secs(60), max_files: 200_000 }
    }
}

/// The source of the list of dirty files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// git.
    Git,
    /// A walk, because the project is in no repository.
    Walk,
    /// A walk, because git could not say; with the reason.
    WalkInstead(String),
}

/// The content of a dirty file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// It is there.
    Present,
    /// It was deleted.
    Deleted,
    /// It is there, but its name is not UTF-8, so that it cannot be passed on as a text.
    Unnameable,
}

/// A file that differs from what is committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Relative to the project's root, with `/`. What is not UTF-8 is replaced by U+FFFD.
    pub name: String,
    /// Its content.
    pub state: FileState,
    /// The name as the system has it.
    raw: Vec<u8>,
    stamp: Option<Stamp>,
}

/// All dirty files of a project at one moment, in the order of their names.
#[derive(Debug, Clone)]
pub struct Dirty {
    /// The files.
    pub files: Vec<File>,
    /// The source of it.
    pub source: Source,
    /// When the question was asked: before anything was looked at.
    pub asked: SystemTime,
    /// The time that git took.
    pub git_took: Duration,
    /// True if there were more files than are walked over.
    pub cut: bool,
}

impl Dirty {
    /// The marker of this moment.
    pub fn marker(&self, root: &Path, before: Option<&Marker>) -> Marker {
        let known = self.files.iter().map(|file| (file.raw.clone(), file.stamp.clone())).collect();
        let since = before.and_then(|marker| marker.since);
        Marker { time: self.asked, since, project: Some(marker::project(root)), known: Some(known) }
    }

    /// Returns which of the files are new since the marker; all of them where there is none.
    pub fn new_since<'d>(&'d self, root: &Path, marker: Option<&Marker>) -> Vec<&'d File> {
        let Some(marker) = marker else { return self.files.iter().collect() };
        let new = |file: &&File| marker.is_new(&file.raw, file.stamp.as_ref(), &|| path_of(root, &file.raw));
        self.files.iter().filter(new).collect()
    }
}

/// Looks at a project. `marker` says since when files count where git cannot be asked.
///
/// Has to be polled on a tokio runtime with I/O and time enabled.
pub async fn look(options: LookOptions<'_>, marker: Option<&Marker>) -> Dirty {
    let asked = SystemTime::now();
    let root = std::fs::canonicalize(options.root).unwrap_or_else(|_| options.root.to_owned());
    let options = LookOptions { root: &root, ..options };
    let said = if git::may_be_in_repository(&root) { git::dirty(options).await } else { Ok(None) };
    let (names, source, git_took, cut) = match said {
        Ok(Some(said)) => (said.names, Source::Git, said.took, false),
        Ok(None) => walked(&root, options.max_files, marker, Source::Walk).await,
        Err(why) => walked(&root, options.max_files, marker, Source::WalkInstead(why.to_string())).await,
    };
    let files = blocking(move || stamped(&root, names)).await.unwrap_or_default();
    let mut dirty = Dirty { files, source, asked, git_took, cut };
    if dirty.source != Source::Git {
        dirty.add_gone(marker);
    }
    dirty
}

type Names = std::collections::BTreeSet<Vec<u8>>;

async fn walked(
    root: &Path,
    max_files: usize,
    marker: Option<&Marker>,
    source: Source,
) -> (Names, Source, Duration, bool) {
    let since = marker.and_then(|marker| marker.since);
    let root = root.to_owned();
    let (names, cut) = blocking(move || walk::dirty(&root, max_files, since)).await.unwrap_or_default();
    (names, source, Duration::ZERO, cut)
}

/// Work that waits for disks, away from the threads that others share.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

fn stamped(root: &Path, names: Names) -> Vec<File> {
    let one = |raw: Vec<u8>| {
        let stamp = Stamp::of(&path_of(root, &raw));
        let (name, utf8) = match String::from_utf8(raw.clone()) {
            Ok(name) => (name, true),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), false),
        };
        let state = match (&stamp, utf8) {
            (None, _) => FileState::Deleted,
            (Some(_), true) => FileState::Present,
            (Some(_), false) => FileState::Unnameable,
        };
        File { name, state, raw, stamp }
    };
    names.into_iter().map(one).collect()
}

impl Dirty {
    /// Without git only the marker knows of a file that is gone.
    fn add_gone(&mut self, marker: Option<&Marker>) {
        let Some(known) = marker.and_then(|marker| marker.known.as_ref()) else { return };
        let here: std::collections::HashSet<Vec<u8>> =
            self.files.iter().map(|file| file.raw.clone()).collect();
        let gone = known.iter().filter(|(raw, stamp)| stamp.is_some() && !here.contains(*raw));
        self.files.extend(gone.map(|(raw, _)| File {
            name: String::from_utf8_lossy(raw).into_owned(),
            state: FileState::Deleted,
            raw: raw.clone(),
            stamp: None,
        }));
        self.files.sort_by(|a, b| a.raw.cmp(&b.raw));
    }
}

/// The path of a name below the root.
fn path_of(root: &Path, raw: &[u8]) -> std::path::PathBuf {
    #[cfg(unix)]
    let name = std::ffi::OsStr::from_bytes(raw).to_owned();
    #[cfg(not(unix))]
    let name = OsString::from(String::from_utf8_lossy(raw).into_owned());
    root.join(name)
}

#[cfg(unix)]
use std::os::unix::ffi::OsStrExt as _;
