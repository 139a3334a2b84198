//! The loop of iterations as the command line has it: the prompts, and when it is complete. `--until-command` runs as lifecycle
//! commands do, in the project and with the person's environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use snaphook::{BoxFuture, CancellationToken};
use snaphook_agent::driver::{Complete, DrivePlan, Listed, Prompts, Repeated, Until};
use snaphook_command::process::{self, Request};
use snaphook_session::agent_loop::iterations;

use super::args::IterateArgs;
use crate::env::Env;

/// The time that it may take.
const TIMEOUT: Duration = Duration::from_secs(600);

impl IterateArgs {
    /// Returns the prompts of the session.
    pub(super) fn prompts(&self, prompt: String) -> Box<dyn Prompts> {
        match self.iterations {
            Some(_) => Box::new(Repeated::new(prompt)),
            None => Box::new(Listed::new(vec![prompt])),
        }
    }

    /// Puts the loop into the plan of a session in this folder.
    pub(super) fn plan(&self, plan: &mut DrivePlan, env: &Env, folder: &Path) {
        plan.limits = iterations::Limits { iterations: self.iterations, duration: None };
        plan.no_progress = self.iterations.map(|_| self.no_progress).filter(|most| *most > 0);
        plan.until = self.until.clone().map(Until::Text).or_else(|| {
            let (command, env) = (self.until_command.clone()?, Arc::clone(&env.vars));
            Some(Until::Check(Arc::new(UntilCommand { command, folder: folder.to_owned(), env })))
        });
    }
}

/// The command line.
struct UntilCommand {
    command: String,
    folder: PathBuf,
    env: Arc<[(OsString, OsString)]>,
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
