//! `snaphook mcp` over HTTP: the real program on both sides of it, in front of a small server that is a program.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Sandbox, repository};

const TEST_TIMEOUT: Duration = Duration::from_secs(30);

const DENY: &str = r#"
on("tool_call", { tool = "mcp__t__say" }, function(event)
  if event.input.text == "bad" then return { block = true, reason = "not that" } end
  if event.input.text == "ask" then return { ask = "really?" } end
  if event.input.text == "old" then return { input = { text = "new" } } end
end)
"#;

/// The program, while it runs.
struct Running {
    child: Child,
    stderr: Receiver<String>,
    seen: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    fn start(place: &Sandbox, args: &[&str], vars: &[(&str, &str)]) -> Self {
        let mut command = place.command(args);
        command.envs(vars.iter().copied()).stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (say, stderr) = channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        std::thread::spawn(move || lines.map_while(Result::ok).all(|line| say.send(line).is_ok()));
        Running { child, stderr, seen: String::new() }
    }

    /// Waits for a line on standard error.
    fn until(&mut self, text: &str) -> String {
        loop {
            let line = self.stderr.recv_timeout(TEST_TIMEOUT);
            let line = line.unwrap_or_else(|_| panic!("it never said {text:?}, but {}", self.seen));
            self.seen += &format!("{line}\n");
            if line.contains(text) {
                return line;
            }
        }
    }

    fn ends(&mut self) -> Option<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(start.elapsed() < TEST_TIMEOUT, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A gate that listens, in front of the small server; gives its address.
fn listening(place: &Sandbox, more: &[&str]) -> (Running, String) {
    let server = repository("tests/fixtures/mcp/server.py").display().to_string();
    let mut args = vec!["mcp", "--listen", "127.0.0.1:0", "--name", "t"];
    args.extend(more);
    args.extend(["--", "python3", &server]);
    let mut running = Running::start(place, &args, &[]);
    let line = running.until("listening at ");
    let url = line.rsplit(' ').next().unwrap().to_owned();
    (running, url)
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn field(&self, name: &str) -> Option<String> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    }
}

fn ask(url: &str, method: &str, session: Option<&str>, body: &str) -> Answer {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(TEST_TIMEOUT)).unwrap();
    let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
    let head = format!(
        "{method} /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{session}Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    let (head, body) = said.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{said:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

fn initialize(url: &str, capabilities: &Value) -> String {
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities });
    let first = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let answer = ask(url, "POST", None, &first.to_string());
    assert!(answer.status == 200 && answer.body.contains("test server"), "{} {}", answer.head, answer.body);
    let session = answer.field("mcp-session-id").unwrap();
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(ask(url, "POST", Some(&session), ready).status, 202);
    session
}

