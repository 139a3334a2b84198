//! The state that outlives one process: values, texts for the agent, the number of continuations.

use serde_json::{Value, json};

use super::support::hook;
use crate::support::{CommandOutput, Sandbox};

fn fire(place: &Sandbox, event: &str, more: Value) -> CommandOutput {
    let mut payload = json!({
        "session_id": "s-1", "cwd": place.path("project").display().to_string(), "prompt_id": "p-1",
        "hook_event_name": event,
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let said = hook(place, "claude-code", event, &payload.to_string());
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:?}");
    said
}

fn bash(place: &Sandbox, command: &str) -> CommandOutput {
    fire(
        place,
        "PreToolUse",
        json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t"}),
    )
}

#[test]
fn state_survives_and_is_the_sessions_own() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/count.lua",
        r#"on("tool_call", function(event, ctx)
            local n = (ctx.state.get("n") or 0) + 1
            ctx.state.set("n", n)
            ctx.state.set("call-" .. event.command, true)
            return { block = true, reason = "number " .. n .. " of " .. #ctx.state.keys() }
        end)"#,
    );
    assert!(bash(&place, "a").stdout.contains("number 1 "));
    assert!(bash(&place, "b").stdout.contains("number 2 "));
    let other = fire(
        &place,
        "PreToolUse",
        json!({"session_id": "s-2", "tool_name": "Bash", "tool_input": {"command": "a"}}),
    );
    assert!(other.stdout.contains("number 1 "), "{other:?}");
    // Parallel calls lose no key.
    std::thread::scope(|scope| {
        for number in 0..12 {
            let place = &place;
            scope.spawn(move || bash(place, &format!("p{number}")));
        }
    });
    let said = bash(&place, "last");
    assert!(said.stdout.contains(" of 16"), "a, b, twelve, the last one and n: {said:?}");
}

#[test]
fn texts_reach_the_agent_where_it_takes_them() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/talk.lua",
        r#"on("session_end", function(event, ctx) end)
        on("agent_error", function(event, ctx) ctx.send("remember the error") ctx.send("try again", { deliver = "follow_up" }) end)
        on("tool_call", function() end)
        on("agent_end", function() end)"#,
    );
    fire(&place, "StopFailure", json!({"error": "overloaded"}));
    assert_eq!(
        fire(&place, "SessionEnd", json!({"reason": "other"})).stdout,
        "",
        "it cannot be told anything here"
    );
    let log = std::fs::read_to_string(place.path("state/hook.log")).unwrap();
    assert!(log.contains("has not taken a text yet: try again"), "{log}");
    let said: Value = serde_json::from_str(&bash(&place, "ls").stdout).unwrap();
    assert_eq!(said["hookSpecificOutput"]["additionalContext"], "remember the error");
    assert_eq!(bash(&place, "ls").stdout, "", "once");
    let said: Value = serde_json::from_str(&fire(&place, "Stop", json!({})).stdout).unwrap();
    assert_eq!((&said["decision"], &said["reason"]), (&json!("block"), &json!("try again")));
}

/// A text that an event's answer has no place for waits for one that has.
#[test]
fn what_cannot_be_said_now_is_said_later() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/talk.lua",
        r#"on("session_before_compact", function() return { context = "keep the plan" } end)
        on("tool_call", function() end)"#,
    );
    assert_eq!(fire(&place, "PreCompact", json!({"trigger": "auto"})).stdout, "");
    assert!(bash(&place, "ls").stdout.contains("keep the plan"));
}

#[test]
fn the_agent_is_made_to_go_on_three_times_a_prompt() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/red.lua",
        r#"on("agent_end", function() return { continue_with = "tests are red" } end)"#,
    );
    let stops = |prompt: &str| {
        (0..5).filter(|_| !fire(&place, "Stop", json!({"prompt_id": prompt})).stdout.is_empty()).count()
    };
    assert_eq!(stops("p-1"), 3);
    assert_eq!(stops("p-2"), 3, "another prompt counts anew");
    fire(&place, "UserPromptSubmit", json!({"prompt_id": "p-2", "prompt": "again"}));
    assert_eq!(stops("p-2"), 3, "so does the person");
    let log = std::fs::read_to_string(place.path("state/hook.log")).unwrap();
    assert!(log.contains("often enough"), "{log}");
}

