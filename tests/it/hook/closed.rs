//! Closed where it was open: no hooks, an answer that is not read, an event that is not the registered one.

use std::process::Stdio;

use serde_json::{Value, json};
use snaphook_adapters::agent;

use super::failures::here;
use super::support::{agents, denies, hook, passes, payload, replaced};
use crate::support::{CommandOutput, Sandbox, causes};

const FINE: &str = r#"on("tool_call", function() end)"#;

/// The making of a place.
type SetUp = fn(&Sandbox);

/// Files that are not hooks, or are not found: a name, what makes it so, the value of `SNAPHOOK_CONFIG_DIR` (none: as in every place),
/// and what the denial says of the folder.
type Way = (&'static str, SetUp, Option<&'static str>, &'static [&'static str]);

#[cfg(unix)]
fn executable(place: &Sandbox, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let file = place.write(name, text);
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

const EMPTY: &str = "[place]/config/hooks: is empty, .snaphook/hooks does not exist; so no hook is in force";

fn ways() -> Vec<Way> {
    vec![
        ("an empty folder", |_| {}, None, &[EMPTY, "snaphook new", "snaphook uninstall"]),
        (
            "no folder",
            |place| std::fs::remove_dir(place.path("config/hooks")).unwrap(),
            None,
            &["[place]/config/hooks: does not exist"],
        ),
        (
            "a hidden file",
            |place| drop(place.write("config/hooks/.guard.lua", FINE)),
            None,
            &["(.guard.lua is hidden by its leading dot and not loaded)"],
        ),
        #[cfg(unix)]
        (
            "an executable without front matter",
            |place| executable(place, "config/hooks/guard", "#!/bin/sh\nexit 0\n"),
            None,
            &["[place]/config/hooks: has no hook in it (guard is not a hook file)"],
        ),
        (
            "a folder that came with the project",
            |place| drop(place.write("project/.evil/hooks/open.lua", FINE)),
            Some("[place]/project/.evil"),
            &[
                "[place]/project/.evil: the folder of your hooks is inside the project [place]/project",
                "`.env`",
            ],
        ),
        (
            "a test alone",
            |place| drop(place.write("config/hooks/guard.test.lua", "")),
            None,
            &["[place]/config/hooks: has no hook in it"],
        ),
        (
            "a name that is not quite one",
            |place| drop(place.write("config/hooks/guard.lua.txt", FINE)),
            None,
            &["guard.lua.txt is not loaded"],
        ),
        (
            "the project's hooks are left out",
            |place| {
                place.write("project/.snaphook/hooks/p.lua", FINE);
                assert_eq!(place.run(&["ignore", "p"]).code, 0);
            },
            None,
            &[".snaphook/hooks has no hook in it (you ignored p)"],
        ),
        // A hook of the project does not stand in for those that are not found.
        (
            "a variable that leads nowhere",
            trusted,
            Some("[place]/typo"),
            &[
                "[place]/typo: SNAPHOOK_CONFIG_DIR names no folder, so your hooks are not found",
                "or unset it",
            ],
        ),
        (
            "a variable that names a file",
            |place| {
                trusted(place);
                place.write("typo", "");
            },
            Some("[place]/typo"),
            &["SNAPHOOK_CONFIG_DIR names no folder"],
        ),
        (
            "a relative variable",
            |place| {
                trusted(place);
                place.write("project/config/hooks/guard.lua", FINE);
            },
            Some("config"),
            &["config: SNAPHOOK_CONFIG_DIR is a relative path"],
        ),
        (
            "a variable with a tilde",
            |place| {
                trusted(place);
                place.write("home/config/hooks/guard.lua", FINE);
                place.write("project/~/config/hooks/guard.lua", FINE);
            },
            Some("~/config"),
            &["~/config: SNAPHOOK_CONFIG_DIR begins with a `~`"],
        ),
    ]
}

fn trusted(place: &Sandbox) {
    place.write("project/.snaphook/hooks/p.lua", FINE);
    place.trust_all();
}

/// Runs a command of the place's with a value of `SNAPHOOK_CONFIG_DIR`.
fn run(place: &Sandbox, args: &[&str], config: Option<&str>, stdin: &str) -> CommandOutput {
    let mut command = place.command(args);
    if let Some(config) = config {
        command.env(
            "SNAPHOOK_CONFIG_DIR",
            config.replace("[place]", place.path("").to_str().unwrap().trim_end_matches('/')),
        );
    }
    place.feed(command, stdin.as_bytes())
}

#[test]
fn where_nothing_guards_agents_are_denied_and_check_says_the_same() {
    let mut wrong = Vec::new();
    for (what, set_up, config, told) in ways() {
        let place = Sandbox::new();
        set_up(&place);
        let args = ["check", "--tool", "bash", "--input", r#"{"command": "ls"}"#, "--json"];
        let document = run(&place, &args, config, "").document();
        let reason = document["reasons"][0]["reason"].as_str().unwrap_or_default().to_owned();
        // A variable that names a file gives two reasons of the same cause.
        let cause = causes(&document);
        assert!(document["decision"] == "deny" && cause.starts_with("load"), "{what}: {document}");
        for text in told {
            assert!(reason.contains(text), "{what}: {reason}");
        }
        for agent in agents() {
            let (native, payload) = payload(&agent, "tool_call", Some("bash")).unwrap();
            let said = run(&place, &["hook", &agent, &native], config, &here(&place, &payload));
            let quoted = Value::from(reason.as_str()).to_string();
            let says = format!("{}{}", said.stdout, said.stderr).replace("\\\"", "\"");
            if !denies(&agent, &said) || !(says.contains(&reason) || says.contains(quoted.trim_matches('"')))
            {
                wrong.push(format!("{agent}, {what}: {said:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Enough is a hook of any scope, whatever it is for; a lifecycle file that is trusted.
#[test]
fn one_hook_is_enough() {
    let cases: [(&str, SetUp); 4] = [
        ("yours", |place| drop(place.write("config/hooks/guard.lua", FINE))),
        ("the project's, trusted", trusted),
        ("for another event", |place| {
            drop(place.write("config/hooks/end.lua", r#"on("session_end", function() end)"#));
        }),
        ("a lifecycle file, trusted", |place| {
            place.write("project/.snaphook/lifecycle.yml", "session_start:\n  - command: \"true\"\n");
            let said = place.run(&["trust", "--print"]);
            assert_eq!(place.run(&["trust", said.stdout.trim()]).code, 0, "{said:?}");
        }),
    ];
    let (native, payload) = payload("claude-code", "tool_call", Some("bash")).unwrap();
    for (what, set_up) in cases {
        let place = Sandbox::new();
        set_up(&place);
        let said = hook(&place, "claude-code", &native, &here(&place, &payload));
        assert!(passes("claude-code", &said), "{what}: {said:?}");
        assert_eq!(place.gate("ls", &[]).0, 0, "{what}");
    }
    let place = Sandbox::new();
    place.write("named.lua", FINE);
    assert_eq!(place.gate("ls", &["--hook", place.path("named.lua").to_str().unwrap()]).0, 0);
}

/// The end of a process whose answer is not read: closed, a pipe whose other end is gone, a device that is full.
#[cfg(unix)]
#[test]
fn an_answer_that_nobody_reads_denies_by_exit_code() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/guard.lua",
        r#"on("tool_call", function(event) return { block = event.command == "no", reason = "no" } end)"#,
    );
    let mut wrong = Vec::new();
    for agent in agents() {
        let (native, payload) = payload(&agent, "tool_call", Some("bash")).unwrap();
        let command = super::support::command_of(&agent, "tool_call");
        for (decision, payload) in [("allow", payload.clone()), ("deny", replaced(&payload, &command, "no"))]
        {
            let payload = here(&place, &payload);
            let args = ["hook", &agent, &native];
            let before = place.run_with_stdin(&args, &payload);
            assert_eq!(denies(&agent, &before), decision == "deny", "{agent}: {before:?}");
            let closed = |code: i32| (code != 2).then(|| format!("{agent}, {decision}: {code}"));
            let script = ["-c", "exec \"$0\" \"$@\" >&-", env!("CARGO_BIN_EXE_snaphook")];
            let shell = place.program("sh", &[&script[..], &args].concat());
            wrong.extend(closed(place.feed(shell, payload.as_bytes()).code).map(|text| text + ", closed"));
            let mut child = place.command(&args).stdin(Stdio::piped()).spawn().unwrap();
            drop(child.stdout.take());
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.as_bytes()).unwrap();
            wrong.extend(closed(child.wait().unwrap().code().unwrap()).map(|text| text + ", a broken pipe"));
            if !before.stdout.is_empty() {
                let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
                let mut command = place.command(&args);
                command.stdout(full);
                wrong
                    .extend(closed(place.feed(command, payload.as_bytes()).code).map(|text| text + ", full"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// To refuse the end of a turn would be to go on, without end.
#[cfg(unix)]
#[test]
fn an_end_that_nobody_reads_of_is_no_refusal() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/on.lua",
        r#"on("agent_end", function() return { continue_with = "go on" } end)"#,
    );
    let (native, payload) = payload("claude-code", "agent_end", None).unwrap();
    let script =
        ["-c", "exec \"$0\" \"$@\" >&-", env!("CARGO_BIN_EXE_snaphook"), "hook", "claude-code", &native];
    let said = place.feed(place.program("sh", &script), here(&place, &payload).as_bytes());
    assert_eq!(said.code, 1, "{said:?}");
}

/// Returns where an agent writes the name of the event in its payloads.
fn name_in(payload: &Value) -> Option<&'static str> {
    let names = ["hook_event_name", "hookEventName", "hookName", "event", "agent_action_name", "hook"];
    names.into_iter().find(|name| payload[*name].is_string())
}

/// A payload that names another event is not what the agent waits for an answer to: one that can be denied is.
#[test]
fn the_event_on_the_command_line_binds() {
    let place = Sandbox::new();
    place.write("config/hooks/guard.lua", FINE);
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for id in agents() {
        let (native, call) = payload(&id, "tool_call", Some("bash")).unwrap();
        let call: Value = serde_json::from_str(&here(&place, &call)).unwrap();
        let Some(key) = name_in(&call) else { continue };
        let rows = agent(&id).unwrap().rows();
        let own = call[key].as_str().unwrap().to_owned();
        let others = rows.iter().filter(|row| !row.is_gate() && row.native != native);
        for other in others.map(|row| row.native).chain(["NoSuchEvent"]) {
            let mut named = call.clone();
            named[key] = other.into();
            tried += 1;
            let said = hook(&place, &id, &native, &named.to_string());
            if !denies(&id, &said) {
                wrong.push(format!("{id}: {native} with {other}: {said:?}"));
            }
            // The other way round: registered for what can only be observed, and the payload is a call.
            let said = hook(&place, &id, other, &call.to_string());
            // Copilot is refused in two ways at once where not even the event is known.
            let denied = denies(&id, &said) || (id == "copilot" && said.code == 2);
            if !denied {
                wrong.push(format!("{id}: {other} with {own}: {said:?}"));
            }
        }
        let said = hook(&place, &id, &native, &call.to_string());
        assert!(passes(&id, &said), "{id}: {said:?}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 60, "{tried}");
}

/// One registration that the agent calls for two of its events.
#[test]
fn one_file_for_two_events_is_one_event() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/guard.lua",
        r#"on("tool_call", function() return { block = true, reason = "no" } end)"#,
    );
    let library = json!({
        "hookName": "tool_call", "taskId": "t", "workspaceRoots": [place.path("project")],
        "tool_call": {"id": "1", "name": "run_commands", "input": {"commands": ["ls"]}},
    });
    let said = hook(&place, "cline", "PreToolUse", &library.to_string());
    assert!(denies("cline", &said) && said.stdout.contains("no ["), "{said:?}");
    let said = hook(&place, "cline", "PostToolUse", &library.to_string());
    assert!(denies("cline", &said) && said.stdout.contains("names"), "{said:?}");
    // Grok Build calls what is registered for Claude Code, and spells the name in its own way.
    let grok = json!({
        "hookEventName": "pre_tool_use", "sessionId": "g", "cwd": place.path("project"), "workspaceRoot": "/srv",
        "toolName": "run_terminal_command", "toolInput": {"command": "ls"},
    });
    for form in ["grok", "claude-code"] {
        let said = hook(&place, form, "PreToolUse", &grok.to_string());
        assert!(denies(form, &said) && said.stdout.contains("no ["), "{form}: {said:?}");
    }
}

/// Gemini CLI takes the only file whose path ends like one that is not there.
#[test]
fn a_file_that_is_not_there_is_not_the_one_that_is_meant() {
    let place = Sandbox::new();
    place.write("config/hooks/guard.lua", FINE);
    place.write("project/src/main.rs", "fn main() {}\n");
    for (path, old, is_there) in [
        ("src/main.rs", "fn", true),
        ("settings.json", "{", false),
        ("main.rs", "fn", false),
        ("@main.rs", "fn", false),
        ("new.rs", "", true),
        ("/nowhere/x", "fn", true),
    ] {
        let payload = json!({
            "session_id": "s", "transcript_path": "/t.json", "cwd": place.path("project").display().to_string(), "hook_event_name": "BeforeTool",
            "tool_name": "replace", "tool_input": {"file_path": path, "old_string": old, "new_string": "x"},
        });
        let said = place.run_with_stdin(&["hook", "gemini", "BeforeTool"], &payload.to_string());
        assert_eq!(said.stdout.contains("whole path"), !is_there, "{path}: {said:?}");
        assert_eq!(said.stdout.contains("deny"), !is_there, "{path}: {said:?}");
    }
}
