//! Laws that hold for every agent: no payload ends the process, no want is dropped without a word, a denial is always one.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use snaphook_adapters::install::{Edit, FileContent, Launcher, Part, Reach, Setup, is_ours};
use snaphook_adapters::{
    AGENTS, Agent, CANARY, Effect, Effects, Response, Row, agent as named, fit_to_effects, sender,
};
use snaphook_core::{Field, ReplyClass};
use snaphook_core::{Outcome, Ruling};

use crate::fixtures::payloads;
use crate::support::outcome;

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

/// A portable field that can be rewritten is read again as it was written, in every agent's calls.
#[test]
fn what_is_written_back_is_read_again() {
    let fields = [
        (Field::Command, "printf 1"),
        (Field::Path, "other/path.txt"),
        (Field::Content, "new text\n"),
        (Field::Url, "https://other.example/x"),
    ];
    let mut written = 0;
    for agent in AGENTS {
        for (name, payload) in payloads(*agent) {
            let Ok(incoming) = agent.read(None, &payload) else { continue };
            let Some(call) = incoming.events.first().and_then(|event| event.call()) else { continue };
            for (field, text) in fields {
                let mut input = (*call.input).clone();
                if call.map.set(&call.tool, &mut input, field, text.to_owned()).is_err() {
                    continue;
                }
                written += 1;
                let call = call.with_input(input);
                let read = match field {
                    Field::Command => call.command(),
                    Field::Path => call.paths().pop().filter(|_| call.paths().len() == 1),
                    Field::Content => call.content(),
                    Field::Url => call.url(),
                };
                assert_eq!(read.as_deref(), Some(text), "{} {name} {field:?}: {}", agent.id(), call.input);
            }
        }
    }
    assert!(written > 50, "{written}");
}

/// Two names of one moment are registered once, and no moment is left out by it.
#[test]
fn what_is_registered_leaves_no_event_out() {
    for agent in AGENTS {
        for row in agent.rows() {
            for event in row.events {
                let best = |known: &&Row| known.events.contains(event) && (known.is_gate() || !row.is_gate());
                let registered = agent.rows().iter().filter(|row| agent.registers(row)).find(best);
                assert!(registered.is_some(), "{} {}: {}", agent.id(), row.native, event.name());
            }
        }
    }
}

/// Cline lets a call through whatever exit code its hook has, so the script itself denies where snaphook does not run.
#[test]
fn a_script_of_a_gate_denies_by_itself() {
    let cline = named("cline").unwrap();
    let launcher = Launcher { program: "/no/such/snaphook".to_owned(), agent: cline.id() };
    let row = cline.row("PreToolUse").unwrap();
    for edit in cline.install(&Setup { reach: Reach::User, launcher: &launcher, rows: &[row] }).unwrap() {
        let FileContent::Own { text, executable: true } = &edit.content else {
            panic!("{}: no script", edit.file)
        };
        let run = std::process::Command::new("sh").args(["-c", text]).output().unwrap();
        let said: Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!((&said["cancel"], run.status.code()), (&json!(true), Some(0)), "{}: {said}", edit.file);
    }
}