/// Neither what subagents are asked to do nor that they end, too, sets the count back.
#[test]
fn subagents_do_not_make_the_agent_go_on_for_ever() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/red.lua",
        r#"on("agent_end", function() return { continue_with = "tests are red" } end)
        on("subagent_end", function() return { continue_with = "look again" } end)
        on("user_prompt", function() end)"#,
    );
    let fire = |event: &str, turn: &str, more: Value| {
        let mut payload = json!({
            "session_id": "s-1", "turn_id": turn, "cwd": place.path("project").display().to_string(),
            "hook_event_name": event, "model": "m",
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        hook(&place, "codex", event, &payload.to_string()).stdout.contains("block")
    };
    let mut went_on = 0;
    for round in 0..6 {
        went_on += usize::from(fire("Stop", "main", json!({"stop_hook_active": round > 0})));
        let subagent = json!({"agent_id": "a", "prompt": "look around"});
        assert!(!fire("UserPromptSubmit", &format!("sub-{round}"), subagent.clone()));
        assert!(fire("SubagentStop", &format!("sub-{round}"), subagent));
    }
    assert_eq!(went_on, 3);
    assert!(!fire("UserPromptSubmit", "main", json!({"prompt": "again"})));
    assert!(fire("Stop", "main", json!({})), "the person counts anew");
}

/// An agent that makes a folder with a `.snaphook` of its own and goes there still has the project's gates: the project is the
/// one in which the session began, where the agent tells that and there are hooks.
#[test]
fn the_session_s_project_keeps_its_gates_wherever_the_agent_goes() {
    let place = Sandbox::new();
    place.write("config/hooks/mine.lua", "on(\"tool_call\", function() end)");
    place.write(
        "project/.snaphook/hooks/gate.lua",
        "on(\"tool_call\", function(_, ctx) return { block = true, reason = \"gate of \" .. ctx.project_root } end)",
    );
    place.write("project/sub/.snaphook/hooks/none.lua", "on(\"tool_call\", function() end)");
    place.write("bare/.git/x", "");
    place.trust_all();
    let ask = |agent: &str, cwd: &str, start: Option<(&str, &str)>| {
        let payload = json!({
            "session_id": "s-1", "cwd": place.path(cwd).display().to_string(), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t",
        });
        let mut command = place.command(&["hook", agent, "PreToolUse"]);
        if let Some((name, folder)) = start {
            command.env(name, place.path(folder));
        }
        place.feed(command, payload.to_string().as_bytes()).stdout
    };
    let gated = "gate of [place]/project [";
    for (agent, cwd, start, expected) in [
        ("claude-code", "project", None, gated),
        ("claude-code", "project/sub", Some(("CLAUDE_PROJECT_DIR", "project")), gated),
        ("claude-code", "bare", Some(("CLAUDE_PROJECT_DIR", "project")), gated),
        ("qwen", "project/sub", Some(("QWEN_PROJECT_DIR", "project")), gated),
        // Where there are no hooks in it, or it is not given, the working directory says which project it is.
        ("claude-code", "project", Some(("CLAUDE_PROJECT_DIR", "bare")), gated),
        ("claude-code", "project", Some(("CLAUDE_PROJECT_DIR", "nowhere")), gated),
        ("claude-code", "project/sub", None, "is not trusted"),
        // Another agent's word is not this one's.
        ("claude-code", "project/sub", Some(("CURSOR_PROJECT_DIR", "project")), "is not trusted"),
    ] {
        let said = ask(agent, cwd, start);
        assert!(said.contains(expected), "{agent} {cwd} {start:?}: {said}");
    }
}
