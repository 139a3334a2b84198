//! The results of a run, as data. Not here: showing them (the caller).

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use snaphook::{Decided, Emitted, Language, Problem, Severity};

use crate::coverage::FileLines;
use crate::values::object;

/// All that ran.
#[derive(Debug, Clone, Default)]
pub struct Results {
    /// Files with tests, and hooks with examples, in the order in which they were found.
    pub suites: Vec<SuiteResult>,
    /// The lines of hooks that ran, by file; empty unless an engine counts them.
    pub coverage: Vec<FileLines>,
    /// The problems in looking for tests.
    pub problems: Vec<Problem>,
    /// The time that it all took.
    pub took: Duration,
    /// True if it was ended early.
    pub cancelled: bool,
}

/// The kind of a group of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuiteKind {
    /// A file of tests.
    File,
    /// The `examples` of a hook's front matter.
    Examples,
}

/// The result of one file.
#[derive(Debug, Clone)]
pub struct SuiteResult {
    /// The file as people see it.
    pub file: PathBuf,
    /// Its kind.
    pub kind: SuiteKind,
    /// Its language.
    pub language: Language,
    /// The reason why its tests could not be had. It counts as one failure.
    pub problem: Option<Problem>,
    /// Its tests in the order of the file, without those that were filtered out.
    pub tests: Vec<TestResult>,
    /// The number that were filtered out.
    pub filtered: usize,
    /// The time that it took.
    pub took: Duration,
}

/// The result of one test.
#[derive(Debug, Clone)]
pub struct TestResult {
    /// Its name.
    pub name: String,
    /// The line that it begins on, from 1.
    pub line: Option<u32>,
    /// The way it failed; `None` if it passed.
    pub failure: Option<TestFailure>,
    /// The lines that its script and its hooks printed and logged; a hook's lines begin with its id.
    pub log: Vec<String>,
    /// The results of its events, in order, where the options ask for it.
    pub outcomes: Vec<EventOutcome>,
    /// The time that it took.
    pub took: Duration,
}

/// The result of one event of a test.
#[derive(Debug, Clone)]
pub struct EventOutcome {
    /// As the host told it.
    pub dispatched: Arc<Dispatched>,
    /// True if a hook asked the person.
    pub asked: bool,
}

/// The conclusion of the host.
#[derive(Debug)]
pub enum Dispatched {
    /// Of an event that can be denied.
    Decided(Box<Decided>),
    /// Of another.
    Emitted(Box<Emitted>),
}

/// The way a test failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFailure {
    /// The file where it shows, as people see it.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The message, in one or several lines.
    pub message: String,
    /// The test script's call stack, one frame a line.
    pub traceback: Option<String>,
}

impl Results {
    /// Returns how many tests passed.
    pub fn passed(&self) -> usize {
        self.tests().filter(|test| test.failure.is_none()).count()
    }

    /// Returns how many tests failed, files that did not load included.
    pub fn failed(&self) -> usize {
        let broken = self.suites.iter().filter(|suite| suite.problem.is_some()).count();
        let errors = self.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        self.tests().filter(|test| test.failure.is_some()).count() + broken + errors
    }

    /// Returns how many tests were filtered out.
    pub fn filtered(&self) -> usize {
        self.suites.iter().map(|suite| suite.filtered).sum()
    }

    /// Returns whether there was nothing to run.
    pub fn is_empty(&self) -> bool {
        self.passed() + self.failed() == 0
    }

    fn tests(&self) -> impl Iterator<Item = &TestResult> {
        self.suites.iter().flat_map(|suite| &suite.tests)
    }

    /// All of it as one document.
    pub fn document(&self) -> Value {
        let mut document = json!({
            "passed": self.passed(),
            "failed": self.failed(),
            "filtered": self.filtered(),
            "cancelled": self.cancelled,
            "duration_ms": millis(self.took),
            "suites": self.suites.iter().map(SuiteResult::document).collect::<Vec<_>>(),
            "problems": self.problems,
        });
        if !self.coverage.is_empty() {
            document["coverage"] = self.coverage.iter().map(FileLines::document).collect();
        }
        document
    }
}

impl SuiteResult {
    /// Returns whether all is well with it.
    pub fn is_fine(&self) -> bool {
        self.problem.is_none() && self.tests.iter().all(|test| test.failure.is_none())
    }

    fn document(&self) -> Value {
        object(json!({
            "file": self.file.display().to_string(),
            "kind": match self.kind {
                SuiteKind::File => "tests",
                SuiteKind::Examples => "examples",
            },
            "language": self.language.as_str().to_lowercase(),
            "problem": self.problem,
            "tests": self.tests.iter().map(TestResult::document).collect::<Vec<_>>(),
            "filtered": self.filtered,
            "duration_ms": millis(self.took),
        }))
    }
}

impl TestResult {
    fn document(&self) -> Value {
        object(json!({
            "name": self.name,
            "line": self.line,
            "passed": self.failure.is_none(),
            "failure": self.failure.as_ref().map(TestFailure::document),
            "log": (!self.log.is_empty()).then_some(&self.log),
            "duration_ms": millis(self.took),
        }))
    }
}

impl TestFailure {
    fn document(&self) -> Value {
        object(json!({
            "file": self.file.display().to_string(),
            "line": self.line,
            "message": self.message,
            "traceback": self.traceback,
        }))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
