//! Handlers that cannot be stopped: the host answers without them (law 5).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use snaphook::*;

use crate::support::*;

/// Computes until the test is over, deaf to everything.
struct Spin(Arc<AtomicBool>);

impl Spin {
    fn new() -> Self {
        Spin(Arc::new(AtomicBool::new(false)))
    }

    fn handler(&self, id: &str, event: &str) -> Arc<dyn Handler> {
        let over = Arc::clone(&self.0);
        on(id, event, move |_, _| {
            let over = Arc::clone(&over);
            async move {
                while !over.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                nothing()
            }
        })
    }
}

impl Drop for Spin {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn quick() -> Limits {
    Limits {
        handler_cpu: Duration::from_millis(30),
        stop_grace: Duration::from_millis(20),
        ..Limits::default()
    }
}

const STUCK: &str =
    "the hook \"spin\" still computes after 0.05 s and could not be stopped; the host went on without it";
const BROKEN: &str =
    "the hook \"spin\" could not be stopped earlier and is out of service until hooks are reloaded [spin]";

#[test]
fn a_gate_is_answered_without_the_handler_and_the_hook_is_out_of_service() {
    on_each_runtime(|| async {
        let spin = Spin::new();
        let other = on("b", "tool_call", |_, _| async {
            answer("tool_call", json!({"block": true, "reason": "mine"}))
        });
        let host = builder([spin.handler("spin", "tool_call"), other]).limits(quick()).build();
        let denied = show(host.gate(bash("ls"), &CallOptions::supervised()).await);
        assert_eq!(
            denied,
            format!(
                "deny[stuck]: the hook \"spin\" failed: {STUCK} [spin at spin.lua:1]\nmine [b at b.lua:1]"
            )
        );
        // Inline as well: the handler is not entered again.
        let again = gated(&host, "ls").await;
        assert!(again.starts_with(&format!("deny[stuck,stuck]: {BROKEN}")), "{again}");
        drop(spin);
        host.reload(Discovery::default());
        assert_eq!(
            show(host.gate(bash("ls"), &CallOptions::supervised()).await),
            "deny[]: mine [b at b.lua:1]"
        );
    });
}

#[test]
fn events_go_on_without_the_handler() {
    on_each_runtime(|| async {
        let spin = Spin::new();
        let appends = on("b", "tool_result", |event, _| async move {
            let content = format!("{}+b", event.subject().as_str().unwrap_or_default());
            answer("tool_result", json!({"content": content}))
        });
        let host = builder([spin.handler("spin", "tool_result"), appends]).limits(quick()).build();
        let result = Event::tool_result(ToolResult {
            call: bash("ls"),
            original_input: Arc::default(),
            content: "x".into(),
            details: Arc::default(),
            is_error: false,
        });
        let emitted = host.emit(result, &CallOptions::supervised()).await;
        assert_eq!(emitted.event.subject(), json!("x+b"));
        assert_eq!(emitted.reports[0].cause, Some(Cause::Stuck));
        assert_eq!(gated(&host, "ls").await, format!("deny[stuck]: {BROKEN}"));
    });
}

#[test]
fn the_hook_that_computes_is_blamed_not_the_one_that_waits_for_it() {
    on_each_runtime(|| async {
        let spin = Spin::new();
        let caller = on("caller", "tool_call", |_, context| async move {
            let services = Arc::clone(&context.services);
            let _ = services.emit(&hook("caller"), &context, "acme.ping".into(), map(json!({}))).await;
            nothing()
        });
        let host = builder([caller, spin.handler("spin", "acme.ping")]).limits(quick()).build();
        let denied = show(host.gate(bash("ls"), &CallOptions::supervised()).await);
        assert!(denied.contains(STUCK), "{denied}");
        assert!(gated(&host, "ls").await.contains(BROKEN));
    });
}

#[test]
fn waiting_is_not_computing() {
    on_each_runtime(|| async {
        let limits = quick();
        let wait = (limits.handler_cpu + limits.stop_grace) * 4;
        let waits = on("a", "tool_call", move |_, _| async move {
            tokio::time::sleep(wait).await;
            nothing()
        });
        let host = builder([waits]).limits(limits).build();
        assert_eq!(show(host.gate(bash("ls"), &CallOptions::supervised()).await), "allow: ls");
    });
}

/// As in a program that is paused: the thread of the handler is, and so the handler has computed nothing.
#[test]
fn a_handler_whose_thread_stands_still_is_not_stuck() {
    on_each_runtime(|| async {
        let limits = quick();
        let pause = (limits.handler_cpu + limits.stop_grace) * 6;
        let stands = on("a", "tool_call", move |_, _| async move {
            std::thread::sleep(pause);
            nothing()
        });
        let host = builder([stands]).limits(limits).build();
        assert_eq!(show(host.gate(bash("ls"), &CallOptions::supervised()).await), "allow: ls");
    });
}

/// Computes until it sees that its call was cancelled. Says when it began and when it saw.
struct Listener {
    started: Arc<tokio::sync::Notify>,
    seen: Arc<AtomicBool>,
}

impl Listener {
    fn new() -> (Self, Arc<dyn Handler>) {
        let listener = Listener { started: Arc::default(), seen: Arc::default() };
        let (start, tell) = (Arc::clone(&listener.started), Arc::clone(&listener.seen));
        let handler = on("a", "tool_call", move |_, context| {
            let (start, tell) = (Arc::clone(&start), Arc::clone(&tell));
            async move {
                let until = Instant::now() + Duration::from_secs(20);
                start.notify_one();
                while !context.is_cancelled() && Instant::now() < until {
                    std::thread::yield_now();
                }
                tell.store(context.is_cancelled(), Ordering::Relaxed);
                nothing()
            }
        });
        (listener, handler)
    }

    async fn hears_of_it(&self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !self.seen.load(Ordering::Relaxed) {
            assert!(Instant::now() < deadline, "the handler did not hear of it");
            tokio::task::yield_now().await;
        }
    }
}

#[test]
fn a_cancelled_call_is_answered_while_a_handler_computes_and_the_handler_can_see_it() {
    on_each_runtime(|| async {
        let (listener, handler) = Listener::new();
        let host = host([handler]);
        let cancel = CancellationToken::new();
        let options = CallOptions { cancel: Some(cancel.clone()), ..CallOptions::supervised() };
        let (gated, ()) = tokio::join!(host.gate(bash("ls"), &options), async {
            listener.started.notified().await;
            cancel.cancel();
        });
        assert_eq!(show(gated), "deny[cancelled]: the call was cancelled");
        listener.hears_of_it().await;
    });
}

#[test]
fn a_handler_that_computes_sees_that_its_call_was_dropped() {
    on_each_runtime(|| async {
        let (listener, handler) = Listener::new();
        let host = host([handler]);
        let options = CallOptions::supervised();
        tokio::select! {
            _ = host.gate(bash("ls"), &options) => panic!("it computes"),
            () = listener.started.notified() => {}
        }
        listener.hears_of_it().await;
    });
}
