//! The reasons why git does not say which files changed. Not here: what is done instead (`walk`).

use std::path::PathBuf;

use snaphook_discovery::printable;

use crate::process::StartError;

/// The reason why git's answer is missing or unusable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// git was not started.
    #[error("git did not run: {0}")]
    Start(#[from] StartError),
    /// git failed: the first line that it said, or how it ended.
    #[error("{0}")]
    Failed(String),
    /// git printed more than is read.
    #[error("git said more than {0} MiB, or was cut off")]
    TooLong(usize),
    /// git printed a record that it does not document.
    #[error("git said something unknown: {0}")]
    UnknownRecord(String),
    /// A name leads out of the folder.
    #[error("git names a file outside: {0}")]
    Outside(String),
    /// A submodule is no repository.
    #[error("{0} is no repository")]
    NoRepository(String),
    /// A filter cannot be overruled by a setting on the command line.
    #[error("the repository has a filter of an odd name: {}", printable(.0))]
    OddFilter(String),
    /// A file of the repository is one that git would wait for.
    #[error(
        "{} is a named pipe, a socket or a device, which git would wait for: remove it",
        printable(&.0.display().to_string())
    )]
    Irregular(PathBuf),
}
