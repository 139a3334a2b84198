//! Gates: what comes out of answers, failures, panics, cancelling.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::json;
use snaphook::*;

use crate::support::*;

/// Replaces the first text by the second in a command.
fn replaces(id: &str, from: &'static str, to: &'static str) -> Arc<dyn Handler> {
    on(id, "tool_call", move |event, _| async move {
        let line = command(&event).replace(from, to);
        answer("tool_call", json!({"command": line}))
    })
}

fn denies_rm(id: &str) -> Arc<dyn Handler> {
    on(id, "tool_call", |event, _| async move {
        let rm = command(&event).contains("rm");
        answer("tool_call", json!({"block": rm, "reason": "no rm"}))
    })
}

#[tokio::test]
async fn what_handlers_say_is_what_comes_out() {
    let t = "tool_call";
    let cases: Vec<(Handlers, &str)> = vec![
        (vec![], "allow: ls"),
        (vec![says("a", t, json!({}))], "allow: ls"),
        (vec![says("a", t, json!({"allow": true}))], "allow: ls"),
        (vec![says("a", t, json!({"block": true, "reason": "no"}))], "deny[]: no [a at a.lua:1]"),
        (
            vec![says("a", t, json!({"block": true}))],
            "deny[]: blocked by the hook \"a\", which gave no reason [a at a.lua:1]",
        ),
        (
            vec![says("a", t, json!({"block": true, "reason": "no"})), says("b", t, json!({"allow": true}))],
            "deny[]: no [a at a.lua:1]",
        ),
        (
            vec![
                says("a", t, json!({"block": true, "reason": "no"})),
                says("b", t, json!({"block": true, "reason": "nor this"})),
            ],
            "deny[]: no [a at a.lua:1]\nnor this [b at b.lua:1]",
        ),
        // Break 1: the gate is loaded first, the rewrite last; the gate sees what runs.
        (vec![denies_rm("gate"), replaces("late", "ls", "rm -rf /")], "deny[]: no rm [gate at gate.lua:1]"),
        (vec![denies_rm("gate"), replaces("late", "ls", "ls -l")], "allow: ls -l"),
        (
            vec![replaces("one", "ls", "dir"), replaces("other", "dir", "ls")],
            "deny[no_rest]: the hooks kept rewriting each other's input; gave up after 3 rounds",
        ),
        // Break 2: an invalid answer.
        (
            vec![says("a", t, json!({"blocked": true}))],
            "deny[malformed]: the hook \"a\" failed: tool_call answer has an unknown key `blocked`; did you mean \
             `block`? (legal: block, reason, ask, allow, input, command, path, content, url, hold, context, terminate) \
             [a at a.lua:1]",
        ),
        (
            vec![says("a", t, json!("block"))],
            "deny[malformed]: the hook \"a\" failed: tool_call handler returned the text \"block\", not an object \
             of answers; return {\"block\": true, \"reason\": \"…\"} to deny, or nothing to let it through \
             [a at a.lua:1]",
        ),
        // Break 7: who failed, and where.
        (
            vec![on("a", t, |_, _| async {
                let location = Some(Location { file: "lib.lua".into(), line: Some(7) });
                Err(HandlerError { location, ..HandlerError::new(Cause::Error, "boom") })
            })],
            "deny[error]: the hook \"a\" failed: boom [a at lib.lua:7]",
        ),
        (vec![on_where("a", t, None, |_| false, |_, _| async { panic!("never runs") })], "allow: ls"),
    ];
    for (number, (handlers, expected)) in cases.into_iter().enumerate() {
        let host = host(handlers);
        for supervised in [false, true] {
            let options = CallOptions { supervised, ..CallOptions::default() };
            let shown = show(host.gate(bash("ls"), &options).await);
            assert_eq!(shown, expected, "case {number}, supervised {supervised}");
        }
    }
}

#[tokio::test]
async fn panics_deny_and_stay_inside() {
    let places: Vec<(&str, Arc<dyn Handler>)> = vec![
        ("made", on("a", "tool_call", |_, _| -> std::future::Ready<Answered> { panic!("made") })),
        ("polled", on("a", "tool_call", |_, _| async { panic!("polled") })),
        ("matched", on_where("a", "tool_call", None, |_| panic!("matched"), |_, _| async { nothing() })),
    ];
    for (word, handler) in places {
        let gate = says("b", "tool_call", json!({"block": true, "reason": "mine"}));
        let host = host([handler, gate]);
        let expected = format!(
            "deny[panic]: the hook \"a\" failed: panicked: {word} [a at a.lua:1]\nmine [b at b.lua:1]"
        );
        assert_eq!(gated(&host, "ls").await, expected);
        assert_eq!(show(host.gate(bash("ls"), &CallOptions::supervised()).await), expected);
    }
}

