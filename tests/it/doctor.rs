//! `snaphook doctor`: what is right with real settings, what is wrong with them, and that looking changes nothing.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::hook::support::hook;
use crate::install::{fine, guarded, text};
use crate::support::{CommandOutput, Sandbox};

/// Every file below a folder, with its bytes.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            files.extend(tree(&path));
        } else {
            files.insert(path.display().to_string(), std::fs::read(&path).unwrap());
        }
    }
    files
}

fn installed(agent: &str) -> Sandbox {
    let place = guarded();
    fine(&place, &["install", agent]);
    place
}

/// Approves every hook in Codex' settings, as its `/hooks` does.
fn approve(place: &Sandbox) {
    let file = place.path("home/.codex/hooks.json");
    let document: Value = serde_json::from_str(&text(&file)).unwrap();
    let mut settings = String::new();
    for (event, groups) in document["hooks"].as_object().unwrap() {
        let label: String = event
            .char_indices()
            .flat_map(|(at, c)| (at > 0 && c.is_ascii_uppercase()).then_some('_').into_iter().chain([c]))
            .collect();
        let label = label.to_lowercase();
        let hook = &groups[0]["hooks"][0];
        let identity = format!(
            r#"{{"event_name":"{label}","hooks":[{{"async":false,"command":{},"timeout":{},"type":"command"}}]}}"#,
            hook["command"], hook["timeout"]
        );
        let digest = Sha256::digest(identity);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        settings +=
            &format!("[hooks.state.\"{}:{label}:0:0\"]\ntrusted_hash = \"sha256:{hex}\"\n", file.display());
    }
    place.write("home/.codex/config.toml", settings);
}

fn wrong(said: &CommandOutput) -> Vec<&str> {
    said.stdout.lines().filter(|line| line.starts_with("wrong")).collect()
}

#[test]
fn what_was_installed_is_fine_and_looking_changes_nothing() {
    let place = guarded();
    let mut agents = Vec::new();
    for agent in crate::hook::support::agents() {
        if place.run(&["install", &agent]).code == 0 {
            agents.push(agent);
        }
    }
    assert!(agents.len() >= 15, "{agents:?}");
    let said = place.run(&["doctor", "codex"]);
    assert!(said.code == 1 && said.stdout.contains("is not approved"), "{said:?}");
    approve(&place);
    let folders = ["home", "project", "config", "state"];
    let before = folders.map(|folder| tree(&place.path(folder)));
    let said = fine(&place, &["doctor"]);
    assert_eq!(folders.map(|folder| tree(&place.path(folder))), before);
    for agent in &agents {
        for what in
            ["can be read", "answers in", "the audit has the call", "cannot be read is denied", "asks about"]
        {
            let mut lines = said.stdout.lines();
            let found = lines.any(|line| line.starts_with(&format!("ok    {agent} ")) && line.contains(what));
            // Those with a plugin ask in a way of their own.
            assert!(
                found || ["opencode", "kilo", "pi"].contains(&&**agent),
                "{agent}: {what}: {}",
                said.stdout
            );
        }
    }
    let document = fine(&place, &["doctor", "--json"]).document();
    assert_eq!(document["ok"], true);
}

#[test]
fn without_an_agent_it_says_how_to_install() {
    let place = guarded();
    let said = place.run(&["doctor"]);
    assert_eq!((said.code, wrong(&said).len()), (1, 1), "{said:?}");
    assert!(said.stdout.contains("snaphook install AGENT"), "{said:?}");
    let said = place.run(&["doctor", "codex"]);
    assert!(said.code == 1 && said.stdout.contains("→ snaphook install codex"), "{said:?}");
    let said = place.run(&["doctor", "codx"]);
    assert!(said.code == 64 && said.stderr.contains("did you mean codex"), "{said:?}");
    // A file of another program is not read, but its answer can be tried.
    let said = fine(&place, &["doctor", "kiro"]);
    assert!(said.stdout.contains("note  kiro") && said.stdout.contains("ok    kiro: answers in"), "{said:?}");
}

const SETTINGS: &str = "home/.claude/settings.json";

fn edit(place: &Sandbox, change: impl Fn(&str) -> String) {
    let before = text(&place.path(SETTINGS));
    let after = change(&before);
    assert_ne!(before, after);
    place.write(SETTINGS, after);
}

/// Puts another program into the settings.
fn program(place: &Sandbox, script: &str) {
    let program = place.write("other/snaphook", script);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    }
    edit(place, |text| text.replace(env!("CARGO_BIN_EXE_snaphook"), &program.display().to_string()));
}

