//! Handlers that cannot be stopped: the host answers without them (law 5).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
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

#[tokio::test]
async fn a_gate_is_answered_without_the_handler_and_the_hook_is_out_of_service() {
    let spin = Spin::new();
    let other =
        on("b", "tool_call", |_, _| async { answer("tool_call", json!({"block": true, "reason": "mine"})) });
    let host = builder([spin.handler("spin", "tool_call"), other]).limits(quick()).build();
    let denied = show(host.gate(bash("ls"), &CallOptions::supervised()).await);
    assert_eq!(
        denied,
        format!("deny[stuck]: the hook \"spin\" failed: {STUCK} [spin at spin.lua:1]\nmine [b at b.lua:1]")
    );
    // Inline as well: the handler is not entered again.
    let again = gated(&host, "ls").await;
    assert!(again.starts_with(&format!("deny[stuck,stuck]: {BROKEN}")), "{again}");
    drop(spin);
    host.reload(Discovery::default());
    assert_eq!(show(host.gate(bash("ls"), &CallOptions::supervised()).await), "deny[]: mine [b at b.lua:1]");
}

#[tokio::test]
async fn events_go_on_without_the_handler() {
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
}

#[tokio::test]
async fn the_hook_that_computes_is_blamed_not_the_one_that_waits_for_it() {
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
}

#[tokio::test]
async fn waiting_is_not_computing() {
    let limits = quick();
    let wait = (limits.handler_cpu + limits.stop_grace) * 4;
    let waits = on("a", "tool_call", move |_, _| async move {
        tokio::time::sleep(wait).await;
        nothing()
    });
    let host = builder([waits]).limits(limits).build();
    assert_eq!(show(host.gate(bash("ls"), &CallOptions::supervised()).await), "allow: ls");
}

/// As in a program that is paused: the thread of the handler is, and so the handler has computed nothing.
#[tokio::test]
async fn a_handler_whose_thread_stands_still_is_not_stuck() {
    let limits = quick();
    let pause = (limits.handler_cpu + limits.stop_grace) * 6;
    let stands = on("a", "tool_call", move |_, _| async move {
        std::thread::sleep(pause);
        nothing()
    });
    let host = builder([stands]).limits(limits).build();
    assert_eq!(show(host.gate(bash("ls"), &CallOptions::supervised()).await), "allow: ls");
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

#[tokio::test]
async fn a_cancelled_call_is_answered_while_a_handler_computes_and_the_handler_can_see_it() {
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
}

#[tokio::test]
async fn a_handler_that_computes_sees_that_its_call_was_dropped() {
    let (listener, handler) = Listener::new();
    let host = host([handler]);
    let options = CallOptions::supervised();
    tokio::select! {
        _ = host.gate(bash("ls"), &options) => panic!("it computes"),
        () = listener.started.notified() => {}
    }
    listener.hears_of_it().await;
}

// ---- supervised handlers that come to an end ----

/// A handler that blocks its thread until a task on the runtime's one thread lets it go on.
#[tokio::test]
async fn all_else_goes_on_while_a_handler_blocks() {
    let (go, may) = mpsc::channel();
    let may = Mutex::new(may);
    let (began, mut begun) = tokio::sync::mpsc::unbounded_channel();
    let waits = on("a", "tool_call", move |_, _| {
        began.send(()).unwrap();
        may.lock().unwrap().recv().unwrap();
        async { nothing() }
    });
    let host = host([waits]);
    for line in ["one", "two"] {
        let host = host.clone();
        let gate = tokio::spawn(async move { show(host.gate(bash(line), &CallOptions::supervised()).await) });
        begun.recv().await.unwrap();
        go.send(()).unwrap();
        assert_eq!(gate.await.unwrap(), format!("allow: {line}"));
    }
}

#[tokio::test]
async fn a_supervised_handler_that_waits_goes_on_and_one_that_panics_is_a_denial() {
    let handler = on("a", "tool_call", move |event, _| async move {
        match &*command(&event) {
            "panic" => panic!("oh"),
            "yield" => tokio::task::yield_now().await,
            "sleep" => tokio::time::sleep(Duration::from_millis(1)).await,
            _ => {}
        }
        nothing()
    });
    let host = host([handler]);
    let panicked = "deny[panic]: the hook \"a\" failed: panicked: oh [a at a.lua:1]";
    for (line, want) in
        [("yield", "allow: yield"), ("sleep", "allow: sleep"), ("ls", "allow: ls"), ("panic", panicked)]
    {
        for _ in 0..10 {
            assert_eq!(show(host.gate(bash(line), &CallOptions::supervised()).await), want);
        }
    }
}

#[tokio::test]
async fn many_at_once_are_all_answered_and_a_handler_may_cause_events() {
    let asks = on("a", "tool_call", |event, context| async move {
        if command(&event).ends_with('7') {
            let services = Arc::clone(&context.services);
            let _ = services.emit(&hook("a"), &context, "acme.ping".into(), map(json!({}))).await;
        }
        if command(&event).ends_with('3') {
            answer("tool_call", json!({"block": true, "reason": "three"}))
        } else {
            nothing()
        }
    });
    let pinged = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&pinged);
    let pings = on("b", "acme.ping", move |_, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { nothing() }
    });
    let host = host([asks, pings]);
    let gates: Vec<_> = (0..200)
        .map(|number| {
            let host = host.clone();
            tokio::spawn(async move {
                show(host.gate(bash(&number.to_string()), &CallOptions::supervised()).await)
            })
        })
        .collect();
    for (number, gate) in gates.into_iter().enumerate() {
        let want = match number % 10 {
            3 => "deny[]: three [a at a.lua:1]".to_owned(),
            _ => format!("allow: {number}"),
        };
        assert_eq!(gate.await.unwrap(), want);
    }
    assert_eq!(pinged.load(Ordering::Relaxed), 20);
}
