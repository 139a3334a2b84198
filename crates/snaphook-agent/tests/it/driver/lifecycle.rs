//! The lifecycle in order, the reported steps, and what hooks send.

use std::sync::{Arc, Mutex};

use serde_json::json;
use snaphook::{CallContext, CancellationToken, Deliver, Event, HookRef, Host, Lifecycle, Scope};
use snaphook_agent::driver::{Ending, Replay, Step};
use snaphook_agent::scratch::CopyLimits;
use tempfile::TempDir;

use super::{Played, bash, block, command, hook, play, prompt, recording, turn, witnesses};
use crate::support::create;

#[tokio::test]
async fn the_lifecycle_is_in_order_also_when_a_call_is_blocked() {
    let trace = Arc::new(Mutex::new(Vec::new()));
    let mut hooks = witnesses(&trace);
    hooks.push(block("sudo"));
    let text = prompt("go")
        + &turn("two", &[bash("a", "sudo ls"), bash("b", "echo b"), bash("c", "exit 2")])
        + &turn("done", &[]);
    let played = play(recording(&text), hooks, CancellationToken::new()).await;
    let trace = trace.lock().unwrap();
    // The results of parallel calls come in any order.
    let mut sorted = trace.clone();
    let results = sorted.iter().position(|name| name.starts_with("tool_result")).unwrap();
    sorted[results..results + 2].sort();
    assert_eq!(
        sorted.join(" > "),
        "startup > session > session_start > user_prompt > iteration_start > agent_start \
         > turn_start > context > model_request > model_response \
         > tool_call:a > tool_call:b > tool_call:c > tool_result:b > tool_result:c > turn_end \
         > turn_start > context > model_request > model_response > turn_end \
         > agent_end > iteration_end > session_end > shutdown"
    );
    assert_eq!(
        played.report_lines(),
        [
            "notice startup hooks: 1 ran, none failed",
            "prompt go",
            "agent says two",
            "a denied: no sudo here [guard at guard.lua:7]",
            "b allowed",
            "c allowed",
            "b finished",
            "c finished failed",
            "agent says done"
        ]
    );
    let roles: Vec<_> = played.transcript.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "tool", "assistant"]);
    assert_eq!(played.transcript[2]["content"], "no sudo here [guard at guard.lua:7]");
}

/// Over all prompts of a session, each with its start and its end.
#[tokio::test]
async fn turns_are_counted_from_0() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let hooks = [Lifecycle::TurnStart, Lifecycle::TurnEnd].map(|lifecycle| {
        let seen = Arc::clone(&seen);
        hook(lifecycle.name(), lifecycle, move |event, _| {
            let index = event.subject()["turn_index"].clone();
            seen.lock().unwrap().push(format!("{} {index}", event.name()));
            json!({})
        })
    });
    let text =
        prompt("one") + &turn("a", &[bash("a", "true")]) + &turn("b", &[]) + &prompt("two") + &turn("c", &[]);
    play(recording(&text), hooks.into(), CancellationToken::new()).await;
    let expected: Vec<_> =
        (0..3).flat_map(|at| [format!("turn_start {at}"), format!("turn_end {at}")]).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_prompt_is_gated_too() {
    let trace = Arc::new(Mutex::new(Vec::new()));
    let mut hooks = witnesses(&trace);
    hooks.push(hook("prompts", Lifecycle::UserPrompt, |event, _| {
        match event.subject()["prompt"].as_str().unwrap() {
            "bad" => json!({"block": true, "reason": "not this"}),
            "short" => json!({"prompt": "rather long", "context": "be kind"}),
            _ => json!({}),
        }
    }));
    let text =
        prompt("bad") + &turn("never", &[bash("a", "touch never")]) + &prompt("short") + &turn("yes", &[]);
    let played = play(recording(&text), hooks, CancellationToken::new()).await;
    assert_eq!(
        played.report_lines(),
        [
            "notice startup hooks: 1 ran, none failed",
            "blocked prompt: not this [prompts at prompts.lua:7]",
            "prompt rather long",
            "now from prompts: be kind",
            "agent says yes"
        ]
    );
    assert_eq!(trace.lock().unwrap().iter().filter(|name| *name == "agent_start").count(), 1);
    assert_eq!((played.summary().prompts, played.summary().blocked_prompts), (2, 1));
}

