//! The shipped examples, unchanged: the same calls are blocked and passed whatever agent makes them.

use super::failures::here;
use super::support::{agents, asks, command_of, denies, hook, passes, payload, replaced};
use crate::support::Sandbox;

/// Ten that are blocked where no person can say yes, and ten that pass.
const BLOCKED: [&str; 10] = [
    "rm -rf build",
    "sudo rm -rf /",
    "cd /tmp && rm -fr x",
    "bash -c 'rm -rf ~'",
    "rm -r -f node_modules",
    "find . -name x -exec rm -rf {} +",
    "echo hi; rm --recursive --force dist",
    "env A=1 rm -rf a",
    "echo KEY=1 > .env",
    "cat ~/.ssh/id_rsa",
];
const PASSED: [&str; 10] = [
    "ls -la",
    "git status",
    "rm build.log",
    "echo rm -rf build",
    "cargo test",
    "grep -r 'rm -rf' docs",
    "cat README.md",
    "mkdir -p a/b",
    "touch notes.txt",
    "find . -name '*.rs'",
];

#[test]
fn the_examples_decide_the_same_for_every_agent() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hooks-examples/lua");
    let mut wrong = Vec::new();
    for agent in agents() {
        let place = Sandbox::new();
        let of_gate = ["init", "code", "folders", "removals", "services", "words"]
            .map(|name| format!("permission-gate/{name}.lua"));
        let of_paths = ["init", "names"].map(|name| format!("protected-paths/{name}.lua"));
        for name in of_gate.iter().chain(&of_paths) {
            place.write(&format!("config/hooks/{name}"), std::fs::read(examples.join(name)).unwrap());
        }
        let (native, payload) = payload(&agent, "tool_call", Some("bash")).unwrap();
        let was = command_of(&agent, "tool_call");
        let say = |command: &str| {
            let payload = replaced(&payload, &was, command);
            hook(&place, &agent, &native, &here(&place, &payload))
        };
        for command in BLOCKED {
            let said = say(command);
            // Where the agent has a prompt of its own, its person is asked.
            if !denies(&agent, &said) && !asks(&agent, &said) {
                wrong.push(format!("{agent}: {command} is not blocked: {said:?}"));
            }
        }
        for command in PASSED {
            let said = say(command);
            if !passes(&agent, &said) {
                wrong.push(format!("{agent}: {command} does not pass: {said:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Cursor also runs what is in Claude Code's settings: a gate about `bash` sees its `Shell`, and the answer is one that is
/// expected there.
#[test]
fn a_borrowed_hook_sees_the_call_and_answers_its_owner() {
    let place = Sandbox::new();
    let guard =
        "on('tool_call', { tool = 'bash' }, function() return { block = true, reason = 'no shell' } end)";
    place.write("config/hooks/guard.lua", guard);
    let (_, payload) = payload("cursor", "tool_call", Some("bash")).unwrap();
    let said = hook(&place, "claude-code", "PreToolUse", &here(&place, &payload));
    assert!(denies("claude-code", &said) && said.stdout.contains("no shell"), "{said:?}");
}
