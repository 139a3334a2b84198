//! The output, log lines and notices of hooks while an agent is answered: the log in the state folder, and the agent's own way.

use serde_json::{Value, json};

use super::support::hook;
use crate::support::{CommandOutput, Sandbox, repository};

const LUA: &str = r#"on("tool_call", function(event, ctx)
  print("printed", event.command)
  ctx.log("plain")
  ctx.log("fine print", "debug")
  ctx.log("broken", "error")
  ctx.ui.notify("look here", "warn")
  ctx.ui.set_status("build", "running")
end)
"#;

const RHAI: &str = r#"on("tool_call", |event, ctx| {
  print(`printed ${event.command}`);
  ctx.log("plain");
  ctx.log("fine print", "debug");
  ctx.log("broken", "error");
  ctx.ui.notify("look here", "warn");
  ctx.ui.set_status("build", "running");
});
"#;

fn payload(place: &Sandbox, event: &str, more: &Value) -> String {
    let mut payload = json!({
        "session_id": "s-1", "cwd": place.path("project").display().to_string(), "hook_event_name": event,
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload.to_string()
}

fn call(place: &Sandbox) -> String {
    let more = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    payload(place, "PreToolUse", &more)
}

fn log(place: &Sandbox) -> String {
    std::fs::read_to_string(place.path("state/hook.log")).unwrap_or_default()
}

/// Returns what the person reads.
fn hook_output(said: &CommandOutput) -> String {
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:?}");
    if said.stdout.is_empty() {
        return String::new();
    }
    said.document()["systemMessage"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn what_hooks_say_is_in_the_log_and_reaches_the_person() {
    for (name, source) in [("say.lua", LUA), ("say.rhai", RHAI)] {
        let place = Sandbox::new();
        place.write(&format!("config/hooks/{name}"), source);
        let said = hook(&place, "claude-code", "PreToolUse", &call(&place));
        assert_eq!(hook_output(&said), "[say] warn: look here", "{name}");
        let log = log(&place);
        // Each line begins with its time.
        let lines: Vec<_> = log.lines().map(|line| line.split_once(' ').unwrap().1).collect();
        let expected = ["info: printed", "info: plain", "error: broken", "warn: (notice) look here"];
        assert_eq!(lines.len(), expected.len(), "{name}: {log}");
        for (line, expected) in lines.iter().zip(expected) {
            assert!(line.starts_with(&format!("claude-code [say] {expected}")), "{name}: {line}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(place.path("state/hook.log")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}

/// `SNAPHOOK_LOG` says from which level on, `--log-file` where.
#[test]
fn the_variable_and_the_option_hold_for_agents_too() {
    for (level, has, has_not) in [
        ("debug", &["fine print", "plain", "(status) build: running"][..], &[][..]),
        ("snaphook::hook=error", &["broken"], &["plain", "fine print", "look here"]),
        ("snaphook=loud", &["SNAPHOOK_LOG", "plain"], &["fine print"]),
        ("off", &[], &["plain", "broken"]),
    ] {
        let place = Sandbox::new();
        place.write("config/hooks/say.lua", LUA);
        let mut command = place.command(&["--log-file", "own.log", "hook", "claude-code", "PreToolUse"]);
        command.env("SNAPHOOK_LOG", level);
        let said = place.feed(command, call(&place).as_bytes());
        assert_eq!(hook_output(&said), "[say] warn: look here", "{level}");
        let text = std::fs::read_to_string(place.path("project/own.log")).unwrap_or_default();
        assert!(has.iter().all(|part| text.contains(part)), "{level}: {text}");
        assert!(!has_not.iter().any(|part| text.contains(part)), "{level}: {text}");
        assert_eq!(log(&place), "", "{level}");
    }
}

/// A log that cannot be written, and too many notices, change no answer.
#[test]
fn what_is_said_changes_no_verdict() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/loud.lua",
        r#"on("tool_call", function(event, ctx)
          for n = 1, 500 do ctx.ui.notify("notice " .. n .. string.rep(".", 100)) end
          return { block = true, reason = "the reason" }
        end)"#,
    );
    std::fs::create_dir_all(place.path("state/hook.log/in-the-way")).unwrap();
    let said = hook(&place, "claude-code", "PreToolUse", &call(&place));
    let told = hook_output(&said);
    assert_eq!(said.document()["hookSpecificOutput"]["permissionDecision"], "deny");
    assert!(told.len() < 5000 && told.lines().count() == 11, "{}: {told}", told.len());
    assert!(told.starts_with("[loud] notice 1."), "{told}");
    assert!(told.ends_with("[snaphook] 490 more in its log"), "{told}");
}

/// The log has notices that the agent does not show.
#[test]
fn an_agent_without_a_place_for_it_is_told_nothing() {
    let place = Sandbox::new();
    place.write("config/hooks/say.lua", r#"on("session_end", function(_, ctx) ctx.ui.notify("bye") end)"#);
    let said =
        hook(&place, "claude-code", "SessionEnd", &payload(&place, "SessionEnd", &json!({"reason": "x"})));
    assert_eq!((said.code, said.stdout.as_str()), (0, ""), "{said:?}");
    assert!(log(&place).ends_with("claude-code [say] info: (notice) bye\n"), "{}", log(&place));
}

/// One process with many events: each notice once, with its own event.
#[test]
fn a_process_that_stays_tells_each_notice_once() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/say.lua",
        r#"on("tool_call", function(event, ctx) ctx.ui.notify("saw " .. event.command) end)"#,
    );
    let mut input = String::new();
    for (id, command) in [(1, "one"), (2, "two")] {
        let payload = json!({
            "session_id": "s-1", "cwd": place.path("project").display().to_string(), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": command,
        });
        input += &format!("{}\n", json!({"id": id, "event": "PreToolUse", "payload": payload}));
    }
    let said = place.run_with_stdin(&["serve", "--stdio", "--agent", "claude-code"], &input);
    assert_eq!(said.code, 0, "{said:?}");
    for command in ["one", "two"] {
        assert_eq!(said.stdout.matches(&format!("[say] saw {command}")).count(), 1, "{}", said.stdout);
    }
}

/// The example does in an agent what it is for.
#[test]
fn the_notify_example_reaches_the_person() {
    for language in ["lua", "rhai"] {
        let place = Sandbox::new();
        let file = format!("notify.{language}");
        let source =
            std::fs::read_to_string(repository("hooks-examples").join(language).join(&file)).unwrap();
        place.write(&format!("config/hooks/{file}"), source);
        // No desktop: its programs are not there.
        std::fs::create_dir_all(place.path("bin")).unwrap();
        let run = |event: &str, more: Value| {
            let mut command = place.command(&["hook", "claude-code", event]);
            command.env("PATH", place.path("bin"));
            hook_output(&place.feed(command, payload(&place, event, &more).as_bytes()))
        };
        // It is not known when the agent began, so it may have been long ago.
        let end = json!({"stop_hook_active": false, "last_assistant_message": "All tests pass."});
        assert_eq!(run("Stop", end.clone()), "[notify] The agent is done: All tests pass.", "{language}");
        let waits =
            json!({"message": "Claude needs your permission", "notification_type": "permission_prompt"});
        assert!(run("Notification", waits).starts_with("[notify] warn: "), "{language}: {}", log(&place));
        // What took no time was watched.
        run("UserPromptSubmit", json!({"prompt": "go"}));
        assert_eq!(run("Stop", end), "", "{language}");
    }
}

#[test]
fn doctor_says_where_the_log_is() {
    let place = Sandbox::with_hook();
    let said = place.run(&["doctor"]);
    assert!(said.stdout.contains("log: [place]/state/hook.log"), "{said:?}");
}
