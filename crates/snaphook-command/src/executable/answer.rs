//! The meaning of a program's end: exit code, signal and output become an answer of the event, or a failure. Not here: running it.
//!
//! A gate passes only where the program exited with 0 by itself, all of its output was read, and that is nothing or one legal
//! answer. Everything else denies.

use serde_json::Value;
use snaphook_core::{
    Answer, Cause, Executable, HandlerError, Malformed, ProgramRun, ReplyClass, Verdict, json_object,
};

use crate::process::{Output, ProcessOutcome};

/// The exit code that denies.
const DENIES: i32 = 2;

/// The most of a program's output that becomes a reason, in bytes.
const MAX_REASON_BYTES: usize = 4096;

/// The result of one run: the answer, and other text for the log.
pub(super) struct ProgramAnswer {
    pub(super) answer: Result<Answer, HandlerError>,
    /// For the log.
    pub(super) text: String,
}

/// Reads the result of a program. `run` describes it where its output is kept.
pub(super) fn read(executable: &Executable, output: &Output, run: Option<ProgramRun>) -> ProgramAnswer {
    let class = executable.event.class();
    if let Some(run) = run {
        return kept(executable, output, run);
    }
    let text = match &output.transcript {
        Some(all) => all.text.trim().to_owned(),
        None => output.stderr.trim().to_owned(),
    };
    let code = match ended(executable, output) {
        Ok(code) => code,
        Err(error) => return ProgramAnswer { answer: Err(error), text },
    };
    let answer = match (code, class) {
        (0, _) if !executable.answers => Ok(Answer::default()),
        (0, _) => answered(executable, output),
        (DENIES, ReplyClass::Gate) => {
            Ok(Answer { verdict: Verdict::Deny, reason: beginning_of(&output.stderr), ..Answer::default() })
        }
        (DENIES, _) if executable.answers => Err(malformed(format!(
            "it exited with code {DENIES}, which denies, but {} cannot be denied{}",
            executable.event,
            because(output)
        ))),
        (code, _) => Err(failed(Cause::Error, format!("it exited with code {code}{}", because(output)))),
    };
    ProgramAnswer { answer, text }
}

/// The exit code of a program that ended by itself.
fn ended(executable: &Executable, output: &Output) -> Result<i32, HandlerError> {
    match &output.outcome {
        ProcessOutcome::Exited(code) => Ok(*code),
        ProcessOutcome::TimedOut { .. } => {
            let limit = executable.time_limit().as_secs_f64();
            Err(failed(
                Cause::Timeout,
                format!("it ran longer than {limit} s and was ended{}", because(output)),
            ))
        }
        ProcessOutcome::Cancelled { .. } => Err(failed(Cause::Cancelled, format!("it {}", output.outcome))),
        other => Err(failed(Cause::Error, format!("it {other}{}", because(output)))),
    }
}

/// Returns what a program that exited with 0 answered.
fn answered(executable: &Executable, output: &Output) -> Result<Answer, HandlerError> {
    let event = &executable.event;
    let text = output.stdout.trim();
    let strict = matches!(event.class(), ReplyClass::Gate | ReplyClass::Rewrite);
    // What it left behind may have had the answer.
    if (output.outlived || output.left_open) && event.class() == ReplyClass::Gate {
        let message =
            "it exited and left a process behind that still held its output, so its answer may be missing";
        return Err(failed(Cause::Error, message.to_owned()));
    }
    if output.truncated && strict && output.stdout_bytes > output.stdout.len() as u64 {
        let bytes = output.stdout_bytes;
        return Err(malformed(format!("it wrote {bytes} bytes to standard output, which is no answer")));
    }
    if text.is_empty() {
        return Ok(Answer::default());
    }
    if strict && text.contains('\u{fffd}') {
        return Err(malformed("its standard output is not UTF-8".to_owned()));
    }
    match json_object(text) {
        Ok(object) => Ok(Answer::parse(event, Value::Object(object))?),
        // Output like any other.
        Err(_) if !strict => Ok(Answer::default()),
        Err(error) => Err(malformed(format!("its standard output is no JSON object: {error}"))),
    }
}

