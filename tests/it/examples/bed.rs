//! The surroundings of a case: a project, a home and a search path of its own, and a host with the hook in it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use snaphook::{
    Builder, CallOptions, Cause, Clock, Discovery, Emitted, Event, EventName, Hold, Holder, Host, Language,
    NotHeld, Notice, Payload, Problem, ScriptedUi, Session, Severity, ToolCall, ToolResult, UiRequest,
};
use snaphook_discovery::{Directories, Environment, discover};
use snaphook_lua::LuaEngine;
use snaphook_rhai::RhaiEngine;
use tempfile::TempDir;

use super::cases::{Act, Case, Expected, Step};

/// The person who is there. The same script runs unchanged with and without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Person {
    Nobody,
    SaysYes,
    SaysNo,
}

pub const EVERYBODY: [Person; 3] = [Person::Nobody, Person::SaysYes, Person::SaysNo];

#[derive(Default)]
struct TestClock(Mutex<f64>);

impl Clock for TestClock {
    fn now(&self) -> f64 {
        1_790_000_000.0 + *self.0.lock().unwrap()
    }
}

/// The folder of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns what `--hook PATH` finds, and nothing else.
pub fn find(hooks: &[PathBuf]) -> Discovery {
    let nowhere = TempDir::new().unwrap();
    let environment = Environment {
        home: Some(nowhere.path().to_owned()),
        managed_dir: None,
        ..Environment::new(nowhere.path())
    };
    discover(&Directories::locate(&environment), hooks)
}

/// The machine's search path.
pub fn search_path() -> String {
    #[expect(clippy::disallowed_methods, reason = "the tests need the machine's search path")]
    std::env::var("PATH").unwrap_or_default()
}

/// A host's builder with both engines. They serve every case.
pub fn builder(discovery: Discovery) -> Builder {
    static ENGINES: std::sync::OnceLock<(Arc<LuaEngine>, Arc<RhaiEngine>)> = std::sync::OnceLock::new();
    let (lua, rhai) =
        ENGINES.get_or_init(|| (Arc::new(LuaEngine::new().unwrap()), Arc::new(RhaiEngine::new())));
    let builder = Host::builder().engine(Language::Lua, lua.clone()).engine(Language::Rhai, rhai.clone());
    builder.discovery(discovery).holder(Arc::new(NoHolder))
}

/// Leaves command lines as they are: cases look at what hooks want held.
#[derive(Debug)]
struct NoHolder;

impl Holder for NoHolder {
    fn held(&self, _: &Hold, call: &ToolCall) -> Result<String, NotHeld> {
        Ok(call.command().unwrap_or_default().into_owned())
    }
}

/// Returns what is wrong with the hooks. That a program is not on this machine is not.
pub fn faults(host: &Host) -> Vec<Problem> {
    host.problems().into_iter().filter(|problem| problem.severity > Severity::Note).collect()
}

/// The step of a case that came to something else, with what it came to.
#[derive(Debug)]
pub struct Mismatch(String);

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The place of the cases that only make calls, for one person. They share a host, so that a hook is loaded once for hundreds.
#[derive(Default)]
pub struct SharedBed(Option<Bed>);

struct Bed {
    root: TempDir,
    env: Vec<(String, String)>,
    clock: Arc<TestClock>,
    cwd: PathBuf,
    ui: Arc<ScriptedUi>,
    host: Option<Host>,
    person: Person,
    told: usize,
    asked: usize,
}

/// The result of a step, for the expectations to look at.
#[expect(clippy::large_enum_variant, reason = "one at a time, in a test")]
enum Outcome {
    Nothing,
    Gated(ToolCall, ControlFlow<snaphook::Denied, snaphook::Permitted>),
    Emitted(Value, Emitted),
}

/// Runs a case in front of one person; an error says what was otherwise.
pub async fn run(
    discovery: &Discovery,
    case: &Case,
    person: Person,
    shared: &mut SharedBed,
) -> Result<(), Mismatch> {
    let answered = case.steps.iter().any(|step| matches!(step.act, Act::Answers(_)));
    if answered && person != Person::SaysYes {
        return Ok(());
    }
    if let [step] = case.steps.as_slice()
        && !says_something_to(step, person)
    {
        return Ok(());
    }
    let calls = case.steps.iter().all(|step| matches!(step.act, Act::Call { .. } | Act::Result(_)));
    let mut own = None;
    let kept = if calls { &mut shared.0 } else { &mut own };
    let bed = kept.get_or_insert_with(|| Bed::new(person));
    assert_eq!(bed.person, person);
    for step in &case.steps {
        let outcome = bed.act(&step.act, discovery).await;
        for expected in &step.expected {
            bed.check(&outcome, expected).map_err(|error| {
                Mismatch(format!(
                    "{} ({person:?}) {:?}\n  expected {expected:?}\n  {error}",
                    case.place, step.act
                ))
            })?;
        }
    }
    Ok(())
}

