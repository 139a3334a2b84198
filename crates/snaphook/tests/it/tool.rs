//! Tools behind the gate.

use std::sync::Arc;

use serde_json::{Value, json};
use snaphook::*;

use crate::support::*;

type Body = dyn Fn(ToolCall, PartialOutput) -> BoxFuture<'static, ToolOutput> + Send + Sync;

struct Bash(Box<Body>);

impl Tool for Bash {
    fn name(&self) -> &str {
        "bash"
    }

    fn run<'a>(&'a self, call: &'a ToolCall, output: PartialOutput) -> BoxFuture<'a, ToolOutput> {
        (self.0)(call.clone(), output)
    }
}

fn tool<F: Future<Output = ToolOutput> + Send + 'static>(
    body: impl Fn(ToolCall, PartialOutput) -> F + Send + Sync + 'static,
) -> Bash {
    Bash(Box::new(move |call, output| Box::pin(body(call, output))))
}

/// Says what it was called with, piece by piece where it may.
fn echo() -> Bash {
    tool(|call, output| async move {
        let line = call.command().unwrap_or_default().into_owned();
        if let Some(output) = output {
            output("partial ");
        }
        if line == "fail" { ToolOutput::error("failed") } else { ToolOutput::text(line) }
    })
}

#[tokio::test]
async fn results_and_blocks() {
    let t = "tool_call";
    let r = "tool_result";
    // name, handlers, command, content, is_error, rewritten
    let cases: Vec<(Handlers, &str, &str, bool, bool)> = vec![
        (vec![], "ls", "ls", false, false),
        (vec![], "fail", "failed", true, false),
        (vec![says("a", t, json!({"command": "ls -l"}))], "ls", "ls -l", false, false),
        (
            vec![
                says("a", t, json!({"block": true, "reason": "no"})),
                on("b", r, |_, _| async { panic!("a blocked call has no tool_result") }),
            ],
            "ls",
            "no [a at a.lua:1]",
            true,
            false,
        ),
        (vec![says("a", r, json!({"content": "redacted"}))], "ls", "redacted", false, true),
        // Break 10: `is_error` counts, both ways, and failed tools are seen.
        (vec![says("a", r, json!({"is_error": true}))], "ls", "ls", true, true),
        (vec![says("a", r, json!({"is_error": false, "content": "fine"}))], "fail", "fine", false, true),
        (vec![hangs_not("a")], "ls", "ls", false, false),
    ];
    for (number, (handlers, line, content, is_error, rewritten)) in cases.into_iter().enumerate() {
        let outcome = host(handlers).call_tool(&echo(), bash(line), None, &CallOptions::supervised()).await;
        assert_eq!(outcome.output.content, content, "case {number}");
        assert_eq!(
            (outcome.output.is_error, outcome.rewritten_result),
            (is_error, rewritten),
            "case {number}"
        );
        assert_eq!(*outcome.original_input, json!({"command": line}), "case {number}");
    }
}

fn hangs_not(id: &str) -> Arc<dyn Handler> {
    on(id, "tool_result", |event, _| async move {
        assert!(
            matches!(event.payload(), Payload::Result(result) if *result.original_input == json!({"command": "ls"}))
        );
        nothing()
    })
}

#[tokio::test]
async fn handlers_see_both_inputs_and_give_context() {
    let host = host([
        says("a", "tool_call", json!({"command": "ls -l", "context": "from the gate"})),
        on("b", "tool_result", |event, _| async move {
            let Payload::Result(result) = event.payload() else { panic!("no result") };
            assert_eq!(*result.original_input, json!({"command": "ls"}));
            assert_eq!(result.call.command().as_deref(), Some("ls -l"));
            answer("tool_result", json!({"context": "from the result"}))
        }),
    ]);
    let outcome = host.call_tool(&echo(), bash("ls"), None, &CallOptions::supervised()).await;
    assert!(outcome.reports.is_empty(), "{:?}", outcome.reports);
    let texts: Vec<_> = outcome.context.iter().map(|context| context.text.as_str()).collect();
    assert_eq!(texts, ["from the gate", "from the result"]);
}

