//! The ports: what the host needs from engines and embedders. Futures are boxed and no runtime is named, so that this
//! crate stays free of one. What engines need from the host is in `services`, one event's surroundings in `call`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::answer::{Answer, Malformed};
use crate::call::CallContext;
use crate::event::EventName;
use crate::executable::Executable;
use crate::future::BoxFuture;
use crate::grants::Grants;
use crate::hook::{HookRef, Location};
use crate::limits::Limits;
use crate::payload::Event;
use crate::problem::Problem;
use crate::services::Services;
use crate::testing::{Coverage, TestBench, TestCase};
use crate::tool::ToolCall;
use crate::verdict::Cause;
use crate::withhold::OnFailure;

/// The answer of a handler, as it comes.
pub type HandlerFuture<'a> = BoxFuture<'a, Result<Answer, HandlerError>>;

// ---- handlers ----

/// The facts about a handler that are known without running it.
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
    /// Returns where the handler stands.
    pub fn location(&self) -> Location {
        let file = self.file.clone().unwrap_or_else(|| self.hook.file.clone());
        Location { file, line: self.line }
    }
}

/// A function or command of a hook that answers one event.
pub trait Handler: Send + Sync {
    /// Returns what is known of it.
    fn info(&self) -> &HandlerInfo;

    /// Returns whether its matcher takes the event. Called before each run; must not enter a VM.
    fn selects(&self, event: &Event, context: &CallContext) -> bool;

    /// Returns which of these files, relative to the project's root, its matcher takes. Default: all.
    fn files_for(&self, files: &[String]) -> Vec<String> {
        files.to_vec()
    }

    /// Returns how long it may take, where it has a limit of its own instead of its event's. It keeps the limit
    /// itself, and is ended a little later where it did not.
    fn time_limit(&self) -> Option<Duration> {
        None
    }

    /// The executable behind it, if it is one.
    fn executable(&self) -> Option<&Arc<Executable>> {
        None
    }

    /// Returns what becomes of a result where this handler of `tool_result` fails. Default: it stays as it is.
    /// Scripts and executables say it in their front matter (`on_failure`).
    fn on_failure(&self) -> OnFailure {
        OnFailure::Keep
    }

    /// Answers the event. Dropping the future cancels the handler with everything it waits for.
    fn handle<'a>(&'a self, event: &'a Event, context: &'a Arc<CallContext>) -> HandlerFuture<'a>;
}

/// A handler that gave no legal answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HandlerError {
    /// The kind of failure.
    pub cause: Cause,
    /// The message: one line.
    pub message: String,
    /// The place, if closer than the handler's own line.
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
    /// The grants that its front matter asks for.
    pub grants: Arc<Grants>,
    /// The resolved path of its file; `None` for one that came from memory.
    pub path: Option<PathBuf>,
    /// The content of its front matter, where it is no script but an executable. `source` is then its exact text.
    pub executable: Option<Arc<Executable>>,
}

impl Script {
    /// Makes a script of one file from memory, without grants.
    pub fn new(hook: HookRef, source: impl Into<Arc<str>>) -> Self {
        Script {
            hook,
            source: source.into(),
            modules: Arc::default(),
            grants: Arc::default(),
            path: None,
            executable: None,
        }
    }

    /// The text of the hook's file, or of one of its modules.
    pub fn text_of(&self, file: &Path) -> Option<&str> {
        if file == self.hook.file {
            return Some(&self.source);
        }
        let inside = file.strip_prefix(self.hook.file.parent()?).ok()?;
        self.modules.get(inside.to_str()?).map(|text| &**text)
    }
}

/// A script to load, and what it is given.
#[derive(Clone, Copy)]
pub struct LoadRequest<'a> {
    /// The script.
    pub script: &'a Script,
    /// The services that it may ask.
    pub services: &'a Arc<dyn Services>,
    /// The limits that it is held to.
    pub limits: &'a Limits,
}

impl<'a> LoadRequest<'a> {
    /// A request of these parts.
    pub fn new(script: &'a Script, services: &'a Arc<dyn Services>, limits: &'a Limits) -> Self {
        LoadRequest { script, services, limits }
    }
}

/// A script language.
pub trait Engine: Send + Sync {
    /// Runs the script in a VM of its own and returns its handlers.
    ///
    /// # Errors
    /// The script does not compile, raises an error, names an unknown event, or exceeds a limit.
    fn load(&self, request: LoadRequest<'_>) -> Result<LoadedHook, Problem>;

    /// Makes the handlers of a script that registered these when it was loaded before, without running it. It runs when the
    /// first of them is called, and has to register the same; else that handler fails, with the cause `load`. Default: the
    /// script is loaded.
    ///
    /// # Errors
    /// As [`Engine::load`].
    fn load_known(&self, request: LoadRequest<'_>, known: &[HandlerInfo]) -> Result<LoadedHook, Problem> {
        let _ = known;
        self.load(request)
    }

    /// Runs a test script in a VM of its own and returns its tests. The script has the API of hooks but `on` and `ctx`,
    /// and `test`, `t` and `expect`.
    ///
    /// # Errors
    /// As [`Engine::load`].
    fn load_tests(
        &self,
        request: LoadRequest<'_>,
        bench: &Arc<dyn TestBench>,
    ) -> Result<Vec<TestCase>, Problem> {
        let _ = bench;
        Err(Problem::error(&request.script.hook.file, "this engine runs no tests"))
    }
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
    /// The lines that ran so far, where the engine was made to count them.
    pub coverage: Option<Coverage>,
}

impl fmt::Debug for LoadedHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedHook").field("handlers", &self.handlers.len()).finish_non_exhaustive()
    }
}

// ---- tools ----

/// A tool that an agent can call.
pub trait Tool: Send + Sync {
    /// The canonical name.
    fn name(&self) -> &str;
    /// Runs it. `output` takes text as it comes, for tools that show their progress; the result has all of it.
    fn run<'a>(&'a self, call: &'a ToolCall, output: PartialOutput) -> BoxFuture<'a, ToolOutput>;
}

/// Takes a tool's output while it runs. `None` where it may not be shown before the `tool_result` handlers have seen it.
pub type PartialOutput = Option<Arc<dyn Fn(&str) + Send + Sync>>;

/// The result of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput {
    /// The text for the model.
    pub content: String,
    /// The data beside it.
    pub details: Value,
    /// True if the tool failed.
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
