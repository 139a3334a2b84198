//! `snaphook acp` between a scripted editor, here, and a small agent in Python. What passes a session, and as what, is tested in
//! the crate `snaphook-acp`; here are the command, the processes, and the hooks of folders.

use serde_json::{Value, json};

use crate::mcp::client::Client;
use crate::support::{CommandOutput, Sandbox};
use crate::tree::root;

/// An editor, and the gate that it has started.
struct Editor<'a> {
    client: Client<'a>,
    place: &'a Sandbox,
    asked: i64,
}

impl<'a> Editor<'a> {
    fn start(place: &'a Sandbox, options: &[&str]) -> Self {
        let agent = root().join("tests/fixtures/acp/agent.py");
        let args = [&["acp"], options, &["--", "python3", agent.to_str().unwrap()]].concat();
        let mut editor = Editor { client: Client::of(place, &args, &[]), place, asked: 0 };
        editor.call("initialize", &json!({"protocolVersion": 1}));
        editor
    }

    fn ask(&mut self, method: &str, params: &Value) -> i64 {
        self.asked += 1;
        self.client.say(
            &json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}).to_string(),
        );
        self.asked
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.client.answer(&id.into())
    }

    /// Begins a session in a folder of the place.
    fn session(&mut self, folder: &str) -> String {
        let folder = self.place.path(folder);
        let began = self.call("session/new", &json!({"cwd": folder, "mcpServers": []}));
        began["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{began}")).to_owned()
    }

    fn prompt(&mut self, session: &str, text: &str) -> i64 {
        self.ask("session/prompt", &json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]}))
    }

    /// The next request of the agent's, or of snaphook's.
    fn asked(&mut self) -> Value {
        self.client.hear(|heard| heard.get("id").is_some() && heard.get("method").is_some())
    }

    fn answer(&mut self, request: &Value, result: &Value) {
        self.client.say(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string());
    }

    /// Returns what the agent says next.
    fn said(&mut self) -> Value {
        let heard =
            self.client.hear(|heard| heard["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
        let text = heard["params"]["update"]["content"]["text"].as_str().unwrap();
        serde_json::from_str(text).unwrap_or_else(|_| text.into())
    }

    fn end(self) -> CommandOutput {
        self.client.end()
    }
}

const BLOCKS: &str =
    r#"on("tool_call", { tool = "bash" }, function(event) return { block = true, reason = "not here" } end)"#;

#[test]
fn a_denial_is_an_answer_and_its_reason_comes_with_the_next_prompt() {
    let place = Sandbox::with_hook();
    place.write("config/hooks/block.lua", BLOCKS);
    let mut editor = Editor::start(&place, &[]);
    let session = editor.session("project");
    let prompt = editor.prompt(&session, "run ls");
    assert_eq!(editor.said(), json!({"result": {"outcome": {"outcome": "selected", "optionId": "no"}}}));
    assert_eq!(editor.client.answer(&prompt.into())["result"]["stopReason"], "end_turn");
    editor.prompt(&session, "echo");
    let said = editor.said();
    assert!(said[1].as_str().unwrap().contains("not here [block at"), "{said}");
    let said = editor.end();
    assert_eq!(said.code, 0, "{said:?}");
    let audit = place.run(&["audit", "show", "--json"]);
    assert!(audit.stdout.contains("\"session-1\"") && audit.stdout.contains("not here"), "{audit:?}");
}

#[test]
fn each_session_has_the_hooks_of_its_folder() {
    let place = Sandbox::with_hook();
    std::fs::create_dir_all(place.path("project/.git")).unwrap();
    place.write("other/.snaphook/hooks/block.lua", BLOCKS);
    let mut editor = Editor::start(&place, &[]);
    let (here, there) = (editor.session("project"), editor.session("other"));
    let prompt = editor.prompt(&here, "run ls");
    let request = editor.asked();
    assert_eq!(request["params"]["toolCall"]["rawInput"]["command"], "ls");
    editor.answer(&request, &json!({"outcome": {"outcome": "selected", "optionId": "yes"}}));
    assert_eq!(editor.said()["result"]["outcome"]["optionId"], "yes");
    editor.client.answer(&prompt.into());
    // Its hooks are not trusted, so that not even the prompt passes.
    let prompt = editor.prompt(&there, "run ls");
    let said = editor.said();
    assert!(said.as_str().unwrap().contains("snaphook trust"), "{said}");
    assert_eq!(editor.client.answer(&prompt.into())["result"]["stopReason"], "refusal");
    let gone = place.path("gone");
    let refused = editor.call("session/new", &json!({"cwd": gone}));
    assert!(
        refused["error"]["message"].as_str().unwrap().starts_with("snaphook refuses the session: "),
        "{refused}"
    );
    assert_eq!(editor.end().code, 0);
}

#[test]
fn without_hooks_nothing_passes() {
    let place = Sandbox::new();
    let mut editor = Editor::start(&place, &[]);
    let session = editor.session("project");
    editor.prompt(&session, "echo");
    let said = editor.said();
    assert!(said.as_str().unwrap().contains("no hook is in force"), "{said}");
    assert_eq!(editor.end().code, 0);
}

#[test]
fn a_command_of_a_terminal_is_held_where_a_hook_wants_it() {
    let place = Sandbox::with_hook();
    place.write(
        "config/hooks/hold.lua",
        r#"on("tool_call", { tool = "bash" }, function() return { hold = { profile = "guarded" } } end)"#,
    );
    let mut editor = Editor::start(&place, &[]);
    let session = editor.session("project");
    editor.prompt(&session, "terminal ls -l");
    let request = editor.asked();
    let command = request["params"]["command"].as_str().unwrap();
    assert!(command.contains("snaphook") && command.ends_with(" hold -p guarded -- 'ls -l'"), "{command}");
    editor.answer(&request, &json!({"terminalId": "t"}));
    assert_eq!(editor.said(), json!({"result": {"terminalId": "t"}}));
    assert_eq!(editor.end().code, 0);
}

#[test]
fn a_question_goes_to_the_editor_unless_it_has_nobody() {
    for (options, asks) in [(&[] as &[&str], true), (&["--headless"], false)] {
        let place = Sandbox::with_hook();
        place.write(
            "config/hooks/ask.lua",
            r#"on("tool_call", { tool = "bash" }, function() return { ask = "Really?" } end)"#,
        );
        let mut editor = Editor::start(&place, options);
        let session = editor.session("project");
        editor.prompt(&session, "run ls");
        if asks {
            let request = editor.asked();
            assert_eq!(request["params"]["toolCall"]["title"], "Snaphook asks for a hook: Really?");
            editor.answer(&request, &json!({"outcome": {"outcome": "selected", "optionId": "yes"}}));
        }
        let option = if asks { "yes" } else { "no" };
        assert_eq!(editor.said()["result"]["outcome"]["optionId"], option);
        assert_eq!(editor.end().code, 0);
    }
}

#[test]
fn an_agent_that_dies_ends_the_proxy_with_its_code() {
    let place = Sandbox::with_hook();
    let mut editor = Editor::start(&place, &[]);
    let session = editor.session("project");
    let prompt = editor.prompt(&session, "die 7");
    assert_eq!(editor.client.answer(&prompt.into())["error"]["message"], "the agent is gone");
    let said = editor.client.wait();
    assert_eq!(said.code, 7, "{said:?}");
}

#[test]
fn an_agent_that_is_not_there_is_said_to_be() {
    let place = Sandbox::with_hook();
    let said = place.run(&["acp", "--", "no-such-agent"]);
    assert_eq!(said.code, 64);
    assert!(said.stderr.contains("the agent `no-such-agent` cannot be started"), "{said:?}");
}

#[cfg(unix)]
#[test]
fn an_agent_that_hangs_ends_with_the_proxy() {
    for is_told in [true, false] {
        let place = Sandbox::with_hook();
        let mut editor = Editor::start(&place, &[]);
        let session = editor.session("project");
        editor.prompt(&session, "hang");
        assert_eq!(editor.said(), "hangs");
        let said = if is_told {
            let id = rustix::process::Pid::from_raw(i32::try_from(editor.client.id()).unwrap()).unwrap();
            rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
            editor.client.wait()
        } else {
            editor.end()
        };
        assert_eq!(said.code, 128 + 15, "{said:?}");
    }
}

#[test]
fn snaphook_itself_drives_an_agent() {
    let agent = root().join("tests/fixtures/acp/agent.py");
    let agent = agent.to_str().unwrap();
    let place = Sandbox::with_hook();
    place.write("config/hooks/block.lua", BLOCKS);
    for (args, code, texts) in [
        (&["echo"] as &[&str], 0, &["[\"echo\"]", "not covered: this agent is not known"] as &[&str]),
        (&["run ls"], 0, &["denied  bash", "not here", "the agent is told why calls were denied"]),
        (&["die 7"], 1, &["failed: the agent answered `session/prompt` with an error: the agent is gone"]),
        (&["--ci", "echo"], 64, &["with --ci the agent has to pass a gate"]),
        (&["--json", "echo"], 0, &["{\"step\":\"text\",\"text\":\"[\\\"echo\\\"]\""]),
    ] {
        let args = [&["run", "--agent", "acp", "--headless"], args, &["--", "python3", agent]].concat();
        let said = place.run(&args);
        assert_eq!(said.code, code, "{said:?}");
        for text in texts {
            assert!(format!("{}{}", said.stdout, said.stderr).contains(text), "{text}: {said:?}");
        }
    }
    // Keys are the agent's, and no hook's.
    let keys = "-----\n-- grants:\n--   env: [\"ANTHROPIC_API_KEY\"]\n-----\non(\"user_prompt\", function() return { context = \"KEY=\" .. tostring(snaphook.env.get(\"ANTHROPIC_API_KEY\")) } end)\n";
    place.write("config/hooks/keys.lua", keys);
    let mut command = place.command(&["run", "--agent", "acp", "--headless", "echo", "--", "python3", agent]);
    command.env("ANTHROPIC_API_KEY", "secret-of-the-test");
    let said = place.feed(command, b"");
    assert!(said.code == 0 && said.stdout.contains("KEY=nil"), "{said:?}");
    assert!(!said.stdout.contains("secret-of-the-test"), "{said:?}");
    for wrong in [
        &["run", "--agent", "acp", "x"] as &[&str],
        &["run", "--agent", "acp", "--", "python3"],
        &["run", "x", "--", "y"],
    ] {
        assert_eq!(place.run(wrong).code, 64, "{wrong:?}");
    }
}
