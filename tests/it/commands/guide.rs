//! `docs/commands.md` is true: its hooks do what is said of them, its commands run.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::program;
use crate::support::{CommandOutput, Sandbox};
use crate::tree::text;

/// The blocks of the page: what is behind the language, and the code.
fn blocks(language: &str) -> Vec<(String, String)> {
    let page = text("docs/commands.md");
    let opening = format!("\n```{language}");
    let block = |rest: &str| {
        let (title, rest) = rest.split_once('\n')?;
        let code = rest.split("\n```").next()?;
        Some((title.trim().trim_start_matches("title=").to_owned(), format!("{code}\n")))
    };
    page.split(&opening).skip(1).filter_map(block).collect()
}

/// A repository with the files of the page that have a name, trusted.
fn with_files(languages: &[&str]) -> Sandbox {
    let place = Sandbox::new();
    for (title, code) in
        languages.iter().flat_map(|language| blocks(language)).filter(|(title, _)| !title.is_empty())
    {
        program(&place, &format!("project/{title}"), code);
    }
    assert_eq!(
        shell(&place, "git init -q && git config user.name T && git config user.email t@example.com").code,
        0
    );
    place.trust_all();
    place
}

/// Runs a line as a person would, with snaphook in the PATH.
fn shell(place: &Sandbox, line: &str) -> CommandOutput {
    let bin = PathBuf::from(env!("CARGO_BIN_EXE_snaphook"));
    let path = format!("{}:{}", bin.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut command = place.program("sh", &["-c", line]);
    command.env("PATH", path).env("GIT_CONFIG_NOSYSTEM", "1");
    place.finish(command.spawn().unwrap())
}

fn event(place: &Sandbox, name: &str, more: Value) -> CommandOutput {
    let mut payload = json!({"session_id": "s", "cwd": place.path("project"), "hook_event_name": name});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let said = place.run_with_stdin(&["hook", "claude-code", name], &payload.to_string());
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:?}");
    said
}

#[test]
fn the_hook_before_a_commit_refuses_what_it_says() {
    let place = with_files(&["sh"]);
    assert_eq!(shell(&place, "snaphook git install").code, 0);
    place.write("project/a.txt", "<<<<<<< ours\n");
    let said = shell(&place, "git add a.txt && git commit -qm x");
    assert!(said.code == 1 && said.stderr.contains("1:<<<<<<< ours"), "{said:?}");
    assert!(said.stderr.contains("\"No conflict markers\""), "{said:?}");
    place.write("project/a.txt", "fine\n");
    assert_eq!(shell(&place, "git add a.txt && git commit -qm x").code, 0);
}

#[test]
fn the_hook_after_a_turn_sends_the_agent_on() {
    let place = with_files(&["sh"]);
    event(&place, "UserPromptSubmit", json!({"prompt": "go"}));
    place.write("project/a file.txt", "no newline");
    let said = event(&place, "Stop", json!({"stop_hook_active": false}));
    assert!(said.stdout.contains("a file.txt has no newline at its end"), "{said:?}");
    assert!(said.stdout.contains("Files end with a newline"), "{said:?}");
    place.write("project/a file.txt", "a newline\n");
    assert_eq!(event(&place, "Stop", json!({"stop_hook_active": true})).stdout, "");
}

#[test]
fn the_hook_for_agents_denies_what_skips_hooks() {
    let (_, hook) = blocks("lua").remove(0);
    assert!(hook.lines().count() <= 10, "it is a short one");
    let place = Sandbox::new();
    place.write("config/hooks/no-skip.lua", hook);
    for (line, passes) in [
        ("git commit --no-verify -m x", false),
        ("git commit -nm x", false),
        ("git -c core.hooksPath=/dev/null commit -m x", false),
        ("git config core.hookspath /dev/null", false),
        ("cd sub && sudo git push --no-verify", false),
        ("git commit -m 'about --no-verify'", true),
        ("git clean -n", true),
        ("cargo test", true),
    ] {
        let (code, document) = place.gate(line, &[]);
        assert_eq!(code == 0, passes, "{line}: {document}");
    }
}

#[test]
fn the_lifecycle_file_and_the_settings_are_read() {
    let place = with_files(&["yaml"]);
    place.write("config/config.toml", &blocks("toml").remove(0).1);
    let list = place.run(&["list", "--json"]);
    assert_eq!(list.document()["problems"], json!([]), "{list:?}");
    place.write("project/new.txt", "");
    let said = event(&place, "UserPromptSubmit", json!({"prompt": "go"}));
    assert!(said.stdout.contains("?? new.txt"), "{said:?}");
}

/// Every line of the page that calls snaphook, in its order.
#[test]
fn its_commands_run() {
    let place = with_files(&["sh"]);
    program(
        &place,
        "project/.discobot/hooks/go.sh",
        "#!/bin/sh\n#---\n# type: file\n# pattern: \"*.go\"\n#---\n",
    );
    place.write("home/old/hooks/gate.lua", "on('agent_end', function() end)\n");
    let plain = blocks("sh").into_iter().filter(|(title, _)| title.is_empty());
    let lines: Vec<_> =
        plain.flat_map(|(_, code)| code.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    assert_eq!(lines.len(), 6, "{lines:?}");
    for line in lines {
        let said = shell(&place, &line);
        assert_eq!(said.code, 0, "{line}: {said:?}");
    }
    for file in ["go.sh", "gate.lua"] {
        assert!(place.path(&format!("project/.snaphook/hooks/{file}")).is_file(), "{file}");
    }
}
