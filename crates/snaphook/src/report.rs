//! Reports: what went wrong without changing a decision, so that nothing is lost silently (law 11).

use std::fmt;
use std::sync::Arc;

use snaphook_core::{Cause, EventName, HandlerError, HandlerInfo, HookRef, Level, Lifecycle, Location};

/// Something that a person who maintains hooks wants to know: a handler that failed, text that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The hook that it is about.
    pub hook: Option<HookRef>,
    /// The place in its source.
    pub location: Option<Location>,
    /// The event that was handled.
    pub event: Option<EventName>,
    /// The kind of failure, where a handler failed.
    pub cause: Option<Cause>,
    /// The message: one line.
    pub message: String,
    /// The script's call stack, one frame a line.
    pub traceback: Option<String>,
}

/// Takes reports as they come. Called on the thread of the call; must not block.
pub type Reporter = Arc<dyn Fn(&Report) + Send + Sync>;

/// Takes what hooks log, line by line. Called on the thread of the hook; must not block.
pub type Logger = Arc<dyn Fn(&HookRef, Level, &str) + Send + Sync>;

impl Report {
    /// A report about a hook, outside of any event.
    pub(crate) fn about(hook: &HookRef, message: impl Into<String>) -> Self {
        Report {
            hook: Some(hook.clone()),
            location: None,
            event: None,
            cause: None,
            message: message.into(),
            traceback: None,
        }
    }

    /// A handler failed that had to check a result. What it says of its failure may quote the result, so it is left out.
    pub(crate) fn withheld(info: &HandlerInfo, error: &HandlerError) -> Self {
        let thing =
            if info.event == EventName::Lifecycle(Lifecycle::ToolResult) { "result" } else { "message" };
        let message = format!(
            "it failed ({}), so the {thing} was withheld; its error is left out, which may quote the {thing}",
            error.cause.as_str()
        );
        Report { message, traceback: None, ..Report::failure(info, error) }
    }

    /// A handler failed.
    pub(crate) fn failure(info: &HandlerInfo, error: &HandlerError) -> Self {
        Report {
            hook: Some(info.hook.clone()),
            location: error.location.clone().or_else(|| Some(info.location())),
            event: Some(info.event.clone()),
            cause: Some(error.cause),
            message: error.message.clone(),
            traceback: error.traceback.clone(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        if let Some(hook) = &self.hook {
            write!(f, "hook \"{}\"", hook.name)?;
        }
        if let Some(event) = &self.event {
            write!(f, " on {event}")?;
        }
        let separator = if self.hook.is_some() || self.event.is_some() { ": " } else { "" };
        write!(f, "{separator}{}", self.message)
    }
}