fn call(id: u32, tool: &str, arguments: &Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

fn place() -> Sandbox {
    let place = Sandbox::with_hook();
    place.write("config/hooks/deny.lua", DENY);
    place
}

#[test]
fn clients_over_http_are_gated() {
    let place = place();
    let (mut gate, url) = listening(&place, &[]);
    let session = initialize(&url, &json!({}));
    let said = |text: &str| {
        let answer = ask(&url, "POST", Some(&session), &call(7, "say", &json!({ "text": text })));
        assert_eq!((answer.status, answer.field("content-type").as_deref()), (200, Some("application/json")));
        let answer: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(answer["id"], 7);
        (
            answer["result"]["isError"].clone(),
            answer["result"]["content"][0]["text"].as_str().unwrap().to_owned(),
        )
    };
    assert_eq!(said("good"), (Value::Null, "good".to_owned()));
    assert_eq!(said("old"), (Value::Null, "new".to_owned()));
    let (is_error, reason) = said("bad");
    assert!(is_error == true && reason.contains("not that"), "{reason}");
    // There is no person to ask.
    let (is_error, reason) = said("ask");
    assert!(is_error == true && reason.contains("really?"), "{reason}");
    // The bytes are those that came.
    let odd =
        r#"{ "jsonrpc":"2.0", "id":"\u0061", "method":"x/y", "params":{"b":1e2,"_meta":{"é":"\u00e9"}} }"#;
    let answer = ask(&url, "POST", Some(&session), odd);
    let answer: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(answer["result"]["came"], odd);
    // Another client has another server; to end a session ends its own.
    let other = initialize(&url, &json!({}));
    ask(&url, "POST", Some(&other), &call(8, "say", &json!({ "text": "bad" })));
    let files = std::fs::read_dir(place.path("state/audit")).unwrap().map(|entry| entry.unwrap().path());
    let sessions = files.filter(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    assert_eq!(sessions.count(), 2, "each has its own audit");
    assert_eq!(ask(&url, "DELETE", Some(&other), "").status, 204);
    gate.until("the server ends");
    assert_eq!(ask(&url, "POST", Some(&other), odd).status, 404);
    assert_eq!(said("good"), (Value::Null, "good".to_owned()));
}

#[test]
fn the_person_is_asked_on_the_stream_of_the_call() {
    let place = place();
    let (_gate, url) = listening(&place, &[]);
    for (action, want) in [("accept", "ask"), ("decline", "really?")] {
        let session = initialize(&url, &json!({ "elicitation": {} }));
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(TEST_TIMEOUT)).unwrap();
        let body = call(1, "say", &json!({ "text": "ask" }));
        let head = format!(
            "POST /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMcp-Session-Id: {session}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let mut event = || {
            let data = lines.find_map(|line| {
                Some(line.strip_prefix("data: ")?.to_owned()).filter(|data| !data.is_empty())
            });
            serde_json::from_str::<Value>(&data.expect("an event")).unwrap()
        };
        let question = event();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        let schema = &question["params"]["requestedSchema"];
        let content: serde_json::Map<String, Value> = schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| (name.clone(), Value::Bool(true)))
            .collect();
        let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": action, "content": content } });
        assert_eq!(ask(&url, "POST", Some(&session), &reply.to_string()).status, 202);
        let answer = event();
        assert_eq!(answer["id"], 1, "{answer}");
        assert_eq!(answer["result"]["isError"] == true, action != "accept", "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(want), "{text}");
    }
}

#[test]
fn a_server_that_dies_ends_its_session_only() {
    let place = place();
    let (_gate, url) = listening(&place, &[]);
    let (session, other) = (initialize(&url, &json!({})), initialize(&url, &json!({})));
    let answer = ask(&url, "POST", Some(&session), &call(3, "die", &json!({ "code": 5 })));
    let died: Value = serde_json::from_str(&answer.body).unwrap();
    assert!(died["id"] == 3 && died["error"]["code"] == -32000, "{died}");
    let start = Instant::now();
    while ask(&url, "POST", Some(&session), &call(4, "say", &json!({ "text": "x" }))).status != 404 {
        assert!(start.elapsed() < TEST_TIMEOUT, "the session goes on");
        std::thread::sleep(Duration::from_millis(5));
    }
    let answer = ask(&url, "POST", Some(&other), &call(4, "say", &json!({ "text": "good" })));
    assert!(answer.body.contains("good"), "{}", answer.body);
}

#[cfg(unix)]
#[test]
fn to_end_it_ends_every_session_and_every_server() {
    use rustix::process::{Pid, Signal, kill_process};
    for signal in [Signal::INT, Signal::TERM] {
        let place = place();
        let (mut gate, url) = listening(&place, &[]);
        initialize(&url, &json!({}));
        initialize(&url, &json!({}));
        let pid = Pid::from_raw(i32::try_from(gate.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
        for _ in 0..2 {
            gate.until("the server ends");
        }
        assert_eq!(gate.ends(), Some(0));
        assert!(TcpStream::connect(url.strip_prefix("http://").unwrap().trim_end_matches("/mcp")).is_err());
    }
}

/// The gate in front of an address, as a client that starts it sees it.
struct Client {
    running: Running,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Client {
    fn start(place: &Sandbox, args: &[&str], vars: &[(&str, &str)]) -> Self {
        let mut running = Running::start(place, &[&["mcp"], args].concat(), vars);
        let stdin = running.child.stdin.take();
        let stdout = BufReader::new(running.child.stdout.take().unwrap());
        Client { running, stdin, stdout }
    }

    fn says(&mut self, text: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{text}").unwrap();
    }

    fn hears(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn begins(&mut self) {
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {} });
        self.says(
            &json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string(),
        );
        assert_eq!(self.hears()["result"]["serverInfo"]["name"], "test server");
        self.says(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }
}

#[test]
fn a_server_at_an_address_is_gated() {
    let (server, client) = (Sandbox::with_hook(), place());
    let (mut behind, url) = listening(&server, &[]);
    let mut gate = Client::start(&client, &["--name", "t", "--url", &url], &[]);
    gate.begins();
    let mut said = |text: &str| {
        gate.says(&call(7, "say", &json!({ "text": text })));
        let answer = gate.hears();
        assert_eq!(answer["id"], 7, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(said("good"), "good");
    assert_eq!(said("old"), "new");
    assert!(said("bad").contains("not that"));
    let odd =
        r#"{ "jsonrpc":"2.0", "id":"\u0061", "method":"x/y", "params":{"b":1e2,"_meta":{"é":"\u00e9"}} }"#;
    gate.says(odd);
    assert_eq!(gate.hears()["result"]["came"], odd);
    // What is slow holds nothing up, and 10 MB are whole.
    gate.says(&call(8, "hang", &json!({})));
    gate.says(&call(9, "big", &json!({ "bytes": 10 << 20 })));
    let big = gate.hears();
    assert_eq!(
        (&big["id"], big["result"]["content"][0]["text"].as_str().unwrap().len()),
        (&json!(9), 10 << 20)
    );
    gate.says(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}"#);
    // When the client goes, the session ends, and with it the server.
    gate.stdin = None;
    assert_eq!(gate.running.ends(), Some(0));
    behind.until("the server ends");
}

#[test]
fn a_server_that_goes_leaves_the_client_with_errors() {
    let (server, client) = (Sandbox::with_hook(), Sandbox::with_hook());
    let (behind, url) = listening(&server, &[]);
    let mut gate = Client::start(&client, &["--url", &url], &[]);
    gate.begins();
    drop(behind);
    for id in [1, 2] {
        gate.says(&call(id, "say", &json!({ "text": "x" })));
        let said = gate.hears();
        assert!(said["id"] == id && said["error"]["code"] == -32000, "{said}");
    }
    gate.stdin = None;
    assert_eq!(gate.running.ends(), Some(0));
}

#[test]
fn a_field_with_a_secret_comes_from_a_variable() {
    // A server that knows no session, and says which fields it got.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let heads = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = String::new();
        let mut lines = BufReader::new(stream.try_clone().unwrap());
        while !head.ends_with("\r\n\r\n") {
            lines.read_line(&mut head).unwrap();
        }
        stream
            .write_all(b"HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            .unwrap();
        head.to_ascii_lowercase()
    });
    let place = Sandbox::with_hook();
    let fields = ["--url", &url, "--header", "Authorization: env:TOKEN", "--header", "X-Plain:  a: b "];
    let mut gate = Client::start(&place, &fields, &[("TOKEN", "Bearer abc")]);
    gate.says(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#);
    let said = gate.hears();
    assert!(said["error"]["message"].as_str().unwrap().contains("401 Unauthorized"), "{said}");
    assert!(!said.to_string().contains("abc"), "{said}");
    let head = heads.join().unwrap();
    assert!(
        head.contains("\r\nauthorization: bearer abc\r\n") && head.contains("\r\nx-plain: a: b\r\n"),
        "{head}"
    );
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_starts() {
    let place = Sandbox::with_hook();
    for (args, want) in [
        (&["--url", "ftp://x/"][..], "neither http:// nor https://"),
        (&["--url", "https://me:secret@x/"], "contains a name or a password"),
        (&["--url", "http://x/", "--header", "nothing"], "'NAME: VALUE'"),
        (&["--url", "http://x/", "--header", "A: env:MISSING"], "the variable MISSING is not set"),
        (&["--url", "http://x/", "--header", "Host: y"], "set by the transport"),
        (&["--header", "A: b", "--", "true"], "cannot be used with"),
        (&["--allow-remote", "--", "true"], "--listen"),
        (&["--listen", "0.0.0.0:0", "--", "true"], "--allow-remote if that is meant"),
        (&["--listen", "localhost", "--", "true"], "is not an address to listen on"),
        (&["--url", "http://x/", "--", "true"], "cannot be used with"),
    ] {
        let said = place.run(&[&["mcp"], args].concat());
        assert_eq!(said.code, 64, "{args:?}: {said:?}");
        assert!(said.stderr.contains(want) && !said.stderr.contains("secret"), "{args:?}: {said:?}");
        assert_eq!(said.stdout, "");
    }
}
