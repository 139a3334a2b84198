//! `snaphook mcp wrap` and `unwrap` on files: what is kept, what others do to a file in between, and what is refused.

use serde_json::{Value, json};

use crate::support::{CommandOutput, Sandbox, repository};

const FILE: &str = "project/.mcp.json";

/// As a person writes it, with a token that others must not read.
const LIST: &str = "{\n  \"mcpServers\": {\n    // mine\n    \"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"server\"], \"env\": {\"KEY\": \"s3cret\"}},\n    \"web\": {\n      \"type\": \"http\",\n      \"url\": \"https://x.example/mcp\",\n      \"headers\": {\"Authorization\": \"Bearer t0ken\"}\n    },\n  },\n}";

fn fine(place: &Sandbox, args: &[&str]) -> CommandOutput {
    let said = place.run(args);
    assert_eq!(said.code, 0, "{args:?}: {said:?}");
    said
}

fn text(place: &Sandbox, file: &str) -> String {
    std::fs::read_to_string(place.path(file)).unwrap()
}

#[test]
fn a_list_that_nobody_changed_is_given_back_byte_for_byte() {
    let place = Sandbox::new();
    place.write(FILE, LIST);
    let said = fine(&place, &["mcp", "wrap", ".mcp.json"]);
    assert_eq!(
        said.stdout,
        "files: runs behind the gate\nweb: runs behind the gate\nrestart the client, so that it reads the file again\n"
    );
    let wrapped = text(&place, FILE);
    for part in
        ["// mine", "\"mcp\", \"--name\", \"files\", \"--\", \"npx\", \"-y\", \"server\"", "\"stdio\""]
    {
        assert!(wrapped.contains(part), "{part}: {wrapped}");
    }
    assert!(wrapped.contains(env!("CARGO_BIN_EXE_snaphook")), "{wrapped}");
    assert!(!wrapped.contains("Authorization: Bearer"), "no token is on a command line: {wrapped}");
    // A second time, by another way to the same file.
    let said = fine(&place, &["mcp", "wrap", "../project/./.mcp.json"]);
    assert!(said.stdout.contains("nothing to change") && said.stdout.contains("already"), "{said:?}");
    assert_eq!(text(&place, FILE), wrapped);
    let said = fine(&place, &["mcp", "unwrap", ".mcp.json"]);
    assert!(said.stdout.contains("files: runs without the gate\n"), "{said:?}");
    assert_eq!(text(&place, FILE), LIST);
    let said = fine(&place, &["mcp", "unwrap", ".mcp.json"]);
    assert!(said.stdout.contains("without the gate, as before"), "{said:?}");
    assert_eq!(text(&place, FILE), LIST);
}

/// In two steps, and what `unwrap` cannot tell from the entries alone.
#[test]
fn the_first_text_is_kept_over_several_steps() {
    let place = Sandbox::new();
    // A key that is spelled in an odd way.
    let list = LIST.replace("\"url\"", "\"\\u0075rl\"");
    place.write(FILE, &list);
    fine(&place, &["mcp", "wrap", ".mcp.json", "--server", "web"]);
    fine(&place, &["mcp", "wrap", ".mcp.json"]);
    fine(&place, &["mcp", "unwrap", ".mcp.json"]);
    assert_eq!(text(&place, FILE), list);
    // One of two stays.
    fine(&place, &["mcp", "wrap", ".mcp.json"]);
    fine(&place, &["mcp", "unwrap", ".mcp.json", "--server", "files"]);
    let half = text(&place, FILE);
    assert!(half.contains("\"command\": \"npx\"") && half.contains("--url"), "{half}");
    fine(&place, &["mcp", "unwrap", ".mcp.json"]);
    assert_eq!(text(&place, FILE), list);
}

