//! `ctx.exec`: a script's request becomes one for the process runner, which has the promises about groups, limits
//! and capture.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use snaphook_command::process::{self, Request};
use snaphook_core::{ExecOutput, ExecRequest, ServiceError};

/// How long a process may run whose script gave no time, in seconds.
pub const DEFAULT_EXEC_TIMEOUT: Duration = Duration::from_secs(600);

/// Runs the process. `env` is its environment, to which the request adds; `cwd` is what the request's own is
/// relative to.
pub(crate) async fn run(
    env: &[(OsString, OsString)],
    cwd: &Path,
    request: ExecRequest,
) -> Result<ExecOutput, ServiceError> {
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
