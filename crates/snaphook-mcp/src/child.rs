//! A server that is a program: started, carried on its pipes, and ended with everything that it started. Not here: how processes
//! and their groups are ended (`snaphook-command`).

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use snaphook::CancellationToken;
use snaphook_command::process::{self, Outcome, Pipes, Request, StartError};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::process::ChildStdout;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::WaitForCancellationFutureOwned;

use crate::carrier::{MAX_FRAME, carry};
use crate::link::Link;

/// The time that a program that has ended may still be read: somebody else may hold its pipe.
const DRAIN: Duration = Duration::from_millis(500);

/// A running server. Dropping it lets it go on as long as its link is held; [`Server::end`] waits for its end.
#[derive(Debug)]
pub struct Server {
    task: JoinHandle<Outcome>,
    end: CancellationToken,
    over: CancellationToken,
}

impl Server {
    /// Starts the program. Its standard error is ours. Has to be polled on a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    /// It cannot be started.
    pub async fn start(request: &Request) -> Result<(Server, Link), StartError> {
        let (mut staying, Pipes { stdin, stdout }) = process::start(request).await?;
        let (end, over) = (CancellationToken::new(), CancellationToken::new());
        let stdout = UntilOver { stdout, over: Box::pin(over.clone().cancelled_owned()) };
        let carried = carry(stdout, stdin, MAX_FRAME);
        let (told, is_over) = (end.clone(), over.clone());
        let task = tokio::spawn(async move {
            tokio::select! {
                _ = staying.ended() => sleep(DRAIN).await,
                () = told.cancelled() => {}
            }
            let outcome = staying.end().await;
            is_over.cancel();
            outcome
        });
        Ok((Server { task, end, over }, carried.link))
    }

    /// Cancelled when the program has ended.
    pub fn over(&self) -> &CancellationToken {
        &self.over
    }

    /// Waits so long for the server to end by itself, then ends it.
    pub async fn end(mut self, patience: Duration) -> Outcome {
        if let Ok(ended) = timeout(patience, &mut self.task).await {
            return ended.unwrap_or(Outcome::Lost);
        }
        self.end.cancel();
        self.task.await.unwrap_or(Outcome::Lost)
    }
}

/// The output of the program, until it is over with it, whoever else holds the pipe.
struct UntilOver {
    stdout: ChildStdout,
    over: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl AsyncRead for UntilOver {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stdout).poll_read(cx, buf) {
            // Nothing was read: the end.
            Poll::Pending if self.over.as_mut().poll(cx).is_ready() => Poll::Ready(Ok(())),
            polled => polled,
        }
    }
}