#[tokio::test]
async fn text_of_hooks_is_delivered_in_time() {
    let sender = |deliver: Deliver, text: &'static str| {
        move |event: &Event, context: &Arc<CallContext>| {
            let hook = HookRef::new("sender", "sender", Scope::User, "sender.lua");
            if event.call().is_none_or(|call| &*call.id == "a") {
                context.services.send(&hook, text.to_owned(), deliver);
            }
            json!({})
        }
    };
    let hooks = vec![
        hook("sender", Lifecycle::SessionStart, |_, _| json!({"context": "branch main"})),
        hook("sender", Lifecycle::ToolCall, sender(Deliver::Now, "hurry")),
        hook("sender", Lifecycle::ToolResult, sender(Deliver::NextTurn, "later")),
        hook("sender", Lifecycle::TurnEnd, sender(Deliver::FollowUp, "after all")),
        hook("ender", Lifecycle::AgentEnd, |_, _| json!({"continue_with": "more"})),
        hook("late", Lifecycle::SessionEnd, |_, _| json!({"context": "too late"})),
    ];
    let text = prompt("go") + &turn("one", &[bash("a", "true"), bash("b", "true")]) + &turn("two", &[]);
    let played = play(recording(&text), hooks, CancellationToken::new()).await;
    assert_eq!(
        played.report_lines(),
        [
            "prompt go",
            "next_turn from sender: branch main",
            "agent says one",
            "a allowed",
            "b allowed",
            "a finished",
            "b finished",
            "now from sender: hurry",
            "next_turn from sender: later",
            "agent says two",
            "go on: more",
            "follow_up from sender: after all",
            "follow_up from sender: after all",
            "notice 1 text of hooks found no turn to be delivered with"
        ]
    );
    let from_hooks = played.transcript.iter().filter(|message| message.get("from").is_some()).count();
    assert_eq!((from_hooks, played.summary().delivered), (6, 5));
}

#[tokio::test]
async fn a_denial_can_stop_the_agent() {
    let stop = hook("stop", Lifecycle::ToolCall, |event, _| match command(event).as_str() {
        "bad" => json!({"block": true, "reason": "enough", "terminate": true}),
        _ => json!({}),
    });
    let text = prompt("go")
        + &turn("one", &[bash("a", "bad"), bash("b", "true")])
        + &turn("never", &[bash("c", "true")])
        + &turn("never", &[])
        + &prompt("again")
        + &turn("yes", &[]);
    let played = play(recording(&text), vec![stop], CancellationToken::new()).await;
    assert_eq!(
        played.report_lines(),
        [
            "prompt go",
            "agent says one",
            "a denied: enough [stop at stop.lua:7]",
            "b allowed",
            "b finished",
            "terminated, 2 left out",
            "prompt again",
            "agent says yes"
        ]
    );
}

#[tokio::test]
async fn an_interruption_ends_the_call_and_closes_the_session() {
    let trace = Arc::new(Mutex::new(Vec::new()));
    let cancel = CancellationToken::new();
    let mut hooks = witnesses(&trace);
    // The result handlers are left out: they would hold back the output that we react to.
    hooks.retain(|hook| hook.info().event != Lifecycle::ToolResult.into());
    let token = cancel.clone();
    let text = prompt("go")
        + &turn("wait", &[bash("a", "echo begun > begun; sleep 600")])
        + &turn("never", &[])
        + &prompt("never");
    let recording = recording(&text);
    let under = TempDir::new().unwrap();
    let scratch =
        create(under.path(), &recording.base, &recording.files, CopyLimits::default()).await.unwrap();
    let begun = scratch.project().join("begun");
    let waiting = tokio::spawn(async move {
        while !begun.exists() {
            tokio::task::yield_now().await;
        }
        token.cancel();
    });
    let host = hooks.into_iter().fold(Host::builder(), |builder, hook| builder.handler(hook)).build();
    let mut driver = Replay::new(recording, &scratch).unwrap().interrupted_by(cancel);
    let mut steps = Vec::new();
    let summary = driver.run(&host, &mut |step: &Step| steps.push(step.clone())).await.unwrap();
    waiting.await.unwrap();
    assert_eq!((summary.ending, summary.prompts, summary.calls), (Ending::Interrupted, 1, 1));
    assert_eq!(
        trace.lock().unwrap().join(" > "),
        "startup > session > session_start > user_prompt > iteration_start > agent_start > turn_start > context > model_request \
         > model_response > tool_call:a > turn_end > agent_error > agent_end > iteration_error > session_end > shutdown"
    );
}

