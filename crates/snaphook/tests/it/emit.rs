//! Events that cannot be denied: chains, checks, notices, and their limits.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use snaphook::*;

use crate::support::*;

fn result(content: &str) -> Event {
    Event::tool_result(ToolResult {
        call: bash("ls"),
        original_input: Arc::new(Value::Null),
        content: content.into(),
        details: Arc::default(),
        is_error: false,
    })
}

fn appends(id: &str, text: &'static str) -> Arc<dyn Handler> {
    on(id, "tool_result", move |event, _| async move {
        let content = event.subject().as_str().unwrap_or_default().to_owned() + text;
        answer("tool_result", json!({"content": content}))
    })
}

fn turn_end() -> Event {
    lifecycle(Lifecycle::TurnEnd, json!({"turn_index": 1}))
}

#[tokio::test(start_paused = true)]
async fn rewrites_chain_and_a_failing_handler_keeps_the_value() {
    let fails = on("f", "tool_result", |_, _| async { Err(HandlerError::new(Cause::Error, "boom")) });
    let bad = says("m", "tool_result", json!({"isError": true}));
    let host = host([appends("a", "+a"), fails, bad, hangs("h", "tool_result"), appends("b", "+b")]);
    let before = tokio::time::Instant::now();
    let emitted = host.emit(result("x"), &CallOptions::default()).await;
    assert_eq!(before.elapsed(), Duration::from_secs(30));
    assert_eq!(emitted.event.subject(), json!("x+a+b"));
    assert!(emitted.rewritten);
    let causes: Vec<_> = emitted.reports.iter().filter_map(|report| report.cause).collect();
    assert_eq!(causes, [Cause::Error, Cause::Malformed, Cause::Timeout]);
    assert_eq!(
        emitted.reports[2].to_string(),
        "h.lua:1: hook \"h\" on tool_result: gave no answer within 30 s"
    );
}

#[tokio::test]
async fn checks_stop_at_the_first_failure() {
    let handlers = || {
        vec![
            says("lint", "pre_commit", json!({})),
            says("test", "pre_commit", json!({"fail": true, "reason": "2 tests failed"})),
            on("slow", "pre_commit", |_, _| async { panic!("stays pending") }),
            on_where("other", "pre_commit", None, |_| false, |_, _| async { nothing() }),
        ]
    };
    for options in [CallOptions::default(), CallOptions::supervised()] {
        let files = lifecycle(Lifecycle::PreCommit, json!({"files": ["a.rs"]}));
        let checks = host(handlers()).emit(files, &options).await.checks;
        let names = |infos: &[HandlerInfo]| infos.iter().map(|info| info.hook.id.clone()).collect::<Vec<_>>();
        assert_eq!(
            (names(&checks.passed), names(&checks.pending)),
            (vec!["lint".into()], vec!["slow".into()])
        );
        assert_eq!(checks.failed.map(|failed| failed.reason).as_deref(), Some("2 tests failed"));
    }
}

