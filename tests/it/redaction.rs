//! A secret that a tool said never reaches the model past the example redact-secrets, in whatever shape it comes: texts that do not
//! decode, that are long, that hide it; a process that is stopped in the middle; hooks that fail over it. What an agent shows to its
//! model is written down here once more, and not taken from the adapters.

use serde_json::{Value, json};

use crate::mcp::client::Client;
use crate::support::{CommandOutput, Sandbox, repository};

/// The part of the secret that no name of a rule has.
const CORE: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

/// A text with the secret in it, as it is written in JSON.
struct Shape {
    name: &'static str,
    written: Vec<u8>,
}

/// Returns how a text is written that has nothing to escape.
fn quoted(text: &str) -> Vec<u8> {
    Value::from(text).to_string().into_bytes()
}

fn shapes() -> Vec<Shape> {
    let secret = format!("ghp_{CORE}");
    let long = |before: usize, behind: usize| {
        quoted(&format!("{} {secret} {}", "a line of text\n".repeat(before), "more of it\n".repeat(behind)))
    };
    let escaped: String = secret.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    let within = |before: &[u8], behind: &[u8]| [b"\"", before, secret.as_bytes(), behind, b"\""].concat();
    let shape = |name, written| Shape { name, written };
    vec![
        shape("alone", quoted(&secret)),
        shape("a variable", quoted(&format!("PORT=1\nAPI_TOKEN={secret}\n"))),
        shape("in JSON", quoted(&format!("{{\"token\": \"{secret}\", \"a\": [1]}}"))),
        shape("first of a long text", long(0, 20_000)),
        shape("last of a long text", long(20_000, 0)),
        shape("in the middle of 8 MB", long(270_000, 370_000)),
        shape("one letter escaped", format!("\"\\u0067{}\"", &secret[1..]).into_bytes()),
        shape("all letters escaped", format!("\"{escaped}\"").into_bytes()),
        shape("behind half a surrogate pair", within(b"\\ud83d ", b"")),
        shape("before half a surrogate pair", within(b"", b" \\ud83d")),
        shape("behind the other half", within(b"\\ude00 ", b"")),
        shape("between halves in the wrong order", within(b"\\ude00", b"\\ud83d")),
        shape("beside a whole pair", within(b"\\ud83d\\ude00 ", b"")),
        shape("behind a byte that is no text", within(b"\xff", b"")),
        shape("before a cut emoji", within(b"", b" \xf0\x9f\x98")),
        shape("behind an encoded surrogate", within(b"\xed\xa0\x80 ", b"")),
        shape("behind an overlong slash", within(b"\xc0\xaf ", b"")),
        shape("between NULs", within(b"\\u0000", b"\\u0000")),
        shape("between line ends of Windows", within(b"\\r\\n", b"\\r\\n")),
        shape("in letters from right to left", within("\u{202e} ".as_bytes(), "\u{202c}".as_bytes())),
    ]
}

/// One agent's event about what a tool said.
struct ToolOutputEvent {
    agent: &'static str,
    native: &'static str,
    /// `@` stands for the text, `#` for the same within a text that is JSON.
    payload: &'static str,
}

const PLACES: &[ToolOutputEvent] = &[
    ToolOutputEvent {
        agent: "claude-code",
        native: "PostToolUse",
        payload: r#"{"session_id":"s","cwd":"CWD","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cat .env"},"tool_use_id":"t","tool_response":{"stdout":@,"stderr":@,"interrupted":false,"note":@}}"#,
    },
    ToolOutputEvent {
        agent: "claude-code",
        native: "PostToolUse",
        payload: r#"{"session_id":"s","cwd":"CWD","hook_event_name":"PostToolUse","tool_name":"mcp__s__t","tool_input":{},"tool_use_id":"t","tool_response":[{"type":"text","text":@},{"type":"image","data":"AAAA","alt":@}]}"#,
    },
    ToolOutputEvent {
        agent: "codex",
        native: "PostToolUse",
        payload: r#"{"session_id":"s","turn_id":"1","model":"m","cwd":"CWD","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cat .env"},"tool_use_id":"t","tool_response":@}"#,
    },
    ToolOutputEvent {
        agent: "gemini",
        native: "AfterTool",
        payload: r#"{"session_id":"s","cwd":"CWD","hook_event_name":"AfterTool","timestamp":"2026-11-20T00:00:00Z","tool_name":"run_shell_command","tool_input":{"command":"cat .env"},"tool_response":{"llmContent":@,"returnDisplay":@}}"#,
    },
    ToolOutputEvent {
        agent: "cursor",
        native: "postToolUse",
        payload: r#"{"conversation_id":"s","generation_id":"g","cursor_version":"3","workspace_roots":["CWD"],"hook_event_name":"postToolUse","tool_name":"MCP:t","tool_input":{},"tool_use_id":"t","tool_output":"{\"content\":[{\"type\":\"text\",\"text\":#}]}"}"#,
    },
    ToolOutputEvent {
        agent: "copilot",
        native: "postToolUse",
        payload: r#"{"sessionId":"s","timestamp":1,"cwd":"CWD","toolName":"bash","toolArgs":"{\"command\":\"cat .env\"}","toolResult":{"resultType":"success","textResultForLlm":@}}"#,
    },
    ToolOutputEvent {
        agent: "opencode",
        native: "tool.execute.after",
        payload: r#"{"hook":"tool.execute.after","input":{"tool":"bash","sessionID":"s","callID":"c","args":{"command":"cat .env"}},"output":{"title":@,"output":@,"metadata":{"output":@}},"directory":"CWD"}"#,
    },
];

