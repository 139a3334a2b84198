//! The course of one run: start, feed and read the pipes, wait for the first of exit, time limit and cancelling, end the
//! group, collect. Not here: how a group is signalled and waited for (`group`).

use std::convert::Infallible;
use std::future::{Future, pending, poll_fn};
use std::io;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::process::{Command, Stdio};
use std::task::Poll;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

use super::group::{self, Exit, Group, KILL, TERM};
use super::patience::passed;
use super::transcript::Scribe;
use super::{Capture, Chunk, Limits, Output, ProcessOutcome, Request, StartError, Stream, resolve::resolve};

/// The amount that is read at once: what a Linux pipe holds.
const READ: usize = 64 * 1024;

/// The time that the death of a leader is waited for after KILL. Only one that sleeps uninterruptibly in the kernel (a dead
/// network disk) takes longer; it is left to its waiting thread.
pub(super) const KILL_WAIT: Duration = Duration::from_secs(1);

/// Runs a program to its end. Dropping the future ends the program and its group.
///
/// Has to be polled on a tokio runtime with I/O and time enabled (it panics elsewhere, as tokio does).
///
/// # Errors
///
/// [`StartError`] if nothing was run. How a started program ended is in the [`Output`].
pub async fn run(request: Request) -> Result<Output, StartError> {
    run_until(request, pending()).await
}

/// Like [`run`], but when `cancel` completes, the group is ended as if the time were up, and the output so far is
/// returned with [`ProcessOutcome::Cancelled`]. If it is complete from the beginning, nothing is started.
///
/// # Errors
///
/// As [`run`].
pub async fn run_until(request: Request, cancel: impl Future<Output = ()>) -> Result<Output, StartError> {
    let mut cancel = pin!(cancel);
    if poll_fn(|cx| Poll::Ready(cancel.as_mut().poll(cx).is_ready())).await {
        return Ok(Output::without_run(ProcessOutcome::Cancelled { signal: None }));
    }
    let program = resolve(&request)?;
    let Request { stdin, timeout: limit, limits, on_output, transcript, identity, .. } = &request;
    let refused = |source| refusal(program.clone(), source);

    let mut command = command(&program, &request);
    let both = if request.one_pipe { one_pipe(&mut command).map_err(refused)? } else { None };
    let mut started = group::start(command, *limits, identity.clone()).await.map_err(refused)?;
    if let Some(both) = both {
        started.guard.hold(&both);
        started.stdout = Some(both);
    }
    let began = Instant::now();
    let input = started.stdin.take().map(ChildStdin::from_std).transpose().map_err(refused)?;
    let stdout = started.stdout.take().map(ChildStdout::from_std).transpose().map_err(refused)?;
    let stderr = started.stderr.take().map(ChildStderr::from_std).transpose().map_err(refused)?;
    let scribe = transcript.clone().map(|what| Mutex::new(Scribe::new(what)));
    let mut out = Collector::new(Stream::Stdout, limits.stdout, on_output, scribe.as_ref());
    let mut err = Collector::new(Stream::Stderr, limits.stderr, on_output, scribe.as_ref());

    let mut left_open = true;
    let outlived;
    let outcome = {
        let mut feeding = pin!(feed(input, stdin.as_deref().unwrap_or_default()));
        let mut reading = pin!(async { tokio::join!(out.read(stdout), err.read(stderr)) });
        let mut ending = pin!(end(started.guard.group(), started.exited, cancel, *limit, limits));
        let outcome = loop {
            tokio::select! {
                biased;
                outcome = &mut ending => break outcome,
                never = &mut feeding => match never {},
                _ = &mut reading, if left_open => left_open = false,
            }
        };
        // Processes of the group that still write may finish; then it is killed, and what is in the pipe is read. Only
        // a process that left the group can hold it open beyond that.
        if left_open {
            left_open = timeout(limits.drain_grace, drain(feeding.as_mut(), reading.as_mut())).await.is_err();
        }
        outlived = left_open;
        started.guard.group().kill();
        if left_open {
            left_open = timeout(limits.drain_grace, drain(feeding, reading)).await.is_err();
        }
        outcome
    };
    started.guard.disarm();

    let ((stdout_bytes, stdout, stdout_cut), (stderr_bytes, stderr, stderr_cut)) =
        (out.finish(), err.finish());
    let truncated = stdout_cut || stderr_cut;
    let duration = began.elapsed();
    let transcript = scribe.map(|scribe| scribe.into_inner().finish());
    Ok(Output {
        stdout,
        stderr,
        stdout_bytes,
        stderr_bytes,
        outcome,
        truncated,
        left_open,
        outlived,
        transcript,
        duration,
    })
}

