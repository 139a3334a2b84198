//! A host of the smallest kind, for the tests of both engines: it answers what scripts ask from a table, and drives one
//! handler after the other. Each engine's `support.rs` includes this file and says what is its own: `engine`, `EXTENSION`,
//! `in_a_handler`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use snaphook_core::*;

use super::{EXTENSION, engine, in_a_handler};

/// The services of the tests.
#[derive(Default)]
pub struct Fake {
    pub log: Mutex<Vec<String>>,
    pub kept: Mutex<BTreeMap<String, Value>>,
    pub answers: Mutex<Vec<UiReply>>,
    /// Dialogs stay open until a permit is given.
    pub gate: Option<Arc<tokio::sync::Semaphore>>,
    /// Handlers that answer bus events which scripts cause.
    pub listeners: Mutex<Vec<Arc<dyn Handler>>>,
    /// The time that the thread stands still when a script asks for the time, as in a program that is paused.
    pub pause: Duration,
}

impl Fake {
    fn note(&self, text: String) -> ServiceReply {
        self.log.lock().unwrap().push(text);
        ServiceReply::Done
    }

    fn file(&self, request: &FileRequest) -> Result<FileReply, ServiceError> {
        self.note(format!("{request:?}"));
        match request.operation {
            _ if request.path == "missing" => Err(ServiceError("missing is not there".into())),
            FileOperation::Read => Ok(FileReply::Text(format!("text of {}", request.path))),
            FileOperation::Stat => {
                Ok(FileReply::Stat(Some(FileStat { kind: "file", size: 5, modified: 1.5 })))
            }
            FileOperation::List => Ok(FileReply::Names(vec!["a".into(), "b".into()])),
            _ => Ok(FileReply::Done),
        }
    }

    /// Notes what would be shown to others; refuses what it does not know.
    fn show(&self, request: ServiceRequest<'_>) -> Result<ServiceReply, ServiceError> {
        match request {
            ServiceRequest::Notify(notice) => Ok(self.note(format!("{notice:?}"))),
            ServiceRequest::Send(text, deliver) => Ok(self.note(format!("send {} {text}", deliver.as_str()))),
            other => Err(ServiceError(format!("the bed has no {}", other.api()))),
        }
    }

    /// Calls the listeners of an event; refuses another task.
    fn cause(&self, call: &Arc<CallContext>, task: ServiceTask) -> PendingReply {
        let listeners = self.listeners.lock().unwrap().clone();
        let call = Arc::clone(call);
        Box::pin(async move {
            let ServiceTask::Emit(name, fields) = task else {
                return Err(ServiceError(format!("the bed has no {}", task.api())));
            };
            let event = Event::bus(name, fields);
            let wanted = |one: &&Arc<dyn Handler>| one.info().event == *event.name();
            for listener in listeners.iter().filter(wanted) {
                let answered = listener.handle(&event, &call).await;
                answered.map_err(|error| ServiceError(error.to_string()))?;
            }
            Ok(ServiceReply::Done)
        })
    }

    fn kv(&self, scope: KvScope, operation: KvOp) -> Value {
        let mut kept = self.kept.lock().unwrap();
        let prefix = format!("{scope:?}/");
        let name = |key: String| format!("{prefix}{key}");
        match operation {
            KvOp::Get(key) => kept.get(&name(key)).cloned().unwrap_or_default(),
            KvOp::Set(key, value) => {
                match value {
                    Value::Null => kept.remove(&name(key)),
                    value => kept.insert(name(key), value),
                };
                Value::Null
            }
            KvOp::Keys => json!(kept.keys().filter_map(|key| key.strip_prefix(&prefix)).collect::<Vec<_>>()),
        }
    }