impl ToolOutputEvent {
    fn payload(&self, place: &Sandbox, written: &[u8]) -> Vec<u8> {
        let template = self.payload.replace("CWD", place.path("project").to_str().unwrap());
        let mut inner = Vec::new();
        for byte in written {
            if matches!(byte, b'"' | b'\\') {
                inner.push(b'\\');
            }
            inner.push(*byte);
        }
        let part = |byte: &u8| match byte {
            b'@' => written.to_vec(),
            b'#' => inner.clone(),
            other => vec![*other],
        };
        template.as_bytes().iter().flat_map(part).collect()
    }

    /// Returns what the model reads instead of the result; `None` where it reads the result.
    fn shown(&self, said: &CommandOutput) -> Option<String> {
        let document: Value = serde_json::from_str(&said.stdout).ok()?;
        let specific = &document["hookSpecificOutput"];
        let all = |value: &Value| (!value.is_null()).then(|| value.to_string());
        match self.agent {
            "claude-code" => all(&specific["updatedToolOutput"]),
            "codex" | "gemini" => {
                let replaced = document["decision"] == "block" || document["decision"] == "deny";
                all(&document["reason"]).filter(|_| replaced)
            }
            "cursor" => all(&document["updated_mcp_tool_output"]),
            "copilot" => all(&document["modifiedResult"]["textResultForLlm"]),
            // What is not in it stays: here all that has the secret.
            _ => all(&document["throw"]).or_else(|| {
                let output = &document["output"];
                let whole = ["title", "output", "metadata"].iter().all(|key| output.get(key).is_some());
                all(output).filter(|_| whole)
            }),
        }
    }

    /// Returns what is wrong with an answer, if anything is.
    fn fault(&self, said: &CommandOutput) -> Option<String> {
        let short = |text: &str| text.chars().take(400).collect::<String>();
        match self.shown(said) {
            None => Some(format!("the model reads the result: {}", short(&format!("{said:?}")))),
            Some(shown) if shown.contains(CORE) => Some(format!("the secret is shown: {}", short(&shown))),
            Some(_) if said.stdout.contains(CORE) || said.stderr.contains(CORE) => {
                Some("the secret is beside it".to_owned())
            }
            Some(_) => None,
        }
    }
}

fn with_example(language: &str) -> Sandbox {
    let place = Sandbox::new();
    let name = format!("redact-secrets.{language}");
    let text = std::fs::read(repository("hooks-examples").join(language).join(&name)).unwrap();
    place.write(&format!("config/hooks/{name}"), text);
    place
}

