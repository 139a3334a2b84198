//! The driver that replays a recording: no model, but real tools and real gates.

use serde_json::Value;
use snaphook::{CancellationToken, Host};
use snaphook_core::BoxFuture;

use super::run::Run;
use super::{DriveError, Observer, SessionDriver, Summary};
use crate::replay::Recording;
use crate::scratch::Scratch;
use crate::tools::Toolbox;

/// Replays a recording in a workspace.
#[derive(Debug)]
pub struct Replay {
    recording: Recording,
    tools: Toolbox,
    cancel: CancellationToken,
    problems: Vec<snaphook_core::Problem>,
    transcript: Vec<Value>,
}

impl Replay {
    /// A replay in a scratch project. The host's session should have its folder as `cwd` and `project_root`.
    ///
    /// # Errors
    /// The scratch project is gone.
    pub fn new(recording: Recording, scratch: &Scratch) -> std::io::Result<Self> {
        let workspace = crate::tools::Workspace::new(scratch.project())?;
        let tools = Toolbox::new(std::sync::Arc::new(workspace), scratch.env().to_vec());
        let problems = recording.problems.iter().chain(scratch.problems()).cloned().collect();
        Ok(Replay { recording, tools, cancel: CancellationToken::new(), problems, transcript: Vec::new() })
    }

    /// Interrupts the session when the token is cancelled: the running call ends, the rest is left out, and the
    /// closing events are dispatched.
    #[must_use]
    pub fn interrupted_by(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// The conversation of the last run as a model would have seen it, with what hooks sent.
    pub fn transcript(&self) -> &[Value] {
        &self.transcript
    }
}

impl SessionDriver for Replay {
    fn run<'a>(
        &'a mut self,
        host: &'a Host,
        observer: &'a mut dyn Observer,
    ) -> BoxFuture<'a, Result<Summary, DriveError>> {
        Box::pin(async move {
            let mut run = Run::new(host, observer, &self.recording, &self.tools, &self.cancel);
            let ended = run.session(&self.problems).await;
            self.transcript = run.into_messages();
            ended
        })
    }
}
