//! The real sender of a payload that was read as Claude Code's; no agent is taken for another.

use serde_json::{Map, Value, json};
use snaphook_adapters::{AGENTS, Refused, read, sender};

use crate::fixtures::payloads;
use crate::support::{object, outcome, respond, seen, shown};

fn sender_of(agent: &str, payload: &Map<String, Value>, variables: &[(&str, &str)]) -> Option<&'static str> {
    sender(agent, payload, &|name| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    })
}

/// The fields of the payload beside the usual, the variables, the agent that it is.
type Case = (Value, &'static [(&'static str, &'static str)], Option<&'static str>);

#[test]
fn who_borrows_a_hook_is_known_by_its_payload_or_its_variables() {
    let plain =
        json!({"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}});
    let with = |more: Value| {
        let mut payload = object(&plain);
        payload.extend(object(&more));
        payload
    };
    let claude = json!({"transcript_path": "/home/ada/.claude/projects/shop/s.jsonl"});
    let cases: &[Case] = &[
        (json!({}), &[], None),
        (json!({"cursor_version": "3.20.1"}), &[], Some("cursor")),
        (json!({"turn_id": "t", "model": "m"}), &[], Some("codex")),
        (json!({"model": "m"}), &[], None),
        (
            json!({"hookEventName": "pre_tool_use", "sessionId": "s", "workspaceRoot": "/r"}),
            &[],
            Some("grok"),
        ),
        (
            json!({"hookEventName": "PreToolUse", "sessionId": "s", "transcript_path": "/t"}),
            &[],
            Some("copilot"),
        ),
        (json!({"toolName": "bash", "toolArgs": {}, "sessionId": "s"}), &[], Some("copilot")),
        (json!({"tool_result": {"text_result_for_llm": "x"}, "transcript_path": "/t"}), &[], Some("copilot")),
        (json!({"timestamp": "2026-10-01T10:00:00Z"}), &[], Some("copilot")),
        (json!({"timestamp": "2026-10-01T10:00:00Z", "transcript_path": "/t"}), &[], None),
        (json!({"transcript_path": "/home/ada/.qwen/projects/shop/s.jsonl"}), &[], Some("qwen")),
        (json!({"transcript_path": r"C:\Users\ada\.factory\sessions\s.jsonl"}), &[], Some("droid")),
        (json!({"transcript_path": "/home/.cursor/ada/.claude/projects/s.jsonl"}), &[], None),
        (json!({}), &[("CURSOR_VERSION", "3.20.1")], Some("cursor")),
        (json!({}), &[("GROK_HOOK_EVENT", "pre_tool_use")], Some("grok")),
        (json!({}), &[("DROID_PROJECT_DIR", "/r")], Some("droid")),
        (json!({}), &[("QWEN_PROJECT_DIR", "/r")], Some("qwen")),
        (json!({}), &[("DEVIN_PROJECT_DIR", "/r")], Some("devin")),
        (json!({}), &[("COPILOT_CLI", "1")], Some("copilot")),
        (json!({}), &[("COPILOT_CLI", ""), ("HOME", "/home/ada")], None),
        // The hook's own variable, inside the shell of another agent.
        (json!({}), &[("COPILOT_CLI", "1"), ("QWEN_PROJECT_DIR", "/r")], Some("qwen")),
        // Claude Code itself, started by another agent.
        (claude, &[("COPILOT_CLI", "1"), ("CURSOR_VERSION", "3")], None),
    ];
    for (more, variables, wanted) in cases {
        assert_eq!(sender_of("claude-code", &with(more.clone()), variables), *wanted, "{more} {variables:?}");
    }
    let gemini = [("GEMINI_PROJECT_DIR", "/r"), ("COPILOT_CLI", "1")];
    assert_eq!(
        sender_of("gemini", &object(&plain), &gemini),
        None,
        "whose own variable is set has borrowed nothing"
    );
}

/// An agent that is taken for another would be left out where its hooks are installed twice. A fixture of a borrowed hook says whose
/// payload it is: `NAME-of-AGENT`.
#[test]
fn nobody_is_taken_for_another() {
    for agent in AGENTS {
        for (name, payload) in payloads(*agent) {
            let wanted = name.split_once("-of-").map(|(_, sender)| sender.trim_end_matches(".json"));
            assert_eq!(sender_of(agent.id(), &payload, &[]), wanted, "{} {name}", agent.id());
        }
    }
}

/// Those of which it is known that they run Claude Code's hooks.
#[test]
fn borrowers_are_known_by_their_calls() {
    for id in ["cursor", "copilot", "grok"] {
        let agent = snaphook_adapters::agent(id).unwrap();
        let calls = payloads(agent).into_iter().filter(|(_, payload)| {
            let has = |name: &str| payload.contains_key(name);
            (has("tool_name") || has("toolName")) && (has("session_id") || has("sessionId"))
        });
        let mut known = 0;
        for (name, payload) in calls {
            known += 1;
            assert_eq!(sender_of("claude-code", &payload, &[]), Some(id), "{id} {name}");
        }
        assert!(known > 2, "{id}");
    }
}

/// A payload that Claude Code's settings make another agent send is read by that one's table, and answered in Claude Code's form.
#[test]
fn a_borrowed_event_is_what_its_sender_means() {
    let claude = snaphook_adapters::agent("claude-code").unwrap();
    for (id, native) in [("cursor", "preToolUse"), ("copilot", "PreToolUse"), ("grok", "PreToolUse")] {
        let agent = snaphook_adapters::agent(id).unwrap();
        let mut calls = 0;
        for (name, payload) in payloads(agent) {
            let Ok(own) = agent.read(None, &payload) else { continue };
            if own.native != native || sender_of("claude-code", &payload, &[]).is_none() {
                continue;
            }
            calls += 1;
            let borrowed = read(claude, Some("PreToolUse"), &payload, &|_| None).unwrap();
            let (mut wanted, mut seen) = (seen(&own), seen(&borrowed));
            wanted.as_object_mut().unwrap().insert("really".into(), id.into());
            assert_eq!(seen.take(), wanted.take(), "{id} {name}");
            let (reply, _) = respond(claude, &borrowed, outcome(&json!({"deny": "no"})));
            let reply = shown(&reply);
            let stdout = &reply["stdout"];
            let decision = [&stdout["hookSpecificOutput"]["permissionDecision"], &stdout["decision"]];
            assert!(decision.iter().any(|decision| **decision == "deny"), "{id} {name}: {reply}");
            // They were not seen to ask there, whichever hook they run.
            let (reply, lost) = respond(claude, &borrowed, outcome(&json!({"ask": "sure?"})));
            let asks = shown(&reply).to_string().contains("\"ask\"");
            assert_eq!((lost.len(), asks), (1, false), "{id} {name}");
        }
        assert!(calls > 2, "{id}");
    }
    // What does not fit is another event.
    let start =
        json!({"session_id": "s", "hook_event_name": "SessionStart", "cursor_version": "3", "prompt": "x"});
    let read_as = |native| read(claude, Some(native), &object(&start), &|_| None);
    let other = Refused::OtherEvent { named: "UserPromptSubmit".to_owned(), told: "SessionStart".to_owned() };
    assert_eq!(read_as("UserPromptSubmit").unwrap_err(), other);
    assert_eq!(read_as("SessionStart").unwrap().origin.sender, Some("cursor"));
}
