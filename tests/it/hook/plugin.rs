//! OpenCode's plugin, as `snaphook install` writes it, run by Node and driven as OpenCode does. Kilo's is the same but for names.

use serde_json::{Value, json};

use crate::needs;
use crate::support::{Sandbox, granting, repository};

/// A place with the plugin installed, and these hooks.
fn installed(hooks: &str) -> Sandbox {
    let place = Sandbox::new();
    place.write("config/hooks/guard.lua", hooks);
    let said = place.run(&["install", "opencode", "--project"]);
    assert_eq!(said.code, 0, "{said:?}");
    // OpenCode's own runtime takes it for a module anyway.
    place.write("project/.opencode/plugins/package.json", r#"{"type": "module"}"#);
    place
}

const PLUGIN: &str = "project/.opencode/plugins/snaphook.js";

/// Puts a line of the plugin in the place of another: the constant with this name.
fn set(place: &Sandbox, constant: &str, value: &Value) {
    let text = std::fs::read_to_string(place.path(PLUGIN)).unwrap();
    let start = format!("const {constant} = ");
    let lines = text.lines().map(|line| {
        if line.starts_with(&start) { format!("{start}{value};\n") } else { format!("{line}\n") }
    });
    let changed: String = lines.collect();
    assert_ne!(changed, text, "{constant} is not in the plugin, or has this value");
    place.write(PLUGIN, changed);
}

/// Makes the plugin start a shell script of this text.
fn script(place: &Sandbox, text: &str) {
    let file = place.write("home/fake", format!("#!/bin/sh\n{text}\n"));
    #[cfg(unix)]
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    set(place, "PROGRAM", &file.display().to_string().into());
}

fn drive(place: &Sandbox, steps: Value) -> Vec<Value> {
    let told = json!({
        "plugin": place.path(PLUGIN), "directory": place.path("project"), "steps": steps,
        "parents": {"ses_child": "ses_1"},
    });
    let driver = repository("tests/it/hook/plugin_driver.mjs");
    let mut command = place.program("node", &[driver.to_str().unwrap(), &told.to_string()]);
    let said = place.finish(command.spawn().unwrap());
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:?}");
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"))
}

fn before(command: &str) -> Value {
    json!({"hook": "tool.execute.before", "input": {"tool": "bash", "sessionID": "ses_1", "callID": command},
        "output": {"args": {"command": command, "description": "run it"}}})
}

fn after(command: &str, output: &str) -> Value {
    json!({"hook": "tool.execute.after",
        "input": {"tool": "bash", "sessionID": "ses_1", "callID": command, "args": {"command": command}},
        "output": {"title": command, "output": output, "metadata": {"exit": 0}}})
}

fn prompt(session: &str, text: &str) -> Value {
    json!({"hook": "chat.message", "input": {"sessionID": session},
        "output": {"message": {"id": "msg_1", "sessionID": session, "role": "user"},
            "parts": [{"type": "text", "text": text, "id": "prt_1", "messageID": "msg_1", "sessionID": session}]}})
}

fn event(kind: &str, properties: Value) -> Value {
    json!({"hook": "event", "input": {"event": {"type": kind, "properties": properties}}})
}

fn thrown(told: &Value) -> &str {
    told["thrown"].as_str().unwrap_or_else(|| panic!("nothing was thrown: {told}"))
}

const HOOKS: &str = r#"
on("tool_call", function(event, ctx)
    if event.command == "no" then return { block = true, reason = "the guard" } end
    if event.command == "change" then return { input = { command = "changed" } } end
    if event.command == "who" then return { block = true, reason = event.subagent or "the agent itself" } end
    if event.command == "wait" then ctx.exec("sh", { "-c", "while [ ! -e go ] && [ -e \"$PWD\" ]; do sleep 0.01; done" }) end
    if event.command == "go" then ctx.exec("sh", { "-c", "touch go" }) end
end)
on("tool_result", function(event)
    if event.content:find("secret") then return { content = (event.content:gsub("secret", "***")) } end
    if event.content == "gone" then return { content = "it failed", is_error = true } end
end)
on("user_prompt", function(event)
    if event.prompt == "forbidden" then return { block = true, reason = "not this" } end
    if event.prompt == "rude" then return { prompt = "polite", context = "be kind" } end
end)
on("session_start", function(event, ctx) ctx.send("the rules") end)
on("subagent_start", function(event) return { context = "stay in src" } end)
"#;

fn hooks() -> String {
    granting("lua", "exec: [sh]") + HOOKS
}

