//! The ports: what the host needs from engines and embedders, and what engines need from the host. Futures are
//! boxed and no runtime is named, so that this crate stays free of one.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::answer::{Answer, Malformed};
use crate::event::EventName;
use crate::hook::{HookRef, Location};
use crate::limits::Limits;
use crate::payload::Event;
use crate::problem::Problem;
use crate::signals::Signals;
use crate::tool::ToolCall;
use crate::verdict::Cause;

/// A boxed future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

// ---- handlers ----

/// What is known of a handler without running it.
#[derive(Debug, Clone)]
pub struct HandlerInfo {
    /// The hook that it belongs to.
    pub hook: HookRef,
    /// The event that it answers.
    pub event: EventName,
    /// The line of the handler in the hook's file, from 1.
    pub line: Option<u32>,
    /// The file that the line counts in, where it is not the hook's own (a module of a folder hook).
    pub file: Option<PathBuf>,
    /// The matcher as its author wrote it, for `list`.
    pub matcher: Option<Value>,
}

impl HandlerInfo {
    /// Where the handler stands.
    pub fn location(&self) -> Location {
        let file = self.file.clone().unwrap_or_else(|| self.hook.file.clone());
        Location { file, line: self.line }
    }
}

/// A function or command of a hook that answers one event.
pub trait Handler: Send + Sync {
    /// What is known of it.
    fn info(&self) -> &HandlerInfo;

    /// Whether its matcher takes the event. Called before each run; must not enter a VM.
    fn selects(&self, event: &Event, context: &CallContext) -> bool;

    /// Answers the event. Dropping the future cancels the handler with everything it waits for.
    fn handle<'a>(
        &'a self,
        event: &'a Event,
        context: &'a Arc<CallContext>,
    ) -> BoxFuture<'a, Result<Answer, HandlerError>>;
}

/// A handler that gave no legal answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HandlerError {
    /// What kind of failure it was.
    pub cause: Cause,
    /// What happened: one line.
    pub message: String,
    /// Where, if closer than the handler's own line.
    pub location: Option<Location>,
    /// The script's call stack, one frame a line.
    pub traceback: Option<String>,
}

impl HandlerError {
    /// A failure of this kind.
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        HandlerError { cause, message: message.into(), location: None, traceback: None }
    }
}

impl From<Malformed> for HandlerError {
    fn from(error: Malformed) -> Self {
        HandlerError::new(Cause::Malformed, error.0)
    }
}

// ---- engines ----

/// A script as an engine gets it: read once, so that what was hashed is what runs.
#[derive(Debug, Clone)]
pub struct Script {
    /// The hook.
    pub hook: HookRef,
    /// The text of the hook's file.
    pub source: Arc<str>,
    /// The modules of a folder hook by their path relative to the folder, with `/`; empty for a single file.
    pub modules: Arc<BTreeMap<String, Arc<str>>>,
}

/// A script language.
pub trait Engine: Send + Sync {
    /// Runs the script in a VM of its own and returns its handlers.
    ///
    /// # Errors
    /// The script does not compile, raises an error, names an unknown event, or exceeds a limit.
    fn load(
        &self,
        script: &Script,
        services: &Arc<dyn Services>,
        limits: &Limits,
    ) -> Result<LoadedHook, Problem>;
}

/// A hook that loaded.
#[derive(Clone)]
pub struct LoadedHook {
    /// Its handlers in the order of registration.
    pub handlers: Vec<Arc<dyn Handler>>,
    /// Warnings and notes.
    pub problems: Vec<Problem>,
    /// The VM's memory after loading, in bytes.
    pub memory: usize,
}

impl fmt::Debug for LoadedHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedHook").field("handlers", &self.handlers.len()).finish_non_exhaustive()
    }
}

// ---- one call's surroundings ----

/// What does not change while a session lasts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// The session's id.
    pub id: String,
    /// The session's file, where it has one.
    pub path: Option<String>,
    /// The agent whose calls are hooked: `snaphook` for our own driver.
    pub agent: String,
    /// The working directory.
    pub cwd: PathBuf,
    /// The project's root.
    pub project_root: PathBuf,
}

/// The surroundings of one event on its way through its handlers.
pub struct CallContext {
    /// The session.
    pub session: Arc<Session>,
    /// The host's services.
    pub services: Arc<dyn Services>,
    /// Nanoseconds that the handlers of this event may still compute together.
    cpu_left: AtomicU64,
    cancelled: Arc<AtomicBool>,
    /// How many events deep this one was caused by handlers; 0 for one that the agent caused.
    pub depth: u32,
    /// What the services tell the host about the handler that runs now.
    pub signals: Signals,
}

impl CallContext {
    /// The surroundings of one event, with its CPU budget.
    pub fn new(session: Arc<Session>, services: Arc<dyn Services>, event_cpu: Duration, depth: u32) -> Self {
        let nanos = u64::try_from(event_cpu.as_nanos()).unwrap_or(u64::MAX);
        CallContext {
            session,
            services,
            cpu_left: AtomicU64::new(nanos),
            cancelled: Arc::default(),
            depth,
            signals: Signals::default(),
        }
    }

