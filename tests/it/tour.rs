//! A tour of the docs, as a new user takes it: each command that a page shows runs as it is there, in an empty home.
//! A page that shows another command, or one less, fails here. What the pages' hooks say is in `docs.rs` and beside them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};
use snaphook_testing::model::{Exchange, ScriptedModel, Wire};

use crate::support::{CommandOutput, Sandbox, repository};
use crate::tree::{files, text};

/// A reader of a page, with a home that has only what the page said.
struct Tour {
    page: &'static str,
    place: Sandbox,
    /// The folder in which commands run.
    at: PathBuf,
    taken: BTreeSet<String>,
}

/// The commands of a page: lines of shell blocks that are no script, and what is behind `$ ` in consoles.
fn commands(page: &str) -> Vec<String> {
    let page = text(page);
    let mut lines = page.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match kind {
            "console" => found.extend(block.iter().filter_map(|line| line.strip_prefix("$ "))),
            "sh" if !block[0].starts_with("#!") => found.extend(block),
            _ => {}
        }
    }
    found.into_iter().map(|line| line.split(" #").next().unwrap().trim().to_owned()).collect()
}

/// The block of a page that begins with this line, without its fence.
fn block(page: &str, opening: &str) -> String {
    let page = text(page);
    let (_, rest) = page.split_once(&format!("```{opening}\n")).unwrap();
    rest.split_once("\n```").unwrap().0.to_owned() + "\n"
}

impl Tour {
    fn new(page: &'static str) -> Self {
        let place = Sandbox::new();
        // The program has to be found by its name, as after `cargo install`.
        std::fs::create_dir(place.path("bin")).unwrap();
        std::fs::hard_link(env!("CARGO_BIN_EXE_snaphook"), place.path("bin/snaphook"))
            .or_else(|_| std::fs::copy(env!("CARGO_BIN_EXE_snaphook"), place.path("bin/snaphook")).map(drop))
            .unwrap();
        let at = place.path("project");
        Tour { page, place, at, taken: BTreeSet::new() }
    }

    /// Goes on in this folder of the place.
    fn enter(&mut self, folder: &str) {
        self.at = self.place.path(folder);
        std::fs::create_dir_all(&self.at).unwrap();
    }

    /// Types a line that is on no page.
    fn types(&self, line: &str, stdin: &str) -> CommandOutput {
        let mut command = self.place.program("bash", &["-c", line]);
        let path = std::env::join_paths(
            std::iter::once(self.place.path("bin"))
                .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
        );
        command
            .current_dir(&self.at)
            .env("PATH", path.unwrap())
            .env_remove("SNAPHOOK_CONFIG_DIR")
            .env_remove("SNAPHOOK_STATE_DIR");
        self.place.feed(command, stdin.as_bytes())
    }

    /// Types a line of the page, which ends with this code and says all of this.
    fn runs(&mut self, line: &str, code: i32, says: &[&str]) -> CommandOutput {
        assert!(commands(self.page).iter().any(|one| one == line), "{} does not show `{line}`", self.page);
        self.taken.insert(line.to_owned());
        let said = self.types(line, "");
        assert_eq!(said.code, code, "{}: {line}: {said:?}", self.page);
        for part in says {
            let shown = format!("{}{}", said.stdout, said.stderr);
            assert!(shown.contains(part), "{}: {line}: {part}: {said:?}", self.page);
        }
        said
    }

    fn git(&self) {
        let said =
            self.types("git init -q && git config user.email me@example.com && git config user.name me", "");
        assert_eq!(said.code, 0, "{said:?}");
    }

    /// Returns what Claude Code gets for an event from the command line that `install` wrote into its settings.
    fn claude(&self, event: &str, fields: &Value) -> CommandOutput {
        let settings = std::fs::read_to_string(self.place.path("home/.claude/settings.json")).unwrap();
        let settings: Value = serde_json::from_str(&settings).unwrap();
        let line = settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
        let mut payload = json!({
            "session_id": "s-1", "cwd": self.at.display().to_string(), "hook_event_name": event,
            "permission_mode": "default", "transcript_path": "/t.jsonl",
        });
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let said = self.types(line, &payload.to_string());
        assert_eq!(said.code, 0, "{event}: {said:?}");
        said
    }

