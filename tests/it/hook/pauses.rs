//! A process that is stopped in the middle of a handler and goes on: no verdict is another. And hooks that wait for longer than their
//! agent does.

use std::io::Write as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;

use super::failures::here;
use super::support::{denies, payload};
use crate::support::{CommandOutput, Sandbox};

/// Longer than a handler's budget, and than the grace behind it.
const STOPPED: Duration = Duration::from_secs(3);

/// Hooks that say that they began, and compute until they are let go on.
const HOOKS: [(&str, &str); 2] = [
    (
        "lua",
        r#"-----
-- name: slow
-- description: Computes until it may go on.
-- grants: {read: [go], write: [began]}
-----
on("EVENT", function(event)
  snaphook.fs.write("began", "")
  while not snaphook.fs.exists("go") do end
  return ANSWER
end)
"#,
    ),
    (
        "rhai",
        r#"//---
// name: slow
// description: Computes until it may go on.
// grants: {read: [go], write: [began]}
//---
on("EVENT", |event| {
  snaphook::fs::write("began", "");
  while !snaphook::fs::exists("go") {}
  ANSWER
});
"#,
    ),
];

fn begin(place: &Sandbox, args: &[&str], stdin: &str) -> Child {
    let mut child = place.command(args).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    child
}

/// Stops the process once its handler computes, and lets both go on.
fn paused(place: &Sandbox, mut child: Child) -> CommandOutput {
    let pid = Pid::from_child(&child);
    let patience = Instant::now() + Duration::from_secs(60);
    while !place.path("project/began").exists() {
        assert!(child.try_wait().unwrap().is_none(), "{:?}", place.finish(child));
        assert!(Instant::now() < patience, "the handler did not begin");
        std::thread::sleep(Duration::from_millis(1));
    }
    kill_process(pid, Signal::STOP).unwrap();
    std::thread::sleep(STOPPED);
    place.write("project/go", "");
    kill_process(pid, Signal::CONT).unwrap();
    place.finish(child)
}

fn place(extension: &str, source: &str, event: &str, answer: &str) -> Sandbox {
    let place = Sandbox::new();
    let answer =
        if extension == "rhai" { answer.replace('{', "#{").replace('=', ":") } else { answer.to_owned() };
    let source = source.replace("EVENT", event).replace("ANSWER", &answer);
    place.write(&format!("config/hooks/slow.{extension}"), source);
    place
}

#[test]
fn a_gate_that_is_stopped_says_what_it_would_have_said() {
    let (native, payload) = payload("claude-code", "tool_call", Some("bash")).unwrap();
    for (extension, source) in HOOKS {
        for (answer, blocks) in [("{ block = true, reason = \"mine\" }", true), ("{ allow = true }", false)] {
            let place = place(extension, source, "tool_call", answer);
            let child = begin(&place, &["hook", "claude-code", &native], &here(&place, &payload));
            let said = paused(&place, child);
            assert_eq!(denies("claude-code", &said), blocks, "{extension}: {said:?}");
            assert_eq!(said.stdout.contains("mine"), blocks, "{extension}: {said:?}");
        }
    }
}

#[test]
fn a_result_is_rewritten_by_a_hook_that_is_stopped() {
    let (native, payload) = payload("opencode", "tool_result", None).unwrap();
    for (extension, source) in HOOKS {
        let place = place(extension, source, "tool_result", "{ content = \"rewritten\" }");
        let said = paused(&place, begin(&place, &["hook", "opencode", &native], &here(&place, &payload)));
        let document: Value = serde_json::from_str(&said.stdout).unwrap();
        assert!(document.to_string().contains("rewritten"), "{extension}: {said:?}");
    }
}

/// Grok Build waits for 5 s, the process for ever.
#[test]
fn a_hook_that_waits_for_longer_than_its_agent_denies_in_time() {
    let (native, payload) = payload("grok", "tool_call", Some("bash")).unwrap();
    let place = Sandbox::new();
    place.write(
        "config/hooks/slow.lua",
        "-----\n-- name: slow\n-- description: Waits.\n-- grants: {exec: [sh]}\n-----\n\
         on('tool_call', function(_, ctx) ctx.exec('sh', {'-c', 'echo $$ > pid; exec sleep 60'}, {timeout = 60000}) end)",
    );
    let document = |place: &Sandbox| here(place, &payload);
    let said = place.run_with_stdin(&["hook", "grok", &native], &document(&place));
    assert!(denies("grok", &said), "{said:?}");
    assert!(format!("{}{}", said.stdout, said.stderr).contains("gave no answer within 4.5 s"), "{said:?}");
    // What the hook waited for is not left behind.
    let pid = std::fs::read_to_string(place.path("project/pid")).unwrap();
    let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while test_kill_process(pid).is_ok() {
        assert!(Instant::now() < end, "the program that the hook waited for goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}