    /// The surroundings of an event that a handler of this one causes: one deeper, with what is left of the CPU
    /// budget (to be charged to this one when it is done), cancelled together with this one.
    #[must_use]
    pub fn nested(&self) -> Self {
        CallContext {
            session: Arc::clone(&self.session),
            services: Arc::clone(&self.services),
            cpu_left: AtomicU64::new(self.cpu_left.load(Ordering::Relaxed)),
            cancelled: Arc::clone(&self.cancelled),
            depth: self.depth + 1,
            signals: Signals::default(),
        }
    }

    /// What the handlers of this event may still compute together.
    pub fn cpu_left(&self) -> Duration {
        Duration::from_nanos(self.cpu_left.load(Ordering::Relaxed))
    }

    /// Takes computing time off the event's budget.
    pub fn charge(&self, spent: Duration) {
        let nanos = u64::try_from(spent.as_nanos()).unwrap_or(u64::MAX);
        // Handlers of one event run one after the other, so nobody else writes in between.
        let left = self.cpu_left.load(Ordering::Relaxed).saturating_sub(nanos);
        self.cpu_left.store(left, Ordering::Relaxed);
    }

    /// Whether the call was cancelled. Handlers that wait are dropped then; one that computes can look.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The flag behind [`CallContext::is_cancelled`], for whoever may cancel.
    pub fn cancel_flag(&self) -> &Arc<AtomicBool> {
        &self.cancelled
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext").field("session", &self.session).finish_non_exhaustive()
    }
}

/// What a script may ask of the host while it handles an event. Each call names the hook that makes it, so that the
/// host can check its grants.
pub trait Services: Send + Sync {
    /// Whether a person can be asked.
    fn has_ui(&self) -> bool;
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
    fn keep(&self, hook: &HookRef, area: Area, operation: Keep) -> Result<Value, ServiceError>;
    /// Writes a line to the log.
    fn log(&self, hook: &HookRef, level: Level, text: &str);
    /// Seconds since 1970, from the host's clock.
    fn now(&self) -> f64;
}

/// A service that could not do what was asked. Scripts see it as an error with this text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ServiceError(pub String);

/// How urgent a notice or a log line is.
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

/// Where a hook keeps something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// As long as the session lasts.
    State,
    /// On disk.
    Store,
}

/// What is done to what a hook keeps.
#[derive(Debug, Clone, PartialEq)]
pub enum Keep {
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
    /// Where it runs: relative to the session's working directory.
    pub cwd: Option<PathBuf>,
    /// Variables beside the host's own choice.
    pub env: BTreeMap<String, String>,
    /// What it reads; closed where absent.
    pub stdin: Option<String>,
    /// When it is killed.
    pub timeout: Option<Duration>,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExecOutput {
    /// What it wrote, at most 1 MiB.
    pub stdout: String,
    /// What it wrote to its error output, at most 1 MiB.
    pub stderr: String,
    /// The exit code; `None` for a process that was killed.
    pub code: Option<i32>,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// Whether it was killed because its time was up.
    pub timed_out: bool,
    /// Whether output was cut.
    pub truncated: bool,
}

// ---- people ----

/// A question for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UiRequest {
    /// Yes or no. The default is no.
    Confirm {
        /// The question, in a few words.
        title: String,
        /// What it is about.
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
        /// What stands there at first.
        initial: Option<String>,
    },
    /// A longer text, in the person's editor.
    Editor {
        /// The question.
        title: String,
        /// What stands there at first.
        initial: Option<String>,
    },
}

/// What the person said.
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
        /// How urgent it is.
        level: Level,
    },
    /// A line of status that stays until it is replaced; `None` removes it.
    Status {
        /// Which line.
        key: String,
        /// The text.
        text: Option<String>,
    },
}

/// How handlers reach a person. Implementations never write to an agent's terminal by accident (law 12).
pub trait UiContext: Send + Sync {
    /// Whether somebody can be asked.
    fn has_ui(&self) -> bool;
    /// Asks. One dialog at a time; dropping the future ends it.
    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply>;
    /// Tells.
    fn notify(&self, hook: Option<&HookRef>, notice: Notice);
}

// ---- tools ----

/// A tool that an agent can call.
pub trait Tool: Send + Sync {
    /// The canonical name.
    fn name(&self) -> &str;
    /// Runs it. `output` takes text as it comes, for tools that show their progress; the result has all of it.
    fn run<'a>(&'a self, call: &'a ToolCall, output: PartialOutput) -> BoxFuture<'a, ToolOutput>;
}

/// Takes a tool's output while it runs. `None` where nobody may see it before the `tool_result` handlers did.
pub type PartialOutput = Option<Arc<dyn Fn(&str) + Send + Sync>>;

/// What a tool came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput {
    /// The text for the model.
    pub content: String,
    /// What there is beside it.
    pub details: Value,
    /// Whether the tool failed.
    pub is_error: bool,
}

impl ToolOutput {
    /// A success.
    pub fn text(content: impl Into<String>) -> Self {
        ToolOutput { content: content.into(), ..ToolOutput::default() }
    }

    /// A failure.
    pub fn error(content: impl Into<String>) -> Self {
        ToolOutput { content: content.into(), is_error: true, ..ToolOutput::default() }
    }
}