    pub fn noted(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

impl Services for Fake {
    fn answer(&self, _: Caller<'_>, request: ServiceRequest<'_>) -> Result<ServiceReply, ServiceError> {
        match request {
            ServiceRequest::HasUi => Ok(ServiceReply::Flag(!self.answers.lock().unwrap().is_empty())),
            ServiceRequest::Now => {
                std::thread::sleep(self.pause);
                Ok(ServiceReply::Seconds(1_790_000_000.0))
            }
            ServiceRequest::Log(level, text) => Ok(self.note(format!("{}: {text}", level.as_str()))),
            ServiceRequest::Env("SECRET") => {
                Err(ServiceError("the environment variable SECRET is not granted".into()))
            }
            ServiceRequest::Env("UNSET") => Ok(ServiceReply::Text(None)),
            ServiceRequest::Env(name) => Ok(ServiceReply::Text(Some(format!("value of {name}")))),
            ServiceRequest::Kv(scope, operation) => Ok(ServiceReply::Value(self.kv(scope, operation))),
            ServiceRequest::File(request) => self.file(&request).map(ServiceReply::File),
            shown => self.show(shown),
        }
    }

    fn begin(&self, _: &HookRef, call: &Arc<CallContext>, task: ServiceTask) -> PendingReply {
        match task {
            ServiceTask::Ui(request) => {
                self.note(format!("{request:?}"));
                let reply = self.answers.lock().unwrap().pop().unwrap_or(UiReply::Nothing);
                let gate = self.gate.clone();
                Box::pin(async move {
                    if let Some(gate) = gate {
                        gate.acquire().await.unwrap().forget();
                    }
                    Ok(ServiceReply::Ui(reply))
                })
            }
            ServiceTask::Exec(request) => {
                self.note(format!("{} {:?} {:?}", request.program, request.args, request.timeout));
                Box::pin(async move {
                    tokio::task::yield_now().await;
                    let name = &request.program;
                    if name == "missing" || name.contains(' ') {
                        return Err(ServiceError(format!("\"{name}\" was not found")));
                    }
                    let stdout = request.args.join(" ");
                    Ok(ServiceReply::Process(ExecOutput { stdout, code: Some(0), ..ExecOutput::default() }))
                })
            }
            ServiceTask::Http(request) => {
                self.note(format!("{request:?}"));
                Box::pin(async move {
                    tokio::task::yield_now().await;
                    let HttpRequest { method, url, headers, body, .. } = request;
                    let body = format!("{method} {}", body.unwrap_or_default());
                    Ok(ServiceReply::Web(HttpResponse { status: 200, headers, body, url }))
                })
            }
            caused => self.cause(call, caused),
        }
    }
}

/// A loaded hook with its surroundings.
pub struct Bed {
    pub fake: Arc<Fake>,
    pub hook: LoadedHook,
    pub limits: Limits,
}

/// Limits that keep the suite fast.
pub fn limits() -> Limits {
    Limits {
        handler_cpu: Duration::from_millis(500),
        load_cpu: Duration::from_millis(1000),
        ..Limits::default()
    }
}

pub fn script(source: &str, modules: &[(&str, &str)]) -> Script {
    let file = if modules.is_empty() { "guard" } else { "hooks/guard/init" };
    let modules = modules.iter().map(|(name, text)| ((*name).to_owned(), Arc::from(*text))).collect();
    Script {
        hook: HookRef::new("guard", "guard", Scope::User, format!("{file}.{EXTENSION}")),
        source: source.into(),
        modules: Arc::new(modules),
        grants: Arc::default(),
        path: None,
        executable: None,
    }
}

pub fn try_load(source: &str, modules: &[(&str, &str)]) -> Result<Bed, Problem> {
    load_with(source, modules, Fake::default(), limits())
}

pub fn load_with(source: &str, modules: &[(&str, &str)], fake: Fake, limits: Limits) -> Result<Bed, Problem> {
    load_by(&engine(), source, modules, fake, limits)
}

pub fn load_by(
    engine: &dyn Engine,
    source: &str,
    modules: &[(&str, &str)],
    fake: Fake,
    limits: Limits,
) -> Result<Bed, Problem> {
    let fake = Arc::new(fake);
    let services: Arc<dyn Services> = fake.clone();
    let hook = engine.load(LoadRequest::new(&script(source, modules), &services, &limits))?;
    *fake.listeners.lock().unwrap() = hook.handlers.clone();
    Ok(Bed { fake, hook, limits })
}

pub fn load(source: &str) -> Bed {
    try_load(source, &[]).unwrap_or_else(|problem| panic!("{problem}"))
}

/// A hook whose one handler has this body.
pub fn handler(body: &str) -> Bed {
    load(&in_a_handler(body))
}

impl Bed {
    pub fn context(&self) -> Arc<CallContext> {
        let session = Session {
            id: "s1".into(),
            path: None,
            agent: "snaphook".into(),
            cwd: "/p".into(),
            project_root: "/p".into(),
            outputs: None,
        };
        Arc::new(CallContext::new(Arc::new(session), self.fake.clone(), self.limits.event_cpu, 0))
    }

    pub async fn fire(&self, event: &Event) -> Result<Answer, HandlerError> {
        let context = self.context();
        let handler =
            self.hook.handlers.iter().find(|handler| handler.info().event == *event.name()).unwrap();
        handler.handle(event, &context).await
    }

    pub fn gate(&self, input: Value) -> Result<Answer, HandlerError> {
        runtime().block_on(self.fire(&bash(input)))
    }

    /// The answer to `ls`, or the failure, as one line.
    pub fn say(&self) -> String {
        tell(&self.gate(json!({"command": "ls"})))
    }
}

pub fn tell(outcome: &Result<Answer, HandlerError>) -> String {
    match outcome {
        Err(error) => {
            let place = error.location.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
            format!("{}{place}: {}", error.cause.as_str(), error.message)
        }
        Ok(answer) if *answer == Answer::default() => "nothing".to_owned(),
        Ok(answer) => match (&answer.rewrite, &answer.context) {
            (Some(Rewrite::Input(input)), _) => format!("input {input}"),
            (Some(Rewrite::Payload(map)), _) => format!("payload {}", Value::Object(map.clone())),
            (Some(Rewrite::Fields(fields)), _) => format!("fields {fields:?}"),
            (None, Some(text)) => format!("context {text}"),
            (None, None) => format!("{} {}", answer.verdict.as_str(), answer.reason),
        },
    }
}

pub fn bash(input: Value) -> Event {
    Event::tool_call(ToolCall::new("c1", "bash", input))
}

pub fn result_of(content: &str) -> Event {
    let call = ToolCall::new("c1", "bash", json!({"command": "cat big"}));
    Event::tool_result(ToolResult {
        original_input: Arc::clone(&call.input),
        call,
        content: content.into(),
        details: Arc::new(Value::Null),
        is_error: false,
    })
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Returns what a script that was loaded before comes to when it is loaded by what it registered: `source` now,
/// `known` then.
pub fn known(source: &str, then: &str) -> Bed {
    let before = load(then);
    let infos: Vec<HandlerInfo> = before.hook.handlers.iter().map(|handler| handler.info().clone()).collect();
    let fake = Arc::new(Fake::default());
    let services: Arc<dyn Services> = fake.clone();
    let hook =
        engine().load_known(LoadRequest::new(&script(source, &[]), &services, &limits()), &infos).unwrap();
    Bed { fake, hook, limits: limits() }
}

/// A script and what its author reads, for a snapshot.
pub fn shown(source: &str, said: &str) -> String {
    format!("{source}\n    => {said}\n\n")
}

/// Returns what the one handler of a script comes to with an event that has nothing but what it needs.
pub fn fire_empty(source: &str) -> String {
    let bed = load(source);
    let EventName::Lifecycle(event) = bed.hook.handlers[0].info().event.clone() else { unreachable!() };
    let event = match event {
        Lifecycle::ToolResult => result_of("x"),
        event => {
            let needed = event.spec().payload.iter().filter(|field| field.required);
            let value = |kind| match kind {
                FieldType::Integer => json!(1),
                FieldType::Texts | FieldType::List => json!([]),
                _ => json!("x"),
            };
            let fields = needed.map(|field| (field.name.to_owned(), value(field.kind))).collect();
            Event::lifecycle(event, fields).unwrap()
        }
    };
    tell(&runtime().block_on(bed.fire(&event)))
}
