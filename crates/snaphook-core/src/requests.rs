//! The data of requests to the host and of its replies: processes, files, the web, people. Not here: the port that takes
//! them (`services`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::approval::{Approval, Approved};
use crate::future::BoxFuture;
use crate::hook::HookRef;

// ---- processes ----

/// A process that a script wants to run. No shell is involved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExecRequest {
    /// The program: a name to look up or a path.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The place where it runs: relative to the session's working directory.
    pub cwd: Option<PathBuf>,
    /// Variables beside the host's own choice.
    pub env: BTreeMap<String, String>,
    /// Its standard input; closed where absent.
    pub stdin: Option<String>,
    /// When it is killed.
    pub timeout: Option<Duration>,
}

/// The way a process ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExecOutput {
    /// Its output, at most 1 MiB.
    pub stdout: String,
    /// Its error output, at most 1 MiB.
    pub stderr: String,
    /// The exit code; `None` for a process that was killed.
    pub code: Option<i32>,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// True if it was killed because its time was up.
    pub timed_out: bool,
    /// True if output was cut.
    pub truncated: bool,
}

// ---- files ----

/// The request of a script for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRequest {
    /// The path: relative to the project's root, `~/…` or absolute.
    pub path: String,
    /// The operation.
    pub operation: FileOperation,
}

/// The operation on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOperation {
    /// Gives its text.
    Read,
    /// Describes it; nothing where there is no such file.
    Stat,
    /// Gives the names in a folder.
    List,
    /// Replaces its text, or makes it.
    Write(String),
    /// Adds to its text, or makes it.
    Append(String),
    /// Takes it away.
    Remove,
    /// Makes a folder, with those above it.
    MakeDir,
}

/// The result of it.
#[derive(Debug, Clone, PartialEq)]
pub enum FileReply {
    /// To what changes something.
    Done,
    /// To [`FileOperation::Read`].
    Text(String),
    /// To [`FileOperation::List`], sorted.
    Names(Vec<String>),
    /// To [`FileOperation::Stat`].
    Stat(Option<FileStat>),
}

/// The description of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FileStat {
    /// `file`, `folder` or `other`.
    pub kind: &'static str,
    /// Its size in bytes.
    pub size: u64,
    /// When it was changed last, in seconds since 1970.
    pub modified: f64,
}

// ---- the web ----

/// The request of a script to a web server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpRequest {
    /// `GET` or `POST`.
    pub method: String,
    /// The address, `https://…` or `http://…`.
    pub url: String,
    /// Header fields.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Option<String>,
    /// When it is given up; the default is the host's.
    pub timeout: Option<Duration>,
}

/// The answer of a web server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpResponse {
    /// The status, like 200.
    pub status: u16,
    /// Header fields, names in lower case; repeated ones joined by `, `.
    pub headers: BTreeMap<String, String>,
    /// The body as text.
    pub body: String,
    /// The address that answered, after redirects.
    pub url: String,
}

// ---- people ----

/// A question for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UiRequest {
    /// Yes or no. The default is no.
    Confirm {
        /// The question, in a few words.
        title: String,
        /// The explanation.
        message: Option<String>,
    },
    /// One of several.
    Select {
        /// The question.
        title: String,
        /// The choices; never empty.
        options: Vec<String>,
    },
    /// A line of text.
    Input {
        /// The question.
        title: String,
        /// The text at first.
        initial: Option<String>,
    },
    /// A longer text, in the person's editor.
    Editor {
        /// The question.
        title: String,
        /// The text at first.
        initial: Option<String>,
    },
}

/// The answer of the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UiReply {
    /// To [`UiRequest::Confirm`].
    Confirmed(bool),
    /// To [`UiRequest::Select`]: the index, from 0.
    Selected(usize),
    /// To the others.
    Text(String),
    /// No answer: nobody can be asked, or the person closed the dialog.
    Nothing,
    /// The question is passed on; its answer comes later, from outside.
    Deferred,
}

crate::named_enum! {
    /// The urgency of a notice or a log line.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Level {
        /// For debugging.
        Debug = "debug",
        /// The default.
        Info = "info",
        /// Something is not as it should be.
        Warn = "warn" | "warning",
        /// Something failed.
        Error = "error",
    }
}

/// Something that a hook tells the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A message.
    Message {
        /// The text.
        text: String,
        /// Its urgency.
        level: Level,
    },
    /// A line of status that stays until it is replaced; `None` removes it.
    Status {
        /// The key of the line.
        key: String,
        /// The text.
        text: Option<String>,
    },
}

/// The way handlers reach a person. Implementations never write to an agent's terminal by accident (law 12).
pub trait UiContext: Send + Sync {
    /// Returns whether a person can be asked.
    fn has_ui(&self) -> bool;
    /// Asks. One dialog at a time; dropping the future ends it.
    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply>;
    /// Asks whether something may pass that a gate asks about. The default asks for yes or no; a UI that can offer more
    /// (a no with a reason, a yes for the session) has its own.
    fn approve<'a>(&'a self, approval: &'a Approval) -> BoxFuture<'a, Approved> {
        Box::pin(async move {
            let title = approval.title.clone();
            let request = UiRequest::Confirm { title, message: Some(approval.message.clone()) };
            match self.ask(approval.hooks.first(), request).await {
                UiReply::Confirmed(true) => Approved::Yes,
                UiReply::Deferred => Approved::Deferred,
                UiReply::Nothing => Approved::Nothing,
                _ => Approved::No { why: None },
            }
        })
    }
    /// Tells.
    fn notify(&self, hook: Option<&HookRef>, notice: Notice);
}