/// A restored list has the gate again that a person wrote into it by hand.
#[test]
fn a_server_that_was_behind_the_gate_before_takes_a_second_unwrap() {
    let place = Sandbox::new();
    let list =
        |mine: &str| format!("{{\"mcpServers\": {{\"other\": {{\"command\": \"npx\"}}, \"mine\": {mine}}}}}");
    let first = list(r#"{"command": "snaphook", "args": ["mcp", "--", "uvx", "x"]}"#);
    place.write(FILE, &first);
    fine(&place, &["mcp", "wrap", ".mcp.json"]);
    let said = place.run(&["mcp", "unwrap", ".mcp.json"]);
    assert_eq!((said.code, text(&place, FILE)), (1, first), "{said:?}");
    for part in ["other: runs without the gate\n", "mine: not changed: it was behind the gate before `wrap`"]
    {
        assert!(said.stdout.contains(part), "{part}: {said:?}");
    }
    let said = fine(&place, &["mcp", "unwrap", ".mcp.json"]);
    assert!(said.stdout.contains("mine: runs without the gate\n"), "{said:?}");
    assert_eq!(text(&place, FILE), list(r#"{"command": "uvx", "args": ["x"]}"#));
}

/// A program of the gate's name that is found from wherever the client is could have come with the project.
#[test]
fn a_snaphook_in_the_project_is_no_gate() {
    for program in ["./snaphook", "tools/snaphook", "..\\\\snaphook.exe"] {
        let place = Sandbox::new();
        place.write(
            FILE,
            format!(
                "{{\"mcpServers\": {{\"x\": {{\"command\": \"{program}\", \"args\": [\"mcp\", \"y\"]}}}}}}"
            ),
        );
        let said = fine(&place, &["mcp", "wrap", ".mcp.json"]);
        assert!(!said.stdout.contains("already"), "{program}: {said:?}");
        assert!(text(&place, FILE).contains("\"--\""), "{program}: {said:?}");
    }
}

#[test]
fn what_others_wrote_in_between_stays() {
    let more = "\"more\": {\"command\": \"uvx\"},\n    \"web\": {";
    for forgets in [false, true] {
        let place = Sandbox::new();
        place.write(FILE, LIST);
        fine(&place, &["mcp", "wrap", ".mcp.json"]);
        place.write(FILE, text(&place, FILE).replace("\"web\": {", more));
        if forgets {
            std::fs::remove_dir_all(place.path("state")).unwrap();
        }
        let said = fine(&place, &["mcp", "unwrap", ".mcp.json"]);
        assert!(said.stdout.contains("more: runs without the gate, as before"), "{said:?}");
        assert_eq!(text(&place, FILE), LIST.replace("\"web\": {", more), "forgets: {forgets}");
    }
    // The state folder alone is gone.
    let place = Sandbox::new();
    place.write(FILE, LIST);
    fine(&place, &["mcp", "wrap", ".mcp.json"]);
    std::fs::remove_dir_all(place.path("state")).unwrap();
    fine(&place, &["mcp", "unwrap", ".mcp.json"]);
    assert_eq!(text(&place, FILE), LIST);
}

/// Hooks and servers in one file, as Gemini CLI has them: neither command takes the other's back.
#[test]
fn install_and_wrap_keep_apart() {
    let list = "{\n  \"mcpServers\": {\"a\": {\"command\": \"npx\", \"args\": []}}\n}\n";
    for last in ["uninstall", "unwrap"] {
        let place = Sandbox::new();
        place.write("config/hooks/guard.lua", "on(\"tool_call\", function() end)");
        let file = "home/.gemini/settings.json";
        let path = place.write(file, list).display().to_string();
        fine(&place, &["install", "gemini"]);
        let installed = text(&place, file);
        fine(&place, &["mcp", "wrap", &path]);
        if last == "uninstall" {
            fine(&place, &["mcp", "unwrap", &path]);
            assert_eq!(text(&place, file), installed);
            fine(&place, &["uninstall", "gemini"]);
        } else {
            fine(&place, &["uninstall", "gemini"]);
            assert!(!text(&place, file).contains("hook gemini"), "{}", text(&place, file));
            fine(&place, &["mcp", "unwrap", &path]);
        }
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(value(&text(&place, file)), value(list), "{last}");
    }
}

#[test]
fn a_dry_run_changes_nothing_and_shows_what_would_change() {
    let place = Sandbox::new();
    place.write(FILE, LIST);
    let said = fine(&place, &["mcp", "wrap", ".mcp.json", "--dry-run"]);
    assert!(said.stdout.contains("\n-    \"files\": {\"command\": \"npx\""), "{said:?}");
    assert!(said.stdout.contains("files: runs behind the gate\n"), "{said:?}");
    assert_eq!(text(&place, FILE), LIST);
    assert_eq!(std::fs::read_dir(place.path("state")).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_wrapped_is_told_by_the_exit_code() {
    let place = Sandbox::new();
    let list = json!({"servers": {"old": {"type": "sse", "url": "https://x"}, "new": {"command": "npx"}}});
    place.write(FILE, list.to_string());
    let said = place.run(&["mcp", "wrap", ".mcp.json", "--json"]);
    let document = said.document();
    assert_eq!(said.code, 1, "{said:?}");
    let done: Vec<_> = document["servers"].as_array().unwrap().iter().map(|s| s["done"].clone()).collect();
    assert_eq!((done, &document["changed"]), (vec![json!("left"), json!("wrapped")], &json!(true)));
    assert!(document["servers"][0]["why"].as_str().unwrap().contains("SSE"), "{document}");
    assert!(!said.stdout.contains("before"), "no file's text is in it: {said:?}");
    assert_eq!(place.run(&["mcp", "wrap", ".mcp.json", "--server", "new"]).code, 0);
}

/// Entries behind the gate are known by the program's name; under another one the next run would put the gate behind the gate.
#[cfg(unix)]
#[test]
fn a_program_of_another_name_wraps_nothing() {
    let place = Sandbox::new();
    place.write(FILE, LIST);
    let program = place.path("hookah");
    let ours = env!("CARGO_BIN_EXE_snaphook");
    std::fs::hard_link(ours, &program).or_else(|_| std::fs::copy(ours, &program).map(drop)).unwrap();
    let command = place.program(program.to_str().unwrap(), &["mcp", "wrap", ".mcp.json"]);
    let said = place.feed(command, b"");
    assert!(said.code == 64 && said.stderr.contains("rename it first"), "{said:?}");
    assert_eq!(text(&place, FILE), LIST);
}

#[test]
fn what_is_odd_is_refused_and_left_as_it_is() {
    for (bytes, why) in [
        (&b"{\n\"mcpServers\": {"[..], "line 2: it is not valid JSON"),
        (b"{}", "found no list of MCP servers"),
        (b"{\"mcpServers\": 1}", "line 1: expected `mcpServers` to be an object"),
        (b"{\"a\": \"\xff\"}", "is not UTF-8"),
        (b"[mcp_servers.a]\ncommand = \"npx\"\n", "it is not valid JSON"),
    ] {
        let place = Sandbox::new();
        place.write(FILE, bytes);
        for command in ["wrap", "unwrap"] {
            let said = place.run(&["mcp", command, ".mcp.json"]);
            assert_eq!(said.code, 64, "{said:?}");
            assert!(said.stderr.contains(why) && said.stderr.contains("was not changed"), "{why}: {said:?}");
        }
        assert_eq!(std::fs::read(place.path(FILE)).unwrap(), bytes);
        let files = std::fs::read_dir(place.path("project")).unwrap().count();
        assert_eq!(files, 1, "nothing is left beside it");
    }
    let place = Sandbox::new();
    let said = place.run(&["mcp", "wrap", "nothing.json"]);
    assert!(said.code == 64 && said.stderr.contains("there is no file"), "{said:?}");
    let said = place.run(&["mcp", "wrap", "."]);
    assert!(said.code == 64 && said.stderr.contains("not a regular file"), "{said:?}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_modes_kept_and_tokens_private() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let place = Sandbox::new();
    let target = place.write("home/dotfiles/mcp.json", LIST);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    for wanted in [0o600, 0o640] {
        std::fs::set_permissions(&target, std::fs::Permissions::from_mode(wanted)).unwrap();
        // One of the person's own: in a project no link out of it is followed.
        let link = place.path("home/mcp.json");
        let _ = std::fs::remove_file(&link);
        symlink(&target, &link).unwrap();
        fine(&place, &["mcp", "wrap", &link.display().to_string()]);
        assert!(link.is_symlink() && text(&place, "home/dotfiles/mcp.json").contains("--name"));
        assert_eq!(mode(&target), wanted);
        for entry in std::fs::read_dir(place.path("state/installs")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "json") {
                assert_eq!(mode(&path), 0o600, "{path:?}");
            }
        }
        // By the other name.
        fine(&place, &["mcp", "unwrap", &target.display().to_string()]);
        assert_eq!(text(&place, "home/dotfiles/mcp.json"), LIST);
        assert_eq!(mode(&target), wanted);
    }
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o400)).unwrap();
    let said = place.run(&["mcp", "wrap", &place.path("home/mcp.json").display().to_string()]);
    assert!(said.code == 64 && said.stderr.contains("read-only"), "{said:?}");
    assert_eq!(text(&place, "home/dotfiles/mcp.json"), LIST);
}

/// A client starts the entry that was written: the same server answers, and hooks see the call under the name in the list.
#[test]
fn a_wrapped_server_answers_and_is_gated() {
    let place = Sandbox::new();
    let server = repository("tests/fixtures/mcp/server.py").display().to_string();
    place.write(
        "config/hooks/guard.lua",
        "on(\"tool_call\", { tool = \"mcp__my_own_server__*\" }, function(event)\n\
         if event.input.text == \"secret\" then return { block = true, reason = \"not that\" } end\nend)",
    );
    let list = json!({"mcpServers": {
        "my own/server": {"command": "python3", "args": [server], "env": {"TEST_EXIT": "7"}},
    }});
    place.write(FILE, list.to_string());
    let calls = ["hello", "secret"].map(|text| {
        let params = json!({"name": "say", "arguments": {"text": text}});
        json!({"jsonrpc": "2.0", "id": text, "method": "tools/call", "params": params}).to_string() + "\n"
    });
    let start = || {
        let list: Value = serde_json::from_str(&text(&place, FILE)).unwrap();
        let server = &list["mcpServers"]["my own/server"];
        let args: Vec<&str> =
            server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        let mut command = place.program(server["command"].as_str().unwrap(), &args);
        for (name, value) in server["env"].as_object().unwrap() {
            command.env(name, value.as_str().unwrap());
        }
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), calls.concat().as_bytes()).unwrap();
        place.finish(child)
    };
    let answers = |said: &CommandOutput| {
        let mut answers: Vec<Value> =
            said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        answers.sort_by_key(|answer| answer["id"].to_string());
        answers
    };
    let bare = start();
    assert_eq!(bare.code, 7, "{bare:?}");
    fine(&place, &["mcp", "wrap", ".mcp.json"]);
    let gated = start();
    assert_eq!(gated.code, 7, "the exit code is the server's: {gated:?}");
    assert_eq!(answers(&gated)[0], answers(&bare)[0]);
    let denied = &answers(&gated)[1]["result"];
    assert_eq!(denied["isError"], true);
    assert!(denied["content"][0]["text"].as_str().unwrap().contains("not that"), "{denied}");
    fine(&place, &["mcp", "unwrap", ".mcp.json"]);
    assert_eq!(answers(&start()), answers(&bare));
}
