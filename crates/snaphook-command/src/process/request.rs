//! The program to run, and its limits. Not here: checking it (`resolve`), running it (`run`).

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use snaphook_core::Hold;
use tokio::sync::mpsc;

use super::{Identity, Transcript};

/// One program to run.
///
/// ```
/// # use snaphook_command::process::Request;
/// let request = Request {
///     args: vec!["status".into(), "--short".into()],
///     env: vec![("PATH".into(), "/usr/bin:/bin".into())],
///     ..Request::new("git", "/srv/project")
/// };
/// ```
#[derive(Clone)]
pub struct Request {
    /// The program. With a directory separator in it: a path, relative to `cwd`. Without: a name, looked up in the
    /// `PATH` of `env`, whose relative entries are passed over, so that a project cannot slip in a program of that name.
    pub program: OsString,
    /// The arguments after the program's own name, passed on as they are.
    pub args: Vec<OsString>,
    /// The child's working directory, absolute.
    pub cwd: PathBuf,
    /// The child's whole environment; nothing is inherited. The last of two equal names counts. Default: empty.
    pub env: Vec<(OsString, OsString)>,
    /// The bytes that the child reads from its standard input, which is closed after it. Default: none, its input is
    /// at its end. A child that does not read it all is no error.
    pub stdin: Option<Vec<u8>>,
    /// The time that the child may run, counted from its start. Default: no limit.
    pub timeout: Option<Duration>,
    /// Bounds of memory and waiting.
    pub limits: Limits,
    /// Gets output as it comes, for showing progress. It is never waited for: see [`Chunk::skipped`]. A closed
    /// channel is no error. Default: none.
    pub on_output: Option<mpsc::Sender<Chunk>>,
    /// Keeps both streams as one text, in the order in which they arrive. Default: not kept.
    pub transcript: Option<Transcript>,
    /// Standard error goes where standard output goes, so that what is written is in the order in which it was written
    /// (not on Windows). Default: each has its own pipe.
    pub one_pipe: bool,
    /// The user that it runs as, for a process of root's. Default: the user of this process.
    pub identity: Option<Identity>,
}

impl Request {
    /// A request for `program` in the directory `cwd`, with the default of every other field.
    pub fn new(program: impl Into<OsString>, cwd: impl Into<PathBuf>) -> Self {
        Request {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            env: Vec::new(),
            stdin: None,
            timeout: None,
            limits: Limits::default(),
            on_output: None,
            transcript: None,
            one_pipe: false,
            identity: None,
        }
    }

    /// The same program, held by the kernel: it is run by `holder`, a program that has the command `hold`. What is guarded is
    /// that of a project.
    #[must_use]
    pub fn held(self, holder: &Path, hold: &Hold, project: &Path) -> Self {
        let mut args: Vec<OsString> = vec!["hold".into()];
        args.extend(hold.arguments().into_iter().map(OsString::from));
        args.extend([OsString::from("--project"), project.into(), "--exec".into(), "--".into()]);
        args.push(self.program);
        args.extend(self.args);
        Request { program: holder.into(), args, ..self }
    }
}

/// Shows neither the values of the environment nor the input: they are where secrets are.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("cwd", &self.cwd)
            .field("env", &self.env.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("stdin_bytes", &self.stdin.as_ref().map(Vec::len))
            .field("timeout", &self.timeout)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Bounds of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest text kept of standard output, in bytes. Default: 1 MiB.
    pub stdout: usize,
    /// The longest text kept of standard error, in bytes. Default: 1 MiB.
    pub stderr: usize,
    /// The time that the program may take to exit after TERM before its group gets KILL. Default: 2 s.
    pub term_grace: Duration,
    /// The time that, after the program has exited, its output is still read if another process holds the pipe; and how
    /// long the rest of a group that got TERM may outlive its leader. Default: 200 ms.
    pub drain_grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            stdout: 1 << 20,
            stderr: 1 << 20,
            term_grace: Duration::from_secs(2),
            drain_grace: Duration::from_millis(200),
        }
    }
}

/// One of a child's two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Output as it was read, unbounded in sum and not cut at characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The stream that it came from.
    pub stream: Stream,
    /// The bytes, 64 KiB at most.
    pub bytes: Vec<u8>,
    /// The number of bytes of this stream just before this chunk that were not delivered, because the channel was full.
    /// The captured output is not affected.
    pub skipped: u64,
}
