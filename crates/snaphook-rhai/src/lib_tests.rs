//! The engine in a program without the metered allocator, as this one is.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::{Map, Value, json};
use snaphook_core::*;

use crate::RhaiEngine;

/// Gives nobody anything.
struct Nobody;

impl Services for Nobody {
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
        Box::pin(async { Err(ServiceError("nothing runs here".to_owned())) })
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

#[test]
fn a_hook_has_a_warning_and_single_values_are_limited() {
    let hook = HookRef::new("guard", "guard", Scope::User, "guard.rhai");
    let source = "on(\"tool_call\", |event| { let t = \"x\"; while true { t += t; } });";
    let script = Script::new(hook, source);
    let services: Arc<dyn Services> = Arc::new(Nobody);
    let limits = Limits::default();
    let hook = RhaiEngine::new().load(&script, &services, &limits).unwrap();
    let told: Vec<_> = hook.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "guard.rhai: nobody counts this hook's memory: only the sizes of single values are limited (the program that \
          loads Rhai hooks installs snaphook_rhai::MeteredAllocator as its allocator)"
        ]
    );
    assert_eq!(hook.problems[0].severity, Severity::Warning);
    let call = CallContext::new(Arc::default(), services, limits.event_cpu, 0);
    let (call, event) = (Arc::new(call), Event::tool_call(ToolCall::new("1", "bash", json!({}))));
    let mut answer = hook.handlers[0].handle(&event, &call);
    let Poll::Ready(answer) = answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
        unreachable!("it waits for nothing")
    };
    let error = answer.unwrap_err();
    assert_eq!(
        (error.cause, error.message.as_str()),
        (Cause::Error, "too large: length of string is over its limit")
    );
}