/// Of a check, and of what runs at the start: it passed or failed, and what it wrote is kept.
fn kept(executable: &Executable, output: &Output, run: ProgramRun) -> ProgramAnswer {
    let is_check = executable.event.class() == ReplyClass::Check;
    let text = run.output.trim().to_owned();
    let answer = match (&output.outcome, run.exit_code) {
        (ProcessOutcome::Exited(0), _) if executable.answers => answered(executable, output),
        (ProcessOutcome::Exited(0), _) => Ok(Answer::default()),
        (ProcessOutcome::Cancelled { .. }, _) => {
            Err(failed(Cause::Cancelled, format!("it {}", output.outcome)))
        }
        (ProcessOutcome::Exited(code), _) if !is_check => {
            let reason = format!("it exited with code {code}{}", because(output));
            Ok(Answer { failed: true, reason, ..Answer::default() })
        }
        (ProcessOutcome::Exited(code), _) => {
            let reason =
                if text.is_empty() { format!("it exited with code {code}") } else { beginning_of(&text) };
            Ok(Answer { failed: true, reason, ..Answer::default() })
        }
        (other, _) => {
            let how = match other {
                ProcessOutcome::TimedOut { .. } => {
                    format!("it ran longer than {} s and was ended", executable.time_limit().as_secs_f64())
                }
                other => format!("it {other}"),
            };
            let reason = if text.is_empty() || !is_check {
                format!("{how}{}", if is_check { String::new() } else { because(output) })
            } else {
                format!("{how}\n{}", beginning_of(&text))
            };
            Ok(Answer { failed: true, reason, ..Answer::default() })
        }
    };
    let run = match out_of_time(executable, output) {
        None => run,
        Some(said) => {
            let begun = !run.output.is_empty() && !run.output.ends_with('\n');
            ProgramRun {
                lines: run.lines + if begun { 1 } else { 2 },
                bytes: run.bytes + said.len() as u64,
                output: run.output + &said,
                ..run
            }
        }
    };
    let answer = answer.map(|answer| Answer { run: Some(Box::new(run)), ..answer });
    ProgramAnswer { answer, text }
}

/// Returns what is said behind the output of a program whose time was up, in Discobot's words.
pub(super) fn out_of_time(executable: &Executable, output: &Output) -> Option<String> {
    let seconds = executable.time_limit().as_secs_f64();
    matches!(output.outcome, ProcessOutcome::TimedOut { .. })
        .then(|| format!("\n[Hook timed out after {seconds}s and was killed]\n"))
}

/// Returns the description of a run, in the conventions of shells.
pub(super) fn program_run(output: &Output, file: Option<std::path::PathBuf>) -> ProgramRun {
    let exit_code = exit_code(&output.outcome);
    let all = output.transcript.clone().unwrap_or_default();
    let file = file.filter(|_| all.error.is_none());
    ProgramRun {
        exit_code,
        output: all.text,
        lines: all.lines,
        bytes: all.bytes,
        file,
        took: output.duration,
    }
}

/// The exit code by the conventions of shells: 124 where the time was up, 127 where nothing was started, 128 and the signal's
/// number, -1 where it is not known.
fn exit_code(outcome: &ProcessOutcome) -> i32 {
    match outcome {
        ProcessOutcome::Exited(code) => *code,
        ProcessOutcome::TimedOut { .. } => 124,
        ProcessOutcome::Signaled(signal) => 128 + signal,
        ProcessOutcome::FailedToStart(_) => 127,
        ProcessOutcome::Cancelled { .. } | ProcessOutcome::Lost => -1,
    }
}

fn failed(cause: Cause, message: String) -> HandlerError {
    HandlerError::new(cause, message)
}

fn malformed(message: String) -> HandlerError {
    Malformed(message).into()
}

/// The last line that it wrote to its standard error, which most often says why.
fn because(output: &Output) -> String {
    // With one pipe for both, there is nothing on its own.
    let both = output.transcript.as_ref().map(|all| all.text.as_str()).filter(|_| output.stderr.is_empty());
    let last =
        both.unwrap_or(&output.stderr).lines().rev().find(|line| !line.trim().is_empty()).map(str::trim);
    last.map(|line| format!(": {}", line.chars().take(300).collect::<String>())).unwrap_or_default()
}

/// The beginning of a text.
fn beginning_of(text: &str) -> String {
    let text = text.trim();
    if text.len() > MAX_REASON_BYTES {
        format!("{}…", text[..text.floor_char_boundary(MAX_REASON_BYTES)].trim_end())
    } else {
        text.to_owned()
    }
}
