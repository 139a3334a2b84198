//! The host of one test, with its files, its clock and its person, and the functions of `t` that act on them.
//! Not here: how arguments become events (`calls`) and what happened becomes a map (`outcome`).

use std::ffi::OsString;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use snaphook::{
    AskMode, CallOptions, Clock, Deliver, Discovery, Event, Host, Processes, ReplyClass, Report, Session,
    Severity, Web, env_name,
};
use tempfile::TempDir;

use crate::arguments::{Fields, Positional, describe};
use crate::calls::{self, Staged};
use crate::clock::TestClock;
use crate::coverage::{Lines, collect};
use crate::error::TestError;
use crate::harness::Setting;
use crate::holder::TestHolder;
use crate::hooks::{self, Loads};
use crate::outcome::{self, SideEffects};
use crate::person::{Person, shared};
use crate::printed::Printed;
use crate::processes::Stubs;
use crate::results::{Dispatched, EventOutcome};
use crate::values::object;
use crate::web::WebStubs;

/// The beginning of the names of the folders that tests get, among the temporary files.
pub const SCRATCH_PREFIX: &str = "snaphook-test-";

/// One test's world.
pub(crate) struct TestHost {
    setting: Setting,
    host: Host,
    loads: Loads,
    /// True if it was given hooks that no test loads.
    is_put: bool,
    person: Arc<Person>,
    stubs: Arc<Stubs>,
    web: Arc<WebStubs>,
    clock: Arc<TestClock>,
    reports: Arc<Mutex<Vec<Report>>>,
    /// The project that hooks see.
    project: PathBuf,
    deadline: Instant,
    /// The variables of the environment that hooks see.
    variables: Vec<(OsString, OsString)>,
    /// The number of the last event's outcome.
    last_outcome: u64,
    outcomes: Vec<EventOutcome>,
    coverage: Lines,
    /// Removed with the test host.
    _scratch: TempDir,
}

impl TestHost {
    pub(crate) fn new(setting: &Setting, deadline: Instant, printed: &Printed) -> Result<Self, TestError> {
        let scratch = tempfile::Builder::new().prefix(SCRATCH_PREFIX).tempdir().map_err(TestError::Folder)?;
        // Resolved: a hook that asks where it is gets the same answer as a process.
        let root = scratch.path().canonicalize().map_err(TestError::Folder)?;
        let (project, state) = (root.join("project"), root.join("state"));
        std::fs::create_dir(&project).map_err(TestError::Folder)?;
        std::fs::create_dir(&state).map_err(TestError::Folder)?;
        let person = Arc::new(Person::default());
        let stubs = Arc::new(Stubs::default());
        let processes: Arc<dyn Processes> = Arc::<Stubs>::clone(&stubs);
        let web = Arc::new(WebStubs::default());
        let answering: Arc<dyn Web> = Arc::<WebStubs>::clone(&web);
        let clock = Arc::new(TestClock::default());
        let told: Arc<dyn Clock> = Arc::<TestClock>::clone(&clock);
        let reports = Arc::new(Mutex::new(Vec::new()));
        let (reported, said) = (Arc::clone(&reports), printed.clone());
        let mut builder = Host::builder()
            .limits(setting.limits.clone())
            .ui(shared(&person))
            .holder(Arc::new(TestHolder))
            .clock(told)
            .state_dir(state)
            .exec_env(setting.env.iter().cloned())
            .variables(Vec::<(OsString, OsString)>::new())
            .processes(processes)
            .web(answering)
            .session(session(&project, None))
            .on_report(move |report| reported.lock().push(report.clone()))
            .on_log(move |hook, level, text| said.by_hook(hook, level, text));
        for (language, engine) in &setting.engines {
            builder = builder.engine(*language, Arc::clone(engine));
        }
        Ok(TestHost {
            setting: setting.clone(),
            host: builder.build(),
            loads: Loads::default(),
            is_put: false,
            person,
            stubs,
            web,
            clock,
            reports,
            project,
            deadline,
            variables: Vec::new(),
            last_outcome: 0,
            outcomes: Vec::new(),
            coverage: Lines::default(),
            _scratch: scratch,
        })
    }

    pub(crate) fn clock(&self) -> &TestClock {
        &self.clock
    }

