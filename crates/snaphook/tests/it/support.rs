//! Handlers, tools, engines and UIs of the tests, and short ways to look at what came out.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use snaphook::*;

/// The handlers of one case.
pub type Handlers = Vec<Arc<dyn Handler>>;
pub type Answered = Result<Answer, HandlerError>;
type Run = dyn Fn(Event, Arc<CallContext>) -> BoxFuture<'static, Answered> + Send + Sync;

/// A handler made of closures.
pub struct Native {
    info: HandlerInfo,
    selects: Box<dyn Fn(&Event) -> bool + Send + Sync>,
    run: Box<Run>,
}

impl Handler for Native {
    fn info(&self) -> &HandlerInfo {
        &self.info
    }

    fn selects(&self, event: &Event, _: &CallContext) -> bool {
        (self.selects)(event)
    }

    fn handle<'a>(&'a self, event: &'a Event, context: &'a Arc<CallContext>) -> BoxFuture<'a, Answered> {
        (self.run)(event.clone(), Arc::clone(context))
    }
}

pub fn hook(id: &str) -> HookRef {
    HookRef::new(id, id, Scope::User, format!("{id}.lua"))
}

/// A handler of the hook `id` at line 1.
pub fn on<F>(
    id: &str,
    event: &str,
    run: impl Fn(Event, Arc<CallContext>) -> F + Send + Sync + 'static,
) -> Arc<dyn Handler>
where
    F: Future<Output = Answered> + Send + 'static,
{
    on_where(id, event, None, |_| true, run)
}

pub fn on_where<F>(
    id: &str,
    event: &str,
    matcher: Option<Value>,
    selects: impl Fn(&Event) -> bool + Send + Sync + 'static,
    run: impl Fn(Event, Arc<CallContext>) -> F + Send + Sync + 'static,
) -> Arc<dyn Handler>
where
    F: Future<Output = Answered> + Send + 'static,
{
    let event = EventName::parse(event).unwrap();
    let info = HandlerInfo { hook: hook(id), event, line: Some(1), file: None, matcher };
    let run =
        Box::new(move |event, context| -> BoxFuture<'static, Answered> { Box::pin(run(event, context)) });
    Arc::new(Native { info, selects: Box::new(selects), run })
}

/// A handler that gives this answer, as a script would write it.
pub fn says(id: &str, event: &str, answer: Value) -> Arc<dyn Handler> {
    on(id, event, move |event, _| {
        let answer = answer.clone();
        async move { Ok(Answer::parse(event.name(), answer)?) }
    })
}

/// A handler that never answers.
pub fn hangs(id: &str, event: &str) -> Arc<dyn Handler> {
    on(id, event, |_, _| std::future::pending())
}

pub fn nothing() -> Answered {
    Ok(Answer::default())
}

pub fn answer(event: &str, answer: Value) -> Answered {
    Ok(Answer::parse(&EventName::parse(event).unwrap(), answer)?)
}

pub fn builder(handlers: impl IntoIterator<Item = Arc<dyn Handler>>) -> Builder {
    handlers.into_iter().fold(Host::builder(), Builder::handler)
}

pub fn host(handlers: impl IntoIterator<Item = Arc<dyn Handler>>) -> Host {
    builder(handlers).build()
}

pub fn bash(line: &str) -> ToolCall {
    ToolCall::new("1", "bash", json!({"command": line}))
}

pub fn command(event: &Event) -> String {
    event.call().and_then(|call| call.command().map(|text| text.into_owned())).unwrap_or_default()
}

pub fn lifecycle(event: Lifecycle, fields: Value) -> Event {
    Event::lifecycle(event, map(fields)).unwrap()
}

pub fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// `allow: <command>` or `deny[cause,…]: <message>`; `ask: …` for one that waits for the embedder.
pub async fn gated(host: &Host, line: &str) -> String {
    show(host.gate(bash(line), &CallOptions::default()).await)
}

pub fn show(gated: ControlFlow<Denied, Permitted>) -> String {
    match gated {
        ControlFlow::Continue(permitted) => {
            format!("allow: {}", permitted.call.command().unwrap_or_default())
        }
        ControlFlow::Break(denied) if denied.needs_person() => format!("ask: {}", denied.message()),
        ControlFlow::Break(denied) => {
            let causes: Vec<_> =
                denied.decision.deciding().filter_map(|reason| reason.cause).map(Cause::as_str).collect();
            format!("deny[{}]: {}", causes.join(","), denied.message())
        }
    }
}

/// A list that handlers write to.
#[derive(Clone, Default)]
pub struct Trace(Arc<Mutex<Vec<String>>>);

impl Trace {
    pub fn add(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    pub fn all(&self) -> String {
        self.0.lock().unwrap().join(" ")
    }
}

/// Adds a word when it is dropped: shows that a handler's future is gone.
pub struct OnDrop(pub Trace, pub &'static str);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.add(self.1);
    }
}

/// Scripts of one line: `EVENT JSON` answers the event with the JSON, `error LINE TEXT` does not load, `panic` panics.
pub struct FakeEngine;

impl Engine for FakeEngine {
    fn load(&self, LoadRequest { script, .. }: LoadRequest<'_>) -> Result<LoadedHook, Problem> {
        let mut handlers: Vec<Arc<dyn Handler>> = Vec::new();
        for line in script.source.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "panic" => panic!("the engine broke"),
                "error" => {
                    let (line, text) = rest.split_once(' ').unwrap();
                    let problem = Problem::error(&script.hook.file, text).at_line(line.parse().unwrap());
                    return Err(problem.with_help("fix it"));
                }
                event => {
                    let event = EventName::parse(event)
                        .map_err(|error| Problem::error(&script.hook.file, error.to_string()))?;
                    let value: Value = serde_json::from_str(rest).unwrap();
                    let info = HandlerInfo {
                        hook: script.hook.clone(),
                        event,
                        line: Some(1),
                        file: None,
                        matcher: None,
                    };
                    let run = Box::new(move |event: Event, _| -> BoxFuture<'static, Answered> {
                        let value = value.clone();
                        Box::pin(async move { Ok(Answer::parse(event.name(), value)?) })
                    });
                    handlers.push(Arc::new(Native { info, selects: Box::new(|_| true), run }));
                }
            }
        }
        Ok(LoadedHook { handlers, problems: Vec::new(), memory: 1000, coverage: None })
    }
}