#[tokio::test]
async fn a_panic_while_a_handler_is_dropped_stays_inside() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("in drop");
        }
    }
    let host = host([on("a", "tool_call", |_, _| async {
        let _bomb = Bomb;
        std::future::pending().await
    })]);
    let options = CallOptions::default();
    let mut gate = Box::pin(host.gate(bash("ls"), &options));
    tokio::select! { biased; _ = &mut gate => panic!("it hangs"), () = settle() => {} }
    drop(gate);
    assert_eq!(gated(&self::host([]), "ls").await, "allow: ls");
}

#[tokio::test]
async fn reports_carry_the_traceback() {
    let seen = Trace::default();
    let told = seen.clone();
    let failing = on("a", "tool_call", |_, _| async {
        let traceback = Some("a.lua:3 in f".to_owned());
        Err(HandlerError { traceback, ..HandlerError::new(Cause::Error, "boom") })
    });
    let host = builder([failing]).on_report(move |report| told.add(report.to_string())).build();
    let ControlFlow::Break(denied) = host.gate(bash("ls"), &CallOptions::default()).await else {
        panic!("it passed")
    };
    assert!(denied.is_synthetic());
    assert_eq!(denied.reports[0].traceback.as_deref(), Some("a.lua:3 in f"));
    assert_eq!(seen.all(), "a.lua:1: hook \"a\" on tool_call: boom");
}

#[tokio::test]
async fn cancelling_drops_what_waits() {
    for supervised in [false, true] {
        let trace = Trace::default();
        let (mine, started) = (trace.clone(), Arc::new(tokio::sync::Notify::new()));
        let start = Arc::clone(&started);
        let host = host([on("a", "tool_call", move |_, _| {
            let (trace, start) = (mine.clone(), Arc::clone(&start));
            async move {
                let _gone = OnDrop(trace, "dropped");
                start.notify_one();
                std::future::pending().await
            }
        })]);
        let cancel = CancellationToken::new();
        let options = CallOptions { cancel: Some(cancel.clone()), supervised, ..CallOptions::default() };
        let (gated, ()) = tokio::join!(host.gate(bash("ls"), &options), async {
            started.notified().await;
            cancel.cancel();
        });
        assert_eq!(show(gated), "deny[cancelled]: the call was cancelled");
        // The supervised handler lives on another thread, which needs a moment to hear of it.
        while trace.all().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(trace.all(), "dropped");
        // Cancelled before it began: no handler runs at all.
        assert_eq!(show(host.gate(bash("ls"), &options).await), "deny[cancelled]: the call was cancelled");
    }
}

#[tokio::test]
async fn the_other_gated_events_follow_the_same_law() {
    let host = host([
        on("a", "user_prompt", |event, _| async move {
            let prompt = event.subject()["prompt"].as_str().unwrap_or_default().to_uppercase();
            answer("user_prompt", json!({"prompt": prompt, "context": "shouted"}))
        }),
        says("b", "session_before_compact", json!({"block": true, "reason": "later"})),
    ]);
    let emitted =
        host.emit(lifecycle(Lifecycle::UserPrompt, json!({"prompt": "hi"})), &CallOptions::default()).await;
    assert_eq!(emitted.event.subject(), json!({"prompt": "HI"}));
    assert!(emitted.rewritten && emitted.decision.is_some_and(|decision| decision.is_allowed()));
    assert_eq!(emitted.context[0].text, "shouted");
    let compact = lifecycle(Lifecycle::SessionBeforeCompact, json!({}));
    let decided = host.decide(compact, &CallOptions::default()).await;
    assert_eq!(decided.decision.message(), "later [b at b.lua:1]");
    let startup = host.decide(lifecycle(Lifecycle::Startup, json!({})), &CallOptions::default()).await;
    assert_eq!(startup.decision.verdict, Verdict::Deny);
}

#[tokio::test]
async fn an_empty_cpu_budget_denies_before_the_handler_runs() {
    let spends = on("a", "tool_call", |_, context| async move {
        context.charge(context.cpu_left());
        nothing()
    });
    let host = host([spends, on("b", "tool_call", |_, _| async { panic!("never runs") })]);
    let expected = "deny[budget]: the hook \"b\" failed: the handlers of this event have used up their computing time \
                    [b at b.lua:1]";
    assert_eq!(gated(&host, "ls").await, expected);
}

#[test]
fn without_a_runtime_a_gate_still_gates() {
    let host = host([denies_rm("gate")]);
    let polled = std::pin::pin!(host.gate(bash("rm x"), &CallOptions::supervised()))
        .poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
    let std::task::Poll::Ready(gated) = polled else { panic!("nothing waits") };
    assert_eq!(show(gated), "deny[]: no rm [gate at gate.lua:1]");
}
