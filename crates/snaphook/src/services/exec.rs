//! `ctx.exec`: how processes of hooks run. The default, [`SystemProcesses`], makes a script's request one for the process
//! runner, which has the promises about groups, limits and capture.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use snaphook_command::process::{self, Request};
use snaphook_core::{
    ExecOutput, ExecRequest, HookRef, PendingReply, ServiceError, ServiceFuture, ServiceReply,
};

/// The time that a process may run whose script gave no time.
pub const DEFAULT_EXEC_TIMEOUT: Duration = Duration::from_secs(60);

/// Variables with their values. The last of two equal names counts.
pub(crate) type Environment = Arc<[(OsString, OsString)]>;

/// The place where a process runs.
#[derive(Debug, Clone)]
pub struct ExecPlace {
    /// The hook that wants it.
    pub hook: HookRef,
    /// The file that the request's program is.
    pub program: ExecProgram,
    /// Its environment, to which the request adds. For a script: what [`CHILD_VARIABLES`](crate::CHILD_VARIABLES) and its
    /// grants name of the host's.
    pub env: Environment,
    /// The session's working directory, which the request's own is relative to.
    pub cwd: PathBuf,
}

/// The file that a request's program is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecProgram {
    /// The program that its name or path leads to when it runs: a handler in Rust asks.
    Named,
    /// The program that a script's grant led to when the hook loaded.
    Granted {
        /// The path to run it by.
        path: PathBuf,
        /// The file that this path has to lead to.
        file: PathBuf,
    },
    /// A granted program that was not there when the hook loaded; the text says where it was looked for.
    Missing(String),
}

impl ExecPlace {
    /// The program to start for the request: what the hook was granted, as long as it is still that. (Whoever can change
    /// the path between this look and the start can change the program itself.)
    ///
    /// # Errors
    /// The program was not there when the hook loaded, or another file is in its place now.
    pub fn program(&self, request: &ExecRequest) -> Result<OsString, ServiceError> {
        match &self.program {
            ExecProgram::Named => Ok(request.program.clone().into()),
            ExecProgram::Missing(why) => Err(ServiceError(format!(
                "failed to run {}: it was not found when the hook loaded: {why}",
                request.program
            ))),
            ExecProgram::Granted { path, file } => {
                let now = path.canonicalize().map_err(|error| error.to_string());
                if now.as_ref() == Ok(file) {
                    return Ok(path.clone().into());
                }
                let (path, now) =
                    (path.display(), now.map_or_else(|error| error, |now| now.display().to_string()));
                Err(ServiceError(format!(
                    "failed to run {}: {path} was {} when the hook loaded and is not any more ({now}); reload the hooks",
                    request.program,
                    file.display()
                )))
            }
        }
    }
}

/// Begins a process whose end a handler waits for.
pub(crate) fn begin(processes: &dyn Processes, place: ExecPlace, request: ExecRequest) -> PendingReply {
    let output = processes.run(place, request);
    Box::pin(async move { output.await.map(ServiceReply::Process) })
}

/// Runs the processes of hooks. Tests put another one in the place of the system's (`Builder::processes`).
pub trait Processes: Send + Sync {
    /// Runs one, or says why not. Dropping the future ends the process.
    fn run(&self, place: ExecPlace, request: ExecRequest) -> ServiceFuture<ExecOutput>;
}

/// Real processes, each with its whole group.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemProcesses;

impl Processes for SystemProcesses {
    fn run(&self, place: ExecPlace, request: ExecRequest) -> ServiceFuture<ExecOutput> {
        Box::pin(run(place, request))
    }
}

async fn run(place: ExecPlace, request: ExecRequest) -> Result<ExecOutput, ServiceError> {
    let start = place.program(&request)?;
    let ExecPlace { env, cwd, .. } = place;
    let ExecRequest { program, args, cwd: within, env: more, stdin, timeout } = request;
    if tokio::runtime::Handle::try_current().is_err() {
        return Err(ServiceError(format!(
            "failed to run {program}: this program runs without a tokio runtime"
        )));
    }
    let failed = |error| ServiceError(format!("failed to run {program}: {error}"));
    let request = Request {
        args: args.into_iter().map(Into::into).collect(),
        env: env
            .iter()
            .cloned()
            .chain(more.into_iter().map(|(name, value)| (name.into(), value.into())))
            .collect(),
        stdin: stdin.map(String::into_bytes),
        timeout: Some(timeout.unwrap_or(DEFAULT_EXEC_TIMEOUT)),
        ..Request::new(start, within.map_or_else(|| cwd.to_owned(), |within| cwd.join(within)))
    };
    let output = process::run(request).await.map_err(failed)?;
    Ok(ExecOutput {
        code: output.code(),
        signal: output.signal(),
        timed_out: output.timed_out(),
        stdout: output.stdout,
        stderr: output.stderr,
        truncated: output.truncated,
    })
}
