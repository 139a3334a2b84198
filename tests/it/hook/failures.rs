//! Each agent × each way to fail: a tool call is denied, in that agent's form.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use super::support::{agents, denies, hook, passes, payload};
use crate::support::Sandbox;

const FINE: &str = r#"on("tool_call", function() end)"#;

/// Settings with which what never ends is stopped soon.
const TIGHT: &str = "[limits]\nhandler_cpu_ms = 100\nload_cpu_ms = 100\n";

/// A way to fail: a name, the hook (none: there is no file), and what is on standard input (none: the agent's payload).
type Way = (&'static str, Option<&'static str>, Option<Vec<u8>>);

/// The name of a failure, and the making of a place that fails so.
type SetUp = (&'static str, fn(&Sandbox));

fn ways() -> Vec<Way> {
    let broken = |source: &'static str| Some(source);
    vec![
        ("no hook files", None, None),
        ("a hook that does not compile", broken("on("), None),
        ("a hook that raises", broken(r#"on("tool_call", function() error("x") end)"#), None),
        ("a hook that loops", broken(r#"on("tool_call", function() while true do end end)"#), None),
        (
            "a hook that returns nonsense",
            broken(r#"on("tool_call", function() return { blok = true } end)"#),
            None,
        ),
        ("a hook that returns a text", broken(r#"on("tool_call", function() return "deny" end)"#), None),
        (
            "a hook that eats memory",
            broken(
                r#"on("tool_call", function() local t = {} while true do t[#t + 1] = string.rep("x", 100000) .. #t end end)"#,
            ),
            None,
        ),
        ("a hook that loops while it loads", broken("while true do end"), None),
        ("nothing on standard input", Some(FINE), Some(Vec::new())),
        ("white space", Some(FINE), Some(b" \n\t ".to_vec())),
        ("binary", Some(FINE), Some((0..=255).cycle().take(4096).collect())),
        ("10 MB", Some(FINE), Some(vec![b'x'; 10 << 20])),
        ("10 MB of JSON", Some(FINE), Some([b"{\"a\": \"", &vec![b'x'; 10 << 20][..], b"\"}"].concat())),
        ("another type", Some(FINE), Some(b"[1, 2]".to_vec())),
        ("an empty object", Some(FINE), Some(b"{}".to_vec())),
    ]
}

#[test]
fn whatever_fails_a_tool_call_is_denied() {
    let mut wrong = Vec::new();
    for agent in agents() {
        let (native, payload) = payload(&agent, "tool_call", Some("bash")).unwrap();
        for (what, source, stdin) in ways() {
            let place = Sandbox::new();
            place.write("config/config.toml", TIGHT);
            if let Some(source) = source {
                place.write("config/hooks/guard.lua", source);
            }
            let said = match stdin {
                None => hook(&place, &agent, &native, &here(&place, &payload)),
                Some(bytes) => raw(&place, &agent, &native, &bytes),
            };
            if !denies(&agent, &said) {
                wrong.push(format!("{agent}, {what}: {said:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two readers could take the one or the other of two values.
#[test]
fn a_call_with_a_key_twice_is_denied() {
    let mut wrong = Vec::new();
    for agent in agents() {
        let (native, payload) = payload(&agent, "tool_call", Some("bash")).unwrap();
        let place = Sandbox::new();
        place.write("config/config.toml", TIGHT);
        place.write("config/hooks/guard.lua", FINE);
        let text = here(&place, &payload).to_string();
        // As it is it passes, so that nothing else denies it.
        let once = raw(&place, &agent, &native, text.as_bytes());
        let first = payload.as_object().unwrap().keys().next().unwrap();
        let mut all = vec![text.replacen('{', &format!("{{\"{first}\":null,"), 1)];
        let inner = text.replacen("\"command\":", "\"command\":\"rm -rf x\",\"command\":", 1);
        all.extend((inner != text).then_some(inner));
        for twice in all {
            let said = raw(&place, &agent, &native, twice.as_bytes());
            if denies(&agent, &once) || !denies(&agent, &said) {
                wrong.push(format!("{agent}: {twice} {once:?} {said:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn settings_and_trust_that_fail_deny() {
    let mut wrong = Vec::new();
    for agent in agents() {
        let (native, payload) = payload(&agent, "tool_call", Some("bash")).unwrap();
        let setups: [SetUp; 3] = [
            ("invalid settings", |place| drop(place.write("config/config.toml", "default = ["))),
            ("an undecided hook of the project", |place| {
                drop(place.write("project/.snaphook/hooks/p.lua", FINE))
            }),
            ("an audit that cannot be written", |place| {
                drop(place.write("state/audit", "a file, no folder"))
            }),
        ];
        for (what, set_up) in setups {
            let place = Sandbox::new();
            place.write("config/hooks/guard.lua", FINE);
            let before = hook(&place, &agent, &native, &here(&place, &payload));
            assert!(passes(&agent, &before), "{agent}: {before:?}");
            let place = Sandbox::new();
            place.write("config/hooks/guard.lua", FINE);
            set_up(&place);
            let said = hook(&place, &agent, &native, &here(&place, &payload));
            if !denies(&agent, &said) {
                wrong.push(format!("{agent}, {what}: {said:?}"));
            }
        }
        // Truncated at every eighth of it.
        let place = Sandbox::new();
        place.write("config/hooks/guard.lua", FINE);
        let whole = here(&place, &payload);
        for part in 1..8 {
            let end = whole.floor_char_boundary(whole.len() * part / 8);
            let said = hook(&place, &agent, &native, &whole[..end]);
            if !denies(&agent, &said) {
                wrong.push(format!("{agent}, {part}/8 of the payload: {said:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every agent gets the message that the configuration is invalid, where, and what to do; not that a hook did not load.
#[test]
fn a_wrong_configuration_is_called_that() {
    for (file, text, wanted) in [
        (
            "config/config.toml",
            "default = [",
            "config.toml:1: the configuration file is wrong: invalid TOML: ",
        ),
        (
            "config/config.toml",
            "\ndefualt = \"deny\"\n",
            "config.toml:2: the configuration file is wrong: unknown setting `defualt`; did you mean `default`? (settings are ",
        ),
        (
            "config/config.toml",
            "self_protection = 1\n",
            "(correct this line; until then every gated call is denied)",
        ),
        (
            "project/.snaphook/config.toml",
            "self_protection = false\n",
            ".snaphook/config.toml:1: the configuration file is wrong: `self_protection` can be set in the user's",
        ),
    ] {
        let place = Sandbox::new();
        place.write("config/hooks/guard.lua", FINE);
        place.write(file, text);
        let (code, document) = place.gate("ls", &[]);
        let said = document["reasons"][0]["reason"].as_str().unwrap_or_default();
        assert_eq!((code, &document["reasons"][0]["cause"]), (2, &"load".into()), "{document}");
        assert!(said.contains(wanted) && !said.contains("did not load"), "{document}");
        for agent in agents() {
            let (native, payload) = payload(&agent, "tool_call", Some("bash")).unwrap();
            let said = hook(&place, &agent, &native, &here(&place, &payload));
            let all = format!("{}{}", said.stdout, said.stderr);
            assert!(denies(&agent, &said), "{agent}: {said:?}");
            assert!(!all.contains("did not load"), "{agent}: {said:?}");
            assert!(all.contains("the configuration file is wrong"), "{agent}: {said:?}");
        }
    }
}

/// Another process keeps the lock on the session's audit. The wait is no longer than the append's, or than the agent's.
#[test]
fn an_audit_that_is_kept_locked_denies_in_time() {
    let started: Vec<_> = agents()
        .into_iter()
        .map(|agent| {
            let (native, payload) = payload(&agent, "tool_call", Some("bash")).unwrap();
            let place = Sandbox::new();
            place.write("config/hooks/guard.lua", FINE);
            let payload = here(&place, &payload);
            let before = hook(&place, &agent, &native, &payload);
            assert!(passes(&agent, &before), "{agent}: {before:?}");
            let files = std::fs::read_dir(place.path("state/audit")).unwrap();
            let sessions = files
                .map(|file| file.unwrap().path())
                .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
            let files: Vec<_> = sessions.map(|file| std::fs::File::open(file).unwrap()).collect();
            assert_eq!(files.len(), 1, "{agent}");
            files[0].lock().unwrap();
            let mut child = place.command(&["hook", &agent, &native]).stdin(Stdio::piped()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
            (agent, place, files, child)
        })
        .collect();
    for (agent, place, _files, child) in started {
        let said = place.finish(child);
        assert!(denies(&agent, &said), "{agent}: {said:?}");
        // Grok Build waits for 5 s only.
        let why =
            if agent == "grok" { "gave no answer within 4.5 s" } else { "another process keeps it locked" };
        assert!(format!("{}{}", said.stdout, said.stderr).contains(why), "{agent}: {said:?}");
    }
}

#[test]
fn a_command_line_that_is_wrong_denies() {
    let place = Sandbox::new();
    place.write("config/hooks/guard.lua", FINE);
    for agent in agents() {
        let (native, payload) = payload(&agent, "tool_call", Some("bash")).unwrap();
        let payload = here(&place, &payload);
        let said = place.run_with_stdin(&["hook", &agent, &native, "--no-such-option"], &payload);
        assert!(denies(&agent, &said), "{agent}: {said:?}");
    }
    let said = place.run_with_stdin(&["hook", "no-such-agent", "PreToolUse"], "{}");
    assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{said:?}");
    assert!(said.stderr.contains("no-such-agent"), "{said:?}");
}

/// An event that can only be observed is never held up, and the problem is in the log.
#[test]
fn what_cannot_be_denied_goes_on() {
    let place = Sandbox::new();
    place.write("config/hooks/guard.lua", r#"on("session_end", function() error("x") end)"#);
    let (native, payload) = payload("claude-code", "session_end", None).unwrap();
    let said = hook(&place, "claude-code", &native, &here(&place, &payload));
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (0, "", ""));
    assert!(std::fs::read_to_string(place.path("state/hook.log")).unwrap().contains("guard"), "{said:?}");
    let said = hook(&place, "claude-code", &native, "{");
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (0, "", ""));
}

/// The payload with the working directory of the place.
pub fn here(place: &Sandbox, payload: &Value) -> String {
    let mut payload = payload.clone();
    let project = place.path("project").display().to_string();
    if let Some(map) = payload.as_object_mut() {
        for name in ["cwd", "workingDirectory", "directory", "working_dir"] {
            if map.contains_key(name) {
                map.insert(name.to_owned(), project.clone().into());
            }
        }
        for name in ["workspace_roots", "workspacePaths", "workspaceRoots"] {
            if map.contains_key(name) {
                map.insert(name.to_owned(), serde_json::json!([project]));
            }
        }
    }
    payload.to_string()
}

fn raw(place: &Sandbox, agent: &str, native: &str, bytes: &[u8]) -> crate::support::CommandOutput {
    place.run_with_bytes(&["hook", agent, native], bytes)
}
