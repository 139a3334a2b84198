//! Turns as they should be, on every wire, streamed and whole.

use serde_json::{Value, json};
use snaphook::{Lifecycle, printable};
use snaphook_agent::driver::{Ending, Step};
use snaphook_testing::model::{Call, Exchange, Wire};

use super::{KEY, Scene, runs};
use crate::driver::{block, hook};

#[tokio::test]
async fn a_session_of_three_turns_on_every_wire() {
    for wire in Wire::ALL {
        for whole in [false, true] {
            let script = [
                Exchange::text("Two at once, ä😀.")
                    .and_call(Call::new("bash", runs("one")))
                    .and_call(Call::new("write", json!({"file_path": "b.txt", "content": "x"}))),
                Exchange::calls([Call::new("read", json!({"file_path": "b.txt"}))]),
                Exchange::text("Done."),
            ];
            let played = Scene::new(wire, script).whole(whole).play().await;
            let what = format!("{wire:?} whole: {whole}\n{:?}", played.dropped());
            assert_eq!(
                played.told(),
                [
                    "user: go",
                    "assistant: Two at once, ä😀. call_1=bash {\"command\":\"echo one >> ran\"} \
                     call_2=write {\"file_path\":\"b.txt\",\"content\":\"x\"}",
                    "call_1: ",
                    "call_2: created b.txt (1 bytes)",
                    "assistant:  call_3=read {\"file_path\":\"b.txt\"}",
                    "call_3:      1\tx\n",
                    "assistant: Done.",
                ],
                "{what}"
            );
            let summary = played.summary();
            assert_eq!((summary.ending, summary.turns, summary.calls), (Ending::Completed, 3, 3), "{what}");
            assert_eq!((summary.usage.input, summary.usage.output), (75, 33), "{what}");
            // What the provider was sent: the tools, the system prompt, and each call with its result.
            let requests = played.server.requests();
            assert!(requests.iter().all(|request| request.streamed != whole), "{what}");
            let last = requests.last().unwrap().body.to_string();
            for part in ["You work.", "echo one >> ran", "created b.txt", "grep", "Two at once"] {
                assert!(last.contains(part), "{part} in {last}\n{what}");
            }
            assert!(!last.contains(KEY), "{what}");
        }
    }
}

