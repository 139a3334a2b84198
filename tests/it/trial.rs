//! Commands that only look change nothing that agents' sessions keep.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::Sandbox;

/// Counts in its store, in every event.
const COUNTS: &str = r#"on("tool_call", function(event, ctx)
  local n = (ctx.store.get("n") or 0) + 1
  ctx.store.set("n", n)
  return { context = "call " .. n }
end)
on("tool_result", function(event, ctx) ctx.store.set("last", event.content) end)
"#;

/// Every file below a folder with what is in it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.display().to_string(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// A place in which an agent has called twice, with a hook of its own and one of the project.
fn used() -> Sandbox {
    let place = Sandbox::new();
    place.write("config/hooks/counts.lua", COUNTS);
    place.write("project/.snaphook/hooks/own.lua", COUNTS);
    place.write("project/file", "text\n");
    place.trust_all();
    assert_eq!(place.run(&["install", "claude-code"]).code, 0);
    for _ in 0..2 {
        hooked(&place);
    }
    place
}

fn hooked(place: &Sandbox) -> String {
    let payload = json!({
        "session_id": "s-1", "cwd": place.path("project").display().to_string(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t",
    });
    let said = place.run_with_stdin(&["hook", "claude-code", "PreToolUse"], &payload.to_string());
    assert_eq!(said.code, 0, "{said:?}");
    said.stdout
}

#[test]
fn looking_changes_no_state() {
    let place = used();
    let replay = place.write(
        "session.jsonl",
        "{\"type\":\"session\",\"version\":1,\"agent\":\"claude-code\",\"project\":\"empty\"}\n\
         {\"type\":\"prompt\",\"text\":\"go\"}\n\
         {\"type\":\"turn\",\"calls\":[{\"id\":\"a\",\"tool\":\"bash\",\"input\":{\"command\":\"ls\"}}]}\n",
    );
    let replay = replay.display().to_string();
    let before = files(&place.path("state"));
    assert!(before.keys().any(|name| name.contains("/audit/")), "{:?}", before.keys());
    assert!(before.keys().any(|name| name.contains("/store/")), "{:?}", before.keys());
    let call = ["check", "--tool", "bash", "--input", r#"{"command": "ls"}"#];
    for (args, code) in [
        (&call[..], 0),
        (&[&call[..], &["--result", "secret"]].concat(), 0),
        (&[&call[..], &["--session", "s-1", "--json"]].concat(), 0),
        (&["run", "--headless"], 0),
        (&["run", "--headless", "--json", "--cwd", "."], 0),
        (&["run", "--headless", "--replay", &replay], 0),
        (&["list"], 0),
        (&["doctor"], 0),
        (&["doctor", "claude-code", "--json"], 0),
        (&["status"], 0),
        (&["audit", "verify"], 0),
    ] {
        let said = place.run(args);
        assert_eq!(said.code, code, "{args:?}: {said:?}");
        let after = files(&place.path("state"));
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&after), names(&before), "{args:?}");
        let changed: Vec<_> = after.iter().filter(|(name, bytes)| before[*name] != **bytes).collect();
        assert!(
            changed.is_empty(),
            "{args:?} changed {:?}",
            changed.iter().map(|(name, _)| name).collect::<Vec<_>>()
        );
    }
    // The copy has what is kept: the third call is the third, each time.
    for _ in 0..2 {
        let said = place.run(&[&call[..], &["--json"]].concat()).document();
        let texts: Vec<&Value> = said["context"].as_array().unwrap().iter().map(|one| &one["text"]).collect();
        assert_eq!(texts, ["call 3", "call 3"], "{said}");
    }
    assert!(hooked(&place).contains("call 3"));
    // `--record` counts.
    let said = place.run(&[&call[..], &["--record", "--json"]].concat()).document();
    assert_eq!(said["context"][0]["text"], "call 4", "{said}");
    assert!(hooked(&place).contains("call 5"));
    let sessions = place.run(&["audit", "verify"]).stdout;
    assert!(sessions.contains("check: 1 line"), "{sessions}");
}

/// The copy goes with the process.
#[test]
fn the_copy_is_removed() {
    let place = used();
    std::fs::create_dir_all(place.path("tmp")).unwrap();
    for args in [&["doctor"][..], &["run", "--headless"], &["check", "--tool", "bash", "--input", "{}"]] {
        let mut command = place.command(args);
        command.env("TMPDIR", place.path("tmp"));
        let said = place.feed(command, b"");
        assert_eq!(said.code, 0, "{args:?}: {said:?}");
        assert_eq!(std::fs::read_dir(place.path("tmp")).unwrap().count(), 0, "{args:?}");
    }
}

#[test]
fn without_hooks_check_says_what_an_agent_would_be_told() {
    let place = Sandbox::new();
    let said = place.run(&["check", "--tool", "bash", "--input", r#"{"command": "ls"}"#]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.stdout.starts_with("denied\n"), "{said:?}");
    for part in ["no hook is in force", "snaphook add --list", "so an agent's calls are denied"] {
        assert!(said.stdout.contains(part), "{part}: {said:?}");
    }
}