    /// Ends the tour: all commands of the page were taken, but for those that are named here.
    fn ends(self, left: &[&str]) {
        let shown: BTreeSet<String> = commands(self.page).into_iter().collect();
        let seen: BTreeSet<String> =
            self.taken.into_iter().chain(left.iter().map(|line| (*line).to_owned())).collect();
        assert_eq!(seen, shown, "{}", self.page);
    }
}

/// Pages whose commands are for those who work on snaphook.
const FOR_DEVELOPERS: [&str; 1] = ["docs/dev/fuzzing.md"];

#[test]
fn every_page_with_commands_has_a_tour() {
    let own = text("tests/it/tour.rs");
    for page in files(".", "md").iter().map(|path| path.display().to_string()) {
        let is_page = page == "README.md" || page.starts_with("docs/");
        if is_page && !commands(&page).is_empty() && !FOR_DEVELOPERS.contains(&page.as_str()) {
            assert!(own.contains(&format!("Tour::new(\"{page}\")")), "{page} has no tour");
        }
    }
}

/// An agent of our own, with a model on loopback in the provider's place.
#[test]
fn run() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let answers =
        ["It was the time zone.", "There is one page.", "Two are.", "The docs are right.", "They pass."];
    let answers = answers.map(Exchange::text);
    let model = runtime.block_on(ScriptedModel::start(answers)).unwrap();
    let mut tour = Tour::new("docs/run.md");
    let address = model.url(Wire::Anthropic);
    let settings = format!("[model]\nname = \"anthropic/claude-sonnet-4-6\"\nbase_url = \"{address}\"\n");
    tour.place.write("home/.config/snaphook/config.toml", settings);
    assert_eq!(tour.types("snaphook add permission-gate", "").code, 0);
    let find = "snaphook run --model anthropic/claude-sonnet-4-6 \"The test in tests/date.rs fails. Find out why, and correct it.\"";
    tour.runs(find, 0, &["It was the time zone.", "go on: snaphook run --resume "]);
    let server = repository("tests/fixtures/mcp/toolbox.py");
    let servers = json!({ "mcpServers": { "files": { "command": "python3", "args": [server] } } });
    tour.place.write("project/.mcp.json", servers.to_string());
    tour.place.write("home/tools.json", servers.to_string().replace("files", "tracker"));
    // Without a terminal nothing is asked, and the way to decide is printed.
    tour.runs("snaphook trust mcp:files", 64, &["mcp:files .mcp.json", "python3", "an MCP server"]);
    let listed = "snaphook run --mcp files \"List what is in docs.\"";
    tour.runs(listed, 0, &["mcp server files: 11 tools", "There is one page."]);
    let tracked = "snaphook run --mcp-config ~/tools.json \"What is open in the tracker?\"";
    tour.runs(tracked, 0, &["mcp server tracker: 11 tools", "mcp server files: not started", "Two are."]);
    tour.runs("snaphook sessions", 0, &["anthropic/claude-sonnet-4-6", "The test in tests/date.rs fails."]);
    tour.runs("snaphook run --continue \"and the docs?\"", 0, &["The docs are right."]);
    let loops =
        "snaphook run --iterations 20 --until-command \"cargo test\" \"Make the tests pass. One at a time.\"";
    // There are no tests here, and the agent calls no tool.
    tour.runs(loops, 1, &["They pass.", "no further iteration: the agent made no tool call"]);
    tour.ends(&["export ANTHROPIC_API_KEY=…", "snaphook run --resume 20261126 \"…\""]);
}

