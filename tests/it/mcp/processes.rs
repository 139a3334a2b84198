//! Servers that die, hang, print rubbish or say much; many calls at once; the end of it all.

use std::collections::HashSet;
#[cfg(unix)]
use std::process::Stdio;

use serde_json::{Value, json};

use super::client::{Client, texts};
use crate::support::Sandbox;

#[test]
fn a_server_that_dies_leaves_the_client_usable_and_its_exit_code() {
    let place = Sandbox::with_hook();
    let mut client = Client::start(&place, &["--name", "s"], &[]);
    client.ask(1, "hang", &json!({}));
    client.ask(2, "die", &json!({"code": 7}));
    let gone = json!({"code": -32000, "message": "the server \"s\" is gone"});
    for id in [1, 2] {
        assert_eq!(client.answer(&id.into())["error"], gone);
    }
    assert_eq!(client.call(3, "say", &json!({"text": "a"}))["error"], gone);
    client.say(r#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#);
    assert_eq!(client.answer(&json!(4))["error"], gone);
    let said = client.end();
    assert_eq!(said.code, 7, "{said:?}");
}

#[test]
fn rubbish_is_dropped_and_what_is_open_goes_on() {
    let place = Sandbox::with_hook();
    let mut client = Client::start(&place, &["--name", "s"], &[]);
    assert_eq!(texts(&client.call(1, "rubbish", &json!({}))), ["after the rubbish"]);
    client.say("no JSON");
    client.say(r#"{"jsonrpc":"2.0","id":2,"method":"a","method":"b"}"#);
    assert_eq!(client.answer(&json!(2))["error"]["code"], -32700);
    assert_eq!(texts(&client.call(3, "say", &json!({"text": "a"}))), ["a"]);
    let said = client.end();
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(said.stderr.matches("the server sent an invalid message").count(), 4, "{said:?}");
}

#[test]
fn a_call_is_cancelled_at_the_server() {
    let place = Sandbox::with_hook();
    let mut client = Client::start(&place, &[], &[]);
    client.ask(1, "slow", &json!({}));
    // Before, it would be cancelled at its gate.
    client.hear(|heard| heard["method"] == "test/started");
    client.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    let was = client.hear(|heard| heard["method"] == "test/was_cancelled");
    assert_eq!(was["params"]["id"], 1);
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_hundred_calls_at_once_lose_nothing() {
    let place = Sandbox::with_hook();
    place.write("config/hooks/h.lua", r#"on("tool_call", { tool = "mcp" }, function() end)"#);
    let mut client = Client::start(&place, &[], &[]);
    for id in 0..100 {
        client.ask(id, "say", &json!({"text": id.to_string()}));
    }
    let mut seen = HashSet::new();
    for _ in 0..100 {
        let answer = client.hear(|heard| heard.get("result").is_some());
        assert_eq!(texts(&answer), [answer["id"].to_string()]);
        assert!(seen.insert(answer["id"].to_string()));
    }
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_large_result_passes_and_can_be_rewritten() {
    let hook = r#"on("tool_result", { tool = "mcp" }, function(event) return { content = string.sub(event.content, 1, 3) } end)"#;
    for (hook, bytes) in [("", 10_000_000), (hook, 3)] {
        let place = Sandbox::with_hook();
        if !hook.is_empty() {
            place.write("config/hooks/h.lua", hook);
        }
        let mut client = Client::start(&place, &[], &[]);
        let answer = client.call(1, "big", &json!({"bytes": 10_000_000}));
        assert_eq!(texts(&answer)[0].len(), bytes);
        assert_eq!(client.end().code, 0);
    }
}

#[test]
fn what_is_told_to_end_ends_its_server() {
    let place = Sandbox::with_hook();
    let mut client = Client::start(&place, &[], &[]);
    client.call(1, "say", &json!({"text": "a"}));
    client.ask(2, "hang", &json!({}));
    client.call(3, "say", &json!({"text": "the server has it"}));
    #[cfg(unix)]
    {
        let id = rustix::process::Pid::from_raw(i32::try_from(client.id()).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        assert_eq!(client.wait().code, 128 + 15);
    }
}

/// A client that is killed closes both of its pipes, and answers to its requests are dropped. Some clients use sockets.
#[cfg(unix)]
#[test]
fn a_client_that_is_gone_in_the_middle_of_a_call_leaves_nothing_behind() {
    use std::io::{BufRead as _, BufReader, Read, Write as _};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    for is_socket in [false, true] {
        let place = Sandbox::with_hook();
        let server = crate::tree::root().join("tests/fixtures/mcp/server.py");
        let mut command = place.command(&["mcp", "--", "python3", server.to_str().unwrap()]);
        command.stdin(Stdio::piped());
        let (mut child, out): (_, Box<dyn Read>) = if is_socket {
            let (ours, theirs) = UnixStream::pair().unwrap();
            let child = command.stdout(Stdio::from(OwnedFd::from(theirs))).spawn().unwrap();
            // The command holds the other end.
            drop(command);
            (child, Box::new(ours))
        } else {
            let mut child = command.spawn().unwrap();
            let out = child.stdout.take().unwrap();
            (child, Box::new(out))
        };
        let mut stdin = child.stdin.take().unwrap();
        let call = |id: u32, tool: &str| {
            let params = json!({"name": tool, "arguments": {"text": "a"}});
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
        };
        writeln!(stdin, "{}\n{}", call(1, "hang"), call(2, "say")).unwrap();
        let mut out = BufReader::new(out);
        // The server has both of them by now.
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert!(line.contains("\"id\": 2"), "{line}");
        drop((stdin, out));
        let said = place.finish(child);
        // It says so when its input ends; one that is killed does not.
        assert!(said.code == 0 && said.stderr.contains("the server ends"), "{is_socket}: {said:?}");
    }
}

#[test]
fn a_server_that_does_not_start_is_said() {
    let place = Sandbox::with_hook();
    let said = place.run(&["mcp", "--", "no-such-server"]);
    assert_eq!(said.code, 64, "{said:?}");
    assert!(said.stderr.contains("the server `no-such-server` cannot be started"), "{said:?}");
    assert_eq!(said.stdout, "");
}

/// Of a client that says all at once and goes, everything is answered.
#[test]
fn what_was_asked_before_the_client_went_is_answered() {
    let place = Sandbox::with_hook();
    place.write("config/hooks/h.lua", r#"on("tool_call", { tool = "mcp" }, function() end)"#);
    let server = crate::tree::root().join("tests/fixtures/mcp/server.py");
    let calls: Vec<String> = (0..20)
        .map(|id| {
            let params = json!({"name": "say", "arguments": {"text": "a"}});
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
        })
        .collect();
    let said = place.run_with_stdin(&["mcp", "--", "python3", server.to_str().unwrap()], &calls.join("\n"));
    assert_eq!(said.code, 0, "{said:?}");
    let ids: HashSet<String> = said
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].to_string())
        .collect();
    assert_eq!(ids.len(), 20, "{said:?}");
}
