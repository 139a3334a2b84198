//! A client that says what a test tells it, and collects what it hears.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{CommandOutput, Sandbox};
use crate::tree::root;

/// Far longer than anything here takes.
const TEST_TIMEOUT: Duration = Duration::from_secs(60);

/// A client, and the gate that it has started.
pub struct Client<'a> {
    place: &'a Sandbox,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The messages that came while something else was waited for.
    aside: VecDeque<Value>,
}

impl<'a> Client<'a> {
    /// Starts the gate before the server of the fixtures.
    pub fn start(place: &'a Sandbox, options: &[&str], env: &[(&str, &str)]) -> Self {
        let server = root().join("tests/fixtures/mcp/server.py");
        let server = server.to_str().unwrap();
        Client::of(place, &[&["mcp"], options, &["--", "python3", server]].concat(), env)
    }

    /// Starts a gate with these arguments.
    pub fn of(place: &'a Sandbox, args: &[&str], env: &[(&str, &str)]) -> Self {
        let mut command = place.command(args);
        command.envs(env.iter().copied()).stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (say, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = say.send(line);
            }
        });
        let stdin = child.stdin.take();
        Client { place, child, stdin, lines, aside: VecDeque::new() }
    }

    /// The gate's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Says a line.
    pub fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// The next line, as it came.
    pub fn line(&mut self) -> String {
        self.lines.recv_timeout(TEST_TIMEOUT).unwrap()
    }

    /// The first message that is like this, now or among those that were put aside.
    pub fn hear(&mut self, is: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.aside.iter().position(&is) {
            return self.aside.remove(at).unwrap();
        }
        loop {
            let heard: Value = serde_json::from_str(&self.line()).unwrap();
            if is(&heard) {
                return heard;
            }
            self.aside.push_back(heard);
        }
    }

    /// The answer to a request.
    pub fn answer(&mut self, id: &Value) -> Value {
        self.hear(|heard| heard.get("id") == Some(id) && heard.get("method").is_none())
    }

    /// Asks for a tool, and waits for nothing.
    pub fn ask(&mut self, id: i64, tool: &str, arguments: &Value) {
        let params = json!({"name": tool, "arguments": arguments});
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string());
    }

    /// Returns what a tool says.
    pub fn call(&mut self, id: i64, tool: &str, arguments: &Value) -> Value {
        self.ask(id, tool, arguments);
        self.answer(&id.into())
    }

    /// Waits until the gate ends by itself, for a client that says nothing more and stays.
    pub fn wait(mut self) -> CommandOutput {
        let stdin = self.stdin.take();
        let said = self.place.finish(self.child);
        drop(stdin);
        said
    }

    /// Closes the gate's input, and waits for its end.
    pub fn end(mut self) -> CommandOutput {
        self.stdin.take();
        self.place.finish(self.child)
    }
}

/// The texts of a result.
pub fn texts(answer: &Value) -> Vec<&str> {
    let blocks = answer["result"]["content"].as_array();
    blocks.into_iter().flatten().filter_map(|block| block["text"].as_str()).collect()
}
