//! What holds for every agent: no payload ends the process, no want is dropped without a word, a denial is always one.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use snaphook::ReplyClass;
use snaphook_adapters::{AGENTS, Effect, Effects, Ruling, Say, Wants, agent as named, settle};

use crate::support::wants;

#[test]
fn the_tables_are_whole() {
    for agent in AGENTS {
        assert!(std::ptr::addr_eq(named(agent.id()).unwrap(), *agent), "{} twice", agent.id());
        for row in agent.rows() {
            let same = agent.rows().iter().filter(|other| other.native == row.native).count();
            assert_eq!(same, 1, "{} {} twice", agent.id(), row.native);
            assert!(!row.limit.is_zero(), "{} {}", agent.id(), row.native);
            let gates = row.events.iter().filter(|event| event.class() == ReplyClass::Gate).count();
            assert!(gates <= 1, "{} {}: two gates", agent.id(), row.native);
            assert!(
                gates == 0 || row.events[0].class() == ReplyClass::Gate,
                "{} {}: the gate comes first",
                agent.id(),
                row.native
            );
        }
    }
}

/// The denial of last resort says its reason, and is one by document or by exit code.
#[test]
fn a_denial_of_last_resort_has_its_reason() {
    for agent in AGENTS {
        let natives = agent.rows().iter().map(|row| Some(row.native)).chain([None, Some("NoSuchEvent")]);
        for native in natives {
            let reply = agent.deny(native, "because of \"this\"\nand that");
            let said = format!("{}{}", reply.stdout, reply.stderr);
            assert!(said.contains("because of"), "{} {native:?}: {reply:?}", agent.id());
            assert!(matches!(reply.code, 0 | 2), "{} {native:?}: {reply:?}", agent.id());
            if reply.code == 0 {
                serde_json::from_str::<Value>(&reply.stdout)
                    .unwrap_or_else(|error| panic!("{} {native:?}: {error}", agent.id()));
            } else {
                assert!(
                    !reply.stderr.is_empty(),
                    "{} {native:?}: some agents go on without a reason",
                    agent.id()
                );
            }
        }
    }
}

fn effects_of(bits: u8) -> Effects {
    Effects::of(
        &Effect::ALL.into_iter().filter(|effect| bits & (1 << *effect as u8) != 0).collect::<Vec<_>>(),
    )
}

fn any_wants() -> impl Strategy<Value = Wants> {
    let ruling = prop_oneof![
        Just(json!({})),
        Just(json!({"allow": true})),
        Just(json!({"ask": "sure?"})),
        Just(json!({"deny": "no"})),
        Just(json!({"deny": " "})),
    ];
    let rest = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (ruling, rest).prop_map(|(mut value, (input, result, context, more))| {
        for (wanted, name, what) in [
            (input, "input", json!({"command": "ls"})),
            (result, "result", json!("new result")),
            (context, "context", json!(["a context"])),
            (more, "continue", json!(["go on"])),
        ] {
            if wanted {
                value[name] = what;
            }
        }
        wants(&value)
    })
}

proptest! {
    /// Whatever the agent can do: a wish is in what is said, or it is told that it was lost.
    #[test]
    fn nothing_is_lost_silently(bits in any::<u8>(), wants in any_wants()) {
        let effects = effects_of(bits);
        let settled = settle("The agent", effects, 10_000, wants.clone());
        let Say { ruling, input, result, hidden, context, continue_with, tell, .. } = &settled.say;
        let lost = !settled.lost.is_empty();
        let denied = matches!(ruling, Ruling::Deny(_));
        match &wants.ruling {
            Ruling::Deny(_) => prop_assert!(denied || lost),
            Ruling::Ask(_) => prop_assert!(denied || lost || matches!(ruling, Ruling::Ask(_))),
            Ruling::Allow | Ruling::Nothing => {}
        }
        if effects.has(Effect::Block) && wants.ruling != Ruling::Allow && wants.ruling != Ruling::Nothing {
            prop_assert!(denied || matches!(ruling, Ruling::Ask(_)), "what can be stopped is");
        }
        if wants.input.is_some() {
            prop_assert!(input.is_some() || denied || lost);
        }
        if wants.result.is_some() {
            prop_assert!(result.is_some() || hidden.is_some() || lost);
        }
        if !wants.context.is_empty() {
            let in_reason = matches!(ruling, Ruling::Deny(reason) if reason.contains("a context"));
            prop_assert!(context.as_deref().is_some_and(|text| text.contains("a context")) || in_reason || lost);
        }
        if !wants.continue_with.is_empty() {
            prop_assert!(continue_with.is_some() || lost);
        }
        // Nothing that the agent does not know.
        prop_assert!(input.is_none() || effects.has(Effect::RewriteInput));
        prop_assert!(result.is_none() || effects.has(Effect::RewriteResult));
        prop_assert!(hidden.is_none() || effects.has(Effect::HideResult));
        prop_assert!(context.is_none() || effects.has(Effect::Inject));
        prop_assert!(continue_with.is_none() || effects.has(Effect::Continue));
        prop_assert!(tell.is_none() || effects.has(Effect::Tell));
        prop_assert!(!matches!(ruling, Ruling::Ask(_)) || effects.has(Effect::Ask));
        if let Ruling::Deny(reason) = ruling {
            prop_assert!(effects.has(Effect::Block));
            prop_assert!(!reason.trim().is_empty());
        }
    }

    /// Any JSON map is read or refused; what was read can be answered.
    #[test]
    fn no_payload_ends_the_process(payload in any_map(), at in any::<prop::sample::Index>()) {
        for agent in AGENTS {
            let row = &agent.rows()[at.index(agent.rows().len())];
            for native in [None, Some(row.native), Some("NoSuchEvent")] {
                if let Ok(incoming) = agent.read(native, &payload) {
                    let settled = settle(agent.title(), agent.effects(&incoming), 100, wants(&json!({
                        "deny": "no", "context": ["text"], "result": "new"
                    })));
                    agent.answer(&incoming, &settled.say);
                }
            }
        }
    }
}

/// Maps with the names that agents use and values of any type.
fn any_map() -> impl Strategy<Value = Map<String, Value>> {
    let names = prop::sample::select(vec![
        "hook_event_name",
        "session_id",
        "cwd",
        "tool_name",
        "tool_input",
        "tool_response",
        "tool_output",
        "prompt",
        "error",
        "agent_id",
        "toolName",
        "toolArgs",
        "toolResult",
        "sessionId",
        "command",
        "file_path",
        "edits",
        "conversation_id",
        "workspace_roots",
        "hook",
        "input",
        "output",
        "source",
        "trigger",
        "turn_id",
        "event",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-zA-Z/\\{\\}\" ]{0,12}".prop_map(Value::from),
        Just(json!({"command": "ls"})),
        Just(json!({"file_path": 7})),
        Just(json!([{"type": "text", "text": "x"}, 7])),
        Just(json!("PreToolUse")),
        Just(json!("{\"command\": \"ls\"}")),
    ];
    prop::collection::hash_map(names, leaf, 0..12)
        .prop_map(|map| map.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
