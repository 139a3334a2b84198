//! The command that is held, and the ways in which it does not start. Not here: how it is held (`linux`, `seatbelt`).

use std::ffi::OsString;
use std::path::PathBuf;

use crate::plan::PlanError;
use crate::policy::PolicyError;

/// A command with all that it gets.
#[derive(Debug, Clone)]
pub struct Command {
    /// The program and its arguments. A program without a slash is looked up in `program_folders`.
    pub words: Vec<OsString>,
    /// The environment.
    pub env: Vec<(OsString, OsString)>,
    /// The folders in which the program is looked up.
    pub program_folders: Vec<PathBuf>,
}

/// The reason why a held command did not start.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The directive cannot be held here.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The kernel lacks what would hold it.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A step of holding failed.
    #[error("failed to {step}: {error}")]
    Step {
        /// The step.
        step: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// A standard stream would be a way around the hold.
    #[error("{stream} is {what}; the command could reach past its hold through it")]
    Stream {
        /// `standard input`, …
        stream: &'static str,
        /// The kind of file that it is.
        what: String,
    },
    /// There is no command.
    #[error("no command was given")]
    Nothing,
    /// No file of the program's name was found.
    #[error("{}: command not found", .0.display())]
    NotFound(OsString),
    /// The program's file cannot be run.
    #[error("{}: {error}", program.display())]
    NotExecutable {
        /// The program.
        program: OsString,
        /// The system's error.
        error: std::io::Error,
    },
    /// This system cannot hold anything.
    #[error("this system cannot hold a command")]
    Unsupported,
}

impl Failure {
    /// The exit code that shells and their like use for it.
    pub fn code(&self) -> i32 {
        match self {
            Failure::NotFound(_) => 127,
            Failure::NotExecutable { .. } => 126,
            _ => 125,
        }
    }

    #[cfg(unix)]
    pub(crate) fn step(step: impl Into<String>, error: impl Into<std::io::Error>) -> Self {
        Failure::Step { step: step.into(), error: error.into() }
    }
}
