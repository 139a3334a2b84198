//! `bash`: a command line, run by a real shell in the scratch project. Not confined to it: a shell can go anywhere
//! that its user can. Not here: ending processes and bounding their output (`snaphook-command`).

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use snaphook_command::process::{self, Limits, Output, ProcessOutcome, Request};
use snaphook_core::{BoxFuture, PartialOutput, Tool, ToolCall, ToolOutput};
use tokio::sync::mpsc;

use super::input::Input;
use super::{MAX_RESULT, ToolRefused, Workspace};

/// The time that a command may run where the call does not say.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);

/// The longest time that a call can ask for.
const MAX_TIMEOUT: Duration = Duration::from_secs(600);

/// The number of pieces of output that may wait to be shown; more are left out of the showing, not of the result.
const OUTPUT_QUEUE: usize = 64;

/// Makes one stream of both outputs, in the order of writing, and leaves the command itself untouched.
const JOIN: &str = r#"exec bash -c "$1" 2>&1"#;

/// Input: `command`; `timeout` in milliseconds, 120000 where absent, 600000 at most.
#[derive(Clone)]
pub struct Bash {
    workspace: Arc<Workspace>,
    cwd: Option<PathBuf>,
    env: Vec<(OsString, OsString)>,
}

impl Bash {
    /// A shell in the workspace, or in the folder `cwd` of it, with this environment and no other.
    pub fn new(workspace: Arc<Workspace>, cwd: Option<PathBuf>, env: Vec<(OsString, OsString)>) -> Self {
        Bash { workspace, cwd, env }
    }

    fn request(&self, call: &ToolCall) -> Result<Request, ToolRefused> {
        let input = Input::of(call);
        let command = input.text(&["command", "cmd"])?;
        let timeout = match input.count("timeout")? {
            None | Some(0) => DEFAULT_TIMEOUT,
            Some(millis) => Duration::from_millis(millis as u64).min(MAX_TIMEOUT),
        };
        let cwd = match &self.cwd {
            Some(cwd) => self.workspace.resolve(&cwd.to_string_lossy())?,
            None => self.workspace.root().to_owned(),
        };
        Ok(Request {
            args: vec!["-c".into(), JOIN.into(), "bash".into(), command.into()],
            env: self.env.clone(),
            timeout: Some(timeout),
            limits: Limits { stdout: MAX_RESULT, ..Limits::default() },
            ..Request::new("bash", cwd)
        })
    }

    async fn execute(&self, call: &ToolCall, output: PartialOutput) -> ToolOutput {
        let mut request = match self.request(call) {
            Ok(request) => request,
            Err(ToolRefused(why)) => return ToolOutput::error(why),
        };
        let Some(show) = output else {
            return render(process::run(request).await.unwrap_or_else(Output::from));
        };
        let (sender, mut chunks) = mpsc::channel(OUTPUT_QUEUE);
        request.on_output = Some(sender);
        let showing = async {
            let mut text = Decoder::default();
            while let Some(chunk) = chunks.recv().await {
                if chunk.skipped > 0 {
                    show(&format!("\n[{} bytes not shown]\n", chunk.skipped));
                }
                show(&text.push(&chunk.bytes));
            }
        };
        // The channel closes when the run ends and drops its request.
        let (ended, ()) = tokio::join!(process::run(request), showing);
        render(ended.unwrap_or_else(Output::from))
    }
}

impl std::fmt::Debug for Bash {
    // The environment is where secrets are.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bash")
            .field("workspace", &self.workspace)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

impl Tool for Bash {
    fn name(&self) -> &str {
        "bash"
    }

    fn run<'a>(&'a self, call: &'a ToolCall, output: PartialOutput) -> BoxFuture<'a, ToolOutput> {
        Box::pin(self.execute(call, output))
    }
}

/// The result as agents show it: the output, after `Exit code N` where the command failed.
fn render(output: Output) -> ToolOutput {
    let said = output.stdout.trim_end_matches('\n');
    let head = match &output.outcome {
        ProcessOutcome::Exited(0) => None,
        ProcessOutcome::Exited(code) => Some(format!("Exit code {code}")),
        ProcessOutcome::TimedOut { .. } => {
            Some(format!("Command timed out after {} s", output.duration.as_secs()))
        }
        other => Some(format!("The command {other}")),
    };
    let is_error = head.is_some();
    let mut content = head.unwrap_or_default();
    if !said.is_empty() {
        if is_error {
            content.push('\n');
        }
        content.push_str(said);
    }
    if output.truncated {
        content.push_str(&format!(
            "\n[cut: {} bytes in all, the first {MAX_RESULT} shown]",
            output.stdout_bytes
        ));
    }
    let details = match output.code() {
        Some(code) => json!({ "exit_code": code }),
        None if output.timed_out() => json!({ "timed_out": true }),
        None => Value::Null,
    };
    ToolOutput { content, details, is_error }
}

/// Makes text of bytes that come in pieces, without tearing characters apart.
#[derive(Default)]
struct Decoder {
    rest: Vec<u8>,
}

impl Decoder {
    fn push(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(_) => self.rest.len(),
            // An unfinished character at the very end is kept for the next piece.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.rest.len(),
        };
        let rest = self.rest.split_off(whole);
        let done = std::mem::replace(&mut self.rest, rest);
        String::from_utf8_lossy(&done).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_comes_in_pieces_stays_whole() {
        let mut text = Decoder::default();
        assert_eq!(text.push(&[b'a', 0xc3]), "a");
        assert_eq!(text.push(&[0xa9]), "é");
        assert_eq!(text.push(&[0xff, b'b']), "\u{fffd}b");
    }
}
