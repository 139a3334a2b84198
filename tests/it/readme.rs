//! The README, followed to the letter by a new user: its hook, saved where it says, ends with a blocked command in an agent.

use std::path::Path;

use serde_json::json;

use crate::support::Sandbox;
use crate::tree::text;

/// The command as a person runs it: only the home folder says where things are.
fn run(place: &Sandbox, args: &[&str], stdin: &str) -> crate::support::CommandOutput {
    let mut command = place.command(args);
    command.env_remove("SNAPHOOK_CONFIG_DIR").env_remove("SNAPHOOK_STATE_DIR");
    place.feed(command, stdin.as_bytes())
}

#[test]
fn its_hook_blocks_a_command_in_an_agent() {
    let readme = text("README.md");
    let block = |language: &str| {
        let (_, rest) = readme.split_once(&format!("```{language}\n")).unwrap();
        rest.split_once("\n```").unwrap().0.to_owned()
    };
    let (_, rest) = readme.split_once("Save it as `~/").unwrap();
    let (saved, rest) = rest.split_once('`').unwrap();
    let place = Sandbox::new();
    place.write(&format!("home/{saved}"), block("lua"));
    // The next command of the page is what tries it.
    let trial = rest.split_once("```sh\n").unwrap().1.lines().next().unwrap();
    assert_eq!(trial, r#"snaphook check --tool bash --input '{"command":"rm -rf build"}'"#);
    let input = r#"{"command":"rm -rf build"}"#;
    let said = run(&place, &["check", "--tool", "bash", "--input", input], "");
    assert!(said.code == 2 && said.stdout.contains("not approved: rm -rf build"), "{said:?}");
    assert!(
        said.stdout.contains(&format!("{}:", Path::new(saved).file_name().unwrap().display())),
        "{said:?}"
    );

    for command in [
        "snaphook install claude-code",
        "snaphook doctor",
        "cargo install --locked --profile dist --path crates/snaphook-cli",
    ] {
        assert!(readme.lines().any(|line| line.starts_with(command)), "{command}");
    }
    let payload = |command: &str| {
        json!({
            "session_id": "s-1", "cwd": place.path("project").display().to_string(), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t", "turn_id": "t-1",
            "permission_mode": "default", "transcript_path": "/t.jsonl",
        })
        .to_string()
    };
    // One that asks its person, and one that cannot.
    for (agent, decision) in [("claude-code", "ask"), ("codex", "deny")] {
        assert_eq!(run(&place, &["install", agent], "").code, 0, "{agent}");
        for (command, decision) in [("rm -rf build", decision), ("ls", "")] {
            let said = run(&place, &["hook", agent, "PreToolUse"], &payload(command));
            assert_eq!(said.code, 0, "{agent}: {said:?}");
            let document: serde_json::Value = serde_json::from_str(&said.stdout).unwrap_or_default();
            let told = document["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default();
            assert_eq!(told, decision, "{agent} {command}: {said:?}");
        }
    }
}