/// A hook for all projects, an agent, and then another project than the one in which the agent was set up: its checks run, and
/// what its hooks have to say is seen.
#[test]
fn readme() {
    let mut tour = Tour::new("README.md");
    tour.place.write("home/.config/snaphook/hooks/gate.lua", block("README.md", "lua"));
    tour.runs(
        r#"snaphook check --tool bash --input '{"command":"rm -rf build"}'"#,
        2,
        &["not approved: rm -rf build"],
    );
    tour.runs(
        "snaphook install claude-code",
        0,
        &["Registered snaphook with Claude Code", "snaphook doctor claude-code"],
    );
    tour.runs("snaphook doctor", 0, &["a payload that cannot be read is denied"]);

    tour.enter("another");
    tour.git();
    tour.place.write(
        "another/.snaphook/hooks/final-newline.sh",
        block("docs/commands.md", "sh title=.snaphook/hooks/final-newline.sh"),
    );
    tour.types("chmod +x .snaphook/hooks/final-newline.sh", "");
    tour.place.write(
        "another/.snaphook/hooks/done.lua",
        "print('loaded')\non('agent_end', function(event, ctx)\n  ctx.log('the turn has ended')\n  ctx.ui.notify('All is done')\nend)\n",
    );
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    let denied = tour.claude("PreToolUse", &call).stdout;
    assert!(denied.contains("deny") && denied.contains("snaphook trust"), "{denied}");
    let pins = tour.types("snaphook trust $(snaphook trust --print)", "");
    assert_eq!(pins.code, 0, "{pins:?}");

    tour.claude("SessionStart", &json!({"source": "startup"}));
    tour.claude("UserPromptSubmit", &json!({"prompt": "write"}));
    assert_eq!(tour.claude("PreToolUse", &call).stdout, "");
    let asked = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf build"}, "tool_use_id": "u"});
    assert!(tour.claude("PreToolUse", &asked).stdout.contains(r#""permissionDecision":"ask""#));
    tour.place.write("another/notes.txt", "no newline");
    let stopped: Value =
        serde_json::from_str(&tour.claude("Stop", &json!({"stop_hook_active": false})).stdout).unwrap();
    assert_eq!(stopped["decision"], "block", "{stopped}");
    assert!(stopped["reason"].as_str().unwrap().contains("notes.txt has no newline at its end"), "{stopped}");
    tour.place.write("another/notes.txt", "a newline\n");
    let stopped: Value =
        serde_json::from_str(&tour.claude("Stop", &json!({"stop_hook_active": true})).stdout).unwrap();
    assert!(stopped["decision"].is_null(), "{stopped}");
    assert!(stopped["systemMessage"].as_str().unwrap().contains("All is done"), "{stopped}");
    let log = std::fs::read_to_string(tour.place.path("home/.local/state/snaphook/hook.log")).unwrap();
    for part in ["loaded", "the turn has ended", "(notice) All is done"] {
        assert!(log.contains(part), "{part}: {log}");
    }

    // What builds is run by `.ci/run`.
    tour.ends(&[
        "cargo run -- run",
        "cargo test --workspace",
        "cargo install --locked --profile dist --path crates/snaphook-cli",
    ]);
}

#[test]
fn guide() {
    let page = "docs/guide.md";
    let mut tour = Tour::new("docs/guide.md");
    tour.place.write("project/no-forced-push.lua", block(page, "lua hook"));
    tour.runs(
        r#"snaphook check --tool bash --input '{"command":"git push -f"}' --hook no-forced-push.lua"#,
        2,
        &["This push overwrites what others have pushed."],
    );
    tour.git();
    let new = tour.runs("snaphook new guard", 0, &[]);
    let (_, shown) =
        text(page).split_once("$ snaphook new guard\n").map(|(_, rest)| ((), rest.to_owned())).unwrap();
    assert_eq!(new.stdout, shown.split_once("```").unwrap().0);
    // What it says to do next.
    for line in new.stdout.lines().filter_map(|line| line.strip_prefix("    ")) {
        let said = tour.types(line, "");
        assert!([0, 2].contains(&said.code), "{line}: {said:?}");
    }

    tour.place.write(
        "project/.snaphook/hooks/go-vet.sh",
        "#!/bin/sh\n#---\n# name: go vet\n# type: file\n# pattern: \"*.go\"\n#---\n! grep -n unreachable $SNAPHOOK_CHANGED_FILES\n",
    );
    tour.place.write("project/x.go", "package x // unreachable\n");
    tour.types("chmod +x .snaphook/hooks/go-vet.sh && snaphook trust $(snaphook trust --print)", "");
    assert_eq!(tour.types("snaphook install claude-code", "").code, 0);
    tour.claude("UserPromptSubmit", &json!({"prompt": "vet"}));
    tour.place.write("project/x.go", "package x // still unreachable\n");
    let stopped = tour.claude("Stop", &json!({"stop_hook_active": false})).stdout;
    assert!(stopped.contains("still unreachable"), "{stopped}");
    tour.runs("snaphook status", 0, &["go-vet"]);
    tour.runs("snaphook rerun go-vet", 2, &["still unreachable"]);
    tour.place.write("project/x.go", "package x\n");
    tour.runs("snaphook rerun go-vet", 0, &[]);
    tour.ends(&[]);
}

#[test]
fn agents() {
    let mut tour = Tour::new("docs/agents.md");
    tour.place.write("home/.claude/settings.json", "{\n    \"model\": \"x\"\n}\n");
    tour.types("snaphook add git-guard", "");
    tour.runs("snaphook install claude-code", 0, &["Registered snaphook with Claude Code"]);
    tour.runs("snaphook doctor", 0, &["the audit has the call"]);
    tour.runs("snaphook doctor codex", 1, &["→ snaphook install codex"]);
    tour.runs("snaphook list --agent claude-code", 0, &["git-guard"]);
    tour.runs("snaphook hook --agents", 0, &["Claude Code", "OpenCode"]);
    // A transcript with one call that was asked about, and then one that was not.
    let call = |id: &str| {
        let message = json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}}]});
        json!({"type": "assistant", "sessionId": "s-1", "cwd": "/p", "message": message}).to_string() + "\n"
    };
    tour.claude(
        "PreToolUse",
        &json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"}),
    );
    tour.place.write("project/SESSION.jsonl", call("toolu_1"));
    tour.runs("snaphook doctor --coverage SESSION.jsonl", 0, &[]);
    tour.place.write("project/SESSION.jsonl", format!("{}{}", call("toolu_1"), call("toolu_2")));
    // A replay of the same transcript is no agent that asked.
    tour.types("snaphook run --headless --replay SESSION.jsonl", "");
    tour.runs("snaphook doctor --coverage SESSION.jsonl", 1, &["toolu_2"]);
    tour.runs("snaphook uninstall claude-code", 0, &[]);
    let left = std::fs::read_to_string(tour.place.path("home/.claude/settings.json")).unwrap();
    assert_eq!(left, "{\n    \"model\": \"x\"\n}\n");
    tour.ends(&[]);
}

