//! The time that the host adds to its handlers: handlers here do next to nothing, so what is measured is dispatch.

use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use divan::Bencher;
use serde_json::json;
use snaphook::testing::NoServices;
use snaphook::{
    Answer, CallContext, CallOptions, Event, Handler, HandlerFuture, HandlerInfo, HookRef, Host, Lifecycle,
    Scope, Services, Session, ToolCall,
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

    fn handle<'a>(&'a self, event: &'a Event, _: &'a Arc<CallContext>) -> HandlerFuture<'a> {
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
