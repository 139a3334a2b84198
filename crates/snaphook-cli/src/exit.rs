//! Exit codes: one enum, and the failures that lead to them. The codes are a contract with agents and scripts.

use snaphook_session::SessionError;

/// The end of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Allowed, or nothing is wrong.
    Fine,
    /// `hold --check`: not all can be held. `test`: a test failed, or there is none. `audit verify`: a line does not hold. `doctor`: something is wrong.
    /// `git run`: a hook refused the commit. `run`: the agent failed, or a check stayed red.
    Failed,
    /// Denied, or hooks are broken so that every gated call is denied.
    Denied,
    /// A person has to be asked and `--ui defer` leaves that to the caller.
    Unresolved,
    /// `run`: a limit of the session was reached.
    #[cfg(feature = "drive")]
    Limit,
    /// The command line or an input file is wrong.
    Usage,
    /// Snaphook itself failed.
    Internal,
    /// `hold`: the policy cannot be held here, so that nothing was run.
    NotHeld,
    /// `hold`: the command cannot be run.
    CannotRun,
    /// `hold`: the command was not found.
    NotFound,
    /// Ctrl-C.
    Interrupted,
    /// `mcp`: as the server ended. `acp`: as the agent did.
    Server(i32),
}

impl Exit {
    /// The process's exit code.
    pub(crate) fn code(self) -> i32 {
        match self {
            Exit::Fine => 0,
            Exit::Failed => 1,
            Exit::Denied => 2,
            Exit::Unresolved => 3,
            #[cfg(feature = "drive")]
            Exit::Limit => 4,
            Exit::Usage => 64,
            Exit::Internal => 70,
            Exit::NotHeld => 125,
            Exit::CannotRun => 126,
            Exit::NotFound => 127,
            Exit::Interrupted => 130,
            Exit::Server(code) => code,
        }
    }
}

/// The reason why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command line or an input file is wrong.
    #[error("{0}")]
    Usage(String),
    /// Snaphook itself failed.
    #[error("{0}")]
    Internal(String),
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        let text = error.to_string();
        if error.is_usage() { Failure::Usage(text) } else { Failure::Internal(text) }
    }
}

impl Failure {
    /// The exit that it leads to.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::Usage(_) => Exit::Usage,
            Failure::Internal(_) => Exit::Internal,
        }
    }
}

impl From<snaphook_setup::SetupError> for Failure {
    fn from(error: snaphook_setup::SetupError) -> Self {
        Failure::Usage(error.to_string())
    }
}

impl From<snaphook_setup::git::GitError> for Failure {
    fn from(error: snaphook_setup::git::GitError) -> Self {
        use snaphook_setup::git::GitError;
        match error {
            GitError::Event(error) => Failure::Internal(error.to_string()),
            // A failure of snaphook came through the library.
            GitError::Load(error) => match error.downcast() {
                Ok(failure) => *failure,
                Err(error) => Failure::Internal(error.to_string()),
            },
            error => Failure::Usage(error.to_string()),
        }
    }
}