fn every_shape(agent: &str) {
    let mut wrong = Vec::new();
    let mut tried = 0;
    let examples = ["lua", "rhai"].map(with_example);
    for one in PLACES.iter().filter(|one| one.agent == agent) {
        for shape in shapes() {
            let place = &examples[tried % 2];
            let said =
                place.run_with_bytes(&["hook", agent, one.native], &one.payload(place, &shape.written));
            wrong.extend(one.fault(&said).map(|fault| format!("{agent}, {}: {fault}", shape.name)));
            tried += 1;
        }
    }
    for place in &examples {
        let log = std::fs::read_to_string(place.path("state/hook.log")).unwrap_or_default();
        assert!(!log.contains(CORE), "{agent}: the log has it");
    }
    assert!(tried >= 20 && wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn claude_code_never_shows_it() {
    every_shape("claude-code");
}

#[test]
fn codex_never_shows_it() {
    every_shape("codex");
}

#[test]
fn gemini_never_shows_it() {
    every_shape("gemini");
}

#[test]
fn cursor_never_shows_it() {
    every_shape("cursor");
}

#[test]
fn copilot_never_shows_it() {
    every_shape("copilot");
}

#[test]
fn opencode_never_shows_it() {
    every_shape("opencode");
}

/// Results of an MCP server; `%` stands for the text.
const RESULTS: &[&str] = &[
    r#"{"content":[{"type":"text","text":%}]}"#,
    r#"{"content":[{"type":"text","text":"fine"},{"type":"text","text":%}],"structuredContent":{"a":%}}"#,
    r#"{"content":[{"type":"resource","resource":{"uri":"file:///x","text":%}}],"isError":true}"#,
];

#[test]
fn an_mcp_client_never_gets_it() {
    let mut wrong = Vec::new();
    let mut id = 0;
    for language in ["lua", "rhai"] {
        let place = with_example(language);
        let mut client = Client::start(&place, &["--name", "s"], &[]);
        let shapes = shapes().into_iter().filter(|shape| shape.written.len() < 1_000_000);
        for shape in shapes {
            for result in RESULTS {
                let part = |byte: &u8| if *byte == b'%' { shape.written.clone() } else { vec![*byte] };
                let bytes: Vec<u8> = result.as_bytes().iter().flat_map(part).collect();
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                id += 1;
                let answer = client.call(id, "raw", &json!({"hex": hex})).to_string();
                if answer.contains(CORE) {
                    wrong.push(format!("{language}, {}, {result}: {answer:.300}", shape.name));
                }
            }
        }
        // 8 MB.
        let result = format!("{{\"content\":[{{\"type\":\"text\",\"text\":\"@ghp_{CORE}\"}}]}}");
        let hex: String = result.bytes().map(|byte| format!("{byte:02x}")).collect();
        let answer = client.call(9999, "raw", &json!({"hex": hex, "long": 4_000_000})).to_string();
        assert!(!answer.contains(CORE), "{language}: 8 MB");
        let said = client.end();
        assert!(!said.stderr.contains(CORE), "{language}: the log has it");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs that compute until they are dropped.
#[cfg(unix)]
struct Busy(Vec<std::process::Child>);

#[cfg(unix)]
impl Busy {
    fn of(number: usize) -> Self {
        let compute =
            || std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Self((0..number).map(|_| compute()).collect())
    }
}

#[cfg(unix)]
impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Answers of an MCP server beside results, by the method.
const ANSWERS: &[(&str, &str)] = &[
    ("resources/read", r#"{"contents":[{"uri":"file:///x","text":%}]}"#),
    ("resources/list", r#"{"resources":[{"uri":"file:///x","name":"x","description":%}]}"#),
    ("prompts/get", r#"{"messages":[{"role":"user","content":{"type":"text","text":%}}]}"#),
    ("completion/complete", r#"{"completion":{"values":[%]}}"#),
    ("acme/other", r#"{"a":[{"b":%}]}"#),
];

/// And what the server sends by itself.
const TOLD: &[&str] = &[
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"a":%}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":%}}"#,
    r#"{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"messages":[],"systemPrompt":%}}"#,
    r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":%,"requestedSchema":{}}}"#,
    r#"[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%}},{"jsonrpc":"2.0","method":"n"}]"#,
];

fn hex(template: &str, written: &[u8]) -> String {
    let part = |byte: &u8| if *byte == b'%' { written.to_vec() } else { vec![*byte] };
    let bytes: Vec<u8> = template.as_bytes().iter().flat_map(part).collect();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// All that the client hears of each of them, and what the log has.
fn heard(place: &Sandbox, written: &[Vec<u8>]) -> (Vec<(String, String)>, CommandOutput) {
    let mut client = Client::start(place, &["--name", "s"], &[]);
    let (mut id, mut heard) = (0, Vec::new());
    for written in written {
        for (method, result) in ANSWERS {
            id += 1;
            let params = json!({"uri": "u", "name": "n", "hex": hex(result, written)});
            client.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
            heard.push(((*method).to_owned(), client.answer(&id.into()).to_string()));
        }
        for told in TOLD {
            id += 1;
            client.ask(id, "emit", &json!({"hex": hex(told, written)}));
            let mut lines = String::new();
            loop {
                let line = client.line();
                let message: Value = serde_json::from_str(&line).unwrap_or_default();
                if message["id"] == id && message.get("method").is_none() {
                    break;
                }
                lines += &line;
            }
            heard.push(((*told).to_owned(), lines));
        }
    }
    (heard, client.end())
}

#[test]
fn an_mcp_client_gets_it_in_nothing_else() {
    let written: Vec<Vec<u8>> =
        shapes().into_iter().map(|shape| shape.written).filter(|written| written.len() < 1_000_000).collect();
    let gate = || {
        let place = Sandbox::new();
        place.write("config/hooks/gate.lua", "on('tool_call', function() end)");
        place
    };
    // The control.
    let (shown, _) = heard(&gate(), &[quoted(CORE)]);
    assert!(shown.iter().all(|(_, heard)| heard.contains(CORE)), "{shown:?}");
    let unseen = gate();
    unseen.write("project/.snaphook/config.toml", "[mcp]\nunseen = \"withhold\"\n");
    for place in [with_example("lua"), with_example("rhai"), unseen] {
        let (heard, said) = heard(&place, &written);
        assert!(!said.stderr.contains(CORE), "the log has it: {}", said.stderr);
        for (what, heard) in heard {
            assert!(!heard.contains(CORE), "{what}: {heard:.300}");
        }
    }
}

/// A hook before the example stops the whole process for three seconds, and lets it go on; twenty other programs want the processor.
#[cfg(unix)]
#[test]
fn a_process_that_is_stopped_on_a_busy_machine_shows_nothing() {
    let _busy = Busy::of(20);
    let stops = crate::support::granting("lua", "exec: [sh]")
        + r#"on("tool_result", function(event, ctx)
            ctx.exec("sh", { "-c", "kill -STOP $PPID; sleep 3; kill -CONT $PPID" }, { timeout = 20 })
        end)"#;
    let running: Vec<_> = PLACES
        .iter()
        .map(|one| {
            let place = with_example("lua");
            place.write("config/hooks/a-stop.lua", &stops);
            let long = one.native.len() % 2 * 100_000;
            let payload =
                one.payload(&place, &quoted(&format!("{}API_TOKEN=ghp_{CORE}", "fine ".repeat(long))));
            let mut child = place
                .command(&["hook", one.agent, one.native])
                .stdin(std::process::Stdio::piped())
                .spawn()
                .unwrap();
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), &payload).unwrap();
            (one, place, child)
        })
        .collect();
    for (one, place, child) in running {
        let said = place.finish(child);
        assert_eq!(one.fault(&said), None, "{}", one.agent);
    }
}

/// Hooks that fail over a result and withhold it, in the form of each agent.
#[test]
fn hooks_that_fail_withhold() {
    let fails = |body: &str| format!("-----\n-- on_failure: withhold\n-----\n{body}");
    let ways = [
        ("raises", fails("on('tool_result', function(e) error(e.content) end)")),
        ("loops", fails("on('tool_result', function() while true do end end)")),
        (
            "eats memory",
            fails(
                "on('tool_result', function() local t = {} while true do t[#t + 1] = string.rep('x', 100000) .. #t end end)",
            ),
        ),
        ("answers nonsense", fails("on('tool_result', function(e) return e.content end)")),
        ("does not compile", fails("on(")),
        ("loops while it loads", fails("while true do end")),
        ("invalid front matter", fails("").replace("withhold", "withold")),
    ];
    for (what, text) in &ways {
        for one in PLACES {
            let place = Sandbox::new();
            place.write("config/hooks/fails.lua", text);
            let said =
                place.run_with_bytes(&["hook", one.agent, one.native], &one.payload(&place, &quoted(CORE)));
            assert_eq!(one.fault(&said), None, "{}, {what}", one.agent);
            assert!(said.stdout.contains("snaphook withheld this result"), "{}, {what}: {said:?}", one.agent);
            let log = std::fs::read_to_string(place.path("state/hook.log")).unwrap_or_default();
            assert!(!log.contains(CORE), "{}, {what}: {log}", one.agent);
        }
    }
    // It is not trusted, so nothing of it runs.
    let place = Sandbox::new();
    place.write("project/.snaphook/hooks/redact.lua", fails("on('tool_result', function() end)"));
    for one in PLACES {
        let said =
            place.run_with_bytes(&["hook", one.agent, one.native], &one.payload(&place, &quoted(CORE)));
        assert_eq!(one.fault(&said), None, "{}, not trusted", one.agent);
    }
}

/// Results that no hook looks at are shown as they are, also those that could not be read.
#[test]
fn what_no_hook_looks_at_is_left_alone() {
    let place = Sandbox::new();
    place.write("config/hooks/gate.lua", "on('tool_call', function() end)");
    for one in PLACES {
        for written in [quoted(CORE), b"\"\\ud83d\"".to_vec()] {
            let said = place.run_with_bytes(&["hook", one.agent, one.native], &one.payload(&place, &written));
            assert_eq!((said.code, one.shown(&said)), (0, None), "{}: {said:?}", one.agent);
        }
    }
}
