//! Tools of MCP servers in `snaphook run` with a model: real servers in Python, a scripted model, real hooks. What is made of lists and
//! results is tested in `snaphook-agent`.

use std::path::Path;

use serde_json::{Value, json};
use snaphook_testing::model::{Call, Exchange};

use crate::model::{KEY, Place, steps};
use crate::support::{CommandOutput, repository};

/// An entry that starts the server with these words.
fn entry(words: &[&str]) -> Value {
    let server = repository("tests/fixtures/mcp/toolbox.py");
    let args: Vec<&str> = [server.to_str().unwrap()].into_iter().chain(words.iter().copied()).collect();
    json!({ "command": "python3", "args": args })
}

/// A place whose project has these servers, and whose model calls these tools one after the other.
fn place(servers: &[(&str, Value)], calls: &[(&str, Value)]) -> Place {
    let calls = calls.iter().map(|(tool, input)| Exchange::calls([Call::new(*tool, input.clone())]));
    // Some tests begin several sessions.
    let place = Place::new(calls.chain((0..12).map(|_| Exchange::text("Done."))));
    servers_of(&place, "project/.mcp.json", servers);
    place
}

fn servers_of(place: &Place, file: &str, servers: &[(&str, Value)]) {
    let servers: serde_json::Map<_, _> =
        servers.iter().map(|(name, entry)| ((*name).to_owned(), entry.clone())).collect();
    place.sandbox.write(file, json!({ "mcpServers": servers }).to_string());
}

/// The file that a server wrote in the project.
fn noted(place: &Place, file: &str) -> String {
    std::fs::read_to_string(place.sandbox.path("project").join(file)).unwrap_or_default()
}

/// The result of the last call as the model got it.
fn heard(place: &Place) -> String {
    let requests = place.model.requests();
    let messages = requests.last().unwrap().body["messages"].as_array().unwrap().clone();
    messages.last().unwrap()["content"].as_str().unwrap().to_owned()
}