#[test]
fn command_hooks() {
    let mut tour = Tour::new("docs/commands.md");
    tour.git();
    tour.place.write(
        "project/.snaphook/hooks/markers.sh",
        block("docs/commands.md", "sh title=.snaphook/hooks/markers.sh"),
    );
    tour.types("chmod +x .snaphook/hooks/markers.sh && snaphook trust $(snaphook trust --print)", "");
    tour.runs("snaphook git install", 0, &["pre-commit"]);
    tour.runs("snaphook git status", 0, &["markers"]);
    tour.place.write("project/notes.txt", "<<<<<<< mine\n");
    let refused = tour.types("git add notes.txt && git commit -qm one", "");
    assert!(refused.code == 1 && refused.stderr.contains("<<<<<<< mine"), "{refused:?}");
    tour.place.write("project/notes.txt", "mine\n");
    assert_eq!(tour.types("git add notes.txt && git commit -qm one", "").code, 0);
    tour.runs("snaphook git uninstall", 0, &[]);
    assert!(!tour.place.path("project/.git/hooks/pre-commit").exists());

    tour.place.write(
        "project/.discobot/hooks/lint.sh",
        "#!/bin/sh\n#---\n# name: Lint\n# type: file\n# pattern: \"*.txt\"\n#---\ntrue\n",
    );
    tour.types("chmod +x .discobot/hooks/lint.sh", "");
    tour.runs("snaphook import discobot --dry-run", 0, &["lint"]);
    assert!(!tour.place.path("project/.snaphook/hooks/lint.sh").exists());
    tour.runs("snaphook import discobot", 0, &["lint"]);
    assert!(tour.place.path("project/.snaphook/hooks/lint.sh").exists());
    tour.place.write("home/old/hooks/words.lua", "on(\"tool_call\", function() end)\n");
    tour.runs("snaphook import marvin --from ~/old/hooks", 0, &["words"]);
    assert!(tour.place.path("project/.snaphook/hooks/words.lua").exists());
    tour.ends(&[]);
}

