//! The `examples` of a hook's front matter: each a call and the decision that its author expects. Not here: reading them
//! (`snaphook-discovery`).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use snaphook::{Candidate, Discovery, Problem, Verdict};
use snaphook_discovery::Example;
use tokio::runtime::Handle;

use crate::coverage::Lines;
use crate::error::TestError;
use crate::expect;
use crate::harness::Setting;
use crate::options::{Filter, Options};
use crate::outcome::word;
use crate::printed::Printed;
use crate::results::{EventOutcome, TestFailure, TestResult};
use crate::suite::{SuiteEvent, text_of};
use crate::test_host::TestHost;

/// An example whose hook decides otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedExample {
    /// Its line in the hook's file.
    pub line: u32,
    /// The call, in short.
    pub name: String,
    /// The message: several lines.
    pub message: String,
}

/// The result of the self-check of one hook.
#[derive(Debug, Clone, Default)]
pub struct SelfCheck {
    /// The examples that failed.
    pub failed: Vec<FailedExample>,
    /// The number that were not tried because the time was up.
    pub skipped: usize,
}

impl SelfCheck {
    /// Returns what is reported of it beside the problems of loading: warnings, as the hook itself works.
    pub fn problems(&self, hook: &Candidate) -> Vec<Problem> {
        let file = &hook.hook.file;
        let one = |failed: &FailedExample| {
            let what: Vec<_> =
                failed.message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            let text = format!("the example `{}` fails: {}", failed.name, what.join("; "));
            Problem::warning(file, text).at_line(failed.line).with_help("fix the hook or its example")
        };
        let mut problems: Vec<_> = self.failed.iter().map(one).collect();
        if self.skipped > 0 {
            let text = format!("{} of its examples were not tried, as they take too long here", self.skipped);
            problems.push(Problem::note(file, text).with_help("run them with `snaphook test`"));
        }
        problems
    }
}

/// Tries a hook's examples, each in a host of its own, for at most so long. Must not be called from a task of an async
/// runtime; `runtime` has to have time enabled.
pub fn self_check(hook: &Candidate, options: &Options, runtime: &Handle, time: Duration) -> SelfCheck {
    let until = Instant::now() + time;
    let unit = crate::find::Unit::Examples(Box::new(hook.clone()));
    let root = hook.path.parent().unwrap_or(&hook.path).to_owned();
    let mut done = SelfCheck::default();
    for example in &hook.front_matter.examples {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            done.skipped += 1;
            continue;
        }
        let setting = Setting { time: left, ..crate::run::setting(&unit, &root, &root, options, runtime) };
        if let Err(error) = try_one(hook, example, &setting, &Printed::default()).0 {
            if setting.time < options.time && matches!(error, TestError::Timeout(_)) {
                done.skipped += 1;
                continue;
            }
            let message = error.to_string();
            done.failed.push(FailedExample { line: example.line, name: name(example), message });
        }
    }
    done
}

/// Runs a hook's examples.
pub(crate) fn run(hook: &Candidate, setting: &Setting, filter: Option<&Filter>, tell: &dyn Fn(SuiteEvent)) {
    let examples = &hook.front_matter.examples;
    let chosen: Vec<_> =
        examples.iter().filter(|example| filter.is_none_or(|filter| filter.takes(&name(example)))).collect();
    let tests = chosen.iter().map(|example| (name(example), Some(example.line))).collect();
    tell(SuiteEvent::Loaded { tests, filtered: examples.len() - chosen.len() });
    for (index, example) in chosen.into_iter().enumerate() {
        tell(SuiteEvent::Began(index));
        let began = Instant::now();
        let printed = Printed::default();
        let (outcome, (lines, outcomes)) = try_one(hook, example, setting, &printed);
        let failure = outcome.err().map(|error| TestFailure {
            file: hook.hook.file.clone(),
            line: Some(example.line),
            message: error.to_string(),
            traceback: None,
        });
        let (name, line, took) = (name(example), Some(example.line), began.elapsed());
        tell(SuiteEvent::Ended(
            TestResult { name, line, failure, log: printed.take(), outcomes, took },
            lines,
        ));
    }
}

fn try_one(
    hook: &Candidate,
    example: &Example,
    setting: &Setting,
    printed: &Printed,
) -> (Result<(), TestError>, (Lines, Vec<EventOutcome>)) {
    let tried = catch_unwind(AssertUnwindSafe(|| {
        let mut test_host = match TestHost::new(setting, Instant::now() + setting.time, printed) {
            Ok(test_host) => test_host,
            Err(error) => return (Err(error), Default::default()),
        };
        let outcome = test_host
            .put_discovery(Discovery { hooks: vec![hook.clone()], ..Discovery::default() })
            // A question is what the example is about, so it stays one.
            .and_then(|()| test_host.call("ui", vec![json!({ "defer": true })]))
            .and_then(|_| test_host.call("tool_call", vec![Value::Object(example.call.clone())]))
            .and_then(|outcome| judge(example, &outcome, setting));
        (outcome, test_host.finish())
    }));
    tried.unwrap_or_else(|panic| (Err(TestError::Panic(text_of(&*panic))), Default::default()))
}

fn judge(example: &Example, outcome: &Value, setting: &Setting) -> Result<(), TestError> {
    expect::decision(outcome, word(example.expect), example.reason.as_deref(), &setting.shown_folder)
}

/// An example as people recognise it: `bash rm -rf / => deny`.
pub(crate) fn name(example: &Example) -> String {
    let text = |key: &str| example.call.get(key).and_then(Value::as_str);
    let tool = text("tool").unwrap_or_default();
    let subject = ["command", "path", "url"].into_iter().find_map(text).map(str::to_owned);
    let subject = subject.or_else(|| example.call.get("input").map(Value::to_string)).unwrap_or_default();
    let short: String = subject.chars().take(80).collect();
    let dots = if short.len() < subject.len() { "…" } else { "" };
    let expected = match example.expect {
        Verdict::Abstain => "allow",
        verdict => word(verdict),
    };
    format!("{tool} {short}{dots} => {expected}")
}
