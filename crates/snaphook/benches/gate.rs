//! The time that the host adds to its handlers: handlers here do next to nothing, so what is measured is dispatch.

use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use divan::Bencher;
use serde_json::{Map, Value, json};
use snaphook::{
    Answer, BoxFuture, CallContext, CallOptions, Deliver, Event, ExecOutput, ExecRequest, FileReply,
    FileRequest, Handler, HandlerError, HandlerInfo, HookRef, Host, HttpRequest, HttpResponse, KvOp, KvScope,
    Level, Lifecycle, Notice, Scope, ServiceError, Services, Session, ToolCall, UiReply, UiRequest,
};

fn main() {
    divan::main();
}

/// Abstains. Its matcher takes calls of one tool.
struct Trivial {
    info: HandlerInfo,
    tool: &'static str,
}

impl Handler for Trivial {
    fn info(&self) -> &HandlerInfo {
        &self.info
    }

    fn selects(&self, event: &Event, _: &CallContext) -> bool {
        event.call().is_some_and(|call| &*call.tool == self.tool)
    }

    fn handle<'a>(
        &'a self,
        event: &'a Event,
        _: &'a Arc<CallContext>,
    ) -> BoxFuture<'a, Result<Answer, HandlerError>> {
        Box::pin(async move {
            black_box(event);
            Ok(Answer::default())
        })
    }
}

fn trivial(index: usize, tool: &'static str) -> Arc<dyn Handler> {
    let hook = HookRef::new(format!("h{index}"), format!("h{index}"), Scope::User, "h.rs");
    let info =
        HandlerInfo { hook, event: Lifecycle::ToolCall.into(), line: Some(1), file: None, matcher: None };
    Arc::new(Trivial { info, tool })
}

fn host(handlers: usize, tool: &'static str) -> Host {
    (0..handlers).fold(Host::builder(), |builder, index| builder.handler(trivial(index, tool))).build()
}

fn call() -> ToolCall {
    ToolCall::new("1", "bash", json!({"command": "ls -la"}))
}

/// Nothing here waits, so one poll is enough.
fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

fn gate(bencher: Bencher<'_, '_>, host: Host) {
    let call = call();
    bencher.bench_local(|| ready(host.gate(black_box(call.clone()), &CallOptions::default())));
}

/// Services that nobody asks for anything: a handler without a host needs a context.
struct NoServices;

impl Services for NoServices {
    fn has_ui(&self, _: &CallContext) -> bool {
        false
    }

    fn ui(
        &self,
        _: &HookRef,
        _: &Arc<CallContext>,
        _: UiRequest,
    ) -> BoxFuture<'static, Result<UiReply, ServiceError>> {
        Box::pin(async { Ok(UiReply::Nothing) })
    }

    fn notify(&self, _: &HookRef, _: Notice) {}

    fn exec(
        &self,
        _: &HookRef,
        _: &Arc<CallContext>,
        _: ExecRequest,
    ) -> BoxFuture<'static, Result<ExecOutput, ServiceError>> {
        Box::pin(async { Ok(ExecOutput::default()) })
    }

    fn file(
        &self,
        _: &HookRef,
        _: Option<&Arc<CallContext>>,
        _: FileRequest,
    ) -> Result<FileReply, ServiceError> {
        unreachable!()
    }

    fn http(
        &self,
        _: &HookRef,
        _: &Arc<CallContext>,
        _: HttpRequest,
    ) -> BoxFuture<'static, Result<HttpResponse, ServiceError>> {
        unreachable!()
    }

    fn env(
        &self,
        _: &HookRef,
        _: Option<&Arc<CallContext>>,
        _: &str,
    ) -> Result<Option<String>, ServiceError> {
        unreachable!()
    }

    fn send(&self, _: &HookRef, _: String, _: Deliver) {}

    fn emit(
        &self,
        _: &HookRef,
        _: &Arc<CallContext>,
        _: Arc<str>,
        _: Map<String, Value>,
    ) -> BoxFuture<'static, Result<(), ServiceError>> {
        Box::pin(async { Ok(()) })
    }

    fn kv(&self, _: &HookRef, _: KvScope, _: KvOp) -> Result<Value, ServiceError> {
        Ok(Value::Null)
    }

    fn log(&self, _: &HookRef, _: Level, _: &str) {}

    fn now(&self) -> f64 {
        0.0
    }
}

/// The floor: the event, the context and the handler, without a host.
#[divan::bench]
fn bare_handler(bencher: Bencher<'_, '_>) {
    let handler = trivial(0, "bash");
    let services: Arc<dyn Services> = Arc::new(NoServices);
    let session = Arc::new(Session::default());
    let call = call();
    bencher.bench_local(|| {
        let event = Event::tool_call(black_box(call.clone()));
        let (session, services) = (Arc::clone(&session), Arc::clone(&services));
        let context = Arc::new(CallContext::new(session, services, Duration::from_secs(5), 0));
        handler.selects(&event, &context).then(|| ready(handler.handle(&event, &context)))
    });
}

#[divan::bench(args = [0, 1, 10, 100])]
fn handlers(bencher: Bencher<'_, '_>, count: usize) {
    gate(bencher, host(count, "bash"));
}

#[divan::bench(args = [1, 10, 100])]
fn excluded_by_matcher(bencher: Bencher<'_, '_>, count: usize) {
    gate(bencher, host(count, "read"));
}

/// With a thread of its own for the handlers.
#[divan::bench]
fn supervised(bencher: Bencher<'_, '_>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() else { return };
    let host = host(1, "bash");
    let options = CallOptions::supervised();
    bencher.bench_local(|| runtime.block_on(host.gate(call(), &options)));
}