#[test]
fn mcp() {
    let mut tour = Tour::new("docs/mcp.md");
    let list = "{\n  \"mcpServers\": {\n    \"files\": { \"command\": \"cat\", \"args\": [] }\n  }\n}\n";
    tour.place.write("project/.mcp.json", list);
    tour.runs("snaphook mcp wrap .mcp.json", 0, &["files"]);
    assert!(std::fs::read_to_string(tour.place.path("project/.mcp.json")).unwrap().contains("snaphook"));
    tour.runs("snaphook mcp unwrap .mcp.json", 0, &["files"]);
    assert_eq!(std::fs::read_to_string(tour.place.path("project/.mcp.json")).unwrap(), list);
    // These start servers from the network; `tests/interop/mcp.sh` does it with servers by fixed version.
    tour.ends(&[
        "snaphook mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .",
        "snaphook mcp --name api --url https://api.example/mcp",
        "snaphook mcp --listen 127.0.0.1:8080 -- uvx mcp-server-time",
    ]);
}

#[test]
fn acp() {
    // These start agents that are not here; `tests/interop/acp.sh` does it with agents by fixed version.
    Tour::new("docs/acp.md").ends(&[
        "snaphook acp -- opencode acp",
        "snaphook acp -- gemini --acp",
        "snaphook acp -- npx @agentclientprotocol/codex-acp",
        "snaphook acp --headless -- opencode acp",
        "snaphook run --agent acp \"mend the failing test\" -- opencode acp",
        "snaphook run --agent acp --ci --summary summary.md \"mend the failing test\" -- opencode acp",
        "snaphook run --agent acp --iterations 5 --until DONE \"next item of TODO.md\" -- gemini --acp",
    ]);
}

#[test]
fn security() {
    let page = "docs/security.md";
    let mut tour = Tour::new("docs/security.md");
    let call = r#"snaphook check --tool bash --input '{"command": "ls"}'"#;
    // A project's hook without a decision.
    tour.git();
    let guard = "on(\"tool_call\", function() end)\n";
    tour.place.write("project/.snaphook/hooks/guard.lua", guard);
    tour.runs(call, 2, &["the project hook \"guard\" is not trusted", "snaphook trust guard"]);
    let pin = tour.runs("snaphook trust --print", 0, &["guard=sha256:"]).stdout;
    // The page's pin is of a hook that it does not show.
    let shown =
        commands(page).into_iter().find(|line| line.starts_with("snaphook check --trust guard=")).unwrap();
    let own = shown.replace(shown.split_whitespace().nth(3).unwrap(), pin.trim());
    assert_eq!(tour.types(&own, "").code, 0, "{own}");
    tour.runs(&shown, 2, &["guard"]);

    // A trusted hook that is gone with the branch that had it.
    tour.types(
        "git add . && git commit -qm one && git branch -M main && snaphook trust $(snaphook trust --print)",
        "",
    );
    tour.types("git switch -q -c with && git switch -q main && git rm -q .snaphook/hooks/guard.lua && git commit -qm two && git switch -q with", "");
    assert_eq!(tour.types(call, "").code, 0);
    tour.runs(
        &format!("git switch main && {call}"),
        2,
        &["was a hook that you trusted, and is gone", "snaphook untrust guard.lua"],
    );
    assert_eq!(tour.types("snaphook untrust guard.lua", "").code, 0);

    // A hook that uses what it was not granted.
    tour.place.write(
        "project/guard.lua",
        "on(\"tool_call\", function(event, ctx)\n  ctx.exec(\"git\", { \"status\" })\nend)\n",
    );
    tour.runs(&format!("{call} --hook guard.lua"), 2, &["guard.lua:2", "the program git is not granted"]);

    for _ in 0..3 {
        tour.types(&format!("{call} --record --hook guard.lua"), "");
    }
    tour.runs("snaphook audit show --denied", 0, &["guard"]);
    tour.runs("snaphook audit verify", 0, &["check: 3 lines"]);
    tour.runs("snaphook audit stats", 0, &["guard"]);
    // The page's way to look at a line without snaphook, typed one after the other as a person does.
    let by_hand: Vec<String> = commands(page)
        .into_iter()
        .filter(|line| line.starts_with("cd ~/") || line.starts_with("sed -n"))
        .collect();
    tour.taken.extend(by_hand.clone());
    let said = tour.types(&by_hand.join("\n"), "").stdout;
    let hash = said.split_whitespace().next().unwrap();
    assert!(said.contains(&format!("\"prev\":\"sha256:{hash}\"")), "{said}");
    tour.runs("snaphook audit verify > noted.txt", 0, &[]);
    tour.runs("snaphook audit verify --expect noted.txt", 0, &[]);
    let one = tour.types("snaphook audit verify --expect noted.txt --session check", "");
    assert_eq!(one.code, 0, "{one:?}");
    tour.taken.insert("snaphook audit verify --expect noted.txt --session ID".to_owned());
    tour.ends(&[]);
}

