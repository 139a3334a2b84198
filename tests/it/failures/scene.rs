//! Provokes one way to fail: a place with the hook's files, a host over it as the command builds one, one event of each class, and
//! the command itself for a gate. What came out becomes the text of a cell.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use snaphook::{
    AuditOptions, CallOptions, CancellationToken, Cause, DeferUi, Directories, Emitted, Environment, Event,
    HeadlessUi, Host, Lifecycle, Limits, Report, ScriptedUi, Session, ToolCall, ToolResult, UiContext,
};
use snaphook_audit::FileAudit;
use snaphook_discovery::{Settings, discover};
use snaphook_lua::LuaEngine;
use snaphook_rhai::RhaiEngine;

use super::cases::{Case, How, Person, Twist};
use crate::support::Sandbox;

/// A reply class, by the event that stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Gate,
    Rewrite,
    Check,
    Notify,
}

impl Class {
    fn event(self) -> &'static str {
        match self {
            Class::Gate => "tool_call",
            Class::Rewrite => "tool_result",
            Class::Check => "files_changed",
            Class::Notify => "turn_end",
        }
    }
}

/// A script language, as far as tests write it.
#[derive(Debug, Clone, Copy)]
pub struct Language {
    pub extension: &'static str,
    comment: &'static str,
    delimiter: &'static str,
}

pub const LUA: Language = Language { extension: "lua", comment: "--", delimiter: "-----" };
pub const RHAI: Language = Language { extension: "rhai", comment: "//", delimiter: "//---" };

impl Language {
    /// The text of this language, of the two.
    pub fn of(self, lua: &'static str, rhai: &'static str) -> &'static str {
        if self.extension == "lua" { lua } else { rhai }
    }

    /// A hook with lines of front matter before its code.
    pub fn with_front(self, lines: &[&str], code: &str) -> String {
        let inner: String = lines.iter().map(|line| format!("{} {line}\n", self.comment)).collect();
        format!("{0}\n{inner}{0}\n{code}", self.delimiter)
    }

    /// A hook with one handler that may run some programs.
    pub fn handler(self, event: &str, body: &str) -> String {
        let code = match self.extension {
            "lua" => format!("on(\"{event}\", function(event, ctx)\n{body}\nend)\n"),
            // A last statement is the answer, with or without a semicolon.
            _ => format!("on(\"{event}\", |event, ctx| {{\n{body}\n()\n}});\n"),
        };
        self.with_front(&["grants:", "  exec: [sleep, \"false\", touch, no-such-program]"], &code)
    }

    fn answer(self, json: &str) -> String {
        match self.extension {
            "lua" => format!("return snaphook.json.decode([[{json}]])"),
            _ => format!("return snaphook::json::decode(`{json}`);"),
        }
    }
}

/// The hook's place on disk; `None` where the way is not open to the class.
fn place(case: &Case, language: Language, class: Class) -> Option<Sandbox> {
    let place = Sandbox::new();
    let source = match &case.how {
        How::Body(lua, rhai) => language.handler(class.event(), language.of(lua, rhai)),
        How::Lua(body) => language.handler(class.event(), body),
        How::Answers(answers) => language.handler(class.event(), &language.answer(answers[class as usize]?)),
        How::Gate(lua, rhai) if class == Class::Gate => language.of(lua, rhai).to_owned(),
        How::Gate(..) => return None,
        How::Whole(lua, rhai) => language.of(lua, rhai).replace("EVENT", class.event()),
        How::Files(write) => {
            write(&place, language);
            return Some(place);
        }
        How::Rust(_) => return Some(place),
    };
    place.write(&format!("config/hooks/bad.{}", language.extension), source);
    Some(place)
}

/// Limits that end what does not end by itself soon, and leave the rest its time on a busy machine.
fn limits(twist: Twist) -> Limits {
    let long = Duration::from_secs(60);
    let limits = Limits {
        handler_cpu: long,
        event_cpu: long,
        load_cpu: long,
        wait: long,
        memory: 8 << 20,
        ..Limits::default()
    };
    match twist {
        Twist::HandlerBudget => Limits { handler_cpu: Duration::from_millis(50), ..limits },
        Twist::EventBudget => Limits { event_cpu: Duration::from_millis(50), ..limits },
        Twist::LoadBudget => Limits { load_cpu: Duration::from_millis(50), ..limits },
        Twist::ShortWait => Limits { wait: Duration::from_millis(50), ..limits },
        Twist::ShortGrace => {
            let short = Duration::from_millis(20);
            Limits { handler_cpu: short, stop_grace: short, ..limits }
        }
        _ => limits,
    }
}

fn person(person: Person) -> Arc<dyn UiContext> {
    match person {
        Person::Nobody => Arc::new(HeadlessUi),
        Person::Agent => Arc::new(DeferUi),
        Person::Says(answers) => Arc::new(ScriptedUi::new(answers.iter().copied())),
    }
}

