//! A program that stays: its input and output are the caller's, and it ends when the caller wants it to, or by itself. Not here:
//! programs that are run for what they write (`run`).

use std::path::PathBuf;
use std::process::Stdio;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::group::{self, Exit, Guard};
use super::run::{KILL_WAIT, command, refusal};
use super::{Limits, ProcessOutcome, Request, StartError, resolve::resolve};

/// A running program and everything it started. Dropping it ends them, first by TERM, then by KILL.
#[derive(Debug)]
pub struct LongLivedChild {
    guard: Guard,
    limits: Limits,
    exited: oneshot::Receiver<Exit>,
    /// The way it ended, once that is known.
    exit: Option<Exit>,
}

/// The two ends that the caller has of a program's pipes.
#[derive(Debug)]
pub struct Pipes {
    /// The pipe that the program reads.
    pub stdin: ChildStdin,
    /// The pipe that the program writes.
    pub stdout: ChildStdout,
}

/// Starts a program that stays. Its standard error is the caller's own. Of the request `stdin`, `timeout` and `on_output` do not count.
///
/// Has to be polled on a tokio runtime with I/O and time enabled.
///
/// # Errors
///
/// [`StartError`] if nothing was started.
pub async fn start(request: &Request) -> Result<(LongLivedChild, Pipes), StartError> {
    let (child, pipes, _) = start_with(request, Stdio::inherit()).await?;
    Ok((child, pipes))
}

/// Starts a program that stays, whose standard error the caller has to read: a program that writes much of it waits else.
///
/// # Errors
///
/// As [`start`].
pub async fn start_with_stderr(
    request: &Request,
) -> Result<(LongLivedChild, Pipes, ChildStderr), StartError> {
    let (child, pipes, stderr) = start_with(request, Stdio::piped()).await?;
    let program = || PathBuf::from(&request.program);
    let stderr = stderr.ok_or_else(|| refusal(program(), std::io::Error::other("it has no pipes")))?;
    let stderr = ChildStderr::from_std(stderr).map_err(|source| refusal(program(), source))?;
    Ok((child, pipes, stderr))
}

async fn start_with(
    request: &Request,
    stderr: Stdio,
) -> Result<(LongLivedChild, Pipes, Option<std::process::ChildStderr>), StartError> {
    let program: PathBuf = resolve(request)?;
    let refused = |source| refusal(program.clone(), source);
    let mut command = command(&program, request);
    command.stdin(Stdio::piped()).stderr(stderr);
    let mut started =
        group::start(command, request.limits, request.identity.clone()).await.map_err(refused)?;
    let gone = || refusal(program.clone(), std::io::Error::other("it has no pipes"));
    let stdin = ChildStdin::from_std(started.stdin.take().ok_or_else(gone)?).map_err(refused)?;
    let stdout = ChildStdout::from_std(started.stdout.take().ok_or_else(gone)?).map_err(refused)?;
    let child =
        LongLivedChild { guard: started.guard, limits: request.limits, exited: started.exited, exit: None };
    Ok((child, Pipes { stdin, stdout }, started.stderr.take()))
}

impl LongLivedChild {
    /// Completes when the program has ended by itself, or by a signal from elsewhere. What it started may live on until
    /// [`LongLivedChild::end`]. May be dropped and called again.
    pub async fn ended(&mut self) -> ProcessOutcome {
        let exit = match self.exit {
            Some(exit) => exit,
            None => (&mut self.exited).await.unwrap_or(Exit::Lost),
        };
        self.exit = Some(exit);
        exit.into()
    }

    /// Ends the program and everything that it started, and says how the program ended.
    pub async fn end(mut self) -> ProcessOutcome {
        if self.exit.is_none() {
            self.guard.group().terminate();
            if timeout(self.limits.term_grace, self.ended()).await.is_ok() {
                // The leader is often a shell that dies at once, while what it started is still tidying up.
                sleep(self.limits.drain_grace).await;
            }
        }
        self.guard.group().kill();
        self.guard.disarm();
        timeout(KILL_WAIT, self.ended()).await.unwrap_or(ProcessOutcome::Lost)
    }
}