/// The names of the tools in a request.
fn offered(place: &Place, request: usize) -> Vec<String> {
    let tools = place.model.requests()[request].body["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

fn servers(said: &CommandOutput) -> Vec<Value> {
    steps(said).into_iter().filter(|step| step["step"] == "mcp_server").collect()
}

fn notices(said: &CommandOutput) -> String {
    let steps = steps(said).into_iter().filter(|step| step["step"] == "notice");
    steps.map(|step| step["text"].as_str().unwrap().to_owned() + "\n").collect()
}

#[test]
fn hooks_gate_the_calls_and_see_the_results() {
    let echo = "mcp__box__echo";
    for (input, hook, expected) in [
        (json!({"a": 1}), "", r#"{"a": 1}"#),
        (
            json!({"a": 1}),
            r#"on("tool_call", { tool = "mcp__box__echo" }, function() return { block = true, reason = "no echoes" } end)"#,
            "no echoes",
        ),
        (
            json!({"a": 1}),
            r#"on("tool_call", { tool = "mcp" }, function(event) return { input = { b = 2 } } end)"#,
            r#"{"b": 2}"#,
        ),
        (
            json!({"a": "secret"}),
            r#"on("tool_result", function(event) return { content = event.content:gsub("secret", "[gone]") .. "" } end)"#,
            r#"{"a": "[gone]"}"#,
        ),
        // What a hook knows of files holds for tools of servers, too.
        (
            json!({"path": ".env"}),
            r#"on("tool_call", { path = ".env" }, function() return { block = true, reason = "not the secrets" } end)"#,
            "not the secrets",
        ),
    ] {
        let place = place(&[("box", entry(&[]))], &[(echo, input)]);
        if !hook.is_empty() {
            place.sandbox.write("config/hooks/mine.lua", hook);
        }
        let said = place.run(&["--headless", "--mcp", "box", "go"]);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.stdout.contains("mcp server box: 11 tools"), "{}", said.stdout);
        assert!(heard(&place).contains(expected), "{expected}: {}", heard(&place));
        assert!(offered(&place, 0).starts_with(&["bash".to_owned()]), "{:?}", offered(&place, 0));
        assert!(offered(&place, 0).contains(&echo.to_owned()));
    }
}

#[test]
fn a_server_of_the_project_starts_only_if_a_person_said_so() {
    let place = place(&[("box", entry(&[])), ("other", entry(&[]))], &[]);
    for way in ["--json", "--ci"] {
        let said = place.run(&[way, "go"]);
        let told = servers(&said);
        assert_eq!(told.len(), 2, "{said:?}");
        assert!(told.iter().all(|step| step["state"] == "not_started"), "{told:?}");
        let why = told[0]["why"].as_str().unwrap();
        assert!(why.contains("`snaphook trust mcp:box`") && why.contains("`--mcp box`"), "{why}");
    }
    assert_eq!(noted(&place, "started"), "", "nothing ran");

    // The trust shows the entry, and is of this one only.
    let shown = place.sandbox.run(&["trust", "mcp:box"]);
    assert!(shown.code == 64 && shown.stdout.contains("\"command\": \"python3\""), "{shown:?}");
    let all = place.sandbox.run(&["trust", "--print"]);
    assert!(!all.stdout.contains("mcp:"), "servers are meant only where they are named: {all:?}");
    let pin = place.sandbox.run(&["trust", "--print", "mcp:box"]).stdout;
    let said = place.run(&["--json", "--trust", pin.trim(), "go"]);
    assert_eq!(servers(&said)[0]["state"], "not_started", "{said:?}");
    assert!(noted(&place, "started").lines().count() == 1, "{}", noted(&place, "started"));
    assert_eq!(place.sandbox.run(&["trust", pin.trim()]).code, 0);
    let said = place.run(&["--json", "go"]);
    let states: Vec<_> =
        servers(&said).iter().map(|step| step["state"].as_str().unwrap().to_owned()).collect();
    assert_eq!(states, ["not_started", "connected"], "{said:?}");

    // Another entry is another question.
    servers_of(&place, "project/.mcp.json", &[("box", entry(&["chatty"]))]);
    let said = place.run(&["--json", "go"]);
    assert!(servers(&said)[0]["why"].as_str().unwrap().contains("changed since"), "{said:?}");
    // White space is none, and what is trusted in one project is not in another.
    let text = serde_json::to_string_pretty(&json!({ "mcpServers": { "box": entry(&[]) } })).unwrap();
    place.sandbox.write("project/.mcp.json", &text);
    assert_eq!(servers(&place.run(&["--json", "go"]))[0]["state"], "connected");
    place.sandbox.write("elsewhere/.mcp.json", &text);
    place.sandbox.write("elsewhere/.git/HEAD", "");
    let elsewhere = place.sandbox.path("elsewhere");
    let said = place.run(&["--json", "--cwd", elsewhere.to_str().unwrap(), "go"]);
    assert_eq!(servers(&said)[0]["state"], "not_started", "{said:?}");

    // Taken back, or ignored.
    assert_eq!(place.sandbox.run(&["untrust", "mcp:box"]).code, 0);
    assert_eq!(servers(&place.run(&["--json", "go"]))[0]["state"], "not_started");
    assert_eq!(place.sandbox.run(&["ignore", "mcp:box"]).code, 0);
    assert!(servers(&place.run(&["--json", "go"])).is_empty());
    // A server that is trusted and gone denies nothing.
    assert_eq!(place.sandbox.run(&["trust", pin.trim()]).code, 0);
    std::fs::remove_file(place.sandbox.path("project/.mcp.json")).unwrap();
    let said = place.run(&["--json", "go"]);
    assert_eq!((said.code, servers(&said).len()), (0, 0), "{said:?}");
}

#[test]
fn servers_of_a_named_file_start() {
    let place = place(&[("box", entry(&["broken"]))], &[("mcp__box__echo", json!({}))]);
    servers_of(&place, "home/mine.json", &[("box", entry(&[]))]);
    let file = place.sandbox.path("home/mine.json");
    let said = place.run(&["--json", "--mcp", "box", "--mcp-config", file.to_str().unwrap(), "go"]);
    let told = servers(&said);
    // The one of the named file has the name.
    assert_eq!((&told[0]["state"], &told[1]["state"]), (&json!("failed"), &json!("connected")), "{said:?}");
    assert!(told[0]["why"].as_str().unwrap().contains("another server is called box"), "{told:?}");
    assert_eq!(heard(&place), "{}");
    for (args, text) in [
        (&["--mcp", "boxes", "go"][..], "has no server \"boxes\"; it has: box"),
        (&["--mcp-config", "none.json", "go"], "none.json"),
        (&["--mcp-config", ".git", "go"], ".git"),
    ] {
        let said = place.run(args);
        assert!(said.code == 64 && said.stderr.contains(text), "{text}: {said:?}");
    }
    place.sandbox.write("project/other.json", "{}");
    let said = place.run(&["--mcp-config", "other.json", "go"]);
    assert!(said.code == 64 && said.stderr.contains("other.json has no object `mcpServers`"), "{said:?}");
}

#[test]
fn what_a_server_answers_reaches_the_model_in_bounds() {
    for (tool, input, expected) in [
        ("fail", json!({}), "it failed"),
        ("refuse", json!({}), "the MCP server box answered with an error: not like this (-32602)"),
        ("picture", json!({}), "[left out: image of type image/png, 3 bytes]"),
        ("garbage", json!({}), "after the garbage"),
        ("big", json!({"bytes": 3_000_000}), "[cut: 3000000 bytes in all, the first 262144 shown]"),
        // More than a message may have.
        ("big", json!({"bytes": 70_000_000}), "the answer cannot be read: it is longer than 67108864 bytes"),
        (
            "die",
            json!({}),
            "the MCP server box has ended, and is not started again in this session; the call may have run",
        ),
        // Roots are answered, sampling is not.
        ("ask", json!({}), "/project"),
        ("ask", json!({}), "-32601"),
    ] {
        let place = place(&[("box", entry(&["pages", "chatty"]))], &[(&format!("mcp__box__{tool}"), input)]);
        let said = place.run(&["--json", "--mcp", "box", "go"]);
        let got = heard(&place);
        assert!(
            said.code == 0 && got.contains(expected) && got.len() < 300_000,
            "{tool}: {expected}: {got:.300}"
        );
        assert_eq!(said.stderr, "", "what a server writes is not on the terminal");
    }
}

#[test]
fn a_server_that_is_gone_is_told_of_once_and_its_calls_fail() {
    let calls = [("mcp__box__die", json!({})), ("mcp__box__echo", json!({})), ("mcp__box__echo", json!({}))];
    let place = place(&[("box", entry(&[]))], &calls);
    let said = place.run(&["--json", "--mcp", "box", "go"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(heard(&place).starts_with("the MCP server box has ended"), "{}", heard(&place));
    assert_eq!(notices(&said).matches("has ended").count(), 1, "{}", notices(&said));
    assert_eq!(noted(&place, "started").lines().count(), 1);
}

#[test]
fn a_server_that_does_not_start_is_told_of_and_the_session_goes_on() {
    let nothing = json!({ "command": "no-such-program-here" });
    let sse = json!({ "type": "sse", "url": "http://127.0.0.1:1/sse" });
    let gone = json!({ "type": "http", "url": "http://127.0.0.1:1/mcp" });
    let key = json!({ "command": "echo", "args": ["${OPENAI_API_KEY}"] });
    let place = place(
        &[
            ("broken", entry(&["broken"])),
            ("nothing", nothing),
            ("sse", sse),
            ("gone", gone),
            ("key", key),
            ("box", entry(&[])),
        ],
        &[("mcp__box__echo", json!({}))],
    );
    let mut args = vec!["--json"];
    for name in ["broken", "nothing", "sse", "gone", "key", "box"] {
        args.extend(["--mcp", name]);
    }
    args.push("go");
    let said = place.run(&args);
    assert_eq!((said.code, heard(&place).as_str()), (0, "{}"), "{said:?}");
    let told = servers(&said);
    let why = |name: &str| told.iter().find(|step| step["server"] == name).unwrap()["why"].to_string();
    for (name, text) in [
        ("broken", "it wrote: no such database"),
        ("nothing", "it cannot be started"),
        ("sse", "is not supported; `stdio` and `http` are"),
        ("gone", "the session did not begin"),
        ("key", "the variable OPENAI_API_KEY is not set"),
    ] {
        assert!(why(name).contains(text), "{text}: {}", why(name));
    }
}

#[test]
fn odd_tools_are_left_out_and_changed_ones_are_told() {
    let calls = [("mcp__box__grow", json!({})), ("mcp__box__grown", json!({}))];
    for settings in ["", "\n[mcp]\nchanged_tools = \"deny\"\n"] {
        let place = place(&[("box", entry(&["odd"]))], &calls);
        let config = std::fs::read_to_string(place.sandbox.path("config/config.toml")).unwrap();
        place.sandbox.write("config/config.toml", config + settings);
        let said = place.run(&["--json", "--mcp", "box", "go"]);
        assert_eq!(said.code, 0, "{said:?}");
        let told = notices(&said);
        for part in [
            "\"a.b\" (its name has other characters",
            "is longer than 64 characters",
            "(it is defined twice)",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!offered(&place, 0).contains(&"mcp__box__echo".to_owned()));
        // What came is offered with the next request, and the person hears of it.
        assert!(!offered(&place, 0).contains(&"mcp__box__grown".to_owned()));
        assert!(offered(&place, 1).contains(&"mcp__box__grown".to_owned()));
        assert!(
            told.contains("the tool \"grown\" is new (look at it with `snaphook mcp pins box`)"),
            "{told}"
        );
        let is_denied = heard(&place).contains("snaphook mcp accept box");
        assert_eq!(is_denied, !settings.is_empty(), "{}", heard(&place));
    }
}

#[test]
fn hooks_may_hide_tools_and_say_something_else_about_them() {
    let place = place(&[("box", entry(&[]))], &[]);
    place.sandbox.write(
        "config/hooks/list.lua",
        r#"on("mcp.tools_list", function(event)
            return { tools = { { name = "echo", description = "said by a hook" }, { name = "more" } } }
        end)"#,
    );
    let said = place.run(&["--json", "--mcp", "box", "go"]);
    assert_eq!(servers(&said)[0]["tools"], 1, "{said:?}");
    let tools = place.model.requests()[0].body["tools"].to_string();
    assert!(tools.contains("said by a hook") && !tools.contains("more\""), "{tools}");
}

#[test]
fn no_key_of_a_provider_is_in_a_servers_environment() {
    let mut server = entry(&[]);
    server["env"] = json!({ "MINE": "${HOME}/x" });
    let place = place(&[("box", server)], &[("mcp__box__env", json!({}))]);
    let said = place.run(&["--json", "--mcp", "box", "go"]);
    assert_eq!(said.code, 0, "{said:?}");
    let got: Value = serde_json::from_str(&heard(&place)).unwrap();
    assert!(got["PATH"].is_string() && got["MINE"].as_str().unwrap().ends_with("/home/x"), "{got}");
    assert!(!got.to_string().contains(KEY) && got.get("OPENAI_API_KEY").is_none(), "{got}");
    assert!(place.model.requests()[0].header("authorization").unwrap().contains(KEY));
}

#[test]
fn a_slow_server_is_waited_for() {
    let place = place(&[("box", entry(&["slow"]))], &[("mcp__box__echo", json!({}))]);
    let child = place.spawn(&["--json", "--mcp", "box", "go"]);
    until(&place, "started");
    assert!(place.model.requests().is_empty());
    place.sandbox.write("project/go", "");
    let said = place.sandbox.finish(child);
    assert_eq!((said.code, heard(&place).as_str()), (0, "{}"), "{said:?}");
    assert_eq!(noted(&place, "ended"), "\n", "its input was closed at the end");
}

/// Waits until a server wrote a file.
fn until(place: &Place, file: &str) {
    while !place.sandbox.path("project").join(file).exists() {
        std::thread::yield_now();
    }
}

#[cfg(unix)]
#[test]
fn an_interruption_takes_calls_back_and_leaves_no_server() {
    for (words, tool, reached) in [
        (&["stubborn"][..], "mcp__box__hang", "hanging"),
        (&[], "mcp__box__hang", "hanging"),
        // While it starts.
        (&["mute", "stubborn"], "mcp__box__echo", "muted"),
    ] {
        let place = place(&[("box", entry(words))], &[(tool, json!({}))]);
        let child = place.spawn(&["--json", "--mcp", "box", "go"]);
        until(&place, reached);
        let pid = rustix::process::Pid::from_raw(child.id().try_into().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        let said = place.sandbox.finish(child);
        assert_eq!(said.code, 130, "{words:?}: {said:?}");
        if reached == "hanging" {
            assert!(noted(&place, "cancelled").contains("given up"), "{words:?}: {said:?}");
        }
        let started = noted(&place, "started");
        let server = started.split(' ').next().unwrap().to_owned();
        assert!(!Path::new("/proc").join(&server).exists(), "{words:?}: {server} is still there");
    }
}

#[test]
fn a_server_at_an_address_is_reached() {
    // The gate of `snaphook mcp` is one that speaks HTTP.
    let place = place(&[], &[("mcp__far__echo", json!({"a": 1}))]);
    let server = repository("tests/fixtures/mcp/toolbox.py");
    let args = ["mcp", "--listen", "127.0.0.1:0", "--", "python3", server.to_str().unwrap()];
    let mut gate = place.sandbox.command(&args).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(gate.stderr.take().unwrap()));
    let line = lines.find(|line| line.as_ref().unwrap().contains("http://")).unwrap().unwrap();
    let url: String = line.split("http://").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let url = format!("http://{}", url.trim_end_matches(['.', ',']));
    servers_of(&place, "project/.mcp.json", &[("far", json!({ "type": "http", "url": url }))]);
    let said = place.run(&["--json", "--mcp", "far", "go"]);
    gate.kill().unwrap();
    gate.wait().unwrap();
    assert_eq!((said.code, heard(&place).as_str()), (0, "{\"a\": 1}"), "{said:?}");
}
