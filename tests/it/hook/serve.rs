//! `snaphook serve --stdio`: many events, one process.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::support::{Sandbox, granting};

/// The process, and both ends of the line.
struct Serve {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Serve {
    fn start(place: &Sandbox, agent: &str) -> Self {
        let mut command = place.command(&["serve", "--stdio", "--agent", agent]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Serve { child, input, output }
    }

    fn write(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }

    fn read(&mut self) -> Value {
        let line = self.output.next().unwrap().unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn bash(&mut self, place: &Sandbox, id: u64, command: &str) {
        let request = json!({"id": id, "event": "tool.execute.before", "payload": {
            "hook": "tool.execute.before", "directory": place.path("project"),
            "input": {"tool": "bash", "sessionID": "ses_1", "callID": format!("call_{id}")},
            "output": {"args": {"command": command}},
        }});
        self.write(request.to_string().as_bytes());
    }

    /// Asks, and gives what is to be thrown; empty where nothing is.
    fn asked(&mut self, place: &Sandbox, command: &str) -> String {
        self.bash(place, 7, command);
        let answer = self.read();
        assert_eq!(answer["id"], 7, "{answer}");
        assert!(answer["reply"].is_object(), "{answer}");
        answer["reply"]["throw"].as_str().unwrap_or_default().to_owned()
    }

    /// Closes the input; gives the rest of the answers and the exit code.
    fn end(mut self) -> (Vec<Value>, i32) {
        drop(self.input.take());
        let rest = self.output.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
        (rest, self.child.wait().unwrap().code().unwrap_or(-1))
    }
}

/// Denies `no`; waits in `wait` until the file `go` is there.
fn guard(place: &Sandbox) {
    let source = granting("lua", "exec: [sh]")
        + r#"on("tool_call", function(event, ctx)
            if event.command == "wait" then
                ctx.exec("sh", { "-c", "while [ ! -e go ] && [ -e \"$PWD\" ]; do sleep 0.01; done" })
            end
            return { block = event.command == "no", reason = "the guard" }
        end)"#;
    place.write("config/hooks/guard.lua", source);
}

#[test]
fn a_slow_gate_delays_no_other() {
    let place = Sandbox::new();
    guard(&place);
    let mut serve = Serve::start(&place, "opencode");
    serve.bash(&place, 1, "wait");
    serve.bash(&place, 2, "no");
    let first = serve.read();
    assert_eq!(first["id"], 2, "{first}");
    assert!(first["reply"]["throw"].as_str().is_some_and(|text| text.starts_with("the guard")), "{first}");
    serve.bash(&place, 3, "yes");
    assert_eq!(serve.read(), json!({"id": 3, "reply": {}}));
    place.write("project/go", "");
    assert_eq!(serve.read(), json!({"id": 1, "reply": {}}));
    assert_eq!(serve.end(), (Vec::new(), 0));
}

#[test]
fn what_was_asked_before_the_input_ends_is_answered() {
    let place = Sandbox::new();
    guard(&place);
    let mut serve = Serve::start(&place, "opencode");
    serve.bash(&place, 1, "wait");
    serve.bash(&place, 2, "no");
    drop(serve.input.take());
    assert_eq!(serve.read()["id"], 2);
    place.write("project/go", "");
    assert_eq!(serve.end(), (vec![json!({"id": 1, "reply": {}})], 0));
}

/// Content counts, and not when a file says that it was changed.
#[test]
fn hooks_settings_and_trust_are_those_of_now() {
    let place = Sandbox::new();
    let source = |word: &str| {
        format!(r#"on("tool_call", function() return {{ block = true, reason = "{word}" }} end)"#)
    };
    let file = place.write("config/hooks/guard.lua", source("old"));
    let stamp = std::fs::metadata(&file).unwrap().modified().unwrap();
    let mut serve = Serve::start(&place, "opencode");
    assert!(serve.asked(&place, "ls").starts_with("old"));
    place.write("config/hooks/guard.lua", source("new"));
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(stamp).unwrap();
    assert!(serve.asked(&place, "ls").starts_with("new"));
    place.write("config/hooks/guard.lua", r#"on("tool_call", function() end)"#);
    assert_eq!(serve.asked(&place, "ls"), "");

    place.write("config/config.toml", "default = \"deny\"\n");
    assert_ne!(serve.asked(&place, "ls"), "");
    place.write("config/config.toml", "default = \"allow\"\n");
    assert_eq!(serve.asked(&place, "ls"), "");

    place.write("project/.snaphook/hooks/p.lua", r#"on("tool_call", function() end)"#);
    assert!(serve.asked(&place, "ls").contains("trust"));
    place.trust_all();
    assert_eq!(serve.asked(&place, "ls"), "");
    place.write("project/.snaphook/hooks/p.lua", r#"on("tool_call", function() end) -- more"#);
    assert!(serve.asked(&place, "ls").contains("trust"), "an old yes does not count");
    std::fs::remove_file(place.path("project/.snaphook/hooks/p.lua")).unwrap();
    assert!(serve.asked(&place, "ls").contains("is gone"), "what was trusted is missed");
    assert_eq!(place.run(&["untrust", "p.lua"]).code, 0);
    std::fs::remove_file(&file).unwrap();
    assert!(
        serve.asked(&place, "ls").contains("so no hook is in force"),
        "a gate that is gone lets nothing through"
    );
    assert_eq!(serve.end(), (Vec::new(), 0));
}

#[test]
fn state_is_the_sessions_whoever_answers() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/count.lua",
        r#"on("tool_call", function(event, ctx)
            local n = (ctx.state.get("n") or 0) + 1
            ctx.state.set("n", n)
            return { block = true, reason = "number " .. n }
        end)"#,
    );
    let mut serve = Serve::start(&place, "opencode");
    assert!(serve.asked(&place, "a").starts_with("number 1"));
    assert!(serve.asked(&place, "b").starts_with("number 2"));
    let payload = json!({
        "hook": "tool.execute.before", "directory": place.path("project"),
        "input": {"tool": "bash", "sessionID": "ses_1", "callID": "c"}, "output": {"args": {"command": "c"}},
    });
    let said = super::support::hook(&place, "opencode", "tool.execute.before", &payload.to_string());
    assert!(said.stdout.contains("number 3"), "{said:?}");
    assert!(serve.asked(&place, "d").starts_with("number 4"));
    assert_eq!(serve.end(), (Vec::new(), 0));
}

#[test]
fn what_cannot_be_read_is_denied_and_the_next_line_is_answered() {
    let place = Sandbox::new();
    guard(&place);
    let long = [&b"{\"id\": 1, \"payload\": \""[..], &vec![b'x'; 9 << 20], b"\"}"].concat();
    let cases: [(&[u8], Value); 9] = [
        (b"rm -rf /", json!(null)),
        (b"[1]", json!(null)),
        (b"{", json!(null)),
        (&[0xff, 0xfe, 0x00], json!(null)),
        (&long, json!(1)),
        (br#"{"id": 1, "event": "tool.execute.before"}"#, json!(1)),
        (br#"{"id": "a", "event": "tool.execute.before", "payload": "x"}"#, json!("a")),
        (br#"{"id": 2, "event": "tool.execute.before", "payload": {"hook": "no.such"}}"#, json!(2)),
        (br#"{"id": 3, "event": "tool.execute.before", "payload": {"hook": "tool.execute.before", "input": {}}}"#, json!(3)),
    ];
    let mut serve = Serve::start(&place, "opencode");
    for (line, id) in cases {
        serve.write(line);
        let answer = serve.read();
        let shown = String::from_utf8_lossy(&line[..line.len().min(90)]);
        assert_eq!(answer["id"], id, "{shown}: {answer}");
        assert!(answer["reply"]["throw"].as_str().is_some_and(|text| text.len() > 20), "{shown}: {answer}");
    }
    serve.write(b"  ");
    assert_eq!(serve.asked(&place, "ls"), "");
    // What can only be observed is held up by nothing.
    serve.write(br#"{"id": 4, "event": "session.idle", "payload": {"hook": "event", "input": 3}}"#);
    assert_eq!(serve.read(), json!({"id": 4, "reply": {}}));
    assert_eq!(serve.end(), (Vec::new(), 0));
}

/// Grok Build waits for five seconds.
#[test]
fn an_answer_comes_before_the_agent_stops_waiting() {
    let place = Sandbox::new();
    guard(&place);
    let mut serve = Serve::start(&place, "grok");
    let payload = json!({
        "hookEventName": "pre_tool_use", "sessionId": "s", "cwd": place.path("project"),
        "workspaceRoot": place.path("project"), "toolName": "run_terminal_command", "toolInput": {"command": "wait"},
    });
    let request = json!({"id": 1, "event": "PreToolUse", "payload": payload});
    serve.write(request.to_string().as_bytes());
    let answer = serve.read();
    assert!(answer.to_string().contains("no answer within"), "{answer}");
    assert_eq!(serve.end(), (Vec::new(), 0));
}

#[test]
fn a_wrong_command_line_is_said() {
    let place = Sandbox::new();
    for args in [
        &["serve", "--agent", "opencode"][..],
        &["serve", "--stdio"],
        &["serve", "--stdio", "--agent", "opncode"],
    ] {
        let said = place.run(args);
        assert_eq!((said.code, said.stdout.as_str()), (64, ""), "{said:?}");
    }
}