    /// Returns whether the test's time is up.
    pub(crate) fn is_expired(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// The lines of hooks that ran, and what events came to.
    pub(crate) fn finish(mut self) -> (Lines, Vec<EventOutcome>) {
        self.note_coverage();
        (self.coverage, self.outcomes)
    }

    /// `t.NAME(…)`.
    ///
    /// # Errors
    /// What the test did wrong, or what the hook's file has wrong.
    pub(crate) fn call(&mut self, name: &str, arguments: Vec<Value>) -> Result<Value, TestError> {
        if self.is_expired() {
            return Err(self.too_late());
        }
        match name {
            "load" => self.load(arguments),
            "tool_call" => {
                let argument = Positional::read("t.tool_call", arguments, 1)?.next();
                self.fire(calls::tool_call("t.tool_call", argument)?)
            }
            "tool_result" => {
                let argument = Positional::read("t.tool_result", arguments, 1)?.next();
                self.fire(calls::tool_result("t.tool_result", argument)?)
            }
            "emit" => {
                let mut arguments = Positional::read("t.emit", arguments, 2)?;
                let name = arguments.text("event")?.ok_or("t.emit needs the name of an event")?;
                self.fire(calls::any(&name, arguments.next())?)
            }
            "ui" => {
                let mut arguments = Positional::read("t.ui", arguments, 1)?;
                self.person.come(arguments.next()).map(|()| Value::Null)
            }
            "headless" => {
                Positional::read("t.headless", arguments, 0)?;
                self.person.leave();
                Ok(Value::Null)
            }
            "exec_stub" => self.stubs.add(arguments).map(|()| Value::Null),
            "http_stub" => self.web.add(arguments).map(|()| Value::Null),
            "env" => self.set_variable(arguments),
            "fs" => self.files(arguments),
            "clock" => self.set_clock(arguments),
            other => Err(format!("t has no `{other}`").into()),
        }
    }

    // ---- hooks ----

    fn load(&mut self, arguments: Vec<Value>) -> Result<Value, TestError> {
        let mut arguments = Positional::read("t.load", arguments, 2)?;
        let path = arguments.text("path")?.ok_or("t.load needs the path of a hook")?;
        let mut fields = Fields::read("t.load", arguments.next(), &["scope"])?;
        let scope = fields.text("scope")?.map(|name| hooks::scope(&name)).transpose()?;
        let found = hooks::find(&self.setting, &path)?;
        self.add(found, scope)
    }

    fn load_default(&mut self) -> Result<(), TestError> {
        let name = self.setting.hook.clone();
        let found = hooks::find(&self.setting, &name).map_err(|error| TestError::NoHook(Box::new(error)))?;
        self.add(found, None).map(|_| ())
    }

    fn add(&mut self, path: PathBuf, scope: Option<snaphook::Scope>) -> Result<Value, TestError> {
        self.note_coverage();
        self.loads.add(path, scope);
        let before: Vec<_> = self.host.problems();
        // All of them anew: what they keep in `state` and `store` stays, what they have in variables does not.
        let problems = self.host.reload(self.loads.discover(&self.setting));
        let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
        let new: Vec<_> =
            errors.filter(|problem| !before.contains(problem)).map(ToString::to_string).collect();
        if new.is_empty() { Ok(Value::Null) } else { Err(TestError::Hooks(new)) }
    }

    /// Loads hooks that were read already.
    ///
    /// # Errors
    /// One of them does not load.
    pub(crate) fn put_discovery(&mut self, discovery: Discovery) -> Result<(), TestError> {
        self.is_put = true;
        self.stubs.refuse();
        self.web.refuse();
        let problems = self.host.reload(discovery);
        let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
        let errors: Vec<_> = errors.map(ToString::to_string).collect();
        if errors.is_empty() { Ok(()) } else { Err(TestError::Hooks(errors)) }
    }

    fn note_coverage(&mut self) {
        let Setting { folder, shown_folder, .. } = &self.setting;
        collect(&mut self.coverage, &self.host.hooks(), folder, shown_folder);
    }

    // ---- events ----

    fn fire(&mut self, staged: Staged) -> Result<Value, TestError> {
        if self.loads.is_empty() && !self.is_put {
            self.load_default()?;
        }
        let Staged { event, agent } = staged;
        self.host.set_session(session(&self.project, agent.as_deref()));
        let ask = if self.person.is_outside() { AskMode::Defer } else { AskMode::Resolve };
        let options = CallOptions { ask, ..CallOptions::supervised() };
        let mut map = match event.name().class() {
            ReplyClass::Gate => {
                let decided = self.wait(self.host.decide(event, &options))?;
                let side_effects = self.side_effects();
                let map = outcome::gated(&decided.decision, side_effects);
                self.keep(Dispatched::Decided(Box::new(decided)), &map);
                map
            }
            _ => {
                let original: Event = event.clone();
                let emitted = self.wait(self.host.emit(event, &options))?;
                let map = outcome::emitted(&original, &emitted, self.side_effects());
                self.keep(Dispatched::Emitted(Box::new(emitted)), &map);
                map
            }
        };
        self.last_outcome += 1;
        map.insert("outcome".to_owned(), json!(self.last_outcome));
        Ok(Value::Object(map))
    }

    fn keep(&mut self, outcome: Dispatched, map: &Map<String, Value>) {
        if self.setting.outcomes {
            let asked = map.get("asked").and_then(Value::as_array).is_some_and(|asked| !asked.is_empty());
            self.outcomes.push(EventOutcome { dispatched: Arc::new(outcome), asked });
        }
    }

    /// Waits for the host, as long as the test has time.
    fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, TestError> {
        let until = tokio::time::Instant::from_std(self.deadline);
        // Made inside: the timer belongs to the runtime.
        let done = self.setting.runtime.block_on(async { tokio::time::timeout_at(until, work).await });
        done.map_err(|_| self.too_late())
    }

    fn too_late(&self) -> TestError {
        TestError::Timeout(self.setting.time)
    }

    fn side_effects(&self) -> SideEffects {
        let (asked, notified) = self.person.take();
        let outbox = self.host.outbox();
        let all = [Deliver::Now, Deliver::NextTurn, Deliver::FollowUp];
        let sent = all.into_iter().flat_map(|deliver| outbox.take(deliver));
        let sent = sent.map(|sent| {
            object(json!({ "hook": sent.hook.id, "text": sent.text, "deliver": sent.deliver.as_str() }))
        });
        SideEffects {
            asked,
            notified,
            sent: sent.collect(),
            ran: self.stubs.take_ran(),
            fetched: self.web.take_fetched(),
            reports: std::mem::take(&mut *self.reports.lock()),
        }
    }

    // ---- surroundings ----

    fn set_clock(&self, arguments: Vec<Value>) -> Result<Value, TestError> {
        let value = Positional::read("t.clock", arguments, 1)?.next().unwrap_or_default();
        let seconds = value.as_f64().filter(|seconds| seconds.is_finite());
        let wrong = || format!("t.clock takes seconds since 1970, not {}", describe(&value));
        self.clock.set(seconds.ok_or_else(wrong)?);
        Ok(Value::Null)
    }

    fn set_variable(&mut self, arguments: Vec<Value>) -> Result<Value, TestError> {
        let mut arguments = Positional::read("t.env", arguments, 2)?;
        let name = arguments.text("name")?.ok_or("t.env needs the name of a variable")?;
        env_name(&name).map_err(|error| format!("t.env: {error}"))?;
        let value = arguments.text("value")?;
        self.variables.retain(|(known, _)| known.as_os_str() != name.as_str());
        self.variables.extend(value.map(|value| (name.into(), value.into())));
        self.host.set_variables(self.variables.clone());
        Ok(Value::Null)
    }

    fn files(&self, arguments: Vec<Value>) -> Result<Value, TestError> {
        let files = match Positional::read("t.fs", arguments, 1)?.next() {
            None => Map::new(),
            Some(Value::Array(list)) if list.is_empty() => Map::new(),
            Some(Value::Object(map)) => map,
            Some(other) => {
                return Err(format!("t.fs takes texts by their path, not {}", describe(&other)).into());
            }
        };
        for (name, text) in &files {
            let Value::String(text) = text else {
                return Err(format!("t.fs: the file \"{name}\" is text, not {}", describe(text)).into());
            };
            self.write(name, text)?;
        }
        Ok(json!(self.project.display().to_string()))
    }

    /// Writes a file of the project; a name that ends in `/` makes a folder.
    fn write(&self, name: &str, text: &str) -> Result<(), TestError> {
        let inside = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !inside || name.is_empty() || name.contains('\0') {
            return Err(format!("t.fs: \"{name}\" is not a path inside of the project").into());
        }
        let path = self.project.join(name);
        let failed = |cause| TestError::Write { name: name.to_owned(), cause };
        // A process that a hook ran may have put a link there.
        let folder = if name.ends_with('/') { Some(path.as_path()) } else { path.parent() };
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder).map_err(failed)?;
            if !folder.canonicalize().map_err(failed)?.starts_with(&self.project) {
                return Err(format!("t.fs: \"{name}\" leads out of the project").into());
            }
        }
        if name.ends_with('/') {
            return if text.is_empty() {
                Ok(())
            } else {
                Err(format!("t.fs: \"{name}\" is a folder and has no text").into())
            };
        }
        if std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(format!("t.fs: \"{name}\" is a link").into());
        }
        std::fs::write(path, text).map_err(failed)
    }
}

fn session(project: &Path, agent: Option<&str>) -> Session {
    Session {
        id: "test".to_owned(),
        path: None,
        agent: agent.unwrap_or("test").to_owned(),
        cwd: project.to_owned(),
        project_root: project.to_owned(),
        outputs: None,
    }
}
