//! The bundled session, a Claude Code transcript, and the page that describes the format.

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::json;
use snaphook::{CancellationToken, Lifecycle};
use snaphook_agent::driver::{Step, Summary};
use snaphook_agent::replay::Recording;

use super::{command, hook, play};
use crate::support::fixture;

#[tokio::test]
async fn the_tour_shows_what_hooks_do() {
    let gate = hook("gate", Lifecycle::ToolCall, |event, _| {
        let command = command(event);
        let path = event.call().and_then(|call| call.paths().first().map(|path| path.to_string()));
        match () {
            () if command.contains("rm -rf") => json!({"ask": "Delete recursively?"}),
            () if command.contains("push --force") => json!({"block": true, "reason": "no force push"}),
            () if command.starts_with("git log") => {
                json!({"command": command.replace("git log", "git --no-pager log")})
            }
            () if path.as_deref() == Some(".env") => json!({"block": true, "reason": ".env is protected"}),
            () => json!({}),
        }
    });
    let redact = hook("redact", Lifecycle::ToolResult, |event, _| {
        let content = event.subject().as_str().unwrap_or_default().to_owned();
        if content.contains("sk-FAKE") {
            json!({"content": content.replace("sk-FAKE00000000000000000000NOTREAL", "[redacted]")})
        } else {
            json!({})
        }
    });
    let played = play(Recording::tour().unwrap(), vec![gate, redact], CancellationToken::new()).await;
    let expected = Summary {
        prompts: 4,
        turns: 16,
        calls: 16,
        allowed: 13,
        denied: 3,
        asked: 1,
        rewritten_inputs: 1,
        rewritten_results: 1,
        failed: 1,
        duration: played.summary().duration,
        ..Summary::default()
    };
    assert_eq!(*played.summary(), expected);
    let denied: Vec<_> = played.report_lines().into_iter().filter(|line| line.contains("denied")).collect();
    assert_eq!(
        denied,
        [
            "key-3 denied: .env is protected [gate at gate.lua:7]",
            "ship-2 denied: needs approval, and nobody can be asked (headless): Delete recursively? \
             Run it with a terminal, or adjust the hook \"gate\". [gate at gate.lua:7]",
            "ship-4 denied: no force push [gate at gate.lua:7]"
        ]
    );
    assert!(played.read(".env").contains("sk-FAKE0000"));
    assert!(played.read("src/lib.sh").contains("${1:-world}"));
    assert!(played.scratch.project().join("build/greeter").exists());
    let transcript = serde_json::to_string(&played.transcript).unwrap();
    assert!(transcript.contains("[redacted]") && transcript.contains("ok   greets the world"));
    assert!(!transcript.contains("sk-FAKE0000"), "the secret reached the agent");
}

#[tokio::test]
async fn without_hooks_every_call_of_the_tour_runs() {
    let played = play(Recording::tour().unwrap(), Vec::new(), CancellationToken::new()).await;
    let summary = played.summary();
    // The failing test, and the push: the scratch project has no remote.
    assert_eq!((summary.calls, summary.allowed, summary.failed), (16, 16, 2));
    assert!(!played.scratch.project().join("build").exists());
}

#[tokio::test]
async fn a_claude_transcript_replays() {
    let rewrite = hook("rewrite", Lifecycle::ToolCall, |event, _| match &*event.call().unwrap().tool {
        "mcp__bank__rate" => json!({"input": {"currency": "USD"}}),
        _ => json!({}),
    });
    let natives = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&natives);
    let look = hook("look", Lifecycle::ToolResult, move |event, _| {
        let call = event.call().unwrap();
        let who = call.subagent.as_deref().unwrap_or("-");
        seen.lock().unwrap().push(format!("{who} {} {}", call.native_tool, call.tool));
        json!({})
    });
    let recording = Recording::load(&fixture("claude-shop.jsonl")).unwrap();
    let played = play(recording, vec![rewrite, look], CancellationToken::new()).await;
    let told = played.report_lines();
    assert_eq!(
        told.get(3..).unwrap_or_default(),
        [
            "prompt What does the shop sell?",
            "agent says I look.",
            "toolu_1 allowed",
            "toolu_2 allowed",
            "toolu_1 finished",
            "toolu_2 finished",
            "agent says Apples and pears.",
            "prompt Make pears 5, and\nnote it.",
            "toolu_3 allowed",
            "toolu_3 finished",
            "toolu_4 allowed",
            "toolu_4 finished",
            "toolu_5 allowed",
            "toolu_5 finished",
            "toolu_6 allowed rewritten",
            "toolu_6 finished recorded",
            "notice the input of mcp__bank__rate was rewritten, but its result is the recorded one of the original input",
            "toolu_7 allowed",
            "toolu_7 finished recorded",
            "a1 starts",
            "toolu_8 allowed",
            "toolu_8 finished",
            "a1 says 12 pears",
            "a1 ends",
            "agent says Done."
        ]
    );
    assert_eq!(played.read("prices.txt"), "apple 3\npear 5\n");
    // A file's content keeps the paths that it had.
    assert_eq!(played.read("notes/today.txt"), "pears: 5, see /home/ann/shop/prices.txt\n");
    let finished = played.steps.iter().filter_map(|step| match step {
        Step::CallFinished { result, .. } => Some(result),
        _ => None,
    });
    let cat = { finished }.find(|result| &*result.call.id == "toolu_5").unwrap();
    assert_eq!(&*cat.content, "apple 3\npear 5\ntoday.txt", "{:?}", cat.call.input);
    let natives = natives.lock().unwrap();
    assert!(
        natives.contains(&"a1 Read read".to_owned()) && natives.contains(&"- Task task".to_owned()),
        "{natives:?}"
    );
}

#[test]
fn the_page_about_replay_files_is_true() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/replay.md");
    let page = std::fs::read_to_string(page).unwrap();
    let example = page.split("```jsonl\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let recording = Recording::parse(Path::new("docs/replay.md"), example).unwrap();
    assert_eq!((recording.calls(), recording.files.len()), (2, 1));
}
