//! One call that an agent tells of in two forms: its own, and as Claude Code's, whose hooks it runs as well.

use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::failures::here;
use super::support::{denies, passes, replaced};
use crate::support::{CommandOutput, Sandbox, granting};

/// Grok Build's call of a shell command, in one of the two forms.
fn call(place: &Sandbox, command: &str) -> String {
    let payload = json!({
        "hookEventName": "pre_tool_use", "hook_event_name": "PreToolUse", "sessionId": "g-1", "session_id": "g-1",
        "cwd": "", "workspaceRoot": "/srv", "timestamp": "2026-11-20T10:00:00Z",
        "toolName": "run_terminal_command", "tool_name": "run_terminal_command", "toolUseId": "call_1", "tool_use_id": "call_1",
        "toolInput": {"command": "COMMAND"}, "tool_input": {"command": "COMMAND"},
    });
    here(place, &replaced(&payload, "COMMAND", command))
}

const FORMS: [[&str; 2]; 2] = [["grok", "claude-code"], ["claude-code", "grok"]];

fn start(place: &Sandbox, form: &str, payload: &str) -> Child {
    let mut command = place.command(&["hook", form, "PreToolUse"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.as_bytes()).unwrap();
    child
}

fn ask(place: &Sandbox, form: &str, command: &str) -> CommandOutput {
    let child = start(place, form, &call(place, command));
    place.finish(child)
}

/// Returns how often hooks ran.
fn runs(place: &Sandbox) -> usize {
    std::fs::read_to_string(place.path("project/runs")).unwrap_or_default().lines().count()
}

/// Waits until hooks run for the so-manieth time.
fn until_runs(place: &Sandbox, count: usize) {
    let began = std::time::Instant::now();
    while runs(place) < count {
        assert!(began.elapsed() < Duration::from_secs(60), "hooks ran {} times, not {count}", runs(place));
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Counts, and does what the command says. `wait` waits for the file `go`, the first time.
fn guarded() -> Sandbox {
    let place = Sandbox::new();
    let hook = granting("lua", "exec: [sh]")
        + r#"on("tool_call", function(event, ctx)
            local count = ctx.exec("sh", { "-c", "echo x >> runs; wc -l < runs" })
            if event.command == "wait" and tonumber(count.stdout) == 1 then
                ctx.exec("sh", { "-c", "while [ ! -e go ] && [ -e \"$PWD\" ]; do sleep 0.01; done" })
            end
            if event.command == "change" then return { input = { command = "changed" }, context = "a text" } end
            if event.command == "ask" then return { ask = "really?" } end
            return { block = event.command ~= "ls", reason = "the guard", context = "a text" }
        end)"#;
    place.write("config/hooks/guard.lua", hook);
    place
}

#[test]
fn the_second_form_says_the_same_without_running_hooks() {
    for [first, second] in FORMS {
        for command in ["ls", "no", "change", "ask"] {
            let place = guarded();
            let said = [ask(&place, first, command), ask(&place, second, command)];
            assert_eq!(runs(&place), 1, "{first}, {second}, {command}: {said:?}");
            for (form, said) in [first, second].iter().zip(&said) {
                match command {
                    "ls" => assert!(passes(form, said), "{form}: {said:?}"),
                    "no" => {
                        assert!(denies(form, said) && said.stdout.contains("the guard"), "{form}: {said:?}")
                    }
                    "change" => assert!(said.stdout.contains("changed"), "{form}: {said:?}"),
                    // Grok cannot ask, whatever it calls.
                    _ => assert!(denies(form, said) || said.stdout.contains("\"ask\""), "{form}: {said:?}"),
                }
            }
            assert!(!said[1].stdout.contains("a text"), "texts are said once: {said:?}");
            if command == "ls" {
                assert!(!said[1].stdout.contains("additionalContext"), "{said:?}");
            }
        }
    }
}

#[test]
fn the_second_form_waits_for_the_first() {
    for [first, second] in FORMS {
        let place = guarded();
        let one = start(&place, first, &call(&place, "wait"));
        until_runs(&place, 1);
        let two = start(&place, second, &call(&place, "wait"));
        // It has claimed its part before the first may end.
        let index = || std::fs::read_to_string(index(&place)).unwrap_or_default();
        let began = std::time::Instant::now();
        while !(index().contains("grok") && index().contains("claude-code")) {
            assert!(began.elapsed() < Duration::from_secs(60), "{}", index());
            std::thread::sleep(Duration::from_millis(5));
        }
        place.write("project/go", "");
        let said = [place.finish(one), place.finish(two)];
        assert!(denies(first, &said[0]) && denies(second, &said[1]), "{said:?}");
        assert_eq!(runs(&place), 1);
    }
}

#[test]
fn where_the_first_is_killed_the_second_runs_hooks() {
    for [first, second] in FORMS {
        let place = guarded();
        let mut one = start(&place, first, &call(&place, "wait"));
        until_runs(&place, 1);
        let two = start(&place, second, &call(&place, "wait"));
        one.kill().unwrap();
        one.wait().unwrap();
        let said = place.finish(two);
        assert!(denies(second, &said), "{second}: {said:?}");
        assert_eq!(runs(&place), 2, "{second}: {said:?}");
        place.write("project/go", "");
    }
}

/// Grok waits for five seconds; half of them are for the other form.
#[test]
fn where_the_first_is_slow_the_second_runs_hooks() {
    let place = guarded();
    let one = start(&place, "claude-code", &call(&place, "wait"));
    until_runs(&place, 1);
    let said = ask(&place, "grok", "wait");
    assert!(denies("grok", &said), "{said:?}");
    assert_eq!(runs(&place), 2);
    place.write("project/go", "");
    assert!(denies("claude-code", &place.finish(one)), "its own denial counts all the same");
}

#[test]
fn calls_that_are_two_are_decided_twice() {
    let place = guarded();
    // The same form twice is two calls, each with a second form, in any order.
    for form in ["grok", "grok", "claude-code", "claude-code"] {
        assert!(denies(form, &ask(&place, form, "no")));
    }
    assert_eq!(runs(&place), 2);
    // One form was left out: the call after that is decided anew, and so is each after it.
    for _ in 0..3 {
        let before = runs(&place);
        ask(&place, "claude-code", "ls");
        ask(&place, "claude-code", "ls");
        ask(&place, "grok", "ls");
        assert!(runs(&place) >= before + 2, "{}", runs(&place));
    }
    // Another input is another call.
    let before = runs(&place);
    ask(&place, "grok", "no 2");
    ask(&place, "claude-code", "no 3");
    assert_eq!(runs(&place), before + 2);
}

#[test]
fn an_answer_is_not_repeated_for_ever() {
    let place = guarded();
    ask(&place, "grok", "no");
    let folder = index(&place).with_file_name("once");
    let old = SystemTime::now() - Duration::from_secs(11);
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 2, "{files:?}");
    for file in &files {
        std::fs::File::options().write(true).open(file).unwrap().set_modified(old).unwrap();
    }
    assert!(denies("claude-code", &ask(&place, "claude-code", "no")));
    assert_eq!(runs(&place), 2);
    assert!(!files[0].exists(), "what is over is cleared away");
}

/// An agent that runs no hooks of other agents has no second form.
#[test]
fn other_agents_are_always_decided_about() {
    let place = guarded();
    let payload = json!({"session_id": "s", "cwd": "", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_use_id": "t", "transcript_path": "/home/ada/.claude/projects/s.jsonl"});
    for form in ["claude-code", "codex"] {
        let mut payload: Value = payload.clone();
        if form == "codex" {
            payload["turn_id"] = "t".into();
            payload["model"] = "m".into();
        }
        let child = start(&place, form, &here(&place, &payload));
        place.finish(child);
    }
    assert_eq!(runs(&place), 2);
}

/// The list of claims of the one session.
fn index(place: &Sandbox) -> std::path::PathBuf {
    let sessions = std::fs::read_dir(place.path("state/sessions/grok")).unwrap();
    sessions.map(|entry| entry.unwrap().path().join("once.json")).next().unwrap()
}