/// Returns whether the answer of this person to a single step shows anything: an `allow` that asks would be denied with
/// nobody there, a `deny` that only asks would be allowed by somebody who says yes.
fn says_something_to(step: &Step, person: Person) -> bool {
    use Expected::{Allow, Ask, Broken, Deny, Rewrite};
    match step.expected.first() {
        Some(Ask(_)) => true,
        Some(Deny(_) | Broken(_)) => person == Person::SaysYes,
        Some(Allow | Rewrite(_)) => person == Person::Nobody,
        // No example asks about a result.
        _ => person == Person::Nobody || !matches!(step.act, Act::Result(_)),
    }
}

impl Bed {
    fn new(person: Person) -> Self {
        let root = TempDir::new().unwrap();
        let path = root.path().canonicalize().unwrap();
        for folder in ["project", "home", "bin"] {
            std::fs::create_dir(path.join(folder)).unwrap();
        }
        let search = format!("{}:{}", path.join("bin").display(), search_path());
        let env = [
            ("PATH", search.as_str()),
            ("HOME", &path.join("home").display().to_string()),
            ("LANG", "C.UTF-8"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "Ada"),
            ("GIT_AUTHOR_EMAIL", "ada@example.com"),
            ("GIT_COMMITTER_NAME", "Ada"),
            ("GIT_COMMITTER_EMAIL", "ada@example.com"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let answer = if person == Person::SaysYes { "yes" } else { "no" };
        Bed {
            root,
            env: env.into(),
            clock: Arc::default(),
            cwd: path.join("project"),
            ui: Arc::new(ScriptedUi::new(std::iter::repeat_n(answer, 10_000))),
            host: None,
            person,
            told: 0,
            asked: 0,
        }
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    fn fill(&self, text: &str) -> String {
        let text = text.replace("{project}", &self.folder("project").display().to_string());
        text.replace("{home}", &self.folder("home").display().to_string())
    }

    fn host(&mut self, discovery: &Discovery) -> Host {
        if let Some(host) = &self.host {
            return host.clone();
        }
        let session = Session {
            id: "s".into(),
            cwd: self.cwd.clone(),
            project_root: self.folder("project"),
            ..Session::default()
        };
        let builder = builder(discovery.clone()).session(session).clock(self.clock.clone());
        let builder = builder.exec_env(self.env.clone()).state_dir(self.folder("state"));
        let builder = if self.person == Person::Nobody { builder } else { builder.ui(self.ui.clone()) };
        self.host.insert(builder.build()).clone()
    }

    async fn act(&mut self, act: &Act, discovery: &Discovery) -> Outcome {
        match act {
            Act::Run(command) => {
                let command = self.fill(command);
                let mut bash = Command::new("bash");
                bash.args(["-euc", &command])
                    .current_dir(self.folder("project"))
                    .env_clear()
                    .envs(self.env.clone());
                let output = bash.output().unwrap();
                assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
                Outcome::Nothing
            }
            Act::Program(name, body) => {
                let file = self.folder("bin").join(name);
                std::fs::write(&file, format!("#!/bin/sh\n{}\n", self.fill(body))).unwrap();
                let mut permissions = std::fs::metadata(&file).unwrap().permissions();
                #[cfg(unix)]
                std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
                std::fs::set_permissions(&file, permissions).unwrap();
                Outcome::Nothing
            }
            Act::Cwd(folder) => {
                self.cwd = self.folder("project").join(folder);
                std::fs::create_dir_all(&self.cwd).unwrap();
                Outcome::Nothing
            }
            Act::Answers(list) => {
                self.ui = Arc::new(ScriptedUi::parse(list));
                Outcome::Nothing
            }
            Act::Tick(seconds) => {
                *self.clock.0.lock().unwrap() += seconds;
                Outcome::Nothing
            }
            Act::Call { tool, input } => {
                let input: Value = serde_json::from_str(&self.fill(&input.to_string())).unwrap();
                let call = ToolCall::new("1", tool.as_str(), input);
                self.asked = self.ui.questions().len();
                let gated = self.host(discovery).gate(call.clone(), &CallOptions::default()).await;
                Outcome::Gated(call, gated)
            }
            Act::Result(fields) => {
                let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                let input = fields.get("input").cloned().unwrap_or_else(|| Value::Object(Map::new()));
                let tool =
                    Some(text("tool")).filter(|tool| !tool.is_empty()).unwrap_or_else(|| "bash".to_owned());
                let event = Event::tool_result(ToolResult {
                    call: ToolCall::new("1", tool.as_str(), input.clone()),
                    original_input: Arc::new(input),
                    content: text("content").into(),
                    details: Arc::new(fields.get("details").cloned().unwrap_or_default()),
                    is_error: false,
                });
                Outcome::Emitted(
                    fields.clone(),
                    self.host(discovery).emit(event, &CallOptions::default()).await,
                )
            }
            Act::Event { name, fields } => {
                let map = fields.as_object().cloned().unwrap_or_default();
                let event = match EventName::parse(name).unwrap() {
                    EventName::Lifecycle(event) => Event::lifecycle(event, map).unwrap(),
                    EventName::Bus(name) => Event::bus(name, map),
                };
                let emitted = self.host(discovery).emit(event, &CallOptions::default()).await;
                Outcome::Emitted(fields.clone(), emitted)
            }
        }
    }

    fn check(&mut self, outcome: &Outcome, expected: &Expected) -> Result<(), String> {
        match (outcome, expected) {
            (Outcome::Gated(call, gated), _) if is_gate(expected) => self.check_gate(call, gated, expected),
            (Outcome::Emitted(before, emitted), _) if is_emit(expected) => {
                if let Some(report) = emitted.reports.first() {
                    return Err(format!("it failed: {report}"));
                }
                check_emitted(before, emitted, expected)
            }
            (_, Expected::Context(text)) => holds(&self.context(outcome), text),
            (_, Expected::NoContext) => empty(&self.context(outcome)),
            (_, Expected::Notice(_) | Expected::NoNotice) if self.person == Person::Nobody => Ok(()),
            (_, Expected::Notice(text)) => holds(&self.notices(), text),
            (_, Expected::NoNotice) => empty(&self.notices()),
            (_, Expected::File(path, text)) => {
                let file = PathBuf::from(self.fill(path));
                let said =
                    std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                holds(&said, &self.fill(text))
            }
            (_, Expected::NoFile(path)) => {
                if Path::new(&self.fill(path)).exists() {
                    Err("it is there".to_owned())
                } else {
                    Ok(())
                }
            }
            _ => Err("the step has no such outcome".to_owned()),
        }
    }

    fn check_gate(
        &self,
        call: &ToolCall,
        gated: &ControlFlow<snaphook::Denied, snaphook::Permitted>,
        expected: &Expected,
    ) -> Result<(), String> {
        let said = match gated {
            ControlFlow::Continue(permitted) => format!("allowed: {}", permitted.call.input),
            ControlFlow::Break(denied) => format!("denied: {}", denied.message()),
        };
        let asked = self.ui.questions().split_off(self.asked);
        let told = || Err(said.clone());
        match (expected, gated) {
            (Expected::Allow, ControlFlow::Continue(permitted)) if permitted.call.input == call.input => {
                if asked.is_empty() {
                    Ok(())
                } else {
                    Err(format!("it asked: {asked:?}"))
                }
            }
            (Expected::Hold(hold), ControlFlow::Continue(permitted)) => {
                let held = permitted.decision.hold.as_ref().map(|hold| hold.to_json());
                if held.as_ref() == Some(hold) { Ok(()) } else { Err(format!("{said}, held by {held:?}")) }
            }
            (Expected::Rewrite(command), ControlFlow::Continue(permitted)) => {
                let now = permitted.call.command().unwrap_or_default();
                if now == self.fill(command).as_str() { Ok(()) } else { told() }
            }
            (Expected::Deny(text), ControlFlow::Break(denied)) => {
                let message = denied.message();
                // A policy's no, with its place, and nothing that broke.
                let placed =
                    message.contains(" at ") && (message.contains(".lua:") || message.contains(".rhai:"));
                let broken = denied.decision.deciding().any(|reason| reason.cause.is_some());
                if placed && !broken { holds(&message, &self.fill(text)) } else { told() }
            }
            (Expected::Broken(text), ControlFlow::Break(denied)) if denied.is_synthetic() => {
                holds(&denied.message(), text)
            }
            (Expected::Ask(text), _) => {
                let text = self.fill(text);
                match (self.person, gated) {
                    (Person::Nobody, ControlFlow::Break(denied)) => {
                        let headless =
                            denied.decision.deciding().all(|reason| reason.cause == Some(Cause::Headless));
                        if headless { holds(&denied.message(), &text) } else { told() }
                    }
                    (Person::SaysYes, ControlFlow::Continue(permitted)) => {
                        holds(&permitted.decision.message(), "approved by the person")?;
                        question(&asked, &text)
                    }
                    (Person::SaysNo, ControlFlow::Break(denied)) => {
                        holds(&denied.message(), "declined by the person")?;
                        question(&asked, &text)
                    }
                    _ => told(),
                }
            }
            _ => told(),
        }
    }

    fn context(&self, outcome: &Outcome) -> String {
        let mut texts: Vec<String> = match outcome {
            Outcome::Gated(_, ControlFlow::Continue(permitted)) => {
                permitted.decision.context.iter().map(|context| context.text.clone()).collect()
            }
            Outcome::Emitted(_, emitted) => {
                emitted.context.iter().map(|context| context.text.clone()).collect()
            }
            _ => Vec::new(),
        };
        let waiting = self.host.as_ref().map(|host| host.outbox().take(snaphook::Deliver::NextTurn));
        texts.extend(waiting.into_iter().flatten().map(|sent| sent.text));
        texts.join("\n")
    }

    /// The notices since they were last looked at.
    fn notices(&mut self) -> String {
        let notices = self.ui.notices();
        let texts: Vec<_> = notices
            .iter()
            .skip(self.told)
            .filter_map(|notice| match notice {
                Notice::Message { text, .. } => Some(text.clone()),
                Notice::Status { .. } => None,
            })
            .collect();
        self.told = notices.len();
        texts.join("\n")
    }
}

fn is_gate(expected: &Expected) -> bool {
    use Expected::{Allow, Ask, Broken, Deny, Hold, Rewrite};
    matches!(expected, Allow | Deny(_) | Ask(_) | Rewrite(_) | Hold(_) | Broken(_))
}

fn is_emit(expected: &Expected) -> bool {
    matches!(expected, Expected::Unchanged | Expected::Content(_) | Expected::Pass | Expected::Fail(_))
}

fn check_emitted(before: &Value, emitted: &Emitted, expected: &Expected) -> Result<(), String> {
    match expected {
        Expected::Unchanged if emitted.rewritten => Err(format!("rewritten: {:?}", emitted.event.payload())),
        Expected::Unchanged => Ok(()),
        Expected::Content(text) if matches!(emitted.event.payload(), Payload::Fields(_)) => {
            let texts = emitted.event.subject()["texts"].clone();
            let wanted: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
            if texts == wanted { Ok(()) } else { Err(format!("texts: {texts}")) }
        }
        Expected::Content(text) => {
            let Payload::Result(result) = emitted.event.payload() else {
                return Err("it is no result".to_owned());
            };
            // `details` beside the content: what a case expects of it is in the case itself.
            if let Some(details) = before.get("details_after")
                && *details != *result.details
            {
                return Err(format!("details: {}", result.details));
            }
            if *result.content == **text { Ok(()) } else { Err(format!("content: {}", result.content)) }
        }
        Expected::Pass => match (&emitted.checks.failed, emitted.checks.passed.is_empty()) {
            (None, false) => Ok(()),
            (None, true) => Err("no check ran".to_owned()),
            (Some(failed), _) => Err(format!("failed: {}", failed.reason)),
        },
        Expected::Fail(text) => match &emitted.checks.failed {
            Some(failed) => holds(&failed.reason, text),
            None => Err("it passed".to_owned()),
        },
        _ => Ok(()),
    }
}

fn question(asked: &[snaphook::AskedQuestion], text: &str) -> Result<(), String> {
    match asked {
        [one] => match &one.request {
            UiRequest::Confirm { title, .. } => holds(title, text),
            other => Err(format!("asked {other:?}")),
        },
        _ => Err(format!("{} questions: {asked:?}", asked.len())),
    }
}

fn holds(whole: &str, part: &str) -> Result<(), String> {
    if whole.contains(part) { Ok(()) } else { Err(format!("it says: {whole:?}")) }
}

fn empty(text: &str) -> Result<(), String> {
    if text.is_empty() { Ok(()) } else { Err(format!("it says: {text:?}")) }
}
