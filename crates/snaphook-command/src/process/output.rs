//! The result of a run. Not here: the conventions in which scripts and agents see it (exit code 124, a text
//! marker); each is rendered from [`Output`] by who needs it.

use std::fmt;
use std::time::Duration;

use super::{StartError, Transcribed};

/// The way a run ended. Exactly one of these is true, and only [`ProcessOutcome::Exited`] has a code, so a process that was
/// killed can never be mistaken for one that succeeded.
#[derive(Debug)]
pub enum ProcessOutcome {
    /// The program exited by itself with this code (0 to 255 on Unix).
    Exited(i32),
    /// A signal that we did not send ended the program. Its number, which differs between systems.
    Signaled(i32),
    /// The time limit passed and we ended the group. That holds also if the program answered TERM by exiting with code 0.
    TimedOut {
        /// The last signal that the program needed: TERM (15) or KILL (9).
        signal: i32,
    },
    /// The caller cancelled the run and we ended the group.
    Cancelled {
        /// As for [`ProcessOutcome::TimedOut`]; none if it was cancelled before it was started.
        signal: Option<i32>,
    },
    /// Nothing was run. [`run`](super::run) returns this as an error; `Output::from(error)` makes an output of it for
    /// callers that render every end in one place.
    FailedToStart(StartError),
    /// The program ended, but the system does not tell how, because something else in our process took its status (a
    /// `wait` for all children, or an ignored SIGCHLD). To be treated as a failure.
    Lost,
}

impl ProcessOutcome {
    /// The exit code, if the program exited by itself.
    pub fn code(&self) -> Option<i32> {
        match self {
            ProcessOutcome::Exited(code) => Some(*code),
            _ => None,
        }
    }

    /// The signal that ended the program, whatever sent it.
    pub fn signal(&self) -> Option<i32> {
        match self {
            ProcessOutcome::Signaled(signal) | ProcessOutcome::TimedOut { signal } => Some(*signal),
            ProcessOutcome::Cancelled { signal } => *signal,
            ProcessOutcome::Exited(_) | ProcessOutcome::FailedToStart(_) | ProcessOutcome::Lost => None,
        }
    }
}

/// For messages: a fragment that reads after the program's name.
impl fmt::Display for ProcessOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProcessOutcome::Exited(code) => write!(f, "exited with code {code}"),
            ProcessOutcome::Signaled(signal) => write!(f, "was ended by signal {signal}"),
            ProcessOutcome::TimedOut { signal } => {
                write!(f, "ran out of time and was ended by signal {signal}")
            }
            ProcessOutcome::Cancelled { signal: Some(signal) } => {
                write!(f, "was cancelled and ended by signal {signal}")
            }
            ProcessOutcome::Cancelled { signal: None } => f.write_str("was cancelled before it started"),
            ProcessOutcome::FailedToStart(error) => write!(f, "failed to start: {error}"),
            ProcessOutcome::Lost => {
                f.write_str("ended in an unknown way: its exit status was taken by something else")
            }
        }
    }
}

/// The output of a run, and how it ended.
#[derive(Debug)]
pub struct Output {
    /// The beginning of standard output, [`Limits::stdout`](super::Limits::stdout) bytes at most. What is not UTF-8 is replaced by U+FFFD.
    pub stdout: String,
    /// The same for standard error.
    pub stderr: String,
    /// The number of bytes that were read from standard output, kept or not.
    pub stdout_bytes: u64,
    /// The number of bytes that were read from standard error, kept or not.
    pub stderr_bytes: u64,
    /// The way the run ended.
    pub outcome: ProcessOutcome,
    /// True if `stdout` or `stderr` was cut at its limit.
    pub truncated: bool,
    /// True if an output pipe was still open when reading stopped: a process that left the group, and lives on, holds
    /// it, and may write more than was read.
    pub left_open: bool,
    /// True if the program had ended, and a process that it left behind still held an output pipe: that one was
    /// killed, and may have wanted to write more.
    pub outlived: bool,
    /// Both streams as one text, where the request asked for it.
    pub transcript: Option<Transcribed>,
    /// The time from the start until the result was complete.
    pub duration: Duration,
}

impl Output {
    /// An output for a run that never started.
    pub(super) fn without_run(outcome: ProcessOutcome) -> Self {
        Output {
            stdout: String::new(),
            stderr: String::new(),
            stdout_bytes: 0,
            stderr_bytes: 0,
            outcome,
            truncated: false,
            left_open: false,
            outlived: false,
            transcript: None,
            duration: Duration::ZERO,
        }
    }

    /// The exit code; none if the program was killed, timed out, was cancelled or never started.
    pub fn code(&self) -> Option<i32> {
        self.outcome.code()
    }

    /// The number of the signal that ended the program, if one did.
    pub fn signal(&self) -> Option<i32> {
        self.outcome.signal()
    }

    /// Returns whether the time limit ended the program.
    pub fn timed_out(&self) -> bool {
        matches!(self.outcome, ProcessOutcome::TimedOut { .. })
    }

    /// Returns whether the program exited by itself with code 0.
    pub fn success(&self) -> bool {
        self.code() == Some(0)
    }
}

impl From<StartError> for Output {
    fn from(error: StartError) -> Self {
        Output::without_run(ProcessOutcome::FailedToStart(error))
    }
}