#[test]
fn testing() {
    let page = "docs/testing.md";
    let mut tour = Tour::new("docs/testing.md");
    for name in ["guard.lua", "guard.test.lua"] {
        let source = block(page, &format!("lua {name}"));
        tour.place.write(&format!("project/{name}"), &source);
        tour.place.write(&format!("project/hooks/{name}"), &source);
    }
    for name in ["rules.rhai", "rules.test.rhai"] {
        tour.place.write(&format!("project/{name}"), block(page, &format!("rhai {name}")));
    }
    tour.runs("snaphook test rules.test.rhai --agent opencode", 0, &["denied instead"]);
    tour.runs("snaphook test", 0, &["guard.test.lua", "rules.test.rhai", "5 passed, 0 failed"]);
    tour.runs("snaphook test hooks/guard.lua", 0, &["2 passed, 0 failed"]);
    tour.runs("snaphook test --filter 'recursive'", 0, &["2 passed, 0 failed"]);
    tour.runs("snaphook test --agent cursor", 0, &["5 passed"]);
    tour.runs("snaphook test --coverage", 0, &["5 passed"]);
    // The tests of the other hook find it in Lua only.
    tour.runs("snaphook test --language rhai", 1, &["looked for guard.rhai", "1 passed, 4 failed"]);
    let said = tour.runs("snaphook test --json", 0, &[]);
    said.document();
    tour.runs("snaphook test --junit results.xml", 0, &[]);
    assert!(std::fs::read_to_string(tour.place.path("project/results.xml")).unwrap().contains("<testsuite"));
    // `runner.rs` watches.
    tour.ends(&["snaphook test --watch"]);
}

#[test]
#[cfg(target_os = "linux")]
fn hold() {
    let mut tour = Tour::new("docs/hold.md");
    for (name, text) in [
        ("build.sh", "#!/bin/sh\necho built $1 > out && cat out\n"),
        ("test.sh", "#!/bin/sh\ngrep built out && echo passed\n"),
    ] {
        let file = tour.place.write(&format!("project/{name}"), text);
        std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    tour.runs("snaphook hold -p guarded -- './build.sh && ./test.sh'", 0, &["built", "passed"]);
    tour.runs("snaphook hold -p project -- ./build.sh --release", 0, &["built --release"]);
    tour.runs(r#"snaphook hold --policy '{"net": "none"}' -- ./test.sh"#, 0, &["passed"]);
    tour.runs("snaphook hold --check", 0, &["landlock", "read-only files", "mounts"]);
    tour.ends(&[]);
}