/// The call that `doctor` tries is a tool call that hooks know, of an event that is registered, and the audit can find it.
#[test]
fn the_canary_is_a_call_of_the_agents() {
    for agent in AGENTS {
        let Some((native, Value::Object(payload))) = agent.canary("/work") else {
            panic!("{}: no call", agent.id())
        };
        let row = agent.row(native).unwrap();
        assert!(row.is_gate() && agent.registers(row), "{} {native}", agent.id());
        let incoming = agent.read(Some(native), &payload).unwrap();
        assert_eq!(incoming.native, native, "{}", agent.id());
        assert_eq!(incoming.origin.session.as_deref(), Some(CANARY), "{}", agent.id());
        // Or none: then it is the folder that the command is called in.
        let cwd = incoming.origin.cwd.as_deref();
        assert!(cwd.is_none_or(|cwd| cwd == std::path::Path::new("/work")), "{}: {cwd:?}", agent.id());
        let call = incoming.events[0].call().unwrap();
        assert_eq!(&*call.tool, "bash", "{}", agent.id());
        assert_eq!(call.command().as_deref(), Some("true"), "{}", agent.id());
        assert_eq!(sender(agent.id(), &payload, &|_| None), None, "{}: taken for another", agent.id());
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

/// Every event that is asked for is in the settings once, with a command that is known again; no other one is.
#[test]
fn settings_name_each_event_once() {
    for agent in AGENTS {
        let launcher = Launcher { program: "/opt/a b/snaphook".to_owned(), agent: agent.id() };
        let rows: Vec<&'static Row> = agent.rows().iter().step_by(2).collect();
        for reach in [Reach::User, Reach::Project] {
            let edits = match agent.install(&Setup { reach, launcher: &launcher, rows: &rows }) {
                Ok(edits) => edits,
                Err(text) => {
                    assert!(text.to_string().contains(agent.title()), "{}: {text}", agent.id());
                    continue;
                }
            };
            // A program of our own asks in a way of its own.
            if edits.iter().any(|edit| !edit.file.ends_with("json")) {
                continue;
            }
            let said: String = edits.iter().map(|edit| commands(*agent, edit)).collect();
            for row in agent.rows() {
                let call = format!("hook {} {}", agent.id(), row.native);
                let ends = |at: usize| {
                    !said[at + call.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
                };
                let times = said.match_indices(&call).filter(|(at, _)| ends(*at)).count();
                let wanted = usize::from(rows.iter().any(|other| other.native == row.native));
                assert_eq!(times, wanted, "{} {}: {said}", agent.id(), row.native);
            }
        }
    }
}

/// Returns what an edit puts in; all of it is known again.
fn commands(agent: &dyn Agent, edit: &Edit) -> String {
    assert!(!edit.file.starts_with('/') && !edit.file.contains(".."), "{}", edit.file);
    let texts = match &edit.content {
        // Beside the same in the words of another shell.
        FileContent::Own { text, .. } => {
            vec![text.lines().filter(|line| !line.contains("\"powershell\"")).collect::<Vec<_>>().join("\n")]
        }
        FileContent::Json(parts) | FileContent::Toml(parts) => {
            let values = parts.iter().filter_map(|part| match part {
                Part::Element { value, .. } => Some(value.to_string()),
                Part::Constant { .. } => None,
            });
            values.collect()
        }
    };
    for text in &texts {
        assert!(is_ours(text, agent.id()), "{text}");
    }
    texts.concat()
}

fn effects_of(bits: u16) -> Effects {
    Effects::of(
        &Effect::ALL.into_iter().filter(|effect| bits & (1 << *effect as u16) != 0).collect::<Vec<_>>(),
    )
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    let ruling = prop_oneof![
        Just(json!({})),
        Just(json!({"allow": true})),
        Just(json!({"ask": "sure?"})),
        Just(json!({"deny": "no"})),
        Just(json!({"deny": " "})),
    ];
    let rest = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (ruling, rest).prop_map(|(mut value, (input, result, context, more, stop))| {
        for (wanted, name, what) in [
            (input, "input", json!({"command": "ls"})),
            (result, "result", json!("new result")),
            (context, "context", json!(["a context"])),
            (more, "continue", json!(["go on"])),
            (stop, "stop", json!(true)),
        ] {
            if wanted {
                value[name] = what;
            }
        }
        outcome(&value)
    })
}

proptest! {
    /// Whatever the agent can do: each part of an outcome is in the answer, or is reported as lost.
    #[test]
    fn nothing_is_lost_silently(bits in any::<u16>(), outcome in any_outcome()) {
        let effects = effects_of(bits);
        let fitted = fit_to_effects("The agent", effects, 10_000, outcome.clone());
        // Some agents drop a longer text as a whole.
        let short = fit_to_effects("The agent", effects, 40, outcome.clone()).response;
        for text in [&short.context, &short.continue_with].into_iter().flatten() {
            prop_assert!(text.len() <= 40, "{text}");
        }
        let Response { ruling, input, result, hidden, context, continue_with, tell, .. } = &fitted.response;
        let lost = !fitted.lost.is_empty();
        let denied = matches!(ruling, Ruling::Deny(_));
        match &outcome.ruling {
            Ruling::Deny(_) => prop_assert!(denied || lost),
            Ruling::Ask(_) => prop_assert!(denied || lost || matches!(ruling, Ruling::Ask(_))),
            Ruling::Allow | Ruling::Nothing => {}
        }
        if effects.has(Effect::Block) && outcome.ruling != Ruling::Allow && outcome.ruling != Ruling::Nothing {
            prop_assert!(denied || matches!(ruling, Ruling::Ask(_)), "what can be stopped is");
        }
        if outcome.input.is_some() {
            prop_assert!(input.is_some() || denied || lost);
        }
        if outcome.result.is_some() {
            prop_assert!(result.is_some() || hidden.is_some() || lost);
        }
        if !outcome.context.is_empty() {
            let in_reason = matches!(ruling, Ruling::Deny(reason) if reason.contains("a context"));
            prop_assert!(context.as_deref().is_some_and(|text| text.contains("a context")) || in_reason || lost);
        }
        if !outcome.continue_with.is_empty() {
            prop_assert!(continue_with.is_some() || lost);
        }
        if outcome.stop && denied {
            prop_assert!(fitted.response.stop || lost);
        }
        // Nothing that the agent does not know.
        prop_assert!(!fitted.response.stop || (effects.has(Effect::Stop) && denied));
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
                    let fitted = fit_to_effects(agent.title(), agent.effects(&incoming), 100, outcome(&json!({
                        "deny": "no", "context": ["text"], "result": "new"
                    })));
                    agent.answer(&incoming, &fitted.response);
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
        "toolCall",
        "stepIdx",
        "toolInput",
        "mcp_context",
        "hook_events",
        "llm_request",
        "llm_response",
        "hookEventName",
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