/// Returns what happens in a host, as the command builds one. Each event gets a host of its own.
pub fn in_a_host(case: &Case, language: Language, class: Class) -> Option<String> {
    let place = place(case, language, class)?;
    let environment = Environment {
        home: Some(place.path("home")),
        managed_dir: None,
        snaphook_config_dir: Some(place.path("config")),
        snaphook_state_dir: Some(place.path("state")),
        ..Environment::new(place.path("project"))
    };
    let directories = Directories::locate(&environment);
    let mut discovery = discover(&directories, &[]);
    discovery.problems.extend(Settings::load(&directories).1);
    let reports: Arc<Mutex<Vec<Report>>> = Arc::default();
    let seen = Arc::clone(&reports);
    let session = Session {
        id: "check".into(),
        cwd: place.path("project"),
        project_root: directories.project_root.clone(),
        ..Session::default()
    };
    let mut builder = Host::builder()
        .discovery(discovery)
        .limits(limits(case.twist))
        .check_wait(limits(case.twist).wait)
        .session(session)
        .ui(person(case.person))
        .state_dir(place.path("state"))
        .exec_env([("PATH", std::env::var_os("PATH").unwrap_or_default())])
        .on_report(move |report| seen.lock().unwrap().push(report.clone()));
    if case.twist != Twist::NoEngine {
        let lua = Arc::new(LuaEngine::new().unwrap());
        builder = builder.engine(snaphook::Language::Lua, lua);
        builder = builder.engine(snaphook::Language::Rhai, Arc::new(RhaiEngine::new()));
    }
    if case.twist == Twist::NoAudit {
        let folder = place.write("no-folder", "");
        builder = builder.audit(Arc::new(FileAudit::new(folder)), AuditOptions::default());
    }
    if let How::Rust(handler) = &case.how {
        builder = builder.handler(handler(class.event()));
    }
    let host = builder.build();
    let cancel = CancellationToken::new();
    let options = CallOptions { cancel: Some(cancel.clone()), ..CallOptions::supervised() };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let started = place.path("project/started");
    let happened = runtime.block_on(async {
        let event = fire(&host, class, &options);
        if case.twist != Twist::Cancel {
            return event.await;
        }
        let end = async {
            while !started.exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            cancel.cancel();
        };
        tokio::join!(event, end).0
    });
    // A thread that cannot be stopped is left behind.
    runtime.shutdown_background();
    let reports = reports.lock().unwrap();
    Some(outcome_text(happened, &reports))
}

/// The outcome of the event, and the causes that say so.
type Happened = (&'static str, Vec<Option<Cause>>);

async fn fire(host: &Host, class: Class, options: &CallOptions) -> Happened {
    let call = ToolCall::new("1", "bash", json!({"command": "ls"}));
    let lifecycle = |event, fields: Value| {
        let fields: Map<String, Value> = fields.as_object().cloned().unwrap_or_default();
        Event::lifecycle(event, fields).unwrap()
    };
    let event = match class {
        Class::Gate => return gate(host, call, options).await,
        Class::Rewrite => Event::tool_result(ToolResult {
            original_input: Arc::clone(&call.input),
            call,
            content: "said".into(),
            details: Arc::default(),
            is_error: false,
        }),
        Class::Check => lifecycle(Lifecycle::FilesChanged, json!({"files": ["a"]})),
        Class::Notify => lifecycle(Lifecycle::TurnEnd, json!({"turn_index": 0})),
    };
    let Emitted { event, checks, cancelled, .. } = host.emit(event, options).await;
    match (class, checks.failed) {
        (_, Some(failed)) => ("fails", vec![failed.cause]),
        _ if cancelled => ("ends", Vec::new()),
        (Class::Rewrite, _) if event.subject() == json!("said") => ("kept", Vec::new()),
        (Class::Rewrite, _) if event.subject().to_string().contains("snaphook withheld this result") => {
            ("withheld", Vec::new())
        }
        (Class::Rewrite, _) => ("rewritten", Vec::new()),
        (Class::Check, _) => ("passes", Vec::new()),
        _ => ("goes on", Vec::new()),
    }
}

async fn gate(host: &Host, call: ToolCall, options: &CallOptions) -> Happened {
    match host.gate(call, options).await {
        ControlFlow::Continue(_) => ("runs", Vec::new()),
        ControlFlow::Break(denied) if denied.needs_person() => ("left to the agent", Vec::new()),
        ControlFlow::Break(denied) => {
            assert!(!denied.message().is_empty());
            ("deny", denied.decision.deciding().map(|reason| reason.cause).collect())
        }
    }
}

/// The text of a cell: what happened with its causes, and what was reported beside it.
fn outcome_text((what, causes): Happened, reports: &[Report]) -> String {
    let mut text = what.to_owned();
    let mut known: Vec<Option<Cause>> = Vec::new();
    let mut add = |text: &mut String, word: &str, cause: Option<Cause>| {
        if !known.contains(&cause) {
            known.push(cause);
            let cause = cause.map(|cause| format!(" (`{}`)", cause.as_str())).unwrap_or_default();
            text.push_str(&format!("{word}{cause}"));
        }
    };
    causes.into_iter().for_each(|cause| add(&mut text, "", cause));
    reports.iter().for_each(|report| add(&mut text, ", reported", report.cause));
    text
}

/// The exit code of `snaphook check` for a gate; `None` where the command has no way to it.
pub fn through_check(case: &Case, language: Language) -> Option<i32> {
    if matches!(case.how, How::Rust(_)) || matches!(case.twist, Twist::NoEngine | Twist::EventBudget) {
        return None;
    }
    let place = place(case, language, Class::Gate)?;
    let ui = match case.person {
        Person::Nobody => "headless".to_owned(),
        Person::Agent => "defer".to_owned(),
        Person::Says(answers) => format!("scripted:{}", answers.join(",")),
    };
    if case.twist == Twist::NoAudit {
        place.write("state/audit", "");
    }
    let args = ["check", "--record", "--tool", "bash", "--input", r#"{"command": "ls"}"#, "--ui", &ui];
    if case.twist != Twist::Cancel {
        return Some(place.run(&args).code);
    }
    let mut child = place.command(&args).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while !place.path("project/started").exists() {
        assert!(Instant::now() < until, "the handler did not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    child.wait().unwrap().code()
}

#[cfg(unix)]
fn interrupt(child: &std::process::Child) {
    let id = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
}

#[cfg(not(unix))]
fn interrupt(_: &std::process::Child) {
    panic!("only Unix tells a process to end");
}
