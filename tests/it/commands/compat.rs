//! Hooks of other products: loaded only by who asks for them, under trust, with the names that they know.

use serde_json::json;

use super::{executable, program};
use crate::support::{Sandbox, causes, repository};

const CONFIG: &str = "[compat]\nproducts = [\"discobot\", \"marvin\"]\n";

fn start(place: &Sandbox, session: &str) {
    let payload = json!({
        "session_id": session,
        "cwd": place.path("project"),
        "hook_event_name": "SessionStart",
        "source": "startup",
    });
    let said = place.run_with_stdin(&["hook", "claude-code", "SessionStart"], &payload.to_string());
    assert_eq!(said.code, 0, "{said:?}");
}

fn ids(place: &Sandbox, more: &[&str]) -> Vec<String> {
    let args: Vec<_> = ["list", "--json"].iter().chain(more).copied().collect();
    let document = place.run(&args).document();
    let hooks = document["hooks"].as_array().unwrap().iter();
    hooks
        .filter(|hook| hook["id"] != "snaphook-self-protection")
        .map(|hook| format!("{} {}", hook["scope"].as_str().unwrap(), hook["file"].as_str().unwrap()))
        .collect()
}

#[test]
fn only_who_asks_for_them_gets_them_and_a_project_cannot() {
    let place = Sandbox::new();
    executable(&place, "project/.discobot/hooks/start.sh", "type: session\nblocking: false", "");
    place
        .write("project/.marvin/hooks/gate.lua", "on(\"tool_call\", function() return { block = true } end)");
    place.write("home/.config/marvin/hooks/mine.rhai", "on(\"agent_end\", |event| ());");
    place.write("config/hooks/own.lua", "on(\"agent_end\", function() end)");
    executable(&place, "project/.snaphook/hooks/own.sh", "type: session", "");

    let ours = ["user [place]/config/hooks/own.lua", "project .snaphook/hooks/own.sh"];
    let cleaned = |ids: Vec<String>| {
        let root = std::fs::canonicalize(place.path("")).unwrap();
        ids.iter()
            .map(|id| {
                id.replace(&place.path("").display().to_string(), "[place]/")
                    .replace(&format!("{}/", root.display()), "[place]/")
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(cleaned(ids(&place, &[])), ours);
    assert_eq!(place.gate("ls", &[]).0, 2, "our own project hook is undecided");
    let some = [ours[0], ours[1], "project .discobot/hooks/start.sh"];
    assert_eq!(cleaned(ids(&place, &["--compat", "discobot,iteratr"])), some);
    let all = [
        ours[0],
        "user ~/.config/marvin/hooks/mine.rhai",
        ours[1],
        some[2],
        "project .marvin/hooks/gate.lua",
    ];
    assert_eq!(cleaned(ids(&place, &["--compat", "discobot,marvin"])), all);

    // A project that wants it denies, and gets nothing.
    place.write("project/.snaphook/config.toml", CONFIG);
    let said = place.run(&["list", "--json"]);
    assert!(said.stdout.contains("`compat` can be set in the user's config.toml only"), "{said:?}");
    assert_eq!(cleaned(ids(&place, &[])), ours);
    std::fs::remove_file(place.path("project/.snaphook/config.toml")).unwrap();

    place.write("config/config.toml", CONFIG);
    assert_eq!(cleaned(ids(&place, &[])), all);
    let said = place.run(&["list", "--compat", "discobto"]);
    assert!(said.code == 64 && said.stderr.contains("there are discobot, marvin, iteratr"), "{said:?}");
    place.write("config/config.toml", "[compat]\nproducts = [\"discobto\"]\n");
    let said = place.run(&["list"]);
    assert!(said.stdout.contains("did you mean \"discobot\"?"), "{said:?}");
}

#[test]
fn theirs_are_under_trust_like_ours() {
    let place = Sandbox::new();
    place.write("config/config.toml", CONFIG);
    let ran = place.path("ran");
    let shell = format!("env | grep ^DISCOBOT_ | sort > '{}'; pwd -P >> '{}'", ran.display(), ran.display());
    executable(&place, "project/.discobot/hooks/start.sh", "type: session", &shell);
    place.write(
        "project/.marvin/hooks/gate.lua",
        "on(\"tool_call\", { tool = \"bash\" }, function(event) if event.command:find(\"rm %-rf\") then return { block = true, reason = \"no rm -rf\" } end end)",
    );
    start(&place, "s1");
    assert!(!ran.exists(), "nothing of it ran");
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, causes(&document)), (2, "untrusted untrusted".to_owned()), "{document}");

    let shown = place.run(&["trust", "start"]).stdout;
    assert!(
        shown.contains("with the conventions of Discobot") && shown.contains("arbitrary code"),
        "{shown}"
    );
    place.trust_all();
    start(&place, "s2");
    let root = std::fs::canonicalize(place.path("project")).unwrap();
    let root = root.display();
    assert_eq!(
        std::fs::read_to_string(&ran).unwrap(),
        format!("DISCOBOT_HOOK_TYPE=session\nDISCOBOT_SESSION_ID=s2\nDISCOBOT_WORKSPACE={root}\n{root}\n")
    );
    assert_eq!(place.gate("ls", &[]).0, 0);
    let (code, document) = place.gate("rm -rf ./build", &["--ui", "headless"]);
    assert_eq!((code, &document["reasons"][0]["reason"]), (2, &json!("no rm -rf")), "{document}");

    // Another version is another question; a hook of the same name in our folder is another hook.
    executable(&place, "project/.discobot/hooks/start.sh", "type: session", "echo more");
    executable(&place, "project/.snaphook/hooks/start.sh", "type: session", "echo ours");
    let said = place.run(&["list"]).stdout;
    assert!(said.contains(".discobot/hooks/start.sh undecided") && said.contains("changed since"), "{said}");
    place.run(&["trust", "--json"]);
    let pins = place.run(&["trust", "--print"]).stdout;
    assert!(
        pins.contains(".discobot/hooks/start.sh=sha256:")
            && pins.contains("\nstart.sh=") | pins.starts_with("start.sh="),
        "{pins}"
    );
    place.trust_all();
    assert_eq!(place.gate("ls", &[]).0, 0);
}

#[test]
fn a_hook_in_typescript_is_a_problem_that_says_how_to_port_it_and_denies_nothing() {
    let place = Sandbox::with_hook();
    place.write("config/config.toml", CONFIG);
    place.write("project/.marvin/hooks/gate.ts", "export default (marvin) => {}");
    place.write("home/.config/marvin/hooks/mine.ts", "export default (marvin) => {}");
    let said = place.run(&["list"]);
    assert_eq!(said.code, 0, "{said:?}");
    for file in [".marvin/hooks/gate.ts", "~/.config/marvin/hooks/mine.ts"] {
        assert!(said.stdout.contains(&format!("{file}: is a hook in TypeScript")), "{said:?}");
    }
    assert!(said.stdout.contains("port it") && said.stdout.contains("on(\"tool_call\""), "{said:?}");
    assert_eq!(place.gate("ls", &[]).0, 0);
}

#[test]
fn one_bad_hook_does_not_keep_the_others_from_loading() {
    let place = Sandbox::new();
    place.write("config/config.toml", CONFIG);
    place.write("home/.config/marvin/hooks/bad.lua", "this is no Lua");
    place.write("home/.config/marvin/hooks/good.lua", "on(\"tool_call\", function() end)");
    let document = place.run(&["list", "--json"]).document();
    let good = document["hooks"].as_array().unwrap().iter().find(|hook| hook["id"] == "good").unwrap();
    assert_eq!(good["loaded"], true);
    // A gate that does not load does not pass.
    assert_eq!(place.gate("ls", &[]).0, 2);
}

/// The project's root is the nearest folder above with `.snaphook`, else with `.git`.
#[test]
fn theirs_are_found_from_the_projects_root() {
    let place = Sandbox::new();
    let find =
        |cwd: &str| ids(&place, &["--compat", "marvin", "--cwd", place.path(cwd).to_str().unwrap()]).len();
    place.write("project/.marvin/hooks/a.lua", "");
    std::fs::create_dir_all(place.path("project/deep/er")).unwrap();
    assert_eq!((find("project"), find("project/deep/er")), (1, 0), "no root above: the folder itself");
    std::fs::create_dir_all(place.path("project/.git")).unwrap();
    assert_eq!(find("project/deep/er"), 1);
    std::fs::create_dir_all(place.path("project/deep/.snaphook")).unwrap();
    assert_eq!(find("project/deep/er"), 0);
}

#[test]
fn they_count_in_every_command_that_runs_hooks() {
    let place = Sandbox::with_hook();
    let gate = "on(\"tool_call\", function() return { block = true, reason = \"theirs\" } end)";
    place.write("home/.config/marvin/hooks/gate.lua", gate);
    let compat = ["--compat", "marvin"];
    assert_eq!(place.gate("ls", &[]).0, 0);
    assert_eq!(place.gate("ls", &compat).0, 2);
    let payload = json!({
        "session_id": "s", "cwd": place.path("project"), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "ls"},
    });
    let said = place
        .run_with_stdin(&["hook", "claude-code", "PreToolUse", "--compat", "marvin"], &payload.to_string());
    assert!(said.stdout.contains("theirs"), "{said:?}");
    let said = place.run(&["run", "--headless", "--compat", "marvin"]);
    assert!(said.stdout.contains("theirs"), "{said:?}");
    let said = place.run(&["mcp", "--compat", "marvin", "--", "false"]);
    assert!(!said.stderr.contains("unexpected argument"), "{said:?}");
}

