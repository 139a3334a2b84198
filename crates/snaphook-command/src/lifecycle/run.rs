//! Running the commands of a list, one after the other. Failures and timeouts are text in the output, as its reader sees
//! them in a terminal; nothing of a command ends the session. Not here: which list runs when.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use snaphook_core::Product;

use super::template::for_environment;
use super::{Command, Lifecycle, List, Variable};
use crate::process::{self, Limits, Output, ProcessOutcome, Request};

/// The most output that is kept of one command, in bytes.
pub const MAX_OUTPUT: usize = 64 * 1024;

/// A shell that hears the command as its own text, and writes to one pipe: so its output to both streams is in the
/// order in which it was written, and the command's line numbers are its own.
const BOTH_STREAMS: &str = "exec \"$0\" -c \"$1\" 2>&1";

/// The values that placeholders stand for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Values {
    /// The session's name.
    pub session: String,
    /// The iteration's number, from 1.
    pub iteration: Option<u64>,
    /// The completed task.
    pub task_id: String,
    /// The content of the task.
    pub task_content: String,
    /// The error message.
    pub error: String,
}

impl Values {
    fn of(&self, list: List, variable: Variable) -> String {
        if !list.has(variable) {
            return String::new();
        }
        match variable {
            Variable::Session => for_environment(&self.session),
            Variable::Iteration => self.iteration.map(|number| number.to_string()).unwrap_or_default(),
            Variable::TaskId => for_environment(&self.task_id),
            Variable::TaskContent => for_environment(&self.task_content),
            Variable::Error => for_environment(&self.error),
        }
    }
}

/// The place where commands run.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The project's root, absolute.
    pub cwd: PathBuf,
    /// The whole environment but the values.
    pub env: Vec<(OsString, OsString)>,
    /// When all of the list has to be over, whatever time its commands have.
    pub until: Option<Instant>,
    /// The program that holds commands which ask for it: one that has the command `hold`. Without it they fail.
    pub holder: Option<PathBuf>,
}

/// One command that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The command as it is in the file.
    pub command: String,
    /// Its output, with a note about its failure.
    pub output: String,
    /// True if the agent gets it.
    pub piped: bool,
    /// True if it exited with 0.
    pub success: bool,
    /// The time that it took.
    pub duration: Duration,
}

/// The result of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListOutput {
    /// Its commands in order; those behind a cancellation are missing.
    pub ran: Vec<Ran>,
    /// True if the list was cancelled.
    pub cancelled: bool,
}

impl ListOutput {
    /// All output, in order.
    pub fn all(&self) -> String {
        join(self.ran.iter())
    }

    /// The output of the commands that pipe theirs.
    pub fn piped(&self) -> String {
        join(self.ran.iter().filter(|ran| ran.piped))
    }
}

fn join<'a>(ran: impl Iterator<Item = &'a Ran>) -> String {
    join_outputs(ran.map(|ran| ran.output.as_str()))
}

/// Joins outputs as iteratr does: a line break is between two, so that an empty line follows an output that ends with one. An
/// empty output is left out.
pub fn join_outputs<'a>(outputs: impl IntoIterator<Item = &'a str>) -> String {
    let said: Vec<_> = outputs.into_iter().filter(|output| !output.is_empty()).collect();
    said.join("\n")
}

/// Runs every command of a list, also behind one that failed. When `cancel` completes, the command that runs is ended and the rest
/// does not run.
pub async fn run_all(
    lifecycle: &Lifecycle,
    list: List,
    values: &Values,
    surroundings: &Surroundings,
    cancel: impl Future<Output = ()>,
) -> ListOutput {
    let mut cancel = std::pin::pin!(cancel);
    let mut done = ListOutput::default();
    for command in lifecycle.commands(list) {
        let ran = run((command, list), lifecycle.product(), values, surroundings, cancel.as_mut()).await;
        match ran {
            Some(ran) => done.ran.push(ran),
            None => {
                done.cancelled = true;
                break;
            }
        }
    }
    done
}