pub fn script(id: &str, scope: Scope, source: &str) -> Script {
    Script {
        hook: HookRef::new(id, id, scope, format!("{id}.lua")),
        source: source.into(),
        modules: Arc::default(),
        grants: Arc::default(),
        path: None,
        executable: None,
    }
}

/// A UI whose dialogs stay open until they are answered by the test.
#[derive(Default)]
pub struct ManualUi {
    pub open: Mutex<Vec<(String, tokio::sync::oneshot::Sender<UiReply>)>>,
    pub closed: Trace,
}

impl ManualUi {
    pub fn titles(&self) -> Vec<String> {
        self.open.lock().unwrap().iter().map(|(title, _)| title.clone()).collect()
    }

    pub fn reply(&self, reply: UiReply) {
        let (_, dialog) = self.open.lock().unwrap().remove(0);
        dialog.send(reply).unwrap();
    }
}

impl UiContext for ManualUi {
    fn has_ui(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, _: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        Box::pin(async move {
            let UiRequest::Confirm { title, .. } = request else { return UiReply::Nothing };
            let (tell, told) = tokio::sync::oneshot::channel();
            self.open.lock().unwrap().push((title, tell));
            let _closed = OnDrop(self.closed.clone(), "closed");
            told.await.unwrap_or(UiReply::Nothing)
        })
    }

    fn notify(&self, _: Option<&HookRef>, _: Notice) {}
}

pub fn confirm(title: &str) -> UiRequest {
    UiRequest::Confirm { title: title.into(), message: None }
}

/// Asks through the services, as a binding would.
pub async fn ask(context: &Arc<CallContext>, id: &str, request: UiRequest) -> UiReply {
    context.services.ui(&hook(id), context, request).await.unwrap()
}

/// A gate that wants a person's yes, and forgets errors as a `pcall` would.
pub fn confirms(id: &str, title: &'static str) -> Arc<dyn Handler> {
    let name = id.to_owned();
    on(id, "tool_call", move |_, context| {
        let name = name.clone();
        async move {
            match ask(&context, &name, confirm(title)).await {
                UiReply::Confirmed(true) => nothing(),
                _ => answer("tool_call", json!({"block": true, "reason": format!("{title} no")})),
            }
        }
    })
}

/// Lets everything that can go on do so.
pub async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}
