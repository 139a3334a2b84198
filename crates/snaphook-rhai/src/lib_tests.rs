//! The engine in a program without the metered allocator, as this one is.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::json;
use snaphook_core::testing::NoServices;
use snaphook_core::*;

use crate::RhaiEngine;

#[test]
fn a_hook_has_a_warning_and_single_values_are_limited() {
    let hook = HookRef::new("guard", "guard", Scope::User, "guard.rhai");
    let source = "on(\"tool_call\", |event| { let t = \"x\"; while true { t += t; } });";
    let script = Script::new(hook, source);
    let services: Arc<dyn Services> = Arc::new(NoServices);
    let limits = Limits::default();
    let hook = RhaiEngine::new().load(LoadRequest::new(&script, &services, &limits)).unwrap();
    let told: Vec<_> = hook.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "guard.rhai: this hook's memory is not counted: only the sizes of single values are limited (the program that \
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
