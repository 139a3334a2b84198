//! `--until-command`: a command line that says whether iterations are complete. It runs as lifecycle commands do, in the project and
//! with the person's environment.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use snaphook::{BoxFuture, CancellationToken};
use snaphook_agent::driver::Complete;
use snaphook_command::process::{self, Request};

/// The time that it may take.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The command line.
pub(super) struct UntilCommand {
    pub(super) command: String,
    pub(super) folder: PathBuf,
    pub(super) env: Arc<[(OsString, OsString)]>,
}

impl Complete for UntilCommand {
    fn is_complete<'a>(&'a self, cancel: &'a CancellationToken) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let request = Request {
                args: vec!["-c".into(), self.command.as_str().into()],
                env: self.env.to_vec(),
                timeout: Some(TIMEOUT),
                ..Request::new("sh", self.folder.clone())
            };
            tokio::select! {
                ended = process::run(request) => ended.is_ok_and(|output| output.code() == Some(0)),
                () = cancel.cancelled() => false,
            }
        })
    }
}