#[cfg(unix)]
#[test]
fn what_is_wrong_is_told_with_what_helps() {
    type Break = fn(&Sandbox);
    let cases: [(&str, Break, &str, &str); 18] = [
        (
            "the program is gone",
            |place| edit(place, |text| text.replace(env!("CARGO_BIN_EXE_snaphook"), "/nowhere/snaphook")),
            "the program /nowhere/snaphook does not exist",
            "snaphook install claude-code",
        ),
        (
            "another version",
            |place| program(place, "#!/bin/sh\n[ \"$1\" = --version ] && echo snaphook 0.0.1\n"),
            "which is snaphook 0.0.1, and this is snaphook",
            "snaphook install claude-code",
        ),
        (
            "another program",
            |place| program(place, "#!/bin/sh\nexit 7\n"),
            "exited with code 7",
            "snaphook install claude-code",
        ),
        (
            "it ends well and does nothing",
            |place| {
                let this = concat!("snaphook ", env!("CARGO_PKG_VERSION"));
                program(place, &format!("#!/bin/sh\n[ \"$1\" = --version ] && echo {this}\nexit 0\n"));
            },
            "the command does not work: snaphook did not run",
            "snaphook install claude-code",
        ),
        (
            "it allows everything",
            |place| {
                let this = concat!("snaphook ", env!("CARGO_PKG_VERSION"));
                program(place, &format!("#!/bin/sh\n[ \"$1\" = --version ] && echo {this}\nexit 219\n"));
            },
            "the audit has no line about the call",
            "which program the command of the settings starts",
        ),
        (
            "it answers what no agent reads",
            |place| {
                let this = concat!("snaphook ", env!("CARGO_PKG_VERSION"));
                program(
                    place,
                    &format!(
                        "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo {this}; exit; }}\necho hello\nexit 219\n"
                    ),
                );
            },
            "with output that Claude Code cannot read: hello",
            "snaphook install claude-code",
        ),
        (
            "it is killed",
            |place| {
                let this = concat!("snaphook ", env!("CARGO_PKG_VERSION"));
                program(
                    place,
                    &format!("#!/bin/sh\n[ \"$1\" = --version ] && {{ echo {this}; exit; }}\nkill -9 $$\n"),
                );
            },
            "the command does not work: ",
            "snaphook install claude-code",
        ),
        (
            "an event is missing",
            |place| {
                place.write("config/hooks/stop.lua", r#"on("agent_end", function() end)"#);
                edit(place, |text| {
                    let mut settings: Value = serde_json::from_str(text).unwrap();
                    settings["hooks"].as_object_mut().unwrap().remove("Stop");
                    settings.to_string()
                });
            },
            "hooks need events that are not registered: Stop",
            "snaphook install claude-code",
        ),
        (
            "the command was changed",
            |place| edit(place, |text| text.replacen("exit 2;; esac", "exit 0;; esac", 1)),
            "differs from what this version writes",
            "snaphook install claude-code",
        ),
        (
            "hooks are switched off",
            |place| edit(place, |text| text.replacen('{', "{\"disableAllHooks\": true,", 1)),
            "`disableAllHooks` switches it off",
            "change `disableAllHooks` there",
        ),
        (
            "invalid settings",
            |place| edit(place, |text| text.replacen('{', "{,", 1)),
            "it is not valid JSON",
            "fix the file, then snaphook install claude-code",
        ),
        (
            "a hook that does not load",
            |place| drop(place.write("config/hooks/bad.lua", "on(")),
            "bad.lua",
            "fix it; `snaphook list` shows all hooks",
        ),
        (
            "a hook that raises",
            |place| {
                drop(place.write("config/hooks/raise.lua", r#"on("tool_call", function() error("oh") end)"#))
            },
            "a hook fails at a harmless call: ",
            "fix the hook",
        ),
        (
            "an undecided hook of the project",
            |place| drop(place.write("project/.snaphook/hooks/p.lua", r#"on("tool_call", function() end)"#)),
            "1 of the project wait for your decision",
            "snaphook trust",
        ),
        (
            "no hook",
            |place| std::fs::remove_file(place.path("config/hooks/guard.lua")).unwrap(),
            "there are none, so every tool call is denied",
            "snaphook new",
        ),
        (
            "invalid settings of snaphook",
            |place| drop(place.write("config/config.toml", "default = [")),
            "config.toml",
            "fix it",
        ),
        (
            "no audit",
            |place| {
                let _ = std::fs::remove_dir_all(place.path("state/audit"));
                place.write("state/audit", "a file, no folder");
            },
            "state/audit cannot be written",
            "set SNAPHOOK_STATE_DIR",
        ),
        (
            "no state folder",
            |place| {
                std::fs::remove_dir_all(place.path("state")).unwrap();
                place.write("state", "a file, no folder");
            },
            "state cannot be written",
            "set SNAPHOOK_STATE_DIR",
        ),
    ];
    for (name, break_it, what, remedy) in cases {
        let place = installed("claude-code");
        assert_eq!(place.run(&["doctor"]).code, 0, "{name}");
        break_it(&place);
        let said = place.run(&["doctor"]);
        assert_eq!(said.code, 1, "{name}: {said:?}");
        let told = wrong(&said);
        let found = told.iter().any(|line| {
            line.split_once(" → ").is_some_and(|(is, helps)| is.contains(what) && helps.contains(remedy))
        });
        assert!(found, "{name}: no line with {what} → {remedy} in\n{}", said.stdout);
        let document = place.run(&["doctor", "--json"]).document();
        assert_eq!(document["ok"], false, "{name}");
    }
}

/// Pieces of a model's answer come by the hundred.
#[test]
fn what_comes_often_is_asked_about_where_a_hook_is_for_it() {
    let place = guarded();
    let hook = place.write("config/hooks/pieces.lua", r#"on("model_response", function() end)"#);
    fine(&place, &["install", "gemini"]);
    assert!(text(&place.path("home/.gemini/settings.json")).contains("AfterModel"));
    fine(&place, &["doctor"]);
    std::fs::remove_file(hook).unwrap();
    let said = place.run(&["doctor"]);
    assert!(
        said.code == 1 && said.stdout.contains("events are registered that no hook needs: AfterModel"),
        "{said:?}"
    );
    fine(&place, &["install", "gemini"]);
    assert!(!text(&place.path("home/.gemini/settings.json")).contains("AfterModel"));
    fine(&place, &["doctor"]);
}

/// Each in the person's settings, and in the project's where the agent reads it there.
#[test]
fn what_switches_hooks_off_is_told() {
    let settings = |key: &str| format!("{{\"{key}\": true}}");
    for (agent, file, text, told) in [
        (
            "claude-code",
            "project/.claude/settings.local.json",
            settings("disableAllHooks"),
            "`disableAllHooks`",
        ),
        (
            "gemini",
            "project/.gemini/settings.json",
            r#"{"hooksConfig": {"enabled": false}}"#.into(),
            "`hooksConfig.enabled`",
        ),
        ("qwen", "project/.qwen/settings.json", settings("disableAllHooks"), "`disableAllHooks`"),
        (
            "droid",
            "home/.factory/settings.json",
            r#"{"hooks": {"hooksDisabled": true}}"#.into(),
            "`hooks.hooksDisabled`",
        ),
        ("droid", "project/.factory/settings.json", settings("hooksDisabled"), "`hooksDisabled`"),
        (
            "grok",
            "home/.grok/disabled-hooks",
            "global/snaphook:pre_tool_use[0].hooks[0]\n".into(),
            "snaphook:pre_tool_use",
        ),
        (
            "claude-code",
            "project/.claude/settings.json",
            r#"{"env": {"SNAPHOOK_CONFIG_DIR": "/x"}}"#.into(),
            "`env.SNAPHOOK_CONFIG_DIR`",
        ),
        (
            "claude-code",
            "project/.claude/settings.local.json",
            r#"{"env": {"CLAUDE_CODE_SIMPLE": "1"}}"#.into(),
            "`env.CLAUDE_CODE_SIMPLE`",
        ),
        ("qwen", "project/.qwen/settings.json", r#"{"env": {"HOME": "/x"}}"#.into(), "`env.HOME`"),
        (
            "vibe",
            "project/.vibe/hooks.toml",
            "[[hooks]]\nname = \"snaphook-pre_tool\"\ntype = \"pre_tool\"\ncommand = \"true\"\n".into(),
            "`snaphook-pre_tool` takes the place of snaphook's",
        ),
        ("codex", "home/.codex/config.toml", "[features]\nhooks = false\n".into(), "`features.hooks`"),
        (
            "codex",
            "project/.codex/config.toml",
            "a = \n".into(),
            "cannot be read, so it may switch hooks off",
        ),
    ] {
        let place = installed(agent);
        if agent == "codex" {
            approve(&place);
        }
        fine(&place, &["doctor", agent]);
        let path = place.path(file);
        let before = if path.exists() { std::fs::read_to_string(&path).unwrap() } else { String::new() };
        place.write(file, format!("{text}{before}"));
        let said = place.run(&["doctor", agent]);
        assert!(said.code == 1 && wrong(&said).iter().any(|line| line.contains(told)), "{file}: {said:?}");
    }
}

#[test]
fn gemini_can_switch_off_ours_alone() {
    for (config, wanted) in [
        (json!({"enabled": true, "disabled": ["other"]}), 0),
        (json!({"enabled": false}), 1),
        (json!({"disabled": ["snaphook"]}), 1),
    ] {
        let place = guarded();
        place.write("home/.gemini/settings.json", json!({"hooksConfig": config}).to_string());
        fine(&place, &["install", "gemini"]);
        assert_eq!(place.run(&["doctor"]).code, wanted, "{config}");
    }
}

/// A policy that denies the call is not one of these.
#[test]
fn a_policy_is_not_wrong() {
    let place = installed("gemini");
    place.write("config/config.toml", "default = \"deny\"\n");
    let said = fine(&place, &["doctor"]);
    assert!(said.stdout.contains("the hooks deny `true`"), "{said:?}");
    place.write("config/config.toml", "[audit]\nenabled = false\n");
    let said = fine(&place, &["doctor"]);
    assert!(said.stdout.contains("note  audit: it is switched off"), "{said:?}");
}

#[test]
fn set_up_twice_is_told() {
    let place = installed("claude-code");
    fine(&place, &["install", "claude-code", "--project"]);
    let said = fine(&place, &["doctor"]);
    assert!(said.stdout.contains("note  claude-code: it is set up twice"), "{said:?}");
    assert_eq!(said.stdout.matches("answers in").count(), 2, "{said:?}");
}

/// Doctor itself may run inside of an agent, whose variables would speak for it.
#[test]
fn inside_of_another_agent_it_is_the_same() {
    let place = installed("claude-code");
    let mut command = place.command(&["doctor"]);
    command.env("COPILOT_CLI", "1").env("CURSOR_VERSION", "3").env("QWEN_PROJECT_DIR", "/q");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A call of Claude Code, as its hooks and its transcript have it.
fn call(id: &str, tool: &str, input: &Value) -> (String, String) {
    let payload = json!({"session_id": "s-7", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": id});
    let block = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
    let entry = json!({"type": "assistant", "sessionId": "s-7", "uuid": id, "parentUuid": null, "message": {"role": "assistant", "content": [block]}});
    (payload.to_string(), entry.to_string())
}

#[test]
fn calls_that_went_past_are_listed() {
    let place = guarded();
    let calls = [
        call("t1", "Bash", &json!({"command": "ls"})),
        call("t2", "Bash", &json!({"command": "rm -rf build"})),
        call("t3", "Read", &json!({"file_path": "/home/ada/a"})),
        call("t4", "Bash", &json!({"command": "ls"})),
    ];
    let transcript: String = calls.iter().map(|(_, entry)| format!("{entry}\n")).collect();
    place.write("project/session.jsonl", transcript);
    for (payload, _) in &calls[..3] {
        hook(&place, "claude-code", "PreToolUse", payload);
    }
    let said = place.run(&["doctor", "--coverage", "session.jsonl"]);
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (
            1,
            "not in the audit line 4: Bash t4 {\"command\":\"ls\"}\nwrong 1 of 4 tool calls bypassed snaphook\n"
        )
    );
    let document = place.run(&["doctor", "--coverage", "session.jsonl", "--json"]).document();
    assert_eq!((&document["calls"], &document["missing"][0]["id"]), (&json!(4), &json!("t4")));
    hook(&place, "claude-code", "PreToolUse", &calls[3].0);
    let said = fine(&place, &["doctor", "--coverage", "session.jsonl"]);
    assert_eq!(said.stdout, "ok the audit has each of 4 tool calls\n");
}

#[test]
fn rollouts_of_codex_are_known() {
    let place = guarded();
    let item = |payload: Value| format!("{}\n", json!({"type": "response_item", "payload": payload}));
    let rollout = format!(
        "{}\n{}{}",
        json!({"type": "session_meta", "payload": {"id": "x-1", "cwd": "/work"}}),
        item(
            json!({"type": "function_call", "name": "exec_command", "arguments": "{\"cmd\": \"ls\"}", "call_id": "c1"})
        ),
        item(
            json!({"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n", "call_id": "c2"})
        ),
    );
    let file = place.write("rollout.jsonl", rollout);
    let file = file.to_str().unwrap();
    let said = place.run(&["doctor", "--coverage", file]);
    assert!(said.code == 1 && said.stdout.contains("wrong 2 of 2 tool calls"), "{said:?}");
    for (id, tool, command) in
        [("c1", "Bash", "ls"), ("c2", "apply_patch", "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n")]
    {
        let payload = json!({"session_id": "x-1", "turn_id": "t", "model": "m", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {"command": command}, "tool_use_id": id});
        hook(&place, "codex", "PreToolUse", &payload.to_string());
    }
    fine(&place, &["doctor", "--coverage", file]);
    for (name, text) in [("empty", ""), ("something else", "{\"a\": 1}\n"), ("no JSON", "hello\n")] {
        place.write("rollout.jsonl", text);
        let said = place.run(&["doctor", "--coverage", file]);
        assert!(
            said.code == 64 && said.stderr.contains("expected a transcript of Claude Code"),
            "{name}: {said:?}"
        );
    }
    let said = place.run(&["doctor", "--coverage", "/nowhere.jsonl"]);
    assert_eq!(said.code, 64, "{said:?}");
}
