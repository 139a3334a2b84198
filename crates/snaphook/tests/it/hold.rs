//! Directives of a hold: which calls are held, by what, and what happens where nothing can hold.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::{Value, json};
use snaphook::*;

use crate::support::*;

/// Writes the directive before the command; refuses or asks where the command says so.
#[derive(Debug)]
struct TestHolder;

impl Holder for TestHolder {
    fn held(&self, hold: &Hold, call: &ToolCall) -> Result<String, NotHeld> {
        match &*call.command().unwrap_or_default() {
            "cannot" => Err(NotHeld::Deny("no namespaces".to_owned())),
            "may" => Err(NotHeld::Ask("run it unheld?".to_owned())),
            command => Ok(format!("{} {command}", hold.to_json())),
        }
    }
}

fn holds(id: &str, hold: Value) -> Arc<dyn Handler> {
    says(id, "tool_call", json!({ "hold": hold }))
}

fn standing(tools: HoldTools) -> StandingHold {
    StandingHold { tools, hold: Hold::parse(&json!({"profile": "guarded"})).unwrap() }
}

async fn held(builder: Builder, line: &str) -> String {
    gated(&builder.holder(Arc::new(TestHolder)).build(), line).await
}

#[tokio::test]
async fn what_hooks_hold_runs_held() {
    let net = || holds("a", json!({"net": "none"}));
    let guarded = || holds("b", json!({"profile": "guarded"}));
    let asks = || says("c", "tool_call", json!({"ask": "so?"}));
    use HoldTools::{Always, Off, WhenAsked};
    let cases: Vec<(Handlers, HoldTools, &str, &str)> = vec![
        (vec![], Off, "ls", "allow: ls"),
        (vec![net()], Off, "ls", r#"allow: {"net":"none"} ls"#),
        (vec![net(), guarded()], Off, "ls", r#"allow: {"profile":"guarded","net":"none"} ls"#),
        (vec![], Always, "ls", r#"allow: {"profile":"guarded"} ls"#),
        (vec![net()], Always, "ls", r#"allow: {"profile":"guarded","net":"none"} ls"#),
        (vec![], WhenAsked, "ls", "allow: ls"),
        (vec![asks()], Off, "ls", "ask: so? [c at c.lua:1]"),
        (vec![net()], Off, "cannot", "deny[hold]: no namespaces"),
        (vec![], Always, "cannot", "deny[hold]: no namespaces"),
        (vec![net()], Off, "may", "ask: run it unheld?"),
    ];
    for (handlers, tools, line, expected) in cases {
        let built = builder(handlers).standing_hold(standing(tools)).ui(Arc::new(DeferUi));
        let options = CallOptions { ask: AskMode::Defer, ..CallOptions::default() };
        let host = built.holder(Arc::new(TestHolder)).build();
        assert_eq!(show(host.gate(bash(line), &options).await), expected, "{tools} {line}");
    }
}

#[tokio::test]
async fn the_person_says_yes_to_what_runs() {
    let asks = says("a", "tool_call", json!({"ask": "so?"}));
    let built = builder([asks]).standing_hold(standing(HoldTools::WhenAsked));
    let seen = held(built.ui(Arc::new(ScriptedUi::parse("yes"))), "make").await;
    assert_eq!(seen, r#"allow: {"profile":"guarded"} make"#);
}

#[tokio::test]
async fn what_hooks_rewrite_is_what_is_held() {
    let late = on("b", "tool_call", |event, _| async move {
        let line = command(&event).replace("npm", "pnpm");
        answer("tool_call", json!({"command": line}))
    });
    let seen = held(builder([holds("a", json!({"net": "none"})), late]), "npm i").await;
    assert_eq!(seen, r#"allow: {"net":"none"} pnpm i"#);
}

#[tokio::test]
async fn a_denial_is_not_held_and_a_host_without_a_holder_denies() {
    let block = says("b", "tool_call", json!({"block": true, "reason": "no"}));
    let hold = || holds("a", json!({"net": "none"}));
    assert_eq!(held(builder([hold(), block]), "ls").await, "deny[]: no [b at b.lua:1]");
    let seen = gated(&host([hold()]), "ls").await;
    assert!(
        seen.starts_with("deny[hold]: a hook wants this command held, and this host holds no commands"),
        "{seen}"
    );
}

#[tokio::test]
async fn other_tools_are_not_held_by_a_standing_directive() {
    let host = builder([]).standing_hold(standing(HoldTools::Always)).holder(Arc::new(TestHolder)).build();
    for call in [
        ToolCall::new("1", "read", json!({"file_path": "a"})),
        ToolCall::new("1", "mcp__ops__run", json!({"command": "ls"})),
    ] {
        let ControlFlow::Continue(permitted) = host.gate(call.clone(), &CallOptions::default()).await else {
            panic!("denied: {call:?}")
        };
        assert_eq!(permitted.call.input, call.input);
    }
}