#[tokio::test]
async fn checks_see_what_changed() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let files = Arc::clone(&seen);
    let hooks = vec![
        hook("first", Lifecycle::FilesChanged, move |event, _| {
            files.lock().unwrap().push(event.subject()["files"].to_string());
            json!({})
        }),
        hook("second", Lifecycle::FilesChanged, |_, _| json!({"fail": true, "reason": "red"})),
        hook("third", Lifecycle::FilesChanged, |_, _| json!({})),
    ];
    let text = prompt("change")
        + &turn("", &[bash("a", "echo x > new; mkdir d; echo y > d/deep")])
        + &prompt("look")
        + &turn("", &[bash("b", "cat new")])
        + &prompt("remove")
        + &turn("", &[bash("c", "rm new; echo longer > d/deep")]);
    let played = play(recording(&text), hooks, CancellationToken::new()).await;
    assert_eq!(*seen.lock().unwrap(), ["[\"d/deep\",\"new\"]", "[\"d/deep\",\"new\"]"]);
    let checks: Vec<_> = played.report_lines().into_iter().filter(|line| line.starts_with("check")).collect();
    assert_eq!(checks, ["check first passed", "check failed: red, 1 pending"].repeat(2));
    assert_eq!(played.summary().failed_checks, 2);
}

#[tokio::test]
async fn a_failing_hook_is_reported_and_denies() {
    let hooks = vec![
        hook("broken", Lifecycle::ToolCall, |_, _| json!({"raise": "attempt to index nil"})),
        hook("lost", Lifecycle::TurnStart, |_, _| json!({"raise": "oops"})),
    ];
    let text = prompt("go") + &turn("", &[bash("a", "touch x")]);
    let played = play(recording(&text), hooks, CancellationToken::new()).await;
    assert_eq!((played.summary().denied, played.summary().reports), (1, 2));
    assert!(!played.scratch.project().join("x").exists());
    assert!(
        played.report_lines().iter().any(|line| line.starts_with("report lost.lua:7: ")),
        "{:?}",
        played.report_lines()
    );
}

#[tokio::test]
async fn output_is_told_only_if_nobody_could_rewrite_it() {
    let text = prompt("go") + &turn("", &[bash("a", "echo live")]);
    let plain = play(recording(&text), Vec::new(), CancellationToken::new()).await;
    let shown =
        |played: &Played| played.steps.iter().filter(|step| matches!(step, Step::CallOutput { .. })).count();
    assert_eq!(shown(&plain), 1);
    let redact = hook("redact", Lifecycle::ToolResult, |_, _| json!({}));
    assert_eq!(shown(&play(recording(&text), vec![redact], CancellationToken::new()).await), 0);
}

#[tokio::test]
async fn a_subagent_that_started_also_ends() {
    let trace = Arc::new(Mutex::new(Vec::new()));
    let mut hooks = witnesses(&trace);
    let wanted = ["agent_start", "subagent_start", "tool_call", "subagent_end", "agent_end"];
    hooks.retain(|hook| wanted.contains(&hook.info().event.as_str()));
    hooks.push(hook("stop", Lifecycle::ToolCall, |event, _| match command(event).as_str() {
        "bad" => json!({"block": true, "reason": "enough", "terminate": true}),
        _ => json!({}),
    }));
    let sub = |id: &str, call: &str| {
        turn("", &[bash(call, call)]).replace("\"text\":\"\"", &format!("\"subagent\":\"{id}\""))
    };
    let text = prompt("go")
        + &sub("x", "true")
        + &sub("y", "pwd")
        + &sub("x", "ls")
        + &sub("y", "bad")
        + &sub("y", "never");
    play(recording(&text), hooks, CancellationToken::new()).await;
    assert_eq!(
        trace.lock().unwrap().join(" > "),
        "agent_start > subagent_start > tool_call:true > subagent_start > tool_call:pwd > tool_call:ls > subagent_end \
         > tool_call:bad > subagent_end > agent_end"
    );
}