#[tokio::test]
async fn text_is_told_as_it_comes_and_as_a_whole() {
    let played = Scene::new(Wire::Anthropic, [Exchange::text("one two three")]).play().await;
    let deltas: String = played
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::TextDelta { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(deltas, "one two three");
    assert!(
        played
            .steps
            .iter()
            .any(|step| matches!(step, Step::AssistantText { text, .. } if text == "one two three"))
    );
}

#[tokio::test]
async fn a_denied_call_is_answered_and_the_agent_goes_on() {
    let script = [
        Exchange::calls([Call::new("bash", runs("bad")), Call::new("bash", runs("good"))]),
        Exchange::text("I see."),
    ];
    let scene = Scene { hooks: vec![block("bad")], ..Scene::new(Wire::OpenAiChat, script) };
    let played = scene.play().await;
    assert_eq!(played.ran(), "good\n");
    assert_eq!(played.told()[2], "call_1: no bad here [guard at guard.lua:7]");
    assert_eq!(played.summary().ending, Ending::Completed);
}

#[tokio::test]
async fn what_hooks_make_of_a_request_is_what_is_sent() {
    let hooks = vec![
        hook("redact", Lifecycle::Context, |event, _| {
            let mut messages = event.subject()["messages"].clone();
            messages[0]["content"] = json!("[hidden]");
            json!({"messages": messages, "context": "be kind"})
        }),
        hook("router", Lifecycle::ModelRequest, |event, _| {
            assert_eq!(event.subject()["system"], "You work.");
            json!({"model": "test-2", "system": "You work well.", "params": {"temperature": 0.5, "max_tokens": 77}})
        }),
    ];
    let scene = Scene { hooks, ..Scene::new(Wire::OpenAiChat, [Exchange::text("hi")]) };
    let played = scene.play().await;
    let body = &played.server.requests()[0].body;
    assert_eq!(body["model"], "test-2", "{:?}", played.dropped());
    assert_eq!(body["temperature"], 0.5);
    let sent = body.to_string();
    for (part, is_in) in [("[hidden]", true), ("be kind", true), ("You work well.", true), ("\"go\"", false)]
    {
        assert_eq!(sent.contains(part), is_in, "{part} in {sent}");
    }
    // The conversation itself keeps what was said.
    assert_eq!(played.told(), ["user: go", "redact: be kind", "assistant: hi"]);
}

#[tokio::test]
async fn messages_that_a_hook_breaks_are_sent_as_they_were() {
    let broken = hook(
        "broken",
        Lifecycle::Context,
        |_, _| json!({"messages": [{"role": "tool", "call_id": "x", "content": ""}]}),
    );
    let scene = Scene { hooks: vec![broken], ..Scene::new(Wire::OpenAiChat, [Exchange::text("hi")]) };
    let played = scene.play().await;
    assert!(played.server.requests()[0].body.to_string().contains("\"go\""));
    assert_eq!(
        played.dropped(),
        ["the rewritten messages are not sent: a result for the call \"x\", which no answer before it makes"]
    );
}

#[tokio::test]
async fn hooks_hear_of_every_turn() {
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let hooks = crate::driver::witnesses(&seen);
    let script = [Exchange::calls([Call::new("bash", runs("x"))]), Exchange::text("Done.")];
    Scene { hooks, ..Scene::new(Wire::Gemini, script) }.play().await;
    assert_eq!(
        seen.lock().unwrap().join(" > "),
        "startup > session > session_start > user_prompt > iteration_start > agent_start \
         > turn_start > context > model_request > model_response > tool_call:call_1 > tool_result:call_1 > turn_end \
         > turn_start > context > model_request > model_response > turn_end \
         > agent_end > files_changed > iteration_end > session_end > shutdown"
    );
}

#[tokio::test]
async fn a_denial_with_terminate_ends_the_session() {
    let stop = hook(
        "stop",
        Lifecycle::ToolCall,
        |_, _| json!({"block": true, "reason": "enough", "terminate": true}),
    );
    let scene = Scene {
        hooks: vec![stop],
        ..Scene::new(Wire::OpenAiChat, [Exchange::calls([Call::new("bash", runs("x"))])])
    };
    let played = scene.play().await;
    assert_eq!(played.summary().ending, Ending::Terminated);
    assert_eq!(played.server.requests().len(), 1);
}

/// The key is sent with each request and is nowhere else: not in steps, not in messages, not in errors that quote it.
#[tokio::test]
async fn the_key_is_nowhere_but_in_requests() {
    let echo =
        Exchange::status(401).body(json!({"error": {"message": format!("wrong key {KEY}")}}).to_string());
    for wire in Wire::ALL {
        let script = [
            Exchange::calls([Call::new("bash", json!({"command": "env; cat /proc/self/environ"}))]),
            echo.clone(),
        ];
        let played = Scene::new(wire, script).play().await;
        let requests = played.server.requests();
        let with_key = |request: &snaphook_testing::model::Request| {
            request.headers.iter().any(|(_, value)| value.contains(KEY))
                || request.query.as_deref().is_some_and(|query| query.contains(KEY))
        };
        assert!(requests.iter().all(with_key), "{wire:?}");
        let all = format!("{:?}\n{:?}\n{:?}", played.steps, played.driven.messages, played.driven.summary);
        assert!(!all.contains(KEY), "{wire:?}: {}", printable(&all));
        assert!(all.contains("wrong key [key]"), "{wire:?}: {all}");
        assert_eq!(played.summary().ending, Ending::Failed);
    }
}

/// Results of calls stand behind their answer, and what hooks said comes after them, in one message (the client library
/// makes one text of several).
#[tokio::test]
async fn the_order_of_messages_is_one_that_providers_take() {
    let noisy = hook("noisy", Lifecycle::ToolCall, |_, _| json!({"context": "mind the gap"}));
    let script =
        [Exchange::calls([Call::new("bash", runs("a")), Call::new("bash", runs("b"))]), Exchange::text("ok")];
    let scene = Scene { hooks: vec![noisy], ..Scene::new(Wire::Anthropic, script) };
    let played = scene.play().await;
    let messages = played.server.requests()[1].body["messages"].clone();
    let kinds: Vec<String> = messages
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            let parts = message["content"].as_array().cloned().unwrap_or_default();
            let parts: Vec<&str> =
                parts.iter().map(|part| part["type"].as_str().unwrap_or_default()).collect();
            format!("{} {}", message["role"].as_str().unwrap_or_default(), parts.join("+"))
        })
        .collect();
    let flat = |value: &Value| value.to_string();
    assert_eq!(
        kinds,
        ["user ", "assistant tool_use+tool_use", "user tool_result+tool_result", "user text"],
        "{}",
        flat(&messages)
    );
}