async fn run(
    (command, list): (&Command, List),
    product: Product,
    values: &Values,
    surroundings: &Surroundings,
    cancel: impl Future<Output = ()>,
) -> Option<Ran> {
    let left = surroundings.until.map(|until| until.saturating_duration_since(Instant::now()));
    let cut = left.filter(|left| *left < command.timeout);
    let limit = cut.unwrap_or(command.timeout);
    let mut env = surroundings.env.clone();
    // All of them: what a script of the command finds must not be another session's.
    for variable in Variable::ALL {
        env.push((variable.env().into(), values.of(list, variable).into()));
    }
    let shell = shell();
    let text = command.text.text.clone().into();
    let is_theirs = product == Product::Iteratr;
    let args = if is_theirs {
        vec!["-c".into(), text]
    } else {
        vec!["-c".into(), BOTH_STREAMS.into(), shell.clone(), text]
    };
    let request = Request {
        args,
        env,
        timeout: Some(limit),
        limits: Limits { stdout: MAX_OUTPUT, stderr: MAX_OUTPUT, ..Limits::default() },
        ..Request::new(shell, &surroundings.cwd)
    };
    let request = match (&command.hold, &surroundings.holder) {
        (None, _) => request,
        (Some(hold), holder) => {
            // Without one it is a program that is not there, and the command fails.
            let holder = holder.as_deref().unwrap_or(Path::new("snaphook"));
            request.held(holder, hold, &surroundings.cwd)
        }
    };
    let output = process::run_until(request, cancel).await.unwrap_or_else(Output::from);
    if matches!(output.outcome, ProcessOutcome::Cancelled { .. }) {
        return None;
    }
    let success = output.success();
    let cut = cut.is_some();
    let text =
        if is_theirs { in_their_words(&output, limit, cut) } else { in_ours(&output, limit, cut, command) };
    let Command { written, pipe_output, .. } = command;
    Some(Ran {
        command: written.clone(),
        output: text,
        piped: *pipe_output,
        success,
        duration: output.duration,
    })
}

/// The output of a command: as it was written, and behind it the message of a failure.
fn in_ours(output: &Output, limit: Duration, cut: bool, command: &Command) -> String {
    let mut text = output.stdout.clone();
    if output.truncated {
        note(&mut text, &format!("[cut: {} bytes, {MAX_OUTPUT} are kept]", output.stdout_bytes));
    }
    // What the redirecting shell itself had to say, if anything.
    if !output.stderr.is_empty() {
        note(&mut text, output.stderr.trim_end());
    }
    match &output.outcome {
        _ if output.success() => {}
        ProcessOutcome::TimedOut { .. } => {
            let seconds = limit.as_secs_f64();
            let why = if cut { ", which is all that the agent waits" } else { "" };
            note(
                &mut text,
                &format!("[Hook timed out after {seconds:.0}s{why}: {}]", line(&command.written)),
            );
        }
        ProcessOutcome::Exited(code) => {
            note(
                &mut text,
                &format!("[Hook command failed: exit status {code}: {}]", line(&command.written)),
            );
        }
        other => note(&mut text, &format!("[Hook command failed: it {other}: {}]", line(&command.written))),
    }
    text
}

/// The output of a command of iteratr's, put together as iteratr does it: standard error is behind standard output under a mark,
/// and a failure is said first.
fn in_their_words(output: &Output, limit: Duration, cut: bool) -> String {
    let mut text = output.stdout.clone();
    if let ProcessOutcome::TimedOut { .. } = output.outcome {
        let why = if cut { ", which is all that the agent waits" } else { "" };
        return format!("[Hook timed out after {:.0}s{why}]\nPartial output:\n{text}", limit.as_secs_f64());
    }
    if !output.stderr.is_empty() {
        text += &format!("\n[stderr]\n{}", output.stderr);
    }
    if output.truncated {
        let bytes = output.stdout_bytes + output.stderr_bytes;
        note(&mut text, &format!("[cut: {bytes} bytes, {MAX_OUTPUT} of each stream are kept]"));
    }
    match &output.outcome {
        _ if output.success() => text,
        ProcessOutcome::Exited(code) => format!("[Hook command failed: exit status {code}]\n{text}"),
        other => format!("[Hook command failed: it {other}]\n{text}"),
    }
}

/// Returns where `sh` is: on every Unix system at the same place, whatever `PATH` says.
fn shell() -> OsString {
    if cfg!(unix) { "/bin/sh".into() } else { "sh".into() }
}

fn note(text: &mut String, more: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(more);
    text.push('\n');
}

/// A command in one line.
fn line(command: &str) -> String {
    const MAX_LINE_CHARS: usize = 120;
    let mut short: String = command.lines().next().unwrap_or_default().chars().take(MAX_LINE_CHARS).collect();
    if short.len() < command.trim_end().len() {
        short.push('…');
    }
    short
}
