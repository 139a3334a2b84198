//! The handlers that a script registers with `on` while it loads. Not here: taking the call's arguments apart (`on` of each
//! engine).

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value as Json;
use snaphook_core::{EventName, HookRef, Problem, UnknownEvent};

use crate::matcher::{Matcher, MatcherError};

/// One call of `on`.
pub struct Registration<Function> {
    /// The event.
    pub event: EventName,
    /// The matcher.
    pub matcher: Option<Arc<Matcher>>,
    /// The matcher as it was written.
    pub written: Option<Json>,
    /// The function, as the engine keeps it.
    pub function: Function,
    /// The line of the handler.
    pub line: Option<u32>,
    /// The file that the line counts in, where it is not the hook's own.
    pub file: Option<PathBuf>,
}

/// Everything that a script registered, with the warnings about it.
pub struct Registered<Function> {
    /// The registrations, in their order.
    pub handlers: Vec<Registration<Function>>,
    /// The warnings about events and matchers.
    pub warnings: Vec<Problem>,
}

impl<Function> Default for Registered<Function> {
    fn default() -> Self {
        Registered { handlers: Vec::new(), warnings: Vec::new() }
    }
}

/// The most handlers that a hook may register. More are a loop gone wrong.
const MAX_HANDLERS: usize = 256;
const USAGE: &str = "use on(event, handler) or on(event, matcher, handler)";

/// The reason why `on` refuses a handler.
#[derive(Debug, thiserror::Error)]
pub enum OnError {
    /// The script has loaded already.
    #[error("on() can be called only while the hook loads, not from a handler")]
    Loaded,
    /// The last argument is no function.
    #[error("on() needs a function as its last argument; {USAGE}")]
    NoFunction,
    /// There are too few arguments, or too many.
    #[error("on() takes two or three arguments; {USAGE}")]
    Arguments,
    /// The first argument is no text.
    #[error("the first argument of on() is an event's name; {USAGE}")]
    NoName,
    /// There is no such event.
    #[error(transparent)]
    Event(#[from] UnknownEvent),
    /// The matcher is refused.
    #[error(transparent)]
    Matcher(#[from] MatcherError),
    /// The function cannot be a handler; the reason.
    #[error("a handler takes the event, or the event and ctx, but {0}; {USAGE}")]
    Function(String),
    /// There are too many handlers.
    #[error("a hook may register at most {MAX_HANDLERS} handlers")]
    TooMany,
}

/// A call of `on` that was found to be right, but for the function.
pub struct Prepared {
    event: EventName,
    matcher: Option<Arc<Matcher>>,
    written: Option<Json>,
    line: Option<u32>,
    file: Option<PathBuf>,
}

/// The handlers that a script has registered so far.
pub struct Registrations<Function> {
    hook: HookRef,
    /// `None` once the script has loaded.
    open: Mutex<Option<Registered<Function>>>,
}

impl<Function> Registrations<Function> {
    /// The registrations of a hook that loads.
    pub fn new(hook: HookRef) -> Self {
        Registrations { hook, open: Mutex::new(Some(Registered::default())) }
    }

    /// Ends registration; later calls of `on` are errors.
    pub fn seal(&self) -> Registered<Function> {
        self.open.lock().take().unwrap_or_default()
    }

    /// Checks that the script still loads.
    ///
    /// # Errors
    /// It does not.
    pub fn check_open(&self) -> Result<(), OnError> {
        self.open.lock().as_ref().map(|_| ()).ok_or(OnError::Loaded)
    }

    /// Checks a handler and notes the warnings about it. `source` names the file that the line counts in.
    ///
    /// # Errors
    /// The matcher is refused; the script has loaded already; there are too many.
    pub fn prepare(
        &self,
        event: EventName,
        written: Option<Json>,
        source: Option<&str>,
        line: Option<u32>,
    ) -> Result<Prepared, OnError> {
        let own = self.hook.file.to_string_lossy();
        let file = source.filter(|source| *source != own).map(PathBuf::from);
        let mut doubts: Vec<String> = event.doubt().into_iter().collect();
        let matcher = match &written {
            None => None,
            Some(written) => {
                let (matcher, warnings) = Matcher::parse(&event, written)?;
                doubts.extend(warnings);
                Some(Arc::new(matcher))
            }
        };
        let place = file.as_ref().unwrap_or(&self.hook.file);
        let warnings = doubts.into_iter().map(|text| {
            let problem = Problem::warning(place, text);
            match line {
                Some(line) => problem.at_line(line),
                None => problem,
            }
        });
        let mut open = self.open.lock();
        let registered = open.as_mut().ok_or(OnError::Loaded)?;
        registered.warnings.extend(warnings);
        if registered.handlers.len() >= MAX_HANDLERS {
            return Err(OnError::TooMany);
        }
        Ok(Prepared { event, matcher, written, line, file })
    }

    /// Registers a handler with its function.
    ///
    /// # Errors
    /// The script has loaded already.
    pub fn add(&self, handler: Prepared, function: Function) -> Result<(), OnError> {
        let Prepared { event, matcher, written, line, file } = handler;
        let mut open = self.open.lock();
        let registered = open.as_mut().ok_or(OnError::Loaded)?;
        registered.handlers.push(Registration { event, matcher, written, function, line, file });
        Ok(())
    }
}
