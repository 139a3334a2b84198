//! Running cargo and the command, with the output of both for the person to see. Not here: when they are run (`dist`, and the
//! verbs in `main.rs`).

use std::ffi::OsString;
use std::io;
use std::process::{Command, ExitStatus, Output, Stdio};

/// A failure to run a program.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It did not start.
    #[error("failed to start {program}: {source}", program = program.display())]
    Start {
        /// The program.
        program: OsString,
        /// The system's error.
        source: io::Error,
    },
    /// It ended with a failure.
    #[error("{program} failed: {status}", program = program.display())]
    Failed {
        /// The program.
        program: OsString,
        /// The way it ended.
        status: ExitStatus,
    },
}

/// Returns a command for cargo in the root of the repository.
pub fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(crate::root());
    command
}

/// Runs a command to its end.
///
/// # Errors
/// It does not start, or it ends with a failure.
pub fn run(command: &mut Command) -> Result<(), RunError> {
    let status = command.status();
    check(command, status)?;
    Ok(())
}

/// Runs a command to its end and returns what it printed.
///
/// # Errors
/// It does not start, or it ends with a failure.
pub fn captured(command: &mut Command) -> Result<Vec<u8>, RunError> {
    let output = command.stderr(Stdio::inherit()).output();
    let (status, stdout) = match output {
        Ok(Output { status, stdout, .. }) => (Ok(status), stdout),
        Err(error) => (Err(error), Vec::new()),
    };
    check(command, status)?;
    Ok(stdout)
}

fn check(command: &Command, status: io::Result<ExitStatus>) -> Result<(), RunError> {
    let program = command.get_program().to_owned();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(RunError::Failed { program, status }),
        Err(source) => Err(RunError::Start { program, source }),
    }
}
