//! Errors of the set-up tools. Not here: errors of git's repositories (`git`) and of lists of MCP servers (`wrap`).

use std::io;
use std::path::PathBuf;

use snaphook::{Problem, Product};
use snaphook_adapters::install::InstallError;
use snaphook_discovery::printable;
use snaphook_state::DocumentError;

/// A set-up tool could not do its work. Nothing was changed, unless the text says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// There is no home folder, where the person's settings are.
    #[error("there is no home folder; set HOME, or use --project")]
    NoHome,
    /// There is no state folder.
    #[error("there is no state folder for the backup; set HOME or SNAPHOOK_STATE_DIR")]
    NoStateFolder,
    /// No hook is in force. The problem says where snaphook looked.
    #[error("there are no hooks yet; write one with `snaphook new` first\n{}: {}", .0.file.display(), .0.message)]
    NoHooks(Box<Problem>),
    /// A person has to change the agent's settings. The text says how.
    #[error(transparent)]
    ByHand(#[from] InstallError),
    /// Another process holds the lock, or it cannot be made.
    #[error("{} cannot be locked: {source}", path.display())]
    Lock {
        /// The lock's file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The backup of a file cannot be written.
    #[error("{} {source}", path.display())]
    Backup {
        /// The backup's file.
        path: PathBuf,
        /// The reason.
        source: DocumentError,
    },
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file of text is not UTF-8.
    #[error("{} is not UTF-8; it was not changed", .0.display())]
    NotUtf8(PathBuf),
    /// A file must not be written where it is: a link leads out of the project, or it is not a regular file.
    #[error("{} was not changed: {source}", path.display())]
    Unsafe {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("{} cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file cannot be removed.
    #[error("{} cannot be removed: {source}", path.display())]
    Remove {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// There is no file.
    #[error("there is no file {}", .0.display())]
    NoFile(PathBuf),
    /// Servers behind the gate would not be recognized by this program's name.
    #[error(
        "this program is {0}; servers behind the gate are recognized by the name \"snaphook\": rename it first"
    )]
    ProgramName(String),
    /// A product has no hooks where they are looked for.
    #[error(
        "found no hooks of {}: {} does not exist{}",
        product.title(),
        looked.iter().map(|path| printable(&path.display().to_string())).collect::<Vec<_>>().join(" or "),
        if *is_named { "" } else { "; name the place with --from" }
    )]
    NothingToImport {
        /// The product.
        product: Product,
        /// The places.
        looked: Vec<PathBuf>,
        /// True if a person named the place.
        is_named: bool,
    },
    /// A copy cannot be written. Those that were written before are removed again.
    #[error("{} cannot be written: {source}; nothing was imported", path.display())]
    Import {
        /// The copy.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file of settings cannot be edited as it is.
    #[error(
        "{}: {}{source}; it was not changed: {} and try again",
        path.display(),
        line.map(|line| format!("line {line}: ")).unwrap_or_default(),
        source.remedy()
    )]
    Edit {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where the reason has one.
        line: Option<usize>,
        /// The reason.
        source: EditError,
    },
}

/// A file of settings cannot be edited as it is.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The text is not JSON.
    #[error("it is not valid JSON: {0}")]
    Json(String),
    /// The text is not TOML.
    #[error("it is not valid TOML: {0}")]
    Toml(String),
    /// The document is of another type.
    #[error("expected a JSON object")]
    NotObject,
    /// A value in it is of another type.
    #[error("expected `{key}` to be {expected}")]
    Type {
        /// The keys of the value, with dots between them.
        key: String,
        /// The type that it must have, with its article.
        expected: &'static str,
    },
    /// A key is there twice. Agents take the last, and snaphook would write into the first.
    #[error("`{0}` appears twice")]
    Twice(String),
    /// TOML cannot express a value of an entry.
    #[error("TOML cannot express {0}")]
    Inexpressible(String),
    /// The text has nothing in it.
    #[error("it is empty")]
    Empty,
    /// The text is YAML, which is not edited.
    #[error("it is YAML; put `snaphook mcp --name NAME --` in front of each server's command by hand")]
    Yaml,
    /// There is no list of MCP servers.
    #[error("found no list of MCP servers: expected {0}")]
    NoServers(&'static str),
    /// The list has no server of this name.
    #[error("there is no server \"{name}\" in it{}", .nearest.as_ref().map(|near| format!("; did you mean {near}?")).unwrap_or_default())]
    UnknownServer {
        /// The name.
        name: String,
        /// The server whose name is almost this one.
        nearest: Option<String>,
    },
    /// A server would not run as it was meant to.
    #[error("the server \"{0}\" could not be changed")]
    Server(String),
    /// The file has the name of one of snaphook's, and other content.
    #[error("refusing to overwrite a file that snaphook did not create")]
    Foreign,
    /// The file is read-only.
    #[error("it is read-only")]
    ReadOnly,
    /// The file is a link to nothing.
    #[error("it is a link to nothing")]
    DanglingLink,
}

impl EditError {
    /// Returns what a person can do about it.
    fn remedy(&self) -> &'static str {
        match self {
            EditError::Foreign => "move it away",
            EditError::ReadOnly => "make it writable",
            _ => "fix it",
        }
    }
}
