//! The process runner. One call runs one program to its end and returns what it wrote and how it ended; [`start`] starts one that
//! stays, whose pipes are the caller's.
//!
//! # What is promised
//!
//! - **No shell.** The program and its arguments reach the operating system as they are given. (An executable text
//!   file without a `#!` line is handed to `/bin/sh` by the C library of most Unix systems, as everywhere else.)
//! - **A session of its own.** On Unix the child is the leader of a new session (`setsid`), and so of a new process
//!   group, without a controlling terminal. A new group alone would leave the agent's terminal within reach: a
//!   child of a background group may still write to `/dev/tty`, and is stopped, until its time limit, when it reads
//!   a password from it. Without a terminal both fail at once.
//! - **The whole group is ended**, first by TERM (and CONT, so that a stopped process can act on it), then by KILL
//!   after [`Limits::term_grace`]; when the time is up, when the call is cancelled, and when its future is dropped.
//! - **No strays.** When the program has exited by itself and its output has been read to the end, or for
//!   [`Limits::drain_grace`], what is left of its group is killed. A background process that is to outlive the call
//!   has to leave the group, as daemons do.
//! - **Bounded memory.** Output beyond [`Limits::stdout`] and [`Limits::stderr`] is read and thrown away, so that the
//!   child neither blocks nor dies of it, and [`Output::truncated`] says so.
//! - **As who is named.** With a [`Request::identity`] nothing of the program runs with our own user's rights: the thread that
//!   starts it gives them up before (Linux; elsewhere the child does, and has the user's own group only).
//! - **No stalling.** A process that holds the output pipe after the program has exited delays the call by twice
//!   [`Limits::drain_grace`] at most.
//!
//! # What is not
//!
//! - A process that leaves the group (`setsid`, `setpgid`, a shell's `set -m`) is out of reach and lives on, and so
//!   does one that we may not signal (a set-user-id program such as `sudo`). If it holds an output pipe,
//!   [`Output::left_open`] tells.
//! - Descriptors that we opened are closed in the child; one that our own process inherited without close-on-exec is
//!   passed on.
//! - A host that resets SIGPIPE to its default dies of a child that does not read its input; Rust programs ignore it.
//! - A child may still open another terminal's device by its name, if its user may.
//! - When our own process dies, its children live on; and one that exits right after a call was dropped does so
//!   before the KILL of those that ignore TERM. Use [`run_until`] and wait for it where that matters.
//!
//! # How
//!
//! `process-wrap` starts the child: it is the only maintained crate that offers `setsid` without `unsafe` code of our own
//! (std's `CommandExt::setsid` is unstable, and tokio's `process_group` makes a group but no session), and gives job objects on
//! Windows. Its waiting is not used: it reaps the leader first and signals the group afterwards, when the group's
//! number may belong to another process, and then waits without a limit for processes that we inherited. A thread per
//! call starts the child and waits with `waitid(WNOWAIT)`; the dead leader is reaped when its group can no longer be
//! signalled (see `group`). That thread is also why a dropped future needs no runtime to finish its work.
//!
//! The price of `setsid` is a real `fork`, whose cost grows with our memory: measured about 2 ms a run in a small process and
//! 27 ms with 300 MB resident, where `posix_spawn` takes 1 ms in both.
//!
//! # Windows
//!
//! The child runs in a job object, with a hidden console of its own. There is no TERM: the job is terminated at
//! once, and a process ended so reports no signal of its own. Program lookup is the system's, which also looks
//! beside our own executable. An empty environment lacks `SystemRoot`, without which many programs fail. This code
//! compiles and is not tested.

mod capture;
mod error;
mod group;
mod identity;
mod long_lived_child;
mod output;
mod patience;
mod request;
mod resolve;
mod run;
mod transcript;

pub use capture::Capture;
pub use error::StartError;
pub use group::kill_all;
pub use identity::{Identity, IdentityError};
pub use long_lived_child::{LongLivedChild, Pipes, start, start_with_stderr};
pub use output::{Output, ProcessOutcome};
pub use patience::passed;
pub use request::{Chunk, Limits, Request, Stream};
pub use resolve::is_executable;
pub use run::{run, run_until};
pub use transcript::{MAX_FILE_BYTES, Transcribed, Transcript};
