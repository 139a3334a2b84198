//! A finding about a text whose file is not known yet. Not here: severities and paths, which the caller adds.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use snaphook_core::{Problem, Severity};

/// The description of a fault in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The line in the file, from 1, where one is known.
    pub line: Option<u32>,
    /// A lowercase fragment without a full stop.
    pub message: String,
    /// The remedy, where that can be said.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A fault of the whole file.
    pub fn new(message: impl Into<String>) -> Self {
        Diagnostic { line: None, message: message.into(), help: None }
    }

    /// A fault on a line.
    pub fn at(line: u32, message: impl Into<String>) -> Self {
        Diagnostic { line: Some(line), message: message.into(), help: None }
    }

    /// Names the remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The problem that denies gated events.
    pub fn into_error(self, file: impl Into<PathBuf>) -> Problem {
        self.into_problem(Severity::Error, file)
    }

    /// The problem with a severity of the caller's choice.
    pub fn into_problem(self, severity: Severity, file: impl Into<PathBuf>) -> Problem {
        Problem {
            severity,
            file: file.into(),
            line: self.line,
            message: self.message,
            help: self.help,
            cause: None,
            on_failure: None,
            only: None,
        }
    }
}

/// Returns why the file system refused, as a fragment: `is a link to itself`, `cannot be read: permission denied`.
pub(crate) fn io_message(error: &io::Error) -> String {
    if is_link_loop(error) {
        return "is a link to itself".to_owned();
    }
    match error.kind() {
        ErrorKind::NotFound => "does not exist".to_owned(),
        // With snaphook's text: it is a named pipe, a socket, a device.
        ErrorKind::InvalidInput if error.get_ref().is_some() => format!("cannot be read: {error}"),
        kind => format!("cannot be read: {kind}"),
    }
}

#[cfg(unix)]
fn is_link_loop(error: &io::Error) -> bool {
    // By kind, as `ignore` does not keep the number; the kind itself has no stable name yet.
    error.kind() == io::Error::from_raw_os_error(libc::ELOOP).kind()
}

#[cfg(not(unix))]
fn is_link_loop(_: &io::Error) -> bool {
    false
}