#[tokio::test]
async fn a_check_that_did_not_load_has_failed() {
    let problem = Problem::error("lint.lua", "expected ')'").at_line(3);
    let discovery = Discovery { problems: vec![problem], ..Discovery::default() };
    let host = builder([says("test", "pre_commit", json!({}))]).discovery(discovery).build();
    let checks = host
        .emit(lifecycle(Lifecycle::PreCommit, json!({"files": []})), &CallOptions::default())
        .await
        .checks;
    let failed = checks.failed.unwrap();
    assert_eq!(
        (failed.cause, failed.handler.location().to_string().as_str()),
        (Some(Cause::Load), "lint.lua:3")
    );
    assert_eq!((checks.passed.len(), checks.pending.len()), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_check_that_breaks_or_hangs_has_failed() {
    let breaks = on("a", "files_changed", |_, _| async { Err(HandlerError::new(Cause::Memory, "too much")) });
    for (handler, cause) in [(breaks, Cause::Memory), (hangs("a", "files_changed"), Cause::Timeout)] {
        let files = lifecycle(Lifecycle::FilesChanged, json!({"files": []}));
        let before = tokio::time::Instant::now();
        let failed = builder([handler])
            .check_wait(Duration::from_secs(5))
            .build()
            .emit(files, &CallOptions::default())
            .await
            .checks
            .failed;
        let waited = if cause == Cause::Timeout { 5 } else { 0 };
        assert_eq!(before.elapsed(), Duration::from_secs(waited));
        assert_eq!(failed.unwrap().cause, Some(cause));
    }
}

#[tokio::test(start_paused = true)]
async fn notices_are_given_thirty_seconds_and_never_stop_the_rest() {
    let trace = Trace::default();
    let last = trace.clone();
    let host = host([
        hangs("h", "turn_end"),
        on("p", "turn_end", |_, _| async { panic!("at work") }),
        on("c", "turn_end", move |_, _| {
            last.add("ran");
            async { answer("turn_end", json!({"context": "for the model"})) }
        }),
    ]);
    let before = tokio::time::Instant::now();
    let emitted = host.emit(turn_end(), &CallOptions::default()).await;
    assert_eq!(before.elapsed(), Duration::from_secs(30));
    assert_eq!(trace.all(), "ran");
    assert_eq!(emitted.reports.len(), 2);
    let texts = host.outbox().take(Deliver::NextTurn);
    assert_eq!(texts.iter().map(|text| text.text.as_str()).collect::<Vec<_>>(), ["for the model"]);
    assert!(host.outbox().is_empty());
}

#[tokio::test]
async fn the_agent_is_sent_on_three_times_a_prompt() {
    let host = host([says("a", "agent_end", json!({"continue_with": "go on"}))]);
    let end = || lifecycle(Lifecycle::AgentEnd, json!({}));
    for round in 0..2 {
        for time in 0..5 {
            let emitted = host.emit(end(), &CallOptions::default()).await;
            assert_eq!(emitted.continue_with.len(), usize::from(time < 3), "round {round}, time {time}");
            assert_eq!(emitted.reports.len(), usize::from(time >= 3));
        }
        host.emit(lifecycle(Lifecycle::UserPrompt, json!({"prompt": "next"})), &CallOptions::default()).await;
    }
}

#[tokio::test]
async fn a_handler_may_cause_events_that_its_own_hook_handles() {
    let trace = Trace::default();
    let heard = trace.clone();
    let host = host([
        on("a", "tool_call", |_, context| async move {
            let services = Arc::clone(&context.services);
            services.emit(&hook("a"), &context, "acme.ping".into(), map(json!({"n": 1}))).await.unwrap();
            nothing()
        }),
        on("a", "acme.ping", move |event, context| {
            heard.add(format!("{}@{}", event.subject(), context.depth));
            async { nothing() }
        }),
    ]);
    assert_eq!(gated(&host, "ls").await, "allow: ls");
    assert_eq!(show(host.gate(bash("ls"), &CallOptions::supervised()).await), "allow: ls");
    assert_eq!(trace.all(), r#"{"n":1}@1 {"n":1}@1"#);
}

#[tokio::test]
async fn caused_events_have_a_floor_and_a_common_budget() {
    let trace = Trace::default();
    let deepest = trace.clone();
    let emit = |context: Arc<CallContext>, name: &'static str| async move {
        let services = Arc::clone(&context.services);
        services.emit(&hook("a"), &context, name.into(), map(json!({}))).await
    };
    let host = host([
        on("a", "acme.loop", move |_, context| {
            let trace = deepest.clone();
            async move {
                context.charge(Duration::from_millis(10));
                if let Err(error) = emit(Arc::clone(&context), "acme.loop").await {
                    trace.add(error.to_string());
                }
                nothing()
            }
        }),
        on("b", "tool_call", move |_, context| async move {
            emit(Arc::clone(&context), "acme.loop").await.unwrap();
            assert_eq!(context.cpu_left(), Duration::from_secs(5) - Duration::from_millis(80));
            for name in ["tool_call", "nodot", "a..b"] {
                assert!(emit(Arc::clone(&context), name).await.is_err(), "{name}");
            }
            nothing()
        }),
    ]);
    assert_eq!(gated(&host, "ls").await, "allow: ls");
    assert_eq!(trace.all(), "acme.loop was not emitted: events cause events 8 deep already");
}

#[tokio::test]
async fn handlers_of_one_hook_interleave_while_one_waits() {
    let (go, gone) = (Arc::new(tokio::sync::Notify::new()), Arc::new(tokio::sync::Notify::new()));
    let (wait, open) = (Arc::clone(&go), Arc::clone(&go));
    let waiting = Arc::clone(&gone);
    let host = host([
        on("a", "tool_call", move |_, _| {
            let (wait, waiting) = (Arc::clone(&wait), Arc::clone(&waiting));
            async move {
                waiting.notify_one();
                wait.notified().await;
                nothing()
            }
        }),
        on("a", "turn_end", move |_, _| {
            open.notify_one();
            async { nothing() }
        }),
    ]);
    let (gated, _) = tokio::join!(gated(&host, "ls"), async {
        gone.notified().await;
        host.emit(turn_end(), &CallOptions::default()).await
    });
    assert_eq!(gated, "allow: ls");
}

#[tokio::test]
async fn cancelling_an_event_drops_its_handlers() {
    let trace = Trace::default();
    let mine = trace.clone();
    let host = host([on("a", "turn_end", move |_, _| {
        let gone = OnDrop(mine.clone(), "dropped");
        async move {
            let _gone = gone;
            std::future::pending().await
        }
    })]);
    let cancel = CancellationToken::new();
    let options = CallOptions { cancel: Some(cancel.clone()), ..CallOptions::default() };
    let (emitted, ()) = tokio::join!(host.emit(turn_end(), &options), async {
        settle().await;
        cancel.cancel();
    });
    assert!(emitted.cancelled);
    assert_eq!(trace.all(), "dropped");
}
