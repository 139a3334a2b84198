//! The harness that a test file's script calls: it has the host of the test that runs. Not here: what the functions do
//! (`test_host`, `expect`), and when a test begins (`run`).

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use snaphook::{HookRef, Language, Level, Limits, ServiceError, TestBench};
use snaphook_core::{
    BenchError, BoxFuture, CallContext, Deliver, ExecOutput, ExecRequest, FileReply, FileRequest,
    HttpRequest, HttpResponse, KvOp, KvScope, Notice, Services, UiReply, UiRequest,
};
use tokio::runtime::Handle;

use crate::clock::TestClock;
use crate::error::TestError;
use crate::expect;
use crate::options::Engines;
use crate::printed::Printed;
use crate::results::EventOutcome;
use crate::test_host::TestHost;
use crate::values::lock;

/// The place where a test file is, and what its hooks run in.
#[derive(Clone)]
pub(crate) struct Setting {
    /// The folder of the test file; what tests load is relative to it.
    pub(crate) folder: PathBuf,
    /// The same as people see it.
    pub(crate) shown_folder: PathBuf,
    /// The folder that holds all that tests may load.
    pub(crate) root: PathBuf,
    /// The hook that is loaded if the test loads none: a name relative to the folder, without extension.
    pub(crate) hook: String,
    /// The language that is looked for first.
    pub(crate) language: Language,
    /// True if it is the only one.
    pub(crate) only: bool,
    pub(crate) engines: Engines,
    pub(crate) limits: Limits,
    pub(crate) env: Arc<[(OsString, OsString)]>,
    pub(crate) runtime: Handle,
    /// The time that the script of one test may compute.
    pub(crate) script_cpu: Duration,
    /// The time that one test may take.
    pub(crate) time: Duration,
    /// True if it is kept what events came to.
    pub(crate) outcomes: bool,
}

/// The harness of one test file.
pub(crate) struct Harness {
    setting: Setting,
    test_host: Mutex<Option<TestHost>>,
    printed: Printed,
}

/// The traces that a test left behind.
#[derive(Default)]
pub(crate) struct Leftovers {
    pub(crate) log: Vec<String>,
    pub(crate) coverage: crate::coverage::Lines,
    pub(crate) outcomes: Vec<EventOutcome>,
    /// True if its time was up at some moment.
    pub(crate) expired: bool,
}

impl Harness {
    pub(crate) fn new(setting: Setting) -> Self {
        Harness { setting, test_host: Mutex::default(), printed: Printed::default() }
    }

    /// Makes the host of a test.
    ///
    /// # Errors
    /// There is no place for its files.
    pub(crate) fn begin(&self) -> Result<(), TestError> {
        self.printed.take();
        let test_host = TestHost::new(&self.setting, Instant::now() + self.setting.time, &self.printed)?;
        *lock(&self.test_host) = Some(test_host);
        Ok(())
    }

    /// Removes the host, and returns what the test left behind.
    pub(crate) fn end(&self) -> Leftovers {
        let test_host = lock(&self.test_host).take();
        let (expired, (coverage, outcomes)) = match test_host {
            None => Default::default(),
            Some(test_host) => (test_host.is_expired(), test_host.finish()),
        };
        Leftovers { log: self.printed.take(), expired, coverage, outcomes }
    }
}

impl TestBench for Harness {
    fn call(&self, name: &str, arguments: Vec<Value>) -> Result<Value, BenchError> {
        match lock(&self.test_host).as_mut() {
            Some(test_host) => {
                test_host.call(name, arguments).map_err(|error| BenchError::Call(error.to_string()))
            }
            None => Err(BenchError::NoTest(name.to_owned())),
        }
    }

    fn expect(&self, subject: &Value, name: &str, arguments: Vec<Value>) -> Result<(), BenchError> {
        let checked = expect::check(subject, name, arguments, &self.setting.shown_folder);
        checked.map_err(|error| BenchError::Unmet(error.to_string()))
    }
}

/// The services that a test script itself may ask of the host: the time, and to log. It handles no event, so all else
/// is refused.
pub(crate) struct ScriptServices(pub(crate) Arc<Harness>);

impl ScriptServices {
    fn refused<T: Send + 'static>(what: &str) -> BoxFuture<'static, Result<T, ServiceError>> {
        let error = ServiceError(format!("a test has no {what}; the hook that it loads has"));
        Box::pin(async move { Err(error) })
    }
}

impl Services for ScriptServices {
    fn has_ui(&self, _: &CallContext) -> bool {
        false
    }

    fn ui(
        &self,
        _: &HookRef,
        _: &Arc<CallContext>,
        _: UiRequest,
    ) -> BoxFuture<'static, Result<UiReply, ServiceError>> {
        Self::refused("ctx.ui")
    }

    fn notify(&self, _: &HookRef, _: Notice) {}

    fn exec(
        &self,
        _: &HookRef,
        _: &Arc<CallContext>,
        _: ExecRequest,
    ) -> BoxFuture<'static, Result<ExecOutput, ServiceError>> {
        Self::refused("ctx.exec")
    }

    fn file(
        &self,
        _: &HookRef,
        _: Option<&Arc<CallContext>>,
        _: FileRequest,
    ) -> Result<FileReply, ServiceError> {
        Err(ServiceError("a test has no snaphook.fs; the hook that it loads has".to_owned()))
    }

    fn http(
        &self,
        _: &HookRef,
        _: &Arc<CallContext>,
        _: HttpRequest,
    ) -> BoxFuture<'static, Result<HttpResponse, ServiceError>> {
        Self::refused("snaphook.http")
    }

    fn env(
        &self,
        _: &HookRef,
        _: Option<&Arc<CallContext>>,
        _: &str,
    ) -> Result<Option<String>, ServiceError> {
        Err(ServiceError(
            "a test has no snaphook.env; t.env sets what the hook that it loads sees".to_owned(),
        ))
    }

    fn send(&self, _: &HookRef, _: String, _: Deliver) {}

    fn emit(
        &self,
        _: &HookRef,
        _: &Arc<CallContext>,
        _: Arc<str>,
        _: serde_json::Map<String, Value>,
    ) -> BoxFuture<'static, Result<(), ServiceError>> {
        Self::refused("ctx.emit")
    }

    fn kv(&self, _: &HookRef, _: KvScope, _: KvOp) -> Result<Value, ServiceError> {
        Err(ServiceError("a test keeps nothing; the hook that it loads does".to_owned()))
    }

    fn log(&self, _: &HookRef, level: Level, text: &str) {
        self.0.printed.by_test(level, text);
    }

    fn now(&self) -> f64 {
        // Not while a function of `t` runs, so the lock is free.
        let test_host = lock(&self.0.test_host);
        let clock = test_host.as_ref().map(TestHost::clock);
        snaphook::Clock::now(clock.unwrap_or(&TestClock::default()))
    }
}