// ---- whole folders ----

/// Hooks of Discobot's as projects have them: each loads, and what we do not know of them is no fault.
#[test]
fn discobots_own_hooks_load_without_a_change() {
    let place = Sandbox::new();
    place.write("config/config.toml", CONFIG);
    let mut count = 0;
    for file in std::fs::read_dir(repository("tests/fixtures/import/discobot")).unwrap().map(Result::unwrap) {
        let text = std::fs::read(file.path()).unwrap();
        if text.starts_with(b"#!") {
            let name = file.file_name().into_string().unwrap();
            program(&place, &format!("project/.discobot/hooks/{name}"), text);
            count += 1;
        }
    }
    place.trust_all();
    let said = place.run(&["list", "--json"]);
    assert_eq!(said.code, 0, "{said:?}");
    let document = said.document();
    let theirs: Vec<_> = document["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|hook| hook["file"].as_str().unwrap().starts_with(".discobot/hooks/"))
        .collect();
    assert!(count >= 5 && theirs.len() == count, "{document}");
    for hook in &theirs {
        assert_eq!((&hook["loaded"], &hook["trust"]), (&json!(true), &json!("trusted")), "{hook}");
        assert_eq!(hook["handlers"].as_array().unwrap().len(), 1, "{hook}");
    }
    assert!(theirs.iter().any(|hook| hook["handlers"][0]["event"] == "startup"), "{theirs:?}");
    let problems = document["problems"].as_array().unwrap();
    assert!(problems.iter().all(|problem| problem["severity"] == "note"), "{problems:?}");
    assert!(
        problems.iter().any(|problem| problem["message"].to_string().contains("`blocking`")),
        "{problems:?}"
    );
}