#[test]
fn opencode_does_what_hooks_say() {
    if !needs::program("node") {
        return;
    }
    let place = installed(&hooks());
    let mut child = before("who");
    child["input"]["sessionID"] = "ses_child".into();
    let told = drive(
        &place,
        json!([
            [
                event("session.created", json!({"sessionID": "ses_1", "info": {"id": "ses_1"}})),
                prompt("ses_1", "hello")
            ],
            [before("ls")],
            [before("no")],
            [before("change")],
            [after("ls", "all fine")],
            [after("ls", "a secret")],
            [after("ls", "gone")],
            [prompt("ses_1", "forbidden")],
            [prompt("ses_1", "rude")],
            [before("who"), child],
            [prompt("ses_child", "find it")],
            // Two at once, of which the first waits for the second.
            [before("wait"), before("go")],
        ]),
    );
    let mut told = told.iter();
    let mut next = || told.next().unwrap();
    assert_eq!(next()["thrown"], Value::Null);
    let parts = next()["output"]["parts"].clone();
    assert_eq!(parts[0]["text"], "hello");
    assert_eq!(
        parts[1],
        json!({"id": "prt_10", "sessionID": "ses_1", "messageID": "msg_1", "type": "text", "text": "the rules", "synthetic": true})
    );
    assert_eq!(next()["output"]["args"], json!({"command": "ls", "description": "run it"}));
    assert!(thrown(next()).starts_with("the guard"));
    assert_eq!(next()["output"]["args"], json!({"command": "changed"}), "what is not in it is taken out");
    assert_eq!(next()["output"]["output"], "all fine");
    assert_eq!(next()["output"], json!({"title": "ls", "output": "a ***", "metadata": {"exit": 0}}));
    assert_eq!(thrown(next()), "it failed");
    let denied = next();
    assert!(thrown(denied).starts_with("not this"));
    assert_eq!(denied["shown"], json!([denied["thrown"]]), "the person reads why");
    let parts = next()["output"]["parts"].clone();
    assert_eq!((&parts[0]["text"], &parts[1]["text"]), (&json!("polite"), &json!("be kind")));
    assert!(thrown(next()).starts_with("the agent itself"));
    assert!(thrown(next()).starts_with("ses_child"));
    assert_eq!(next()["output"]["parts"][1]["text"], "stay in src");
    assert_eq!(next()["output"]["args"]["command"], "wait");
    assert_eq!(next()["output"]["args"]["command"], "go");
    assert!(told.next().is_none());
}

