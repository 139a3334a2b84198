//! The harness that a test file's script calls: it has the host of the test that runs. Not here: what the functions do
//! (`test_host`, `expect`), and when a test begins (`run`).

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;
use snaphook::{HookRef, Language, Limits, ServiceError, TestBench};
use snaphook_core::{
    BenchError, CallContext, Caller, PendingReply, ServiceReply, ServiceRequest, ServiceTask, Services,
};
use tokio::runtime::Handle;

use crate::clock::TestClock;
use crate::error::TestError;
use crate::expect;
use crate::options::Engines;
use crate::printed::Printed;
use crate::results::EventOutcome;
use crate::test_host::TestHost;

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
        *self.test_host.lock() = Some(test_host);
        Ok(())
    }

    /// Removes the host, and returns what the test left behind.
    pub(crate) fn end(&self) -> Leftovers {
        let test_host = self.test_host.lock().take();
        let (expired, (coverage, outcomes)) = match test_host {
            None => Default::default(),
            Some(test_host) => (test_host.is_expired(), test_host.finish()),
        };
        Leftovers { log: self.printed.take(), expired, coverage, outcomes }
    }
}

impl TestBench for Harness {
    fn call(&self, name: &str, arguments: Vec<Value>) -> Result<Value, BenchError> {
        match self.test_host.lock().as_mut() {
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

impl Services for ScriptServices {
    fn answer(&self, _: Caller<'_>, request: ServiceRequest<'_>) -> Result<ServiceReply, ServiceError> {
        let refused = match request {
            ServiceRequest::HasUi => return Ok(ServiceReply::Flag(false)),
            ServiceRequest::Now => return Ok(ServiceReply::Seconds(self.now())),
            ServiceRequest::Notify(_) | ServiceRequest::Send(..) => return Ok(ServiceReply::Done),
            ServiceRequest::Log(level, text) => {
                self.0.printed.by_test(level, text);
                return Ok(ServiceReply::Done);
            }
            ServiceRequest::Env(_) => {
                "a test has no snaphook.env; t.env sets what the hook that it loads sees".to_owned()
            }
            ServiceRequest::Kv(..) => "a test keeps nothing; the hook that it loads does".to_owned(),
            other => not_in_a_test(other.api()),
        };
        Err(ServiceError(refused))
    }

    fn begin(&self, _: &HookRef, _: &Arc<CallContext>, task: ServiceTask) -> PendingReply {
        let error = ServiceError(not_in_a_test(task.api()));
        Box::pin(async move { Err(error) })
    }
}

fn not_in_a_test(api: &str) -> String {
    format!("a test has no {api}; the hook that it loads has")
}

impl ScriptServices {
    fn now(&self) -> f64 {
        // Not while a function of `t` runs, so the lock is free.
        let test_host = self.0.test_host.lock();
        let clock = test_host.as_ref().map(TestHost::clock);
        snaphook::Clock::now(clock.unwrap_or(&TestClock::default()))
    }
}
