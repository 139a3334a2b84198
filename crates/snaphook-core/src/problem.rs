//! Problems with a hook before any event reached it. One bad hook never hides the rest (law 10), so
//! discovery and loading return problems beside hooks, not instead of them.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use crate::lifecycle::Lifecycle;
use crate::verdict::Cause;
use crate::withhold::OnFailure;

/// The weight of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth a word, no effect on decisions: a file in a hooks folder that is no hook.
    Note,
    /// Something is probably not as its author meant it; the hook works, or can be for one event only ([`Problem::only`]).
    Warning,
    /// A hook that should be there is not. Every gated event is denied until it is fixed (law 4).
    Error,
}

/// One finding about a file, with the remedy. Displays as `path:line: message (help)`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Its weight.
    pub severity: Severity,
    /// The file or folder that it is about, as shown to people.
    pub file: PathBuf,
    /// The line, from 1, where one is known.
    pub line: Option<u32>,
    /// The message: a lowercase fragment without a full stop.
    pub message: String,
    /// The advice what to do about it, where that can be said.
    pub help: Option<String>,
    /// The reason why gated events are denied, where it is another cause than that a hook does not load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Of a hook that is not there: what it says becomes of results where it fails. `None` where that cannot be known.
    #[serde(skip)]
    pub on_failure: Option<OnFailure>,
    /// Of a hook that is not there, and can be for this event only: a check of it fails, and no other event is denied.
    #[serde(skip)]
    pub only: Option<Lifecycle>,
}

impl Problem {
    /// A problem that denies gated events.
    pub fn error(file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, file, message)
    }

    /// A problem that leaves the hook working.
    pub fn warning(file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, file, message)
    }

    /// A remark.
    pub fn note(file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, file, message)
    }

    fn new(severity: Severity, file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Problem {
            severity,
            file: file.into(),
            line: None,
            message: message.into(),
            help: None,
            cause: None,
            on_failure: None,
            only: None,
        }
    }

    /// Names the line, from 1.
    #[must_use]
    pub fn at_line(mut self, line: u32) -> Self {
        self.line = Some(line);
        self
    }

    /// Names the remedy.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says what the hook that is not there says of results where it fails.
    #[must_use]
    pub fn with_on_failure(mut self, on_failure: OnFailure) -> Self {
        self.on_failure = Some(on_failure);
        self
    }

    /// Names the cause of the denials that it stands for.
    #[must_use]
    pub fn with_cause(mut self, cause: Cause) -> Self {
        self.cause = Some(cause);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}