/// Programs that are no snaphook: a tool call, a prompt and a result fail, everything else goes on.
#[test]
fn whatever_is_wrong_with_the_process_the_plugin_throws() {
    if !needs::program("node") {
        return;
    }
    // Answers each line with this document, where N is the number of the line.
    let answering = |document: &str| {
        let document = document.replace('"', "\\\"").replace('N', "$n");
        format!("n=0; while read -r line; do n=$((n+1)); echo \"{document}\"; done")
    };
    let once = |said: &str| format!("read -r line; echo '{said}'; exec sleep 60");
    let ways = [
        ("it ends at once", "exit 0".to_owned(), "ended"),
        ("it ends with a failure", "read -r line; exit 70".to_owned(), "ended"),
        ("it talks nonsense", once("hello"), "no answer"),
        ("it talks JSON nonsense", once("[1]"), "no answer"),
        ("it answers another event", once(r#"{"id": 99, "reply": {}}"#), "no answer"),
        ("it answers no event", once(r#"{"id": null, "reply": {}}"#), "no answer"),
        ("it answers nothing", answering(r#"{"id": N}"#), "understand"),
        ("it answers null", answering(r#"{"id": N, "reply": null}"#), "understand"),
        ("an answer with another key", answering(r#"{"id": N, "reply": {"allow": true}}"#), "understand"),
        ("args that are no map", answering(r#"{"id": N, "reply": {"args": [1]}}"#), "understand"),
        ("it says nothing", "exec sleep 60".to_owned(), "within 0.3 s"),
    ];
    for (what, text, why) in ways {
        let place = installed(&hooks());
        script(&place, &text);
        let limit = if why.starts_with("within") { 300 } else { 30_000 };
        set(&place, "LIMIT_MS", &limit.into());
        let told = drive(
            &place,
            json!([[before("ls"), prompt("ses_1", "hello")], [before("ls")], [after("ls", "fine")]]),
        );
        for told in &told[..3] {
            let said = thrown(told);
            assert!(said.starts_with("Denied, because it could not be checked"), "{what}: {said}");
            // Which end of the pipe is seen to be closed first is up to the system.
            assert!(
                said.contains(why) || why == "ended" && said.contains("does not listen"),
                "{what}: {said}"
            );
        }
        assert!(thrown(&told[3]).starts_with("[snaphook withheld this result"), "{what}: {told:?}");
    }
    let place = installed(&hooks());
    set(&place, "PROGRAM", &json!("/no/such/snaphook"));
    let told = drive(&place, json!([[before("ls")], [prompt("ses_1", "hello")], [after("ls", "fine")]]));
    assert!(thrown(&told[0]).contains("could not be started"), "{told:?}");
    assert!(thrown(&told[1]).contains("could not be started"), "{told:?}");
    assert!(thrown(&told[2]).starts_with("[snaphook withheld this result"), "{told:?}");
}

/// A call that waits for a process that is killed fails; the next call gets another process.
#[test]
fn a_process_that_is_killed_lets_nothing_through() {
    if !needs::program("node") {
        return;
    }
    let place = installed(&hooks());
    let program = env!("CARGO_BIN_EXE_snaphook");
    script(&place, &format!("echo $$ > {}\nexec {program} \"$@\"", place.path("home/number").display()));
    let number = place.path("home/number");
    let told = drive(&place, json!([[before("ls")], {"kill": number}, [before("no"), before("ls")]]));
    assert_eq!(told[0]["output"]["args"]["command"], "ls");
    // Whether its end is heard before the call or after it: nothing goes on unchecked.
    assert!(told[1]["thrown"].is_string(), "{told:?}");
    // The process ends itself while hooks are at work.
    let place = installed(
        &(granting("lua", "exec: [sh]")
            + r#"on("tool_call", function(event, ctx)
                if event.command == "die" then ctx.exec("sh", { "-c", "kill -9 $(cat ../home/number)" }) end
            end)"#),
    );
    script(&place, &format!("echo $$ > {}\nexec {program} \"$@\"", place.path("home/number").display()));
    let told = drive(&place, json!([[before("die")], [before("ls")]]));
    assert!(thrown(&told[0]).contains("SIGKILL"), "{told:?}");
    assert_eq!(told[1]["output"]["args"]["command"], "ls", "another process answers: {told:?}");
}

/// Inputs that are not plain maps, and names that are dangerous in JavaScript.
#[test]
fn odd_inputs() {
    if !needs::program("node") {
        return;
    }
    let place = installed(
        r#"on("tool_call", function(event)
            if event.native_tool == "odd" then return { input = snaphook.json.decode('{"__proto__": {"a": 1}, "constructor": 2}') } end
        end)"#,
    );
    let call = |tool: &str, args: Value| json!({"hook": "tool.execute.before", "input": {"tool": tool, "sessionID": "s", "callID": "c"}, "output": {"args": args}});
    let long = "x".repeat(9 << 20);
    let driven = drive(
        &place,
        json!([[call("odd", json!({"x": 1}))], [call("bash", json!("text"))], [call("list", json!(null))]]),
    );
    assert_eq!(driven[0]["output"]["args"].to_string(), r#"{"__proto__":{"a":1},"constructor":2}"#);
    assert!(thrown(&driven[1]).contains("not a map"), "{driven:?}");
    assert_eq!(driven[2]["output"]["args"], Value::Null);
    // Longer than what an argument of a process may be, so it is read from a file.
    place.write("project/long.mjs", format!(
        "import {{ pathToFileURL }} from 'node:url';\nconst {{ Snaphook }} = await import(pathToFileURL({:?}).href);\n\
         const hooks = await Snaphook({{ directory: {:?} }});\n\
         try {{ await hooks['tool.execute.before']({{ tool: 'bash', sessionID: 's' }}, {{ args: {{ command: 'x'.repeat({}) }} }}); console.log('ran'); }}\n\
         catch (error) {{ console.log(error.message); }}\n",
        place.path(PLUGIN), place.path("project"), long.len()
    ));
    let said = place.finish(place.program("node", &["long.mjs"]).spawn().unwrap());
    assert!(said.stdout.contains("longer than 8 MiB"), "{said:?}");
}

#[test]
fn it_is_installed_where_the_agent_looks_and_taken_away_again() {
    let place = Sandbox::new();
    place.write("config/hooks/guard.lua", HOOKS);
    for (args, file) in [
        (&["install", "opencode", "--project"][..], PLUGIN),
        (&["install", "opencode"], "home/.config/opencode/plugins/snaphook.js"),
        (&["install", "kilo", "--project"], "project/.kilo/plugins/snaphook.js"),
        (&["install", "kilo"], "home/.config/kilo/plugins/snaphook.js"),
    ] {
        assert_eq!(place.run(args).code, 0);
        let text = std::fs::read_to_string(place.path(file)).unwrap();
        assert!(text.contains(env!("CARGO_BIN_EXE_snaphook")), "{text}");
        for placeholder in ["@PROGRAM@", "@EVENTS@", "@AGENT@", "@TITLE@"] {
            assert!(!text.contains(placeholder), "{placeholder}");
        }
        let again = place.run(args);
        assert!(again.stdout.contains("nothing to change"), "{again:?}");
        let away: Vec<&str> = std::iter::once("uninstall").chain(args[1..].iter().copied()).collect();
        assert_eq!(place.run(&away).code, 0);
        assert!(!place.path(file).exists());
    }
    place.write(PLUGIN, "export const Mine = async () => ({})\n");
    let said = place.run(&["install", "opencode", "--project"]);
    assert_eq!(said.code, 64, "{said:?}");
    assert!(said.stderr.contains("a file that snaphook did not create"), "{said:?}");
}
