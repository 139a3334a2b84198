//! A server that is a program: started, framed on its pipes, and ended with everything that it started. Not here: how processes
//! and their groups are ended (`snaphook-command`).

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use snaphook_command::process::{self, LongLivedChild, Pipes, ProcessOutcome, Request, StartError};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::sync::WaitForCancellationFutureOwned;

use crate::framing::{MAX_FRAME_BYTES, framed};
use crate::transport::Transport;

/// The time that a program that has ended may still be read: another process may hold its pipe.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// A running server. Dropped, it goes on as long as its transport is held; [`Server::end`] waits for its end.
#[derive(Debug)]
pub struct Server {
    task: JoinHandle<ProcessOutcome>,
    end: CancellationToken,
    ended: CancellationToken,
}

impl Server {
    /// Starts the program. Its standard error is ours. Has to be polled on a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    /// It cannot be started.
    pub async fn start(request: &Request) -> Result<(Server, Transport), StartError> {
        let (child, pipes) = process::start(request).await?;
        Ok(Self::of(child, pipes))
    }

    /// Starts the program. Its standard error is the caller's to read, to its end.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub async fn start_with_stderr(
        request: &Request,
    ) -> Result<(Server, Transport, ChildStderr), StartError> {
        let (child, pipes, stderr) = process::start_with_stderr(request).await?;
        let (server, transport) = Self::of(child, pipes);
        Ok((server, transport, stderr))
    }

    fn of(mut child: LongLivedChild, pipes: Pipes) -> (Server, Transport) {
        let Pipes { stdin, stdout } = pipes;
        let (end, ended) = (CancellationToken::new(), CancellationToken::new());
        let stdout = UntilOver { stdout, ended: Box::pin(ended.clone().cancelled_owned()) };
        let carried = framed(stdout, stdin, MAX_FRAME_BYTES);
        let (told, is_over) = (end.clone(), ended.clone());
        let task = tokio::spawn(async move {
            tokio::select! {
                _ = child.ended() => sleep(DRAIN_TIMEOUT).await,
                () = told.cancelled() => {}
            }
            let outcome = child.end().await;
            is_over.cancel();
            outcome
        });
        (Server { task, end, ended }, carried.transport)
    }

    /// Cancelled when the program has ended.
    pub fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    /// Waits so long for the server to end by itself, then ends it.
    pub async fn end(mut self, patience: Duration) -> ProcessOutcome {
        if let Ok(ended) = timeout(patience, &mut self.task).await {
            return ended.unwrap_or(ProcessOutcome::Lost);
        }
        self.end.cancel();
        self.task.await.unwrap_or(ProcessOutcome::Lost)
    }
}

/// The output of the program until it has ended, even if other processes hold the pipe.
struct UntilOver {
    stdout: ChildStdout,
    ended: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl AsyncRead for UntilOver {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stdout).poll_read(cx, buf) {
            // Nothing was read: the end.
            Poll::Pending if self.ended.as_mut().poll(cx).is_ready() => Poll::Ready(Ok(())),
            polled => polled,
        }
    }
}
