//! `ctx.exec` in tests: canned answers by command line. A program without a stub does not run, and the error says so.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde_json::Value;
use snaphook::{ExecOutput, ExecPlace, ExecRequest, Processes, ServiceError, ServiceFuture, SystemProcesses};

use crate::arguments::{Fields, Positional};
use crate::error::TestError;

/// The processes of one test.
#[derive(Debug, Default)]
pub(crate) struct Stubs {
    stubs: Mutex<Vec<Stub>>,
    ran: Mutex<Vec<String>>,
    /// True if there is no test that could stub anything.
    in_example: AtomicBool,
}

#[derive(Debug, Clone)]
struct Stub {
    /// The beginning of command lines that it answers, as words joined by single spaces.
    line: String,
    answer: Answer,
}

#[derive(Debug, Clone)]
enum Answer {
    Output(ExecOutput),
    Error(String),
    Real,
}

impl Stubs {
    /// `t.exec_stub(cmd, {…})`. The same command again replaces what was said of it.
    ///
    /// # Errors
    /// Invalid arguments.
    pub(crate) fn add(&self, arguments: Vec<Value>) -> Result<(), TestError> {
        let mut arguments = Positional::read("t.exec_stub", arguments, 2)?;
        let line = arguments.text("command")?.unwrap_or_default();
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.is_empty() {
            return Err("t.exec_stub needs a program or a command line, for example \"git status\"".into());
        }
        let known = &["stdout", "stderr", "code", "signal", "timed_out", "error", "real"];
        let mut fields = Fields::read("t.exec_stub", arguments.next(), known)?;
        let real = fields.flag("real")?;
        let error = fields.text("error")?;
        let signal = fields.integer("signal")?;
        let timed_out = fields.flag("timed_out")?;
        let killed = signal.is_some() || timed_out;
        let output = ExecOutput {
            stdout: fields.text("stdout")?.unwrap_or_default(),
            stderr: fields.text("stderr")?.unwrap_or_default(),
            code: fields.integer("code")?.or((!killed).then_some(0)),
            signal,
            timed_out,
            truncated: false,
        };
        let plain = ExecOutput { code: Some(0), ..ExecOutput::default() };
        if (real || error.is_some()) && output != plain || real && error.is_some() {
            return Err("t.exec_stub: `real` and `error` take no other keys".into());
        }
        let answer = match error {
            _ if real => Answer::Real,
            Some(error) => Answer::Error(error),
            None => Answer::Output(output),
        };
        let mut stubs = self.stubs.lock();
        stubs.retain(|stub| stub.line != line);
        stubs.push(Stub { line, answer });
        Ok(())
    }

    /// From now on an example is tried, which can stub nothing.
    pub(crate) fn refuse(&self) {
        self.in_example.store(true, Ordering::Relaxed);
    }

    /// The command lines that hooks ran since this was last called.
    pub(crate) fn take_ran(&self) -> Vec<String> {
        std::mem::take(&mut *self.ran.lock())
    }

    /// The stub for a request: the longest that its command line begins with, word by word. A program that was named by
    /// a path is also known by its name.
    fn find(&self, request: &ExecRequest) -> Option<Answer> {
        let base = request.program.rsplit(['/', '\\']).next().unwrap_or(&request.program);
        let rest: String = request.args.iter().map(|arg| format!(" {arg}")).collect();
        let lines = [format!("{}{rest}", request.program), format!("{base}{rest}")];
        let begins = |stub: &&Stub| {
            lines.iter().any(|line| {
                line.strip_prefix(&stub.line).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            })
        };
        self.stubs
            .lock()
            .iter()
            .filter(begins)
            .max_by_key(|stub| stub.line.len())
            .map(|stub| stub.answer.clone())
    }
}

/// The command line as people read it.
fn line(request: &ExecRequest) -> String {
    std::iter::once(&request.program).chain(&request.args).map(String::as_str).collect::<Vec<_>>().join(" ")
}

impl Processes for Stubs {
    fn run(&self, place: ExecPlace, request: ExecRequest) -> ServiceFuture<ExecOutput> {
        let line = line(&request);
        self.ran.lock().push(line.clone());
        let done = match self.find(&request) {
            Some(Answer::Real) => return SystemProcesses.run(place, request),
            Some(Answer::Output(output)) => Ok(output),
            Some(Answer::Error(error)) => {
                Err(ServiceError(format!("failed to run {}: {error}", request.program)))
            }
            None if self.in_example.load(Ordering::Relaxed) => Err(ServiceError(format!(
                "examples run no process, and \"{line}\" is one: write a test, which can stub it"
            ))),
            None => Err(ServiceError(format!(
                "the test has no stub for \"{line}\": say t.exec_stub(\"{line}\", {{stdout = \"…\"}}), or {{real = true}} to run it"
            ))),
        };
        Box::pin(async move { done })
    }
}