#[tokio::test]
async fn a_broken_tool_is_an_error_result() {
    for broken in [tool(|_, _| async { panic!("oh") }), Bash(Box::new(|_, _| panic!("oh")))] {
        let outcome = host([says("a", "tool_result", json!({"context": "seen"}))])
            .call_tool(&broken, bash("ls"), None, &CallOptions::supervised())
            .await;
        assert_eq!(outcome.output, ToolOutput::error("the tool panicked: oh"));
        assert_eq!(outcome.context.len(), 1);
    }
    let other = ToolCall::new("1", "read", json!({"path": "x"}));
    let outcome = host([]).call_tool(&echo(), other, None, &CallOptions::supervised()).await;
    assert_eq!(outcome.output.content, "the call is for \"read\", the tool is another");
}

#[tokio::test]
async fn partial_output_waits_for_those_who_could_rewrite_it() {
    let not_bash = |event: &Event| event.call().is_some_and(|call| &*call.tool != "bash");
    let for_read =
        |matcher: Option<Value>| on_where("a", "tool_result", matcher, not_bash, |_, _| async { nothing() });
    let broken_matcher =
        on_where("a", "tool_result", Some(json!({})), |_| panic!("matcher"), |_, _| async { nothing() });
    let cases: Vec<(Handlers, &str)> = vec![
        (vec![], "partial "),
        (vec![says("a", "tool_call", json!({}))], "partial "),
        (vec![says("a", "tool_result", json!({}))], ""),
        // Data that excludes the call is proof; a function that refuses an empty result is not.
        (vec![for_read(Some(json!({"tool": "read"})))], "partial "),
        (vec![for_read(None)], ""),
        (vec![broken_matcher], ""),
    ];
    for (number, (handlers, expected)) in cases.into_iter().enumerate() {
        let shown = Trace::default();
        let screen = shown.clone();
        let output: PartialOutput = Some(Arc::new(move |text: &str| screen.add(text)));
        host(handlers).call_tool(&echo(), bash("ls"), output, &CallOptions::supervised()).await;
        assert_eq!(shown.all(), expected, "case {number}");
    }
}

#[tokio::test]
async fn a_turn_gates_in_order_and_runs_in_parallel() {
    let trace = Trace::default();
    let (gates, tools) = (trace.clone(), trace.clone());
    let host = host([on("a", "tool_call", move |event, _| {
        let trace = gates.clone();
        async move {
            let line = command(&event);
            tokio::task::yield_now().await;
            trace.add(format!("gate:{line}"));
            answer("tool_call", json!({"block": line == "two", "reason": "not two"}))
        }
    })]);
    // Each tool waits for the other: alone, neither would end.
    let barrier = Arc::new(tokio::sync::Barrier::new(2));
    let both = Arc::new(tool(move |call, _| {
        let (barrier, trace) = (Arc::clone(&barrier), tools.clone());
        async move {
            let line = call.command().unwrap_or_default().into_owned();
            barrier.wait().await;
            trace.add("tool");
            ToolOutput::text(line)
        }
    }));
    let calls = ["one", "two", "three"].map(|line| TurnCall::new(both.clone(), bash(line)));
    let outcomes = host.run_turn(calls.into(), &CallOptions::default()).await;
    assert_eq!(trace.all(), "gate:one gate:two gate:three tool tool");
    let contents: Vec<_> = outcomes.iter().map(|outcome| outcome.output.content.as_str()).collect();
    assert_eq!(contents, ["one", "not two [a at a.lua:1]", "three"]);
}

#[tokio::test]
async fn a_cancelled_call_shows_nothing_unredacted() {
    let started = Arc::new(tokio::sync::Notify::new());
    let redactor = {
        let started = Arc::clone(&started);
        on("a", "tool_result", move |_, _| {
            started.notify_one();
            std::future::pending()
        })
    };
    let hanging_tool = {
        let started = Arc::clone(&started);
        tool(move |_, _| {
            started.notify_one();
            std::future::pending()
        })
    };
    for (host, tool) in [(host([redactor]), echo()), (host([]), hanging_tool)] {
        let cancel = CancellationToken::new();
        let options = CallOptions { cancel: Some(cancel.clone()), ..CallOptions::default() };
        let (outcome, ()) = tokio::join!(host.call_tool(&tool, bash("secret"), None, &options), async {
            started.notified().await;
            cancel.cancel();
        });
        assert!(outcome.cancelled);
        assert_eq!(outcome.output, ToolOutput::error("the call was cancelled"));
    }
}
