//! The port of hook tests: the functions that a test script can call, and the tests that an engine
//! makes of it. The runner implements [`TestBench`]; each engine binds the names below to it, in its
//! language's own manner, and adds nothing. Not here: what the functions do (`snaphook-testing`).

use std::sync::Arc;

use serde_json::Value;

use crate::call::CallContext;
use crate::hook::{HookRef, Location};
use crate::ports::HandlerError;
use crate::services::{
    Caller, PendingReply, ServiceError, ServiceReply, ServiceRequest, ServiceTask, Services,
};

/// The members of `t`, called as `t.NAME(…)`.
pub const T_MEMBERS: &[&str] = &[
    "load",
    "tool_call",
    "tool_result",
    "emit",
    "ui",
    "headless",
    "exec_stub",
    "http_stub",
    "env",
    "fs",
    "clock",
];

/// The members of what `expect(subject)` gives, called as `expect(subject).NAME(…)`.
pub const EXPECT_MEMBERS: &[&str] =
    &["allowed", "denied", "asked", "input", "content", "notified", "sent", "eq", "matches"];

/// The reason why a function of a test script failed. The text is for the author of the test, and may have several
/// lines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BenchError {
    /// A function of `t` is called while no test runs.
    #[error("t.{0} can be used only while a test runs")]
    NoTest(String),
    /// The function was called with what it does not take, or could not do its work.
    #[error("{0}")]
    Call(String),
    /// The subject of `expect` is not as expected.
    #[error("{0}")]
    Unmet(String),
}

/// The functions that a test script calls. Its functions wait for hooks and may take long; they are called on the
/// thread that runs the test, inside the script's VM, whose own clock stands still meanwhile.
pub trait TestBench: Send + Sync {
    /// `t.NAME(arguments…)`.
    ///
    /// # Errors
    /// The script called it wrongly, or the hook's file is wrong.
    fn call(&self, name: &str, arguments: Vec<Value>) -> Result<Value, BenchError>;

    /// `expect(subject).NAME(arguments…)`.
    ///
    /// # Errors
    /// The subject is not as expected. The message has several lines.
    fn expect(&self, subject: &Value, name: &str, arguments: Vec<Value>) -> Result<(), BenchError>;
}

/// One `test(name, fn)` of a test script.
pub struct TestCase {
    /// Its name.
    pub name: String,
    /// The place where `test` was called.
    pub location: Location,
    /// Runs the function in the script's VM. An error has the line of the test script at which it was raised.
    pub run: TestRun,
}

/// Runs one test. Tests of one script share its VM and run one after the other.
pub type TestRun = Box<dyn FnMut() -> Result<(), HandlerError> + Send>;

/// The lines of one file that can run, each with how often it ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCoverage {
    /// The file, as the hook's problems name it.
    pub file: std::path::PathBuf,
    /// Line numbers from 1, ascending, with their counts.
    pub lines: Vec<(u32, u64)>,
}

/// Tells which lines ran so far; see [`crate::LoadedHook::coverage`].
pub type Coverage = Arc<dyn Fn() -> Vec<FileCoverage> + Send + Sync>;

/// Services for handlers that run without a host: they refuse everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoServices;

impl NoServices {
    fn refuse() -> Result<ServiceReply, ServiceError> {
        Err(ServiceError("there is no host".to_owned()))
    }
}

impl Services for NoServices {
    fn answer(&self, _: Caller<'_>, _: ServiceRequest<'_>) -> Result<ServiceReply, ServiceError> {
        NoServices::refuse()
    }

    fn begin(&self, _: &HookRef, _: &Arc<CallContext>, _: ServiceTask) -> PendingReply {
        Box::pin(async { NoServices::refuse() })
    }
}

impl std::fmt::Debug for TestCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestCase").field("name", &self.name).finish_non_exhaustive()
    }
}
