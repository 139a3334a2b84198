//! What engines need from the host: people, processes, the outbox, what a hook keeps, the log and the clock.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::call::CallContext;
use crate::hook::HookRef;
use crate::ports::BoxFuture;

/// The services that a script may ask of the host while it handles an event. Each call names the hook that makes it,
/// so that the host can check its grants.
pub trait Services: Send + Sync {
    /// Returns whether a person can be asked; `call` is the event's surroundings.
    fn has_ui(&self, call: &CallContext) -> bool;
    /// Asks the person; `call` is the event's surroundings.
    fn ui(
        &self,
        hook: &HookRef,
        call: &Arc<CallContext>,
        request: UiRequest,
    ) -> BoxFuture<'static, Result<UiReply, ServiceError>>;
    /// Tells the person something.
    fn notify(&self, hook: &HookRef, notice: Notice);
    /// Runs a process.
    fn exec(
        &self,
        hook: &HookRef,
        call: &Arc<CallContext>,
        request: ExecRequest,
    ) -> BoxFuture<'static, Result<ExecOutput, ServiceError>>;
    /// Reads or changes files. Relative paths are meant from the project's root. No call while the hook loads.
    fn file(
        &self,
        hook: &HookRef,
        call: Option<&Arc<CallContext>>,
        request: FileRequest,
    ) -> Result<FileReply, ServiceError>;
    /// Asks a web server.
    fn http(
        &self,
        hook: &HookRef,
        call: &Arc<CallContext>,
        request: HttpRequest,
    ) -> BoxFuture<'static, Result<HttpResponse, ServiceError>>;
    /// The value of an environment variable; `None` where it is not set. No call while the hook loads.
    fn env(
        &self,
        hook: &HookRef,
        call: Option<&Arc<CallContext>>,
        name: &str,
    ) -> Result<Option<String>, ServiceError>;
    /// Puts text for the agent into the outbox.
    fn send(&self, hook: &HookRef, text: String, deliver: Deliver);
    /// Causes a bus event and waits until its handlers are done.
    fn emit(
        &self,
        hook: &HookRef,
        call: &Arc<CallContext>,
        name: Arc<str>,
        fields: Map<String, Value>,
    ) -> BoxFuture<'static, Result<(), ServiceError>>;
    /// Reads or changes what the hook keeps for the session or on disk.
    fn kv(&self, hook: &HookRef, scope: KvScope, operation: KvOp) -> Result<Value, ServiceError>;
    /// Writes a line to the log.
    fn log(&self, hook: &HookRef, level: Level, text: &str);
    /// Seconds since 1970, from the host's clock.
    fn now(&self) -> f64;
}

/// A service that could not do what was asked. Scripts see it as an error with this text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ServiceError(pub String);

/// The urgency of a notice or a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For whoever hunts a fault.
    Debug,
    /// The default.
    Info,
    /// Something is not as it should be.
    Warn,
    /// Something failed.
    Error,
}

impl Level {
    /// The level of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "debug" => Some(Level::Debug),
            "info" => Some(Level::Info),
            "warn" | "warning" => Some(Level::Warn),
            "error" => Some(Level::Error),
            _ => None,
        }
    }

    /// The name in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }
}

/// The place where a hook keeps something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KvScope {
    /// As long as the session lasts.
    State,
    /// On disk.
    Store,
}

/// The operation on what a hook keeps.
#[derive(Debug, Clone, PartialEq)]
pub enum KvOp {
    /// Gives the value, `null` where there is none.
    Get(String),
    /// Sets the value; `null` deletes it.
    Set(String, Value),
    /// Gives the list of keys.
    Keys,
}

/// When outbox text reaches the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Deliver {
    /// As soon as the agent takes text: after the running tool calls.
    Now,
    /// With the next turn.
    #[default]
    NextTurn,
    /// When the agent has ended its work, as a prompt of its own.
    FollowUp,
}

impl Deliver {
    /// The value of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "now" => Some(Deliver::Now),
            "next_turn" => Some(Deliver::NextTurn),
            "follow_up" => Some(Deliver::FollowUp),
            _ => None,
        }
    }

    /// The name that scripts use.
    pub fn as_str(self) -> &'static str {
        match self {
            Deliver::Now => "now",
            Deliver::NextTurn => "next_turn",
            Deliver::FollowUp => "follow_up",
        }
    }
}

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
    /// Says what it is; nothing where there is none.
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
    /// No answer: nobody is there, or the person turned away.
    Nothing,
    /// The question is passed on to somebody outside, who answers later.
    Deferred,
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
    /// Returns whether somebody can be asked.
    fn has_ui(&self) -> bool;
    /// Asks. One dialog at a time; dropping the future ends it.
    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply>;
    /// Tells.
    fn notify(&self, hook: Option<&HookRef>, notice: Notice);
}
