//! Errors of setting up commits, and of the hooks before one.

use std::io;
use std::path::{Path, PathBuf};

use snaphook::PayloadError;
use snaphook_command::process::{ProcessOutcome, StartError};
use snaphook_discovery::printable;

use crate::SetupError;
use crate::git::repository::Refusal;

/// The hooks before a commit cannot be set up, or not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// The program is not installed.
    #[error("there is no `git` in PATH")]
    NoGit,
    /// The program does not start.
    #[error("git cannot be run: {0}")]
    Start(#[source] StartError),
    /// git refuses. The text is git's own, which may be in another language.
    #[error("`git {command}` {outcome}{}", if stderr.is_empty() { String::new() } else { format!(": {stderr}") })]
    Failed {
        /// The arguments.
        command: String,
        /// The way it ended.
        outcome: ProcessOutcome,
        /// Its own words.
        stderr: String,
    },
    /// git's answer does not fit.
    #[error("the answer of `git {command}` is too long")]
    TooLong {
        /// The arguments.
        command: String,
    },
    /// The repository is not made of regular files.
    #[error(transparent)]
    Irregular(snaphook_command::changes::GitError),
    /// The folder is in no repository.
    #[error(
        "{} is not in a git repository: run `git init`, or name a folder of one with --cwd ({cause})",
        display_path(folder)
    )]
    NotARepository {
        /// The folder.
        folder: PathBuf,
        /// git's reason.
        #[source]
        cause: Box<GitError>,
    },
    /// The repository has no working tree.
    #[error("this repository is bare: it has no commits to check")]
    Bare,
    /// The folder is the repository's own.
    #[error("this is inside the repository's own folder; name a folder of its working tree with --cwd")]
    InsideGitFolder,
    /// A path is not UTF-8.
    #[error("the path of the {0} is not UTF-8, which is not supported here")]
    NotUtf8(&'static str),
    /// The hooks folder must not be written.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The script's place is taken by something that is not a file.
    #[error("{} is not a file; move it away and try again", .0.display())]
    NotAFile(PathBuf),
    /// The script's place and the place of the hook before it are both taken.
    #[error(
        "{} and {} are both hooks that snaphook did not create, and neither is overwritten: combine them, or move one away, and try \
         again",
        script.display(),
        original.display()
    )]
    BothTaken {
        /// The script's place.
        script: PathBuf,
        /// The place of the hook that was there before.
        original: PathBuf,
    },
    /// The hook that is there cannot be kept.
    #[error("{} cannot be kept: {source}", script.display())]
    Keep {
        /// The hook.
        script: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The script cannot be written.
    #[error("{} cannot be written: {source}", script.display())]
    Write {
        /// The script.
        script: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The hook that was there before cannot be put back.
    #[error("{} cannot be restored: {source}", script.display())]
    Restore {
        /// The script's place.
        script: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The script cannot be removed.
    #[error("{} cannot be removed: {source}", script.display())]
    Remove {
        /// The script.
        script: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A staged file's name leads out of the repository.
    #[error(transparent)]
    Outside(snaphook_command::changes::GitError),
    /// A staged file's name is not UTF-8. A hook would find no file by another name, and may pass over that.
    #[error("\"{}\" is staged, and its name is not UTF-8, so hooks cannot be given it: rename it", printable(.0))]
    StagedName(String),
    /// The event for hooks cannot be made.
    #[error(transparent)]
    Event(#[from] PayloadError),
    /// Another process changes settings, or the lock cannot be made.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The hooks of a project cannot be loaded.
    #[error(transparent)]
    Load(LoadError),
}

/// The reason that the caller gives where hooks cannot be loaded.
pub type LoadError = Box<dyn std::error::Error + Send + Sync>;

fn display_path(path: &Path) -> String {
    printable(&path.display().to_string())
}
