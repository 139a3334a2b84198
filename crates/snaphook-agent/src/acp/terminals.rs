//! The terminals that an ACP agent asks for: commands in the session's folder, their output as far as it is wanted, and their end.
//! The proxy has gated each command before. Not here: ending processes and what they started (`snaphook-command`).

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use snaphook::CancellationToken;
use snaphook_command::process::{Limits, Output, Request, run_until};
use tokio::sync::{mpsc, watch};

use crate::tools::{MAX_RESULT, ToolRefused, Workspace};

/// The number of terminals that are open at a time.
const MAX_TERMINALS: usize = 64;

/// The number of pieces of output that may wait to be taken in.
const OUTPUT_QUEUE: usize = 256;

/// A command as the agent asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Command {
    /// A program, or a line for a shell where there are no arguments.
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) cwd: Option<String>,
    /// The most bytes of output to keep, of its end.
    pub(super) limit: Option<u64>,
}

/// The end of a command.
type Exit = (Option<i32>, Option<i32>);

struct Terminal {
    kept: Arc<Mutex<Kept>>,
    ended: watch::Receiver<Option<Exit>>,
    cancel: CancellationToken,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Output, of which the end is kept.
#[derive(Debug)]
struct Kept {
    bytes: Vec<u8>,
    limit: usize,
    truncated: bool,
}

impl Kept {
    fn push(&mut self, bytes: &[u8], skipped: u64) {
        self.truncated |= skipped > 0;
        self.bytes.extend_from_slice(bytes);
        if let Some(over) = self.bytes.len().checked_sub(self.limit).filter(|over| *over > 0) {
            self.truncated = true;
            // Not in the middle of a character.
            let rest = self.bytes.iter().skip(over);
            let torn = rest.take_while(|byte| (**byte & 0xc0) == 0x80).count();
            self.bytes.drain(..over + torn);
        }
    }
}

/// The terminals of one session. Dropped, their commands end.
pub(super) struct Terminals {
    workspace: Arc<Workspace>,
    env: Vec<(OsString, OsString)>,
    open: Mutex<(u64, HashMap<String, Terminal>)>,
}

impl Terminals {
    /// Returns none yet. `env` is the environment of what runs in them.
    pub(super) fn new(workspace: Arc<Workspace>, env: Vec<(OsString, OsString)>) -> Self {
        Terminals { workspace, env, open: Mutex::default() }
    }

    /// Starts a command, and returns the terminal's id.
    pub(super) fn create(&self, command: Command) -> Result<String, ToolRefused> {
        let Command { command, args, env, cwd, limit } = command;
        let cwd = match cwd {
            Some(cwd) => self.workspace.resolve(&cwd)?,
            None => self.workspace.root().to_owned(),
        };
        let (program, args): (OsString, Vec<OsString>) = if args.is_empty() {
            ("bash".into(), vec!["-c".into(), command.into()])
        } else {
            (command.into(), args.into_iter().map(OsString::from).collect())
        };
        let (sender, mut chunks) = mpsc::channel(OUTPUT_QUEUE);
        let mut vars = self.env.clone();
        vars.extend(env.into_iter().map(|(name, value)| (name.into(), value.into())));
        let request = Request {
            args,
            env: vars,
            one_pipe: true,
            on_output: Some(sender),
            limits: Limits { stdout: MAX_RESULT, ..Limits::default() },
            ..Request::new(program, cwd)
        };
        let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(MAX_RESULT).min(MAX_RESULT);
        let kept = Arc::new(Mutex::new(Kept { bytes: Vec::new(), limit, truncated: false }));
        let (end, ended) = watch::channel(None);
        let cancel = CancellationToken::new();
        let mut open = self.open.lock();
        if open.1.len() >= MAX_TERMINALS {
            return Err(ToolRefused(format!("{MAX_TERMINALS} terminals are open already; release one")));
        }
        open.0 += 1;
        let id = format!("terminal-{}", open.0);
        let terminal = Terminal { kept: Arc::clone(&kept), ended, cancel: cancel.clone() };
        open.1.insert(id.clone(), terminal);
        tokio::spawn(async move {
            let showing = async {
                while let Some(chunk) = chunks.recv().await {
                    kept.lock().push(&chunk.bytes, chunk.skipped);
                }
            };
            let (ran, ()) = tokio::join!(run_until(request, cancel.cancelled_owned()), showing);
            let exit = match &ran {
                Ok(output) => (output.code(), output.outcome.signal()),
                Err(error) => {
                    kept.lock().push(error.to_string().as_bytes(), 0);
                    (Some(NOT_STARTED), None)
                }
            };
            if let Ok(output) = &ran {
                kept.lock().complete(output);
            }
            end.send_replace(Some(exit));
        });
        Ok(id)
    }

    /// Returns what a command has printed so far, and its end where it has ended.
    pub(super) fn output(&self, id: &str) -> Result<Value, ToolRefused> {
        let open = self.open.lock();
        let terminal = open.1.get(id).ok_or_else(|| unknown(id))?;
        let kept = terminal.kept.lock();
        let exit = terminal.ended.borrow().map(exit_status);
        Ok(json!({
            "output": String::from_utf8_lossy(&kept.bytes),
            "truncated": kept.truncated,
            "exitStatus": exit,
        }))
    }

    /// Waits for the end of a command.
    pub(super) async fn wait(&self, id: &str) -> Result<Value, ToolRefused> {
        let mut ended = self.open.lock().1.get(id).ok_or_else(|| unknown(id))?.ended.clone();
        let exit = match ended.wait_for(Option::is_some).await {
            Ok(exit) => *exit,
            Err(_) => None,
        };
        Ok(exit_status(exit.unwrap_or_default()))
    }

    /// Ends a command; what it printed stays.
    pub(super) fn kill(&self, id: &str) -> Result<Value, ToolRefused> {
        self.open.lock().1.get(id).ok_or_else(|| unknown(id))?.cancel.cancel();
        Ok(json!({}))
    }

    /// Ends a command and forgets its terminal.
    pub(super) fn release(&self, id: &str) -> Result<Value, ToolRefused> {
        self.open.lock().1.remove(id).map(|_| json!({})).ok_or_else(|| unknown(id))
    }
}

/// The exit code of a program that cannot be started, as a shell has it.
const NOT_STARTED: i32 = 127;

impl Kept {
    /// Takes the whole output where pieces of it were left out while it came.
    fn complete(&mut self, output: &Output) {
        if self.truncated && !output.truncated && output.stdout.len() <= self.limit {
            self.bytes = output.stdout.clone().into();
            self.truncated = false;
        }
    }
}

fn exit_status((code, signal): Exit) -> Value {
    json!({"exitCode": code, "signal": signal.map(|signal| signal.to_string())})
}

fn unknown(id: &str) -> ToolRefused {
    ToolRefused(format!("there is no terminal {id}"))
}

impl std::fmt::Debug for Terminals {
    // The environment is where secrets are.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terminals").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_an_output_is_kept_in_whole_characters() {
        for (limit, pieces, want, truncated) in [
            (9, &["abc", "def"] as &[&str], "abcdef", false),
            (4, &["abc", "def"], "cdef", true),
            (3, &["aé", "é"], "é", true),
            (0, &["a"], "", true),
        ] {
            let mut kept = Kept { bytes: Vec::new(), limit, truncated: false };
            pieces.iter().for_each(|piece| kept.push(piece.as_bytes(), 0));
            assert_eq!((String::from_utf8(kept.bytes).unwrap().as_str(), kept.truncated), (want, truncated));
        }
    }
}
