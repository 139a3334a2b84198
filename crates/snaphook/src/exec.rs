//! `ctx.exec`: how processes of hooks run. The default, [`SystemProcesses`], makes a script's request one for the process
//! runner, which has the promises about groups, limits and capture.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use snaphook_command::process::{self, Request};
use snaphook_core::{BoxFuture, ExecOutput, ExecRequest, HookRef, ServiceError};

/// How long a process may run whose script gave no time, in seconds.
pub const DEFAULT_EXEC_TIMEOUT: Duration = Duration::from_secs(600);

/// Where a process runs.
#[derive(Debug, Clone)]
pub struct ExecPlace {
    /// The hook that wants it.
    pub hook: HookRef,
    /// Its environment, to which the request adds.
    pub env: Arc<[(OsString, OsString)]>,
    /// The session's working directory, which the request's own is relative to.
    pub cwd: PathBuf,
}

/// Runs the processes of hooks. Tests put another one in the place of the system's (`Builder::processes`).
pub trait Processes: Send + Sync {
    /// Runs one, or says why not. Dropping the future ends the process.
    fn run(
        &self,
        place: ExecPlace,
        request: ExecRequest,
    ) -> BoxFuture<'static, Result<ExecOutput, ServiceError>>;
}

/// Real processes, each with its whole group.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemProcesses;

impl Processes for SystemProcesses {
    fn run(
        &self,
        place: ExecPlace,
        request: ExecRequest,
    ) -> BoxFuture<'static, Result<ExecOutput, ServiceError>> {
        Box::pin(run(place, request))
    }
}

async fn run(place: ExecPlace, request: ExecRequest) -> Result<ExecOutput, ServiceError> {
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
        ..Request::new(&program, within.map_or_else(|| cwd.to_owned(), |within| cwd.join(within)))
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