/// Has both streams written into one pipe; gives the end that is read.
#[cfg(unix)]
fn one_pipe(command: &mut Command) -> io::Result<Option<std::process::ChildStdout>> {
    let (reader, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    Ok(Some(std::os::fd::OwnedFd::from(reader).into()))
}

#[cfg(not(unix))]
fn one_pipe(_: &mut Command) -> io::Result<Option<std::process::ChildStdout>> {
    Ok(None)
}

pub(super) fn command(program: &PathBuf, request: &Request) -> Command {
    let mut command = Command::new(program);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, &request.program);
    command
        .args(&request.args)
        .current_dir(&request.cwd)
        .env_clear()
        .envs(request.env.iter().map(|(name, value)| (name, value)))
        .stdin(if request.stdin.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The system's refusal of a request that looked right. The directory and the program were there a moment ago, so
/// "not found" is about what the program itself needs.
pub(super) fn refusal(program: PathBuf, source: io::Error) -> StartError {
    if source.kind() != io::ErrorKind::NotFound {
        StartError::System { program, source }
    } else if program.is_file() {
        StartError::NoInterpreter { program }
    } else {
        StartError::NotFound { program }
    }
}

/// Completes when the leader has died, by itself or by us.
async fn end(
    group: &Group,
    mut exited: oneshot::Receiver<Exit>,
    cancel: Pin<&mut impl Future<Output = ()>>,
    limit: Option<Duration>,
    limits: &Limits,
) -> ProcessOutcome {
    let time_is_up = async {
        match limit {
            Some(limit) => passed(limit).await,
            None => pending().await,
        }
    };
    let timed_out = tokio::select! {
        biased;
        exit = &mut exited => return exit.unwrap_or(Exit::Lost).into(),
        () = cancel => false,
        () = time_is_up => true,
    };
    group.terminate();
    let signal = if timeout(limits.term_grace, &mut exited).await.is_ok() {
        // The leader is often a shell that dies at once, while what it started is still tidying up.
        sleep(limits.drain_grace).await;
        TERM
    } else {
        group.kill();
        let _ = timeout(KILL_WAIT, &mut exited).await;
        KILL
    };
    if timed_out {
        ProcessOutcome::TimedOut { signal }
    } else {
        ProcessOutcome::Cancelled { signal: Some(signal) }
    }
}

/// Writes all input and closes the pipe. A child that does not want it (EPIPE) is within its rights. Never completes,
/// because nothing waits for it: a child may close its outputs and read on, or exit and leave its input unread.
async fn feed(pipe: Option<ChildStdin>, input: &[u8]) -> Infallible {
    if let Some(mut pipe) = pipe {
        let _ = pipe.write_all(input).await;
    }
    pending().await
}

/// Completes when everything has been read.
async fn drain(feeding: Pin<&mut impl Future<Output = Infallible>>, reading: Pin<&mut impl Future>) {
    tokio::select! {
        biased;
        never = feeding => match never {},
        _ = reading => {}
    }
}

/// The place where the bytes of one stream go: the one place to add another sink.
struct Collector<'a> {
    stream: Stream,
    capture: Capture,
    live: &'a Option<mpsc::Sender<Chunk>>,
    /// Of both streams.
    scribe: Option<&'a Mutex<Scribe>>,
    skipped: u64,
}

impl<'a> Collector<'a> {
    fn new(
        stream: Stream,
        limit: usize,
        live: &'a Option<mpsc::Sender<Chunk>>,
        scribe: Option<&'a Mutex<Scribe>>,
    ) -> Self {
        Collector { stream, capture: Capture::new(limit), live, scribe, skipped: 0 }
    }

    /// Reads to the end. An error of reading is the end, too: there is nothing more to be had.
    async fn read(&mut self, pipe: Option<impl AsyncRead + Unpin>) {
        let Some(mut pipe) = pipe else { return };
        let mut buffer = vec![0; READ];
        while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
            self.accept(buffer.get(..count).unwrap_or_default());
        }
    }

    fn accept(&mut self, bytes: &[u8]) {
        self.capture.push(bytes);
        if let Some(scribe) = self.scribe {
            scribe.lock().accept(bytes);
        }
        let Some(live) = self.live else { return };
        // Waiting for a slow reader would stall the child, and lose captured output at its end.
        match live.try_reserve() {
            Ok(permit) => {
                let skipped = std::mem::take(&mut self.skipped);
                permit.send(Chunk { stream: self.stream, bytes: bytes.to_vec(), skipped });
            }
            Err(_) => self.skipped = self.skipped.saturating_add(bytes.len() as u64),
        }
    }

    fn finish(self) -> (u64, String, bool) {
        let total = self.capture.total();
        let (text, cut) = self.capture.finish();
        (total, text, cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_watcher_is_told_what_it_missed() {
        let (tx, mut rx) = mpsc::channel(1);
        let live = Some(tx);
        let mut collector = Collector::new(Stream::Stdout, 3, &live, None);
        collector.accept(b"a");
        collector.accept(b"bc");
        collector.accept(b"d");
        assert_eq!(rx.try_recv().unwrap().skipped, 0);
        collector.accept(b"e");
        assert_eq!(
            rx.try_recv().unwrap(),
            Chunk { stream: Stream::Stdout, bytes: b"e".to_vec(), skipped: 3 }
        );
        assert_eq!(collector.finish(), (5, "abc".to_owned(), true));
    }
}
