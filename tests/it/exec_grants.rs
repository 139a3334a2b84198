//! Grants of programs and variables through the command, in both languages: what a project could try is of no use to it.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::support::{Sandbox, causes, granting};

const LANGUAGES: [&str; 2] = ["lua", "rhai"];

/// A hook that runs the words of the command and gives what came of it as context.
fn runner(place: &Sandbox, language: &str, grants: &str) -> String {
    let body = match language {
        "lua" => {
            "on('tool_call', function(event, ctx)
               local words = event.command:split(' ')
               local program = table.remove(words, 1)
               return { context = ctx.exec(program, words).stdout }
             end)"
        }
        _ => {
            "on(\"tool_call\", |event, ctx| {
               let words = event.command.split(\" \");
               let program = words.shift();
               #{ context: ctx.exec(program, words).stdout }
             });"
        }
    };
    let hook = place.write(&format!("hook.{language}"), granting(language, grants) + body);
    hook.to_string_lossy().into_owned()
}

/// A program that says this. Written by another process: a file that ours has open cannot be run.
fn program(place: &Sandbox, path: &str, says: &str) {
    place.write(path, "");
    let write = "rm -f \"$0\"; printf '#!/bin/sh\\necho %s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
    let mut command = std::process::Command::new("/bin/sh");
    let done = command.args(["-c", write]).arg(place.path(path)).arg(says).status();
    assert!(done.unwrap().success());
}

/// Returns what the hook gave for a command line with these variables, or why not.
fn run_hook(place: &Sandbox, hook: &str, line: &str, variables: &[(&str, &str)]) -> String {
    let input = json!({ "command": line }).to_string();
    let args = ["check", "--record", "--json", "--tool", "bash", "--input", &input, "--hook", hook];
    let output = place.command(&args).envs(variables.iter().copied()).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    match document["context"][0]["text"].as_str() {
        Some(text) => text.trim_end().to_owned(),
        None => format!("{}: {}", causes(&document), document["reasons"][0]["reason"].as_str().unwrap()),
    }
}

#[test]
fn a_project_slips_in_no_program() {
    for language in LANGUAGES {
        let place = Sandbox::new();
        program(&place, "bin/git", "outside");
        for path in ["project/git", "project/bin/git", "project/node_modules/.bin/git"] {
            program(&place, path, "project");
        }
        std::os::unix::fs::symlink(place.path("project/bin"), place.path("links")).unwrap();
        let hook = runner(&place, language, "exec: [git]");
        let at = |path: &str| place.path(path).display().to_string();
        for first in ["", ".", "bin", "./node_modules/.bin", &at("project"), &at("project/bin"), &at("links")]
        {
            let path = format!("{first}:{}:/usr/bin:/bin", at("bin"));
            assert_eq!(run_hook(&place, &hook, "git", &[("PATH", &path)]), "outside", "{language} {first}");
        }
        let path = at("bin");
        for line in ["./git", "bin/git", &at("project/git"), "../project/git"] {
            let refused = run_hook(&place, &hook, line, &[("PATH", &path)]);
            let expected =
                format!("the program {line} is not granted; the hook's front matter needs `exec: [");
            assert!(refused.starts_with("error: ") && refused.contains(&expected), "{language} {refused}");
        }
    }
}

/// `run --cwd` copies the folder; what `PATH` names is in the original, which is as little to be trusted.
#[test]
fn a_project_that_was_copied_slips_in_no_program() {
    let place = Sandbox::new();
    program(&place, "bin/git", "outside");
    for path in ["project/bin/git", "project/sub/bin/git", "project/scripts/check.sh"] {
        program(&place, path, "project");
    }
    std::fs::create_dir(place.path("project/.snaphook")).unwrap();
    std::os::unix::fs::symlink(place.path("project/sub/bin"), place.path("links")).unwrap();
    let at = |path: &str| place.path(path).display().to_string();
    let path = ["project/bin", "project/sub/bin", "links", "bin"].map(at).join(":") + ":/usr/bin:/bin";
    let absolute = at("project/scripts/check.sh");
    for language in LANGUAGES {
        let hook = runner(&place, language, &format!("exec: [git, scripts/check.sh, '{absolute}']"));
        for (cwd, line, expected) in [
            (".", "git", "outside"),
            // All of the project counts, not only the folder that is copied.
            ("sub", "git", "outside"),
            // A path is the hook's own word.
            (".", "scripts/check.sh", "project"),
            (".", &absolute, "project"),
            ("sub", &absolute, "project"),
        ] {
            let call = json!({ "id": "1", "tool": "bash", "input": { "command": line } });
            let turn = json!({ "type": "turn", "calls": [call] });
            let begin =
                "{\"type\":\"session\",\"version\":1,\"name\":\"x\"}\n{\"type\":\"prompt\",\"text\":\"x\"}\n";
            let replay = place.write("s.jsonl", format!("{begin}{turn}\n"));
            let replay = replay.display().to_string();
            let args = ["run", "--headless", "--json", "--cwd", cwd, "--replay", &replay, "--hook", &hook];
            let output = place.command(&args).env("PATH", &path).output().unwrap();
            let output = String::from_utf8(output.stdout).unwrap();
            let mut steps = output.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let said =
                steps.find_map(|step| Some(step["context"][0]["text"].as_str()?.trim_end().to_owned()));
            assert_eq!(said.as_deref(), Some(expected), "{language} {cwd} {line}: {output}");
        }
    }
}

