//! Sessions with a model, written down line by line as they go on, so that each can be gone on with after any end. The format is
//! that of recordings (`crate::replay`), with a few lines more.
//!
//! A line is written before what it is about can have an effect: an answer before a tool of it runs, the start of a tool before it
//! runs. So what is in the file is what happened, and a call whose start is in it never runs again.

mod file;
mod line;
mod list;
mod read;

pub use file::{NewSession, SessionFile};
pub use line::Line;
pub use list::{SessionInfo, find, list};
pub use read::{Resumed, resume};

use std::path::PathBuf;

/// The reason why a session cannot be written or gone on with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionFileError {
    /// The system says no.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The problem with it.
        source: std::io::Error,
    },
    /// Another process is at it.
    #[error("the session {0} is open in another process; end that first")]
    Open(String),
    /// A line cannot be read.
    #[error("{}:{line}: {source}; the session cannot be gone on with, `snaphook run --replay` reads the rest", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault.
        source: serde_json::Error,
    },
    /// There is no such session.
    #[error("there is no session {0}; `snaphook sessions` lists them")]
    Unknown(String),
    /// There is none at all.
    #[error("there is no session of this project to go on with")]
    NoneHere,
    /// Several begin like this.
    #[error("several sessions begin with {0}: {1}")]
    Ambiguous(String, String),
}
