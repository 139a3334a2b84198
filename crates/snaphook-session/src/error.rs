//! Errors that keep hooks from running at all. The answer to an agent is a denial then.

use std::io;
use std::path::PathBuf;

use snaphook::Language;
use snaphook_discovery::trust::BadPin;

/// A session's hooks cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The process has no working directory any more, and none was named.
    #[error("the working directory is gone; name one with --cwd")]
    NoWorkingDirectory,
    /// The working directory that was named is no folder.
    #[error("--cwd {} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// A decision on the command line is invalid.
    #[error("--trust {0}")]
    Pin(#[source] BadPin),
    /// The file with decisions cannot be used.
    #[error("--trust-file {}: {cause}", file.display())]
    PinFile {
        /// The file as it was named.
        file: PathBuf,
        /// The reason.
        #[source]
        cause: PinFileError,
    },
    /// A script engine does not start.
    #[error("failed to start the {language} engine: {cause}")]
    Engine {
        /// The language.
        language: Language,
        /// The reason.
        #[source]
        cause: io::Error,
    },
    /// The runtime for asynchronous work does not start.
    #[error("failed to start the runtime: {0}")]
    Runtime(#[source] io::Error),
}

impl SessionError {
    /// Returns whether the caller gave something wrong: the rest is a failure of snaphook or of the machine.
    pub fn is_usage(&self) -> bool {
        !matches!(self, SessionError::Engine { .. } | SessionError::Runtime(_))
    }
}

/// A file with decisions about hooks that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinFileError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// A project must not decide about its own hooks.
    #[error("it is in the project, which would decide about itself")]
    InProject,
    /// A line of it is invalid.
    #[error("line {line}: {cause}")]
    Line {
        /// The line's number, from 1.
        line: usize,
        /// The problem with it.
        #[source]
        cause: BadPin,
    },
}