#[test]
fn processes_get_no_secrets() {
    let secrets = [
        ("GITHUB_TOKEN", "secret"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("LD_PRELOAD", ""),
        ("GIT_SSH_COMMAND", "secret"),
        ("NODE_OPTIONS", "secret"),
        ("REGION", "secret"),
    ];
    for language in LANGUAGES {
        let place = Sandbox::new();
        for (grants, seen) in [
            ("exec: [env]", vec!["HOME", "PATH"]),
            ("exec: [env], env: [REGION, LD_PRELOAD]", vec!["HOME", "PATH", "REGION"]),
        ] {
            let hook = runner(&place, language, grants);
            let told = run_hook(&place, &hook, "env", &secrets);
            let mut names: Vec<_> = told.lines().filter_map(|line| line.split('=').next()).collect();
            names.sort_unstable();
            assert_eq!(names, seen, "{language} {grants}");
        }
    }
}

#[test]
fn the_home_folder_is_the_person_s() {
    for language in LANGUAGES {
        let place = Sandbox::new();
        program(&place, "home/tools/lint", "home");
        program(&place, "project/scripts/check.sh", "project");
        let hook = runner(&place, language, "exec: ['~/tools/lint', scripts/check.sh]");
        assert_eq!(run_hook(&place, &hook, "~/tools/lint", &[]), "home");
        assert_eq!(run_hook(&place, &hook, "scripts/check.sh", &[]), "project");
        assert_eq!(run_hook(&place, &hook, "./scripts/check.sh", &[]), "project");
    }
}

#[test]
fn grants_are_shown_and_their_use_is_written() {
    for language in LANGUAGES {
        let place = Sandbox::new();
        let hook = runner(&place, language, "exec: ['echo', no-such-program], env: [CI]");
        assert_eq!(run_hook(&place, &hook, "echo hi", &[]), "hi");
        assert!(run_hook(&place, &hook, "rm -rf x", &[]).contains("needs `exec: [rm]` under `grants`"));
        let lines = place.path("state/audit/check.jsonl");
        let lines = std::fs::read_to_string(lines).unwrap();
        let uses: Vec<Value> = lines
            .lines()
            .map(|line| {
                let line: Value = serde_json::from_str(line).unwrap();
                line["hooks"].as_array().unwrap().last().unwrap()["grants"].clone()
            })
            .collect();
        assert_eq!(
            uses,
            [
                json!([{"grant": "exec:echo", "count": 1}]),
                json!([{"grant": "exec:rm", "count": 1, "denied": true}]),
            ]
        );
        assert_eq!(place.run(&["audit", "verify"]).code, 0);

        let listed = place.run(&["list", "--hook", &hook]);
        assert_eq!(listed.code, 0, "{listed:?}");
        for part in [
            "    grants exec: echo, no-such-program\n    grants env: CI\n",
            "note: [place]/hook.",
            ": the granted program no-such-program was not found: it was looked for in ",
        ] {
            assert!(listed.stdout.contains(part), "{part}: {}", listed.stdout);
        }
        let document = place.run(&["list", "--json", "--hook", &hook]).document();
        let shown = document["hooks"].as_array().unwrap().last().unwrap()["grants"].clone();
        assert_eq!(
            shown,
            json!({"exec": ["echo", "no-such-program"], "read": [], "write": [], "net": [], "env": ["CI"]})
        );
    }
}
