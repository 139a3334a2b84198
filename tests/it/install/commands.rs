//! The command lines that are written, run as agents run them: by a shell, with their own payload on standard input.
#![cfg(unix)]

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use snaphook_adapters::AGENTS;

use super::{files, guarded, text};
use crate::hook::support::{denies, passes};
use crate::support::{Place, Said};

/// The program under a name of its own, so that it can be taken away.
fn program(place: &Place, folder: &str) -> PathBuf {
    let program = place.path(folder).join("snaphook");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    let built = env!("CARGO_BIN_EXE_snaphook");
    if std::fs::hard_link(built, &program).is_err() {
        std::fs::copy(built, &program).unwrap();
    }
    program
}

/// The command for an event, out of what was written: a text in JSON, or the file itself.
fn command(files: &[PathBuf], agent: &str, native: &str) -> String {
    let call = format!(" hook {agent} {native}");
    let ends = |text: &str| {
        let rest = text.split_once(&call).map(|(_, rest)| rest);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\n']))
    };
    for file in files {
        let written = text(file);
        if written.starts_with("#!") {
            if ends(&written) {
                return format!("'{}'", file.display());
            }
            continue;
        }
        let mut texts = Vec::new();
        collect(&serde_json::from_str(&written).unwrap(), &mut texts);
        if let Some(text) = texts.into_iter().find(|text| ends(text) && !text.starts_with('&')) {
            return text;
        }
    }
    panic!("{agent}: no command for {native} in {files:?}");
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| collect(value, texts)),
        Value::Object(map) => map.values().for_each(|value| collect(value, texts)),
        _ => {}
    }
}

fn shell(place: &Place, command: &str, stdin: &str) -> Said {
    let plain = place.command(&[]);
    let mut child = Command::new("sh")
        .args(["-c", command])
        .current_dir(place.path("project"))
        .env_clear()
        .envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // A program that is gone reads nothing.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn replace(program: &Path, script: &str) {
    std::fs::remove_file(program).unwrap();
    std::fs::write(program, script).unwrap();
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_is_written_works_and_denies_where_snaphook_does_not() {
    let mut tried = 0;
    for agent in AGENTS {
        let id = agent.id();
        // A path that has to be quoted.
        let place = guarded();
        let program = program(&place, "my tools/it's");
        let start = |args: &[&str]| {
            let plain = place.command(args);
            let mut command = Command::new(&program);
            command.args(args).current_dir(place.path("project")).env_clear();
            command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
            command.output().unwrap()
        };
        let written = match place.run(&["install", id, "--dry-run", "--json"]).code {
            0 => files(&place, id, &[]),
            _ => continue,
        };
        assert!(start(&["install", id]).status.success(), "{id}");
        if !written.iter().all(|file| text(file).starts_with(['{', '#'])) {
            // A program of our own for the agent's own runtime.
            continue;
        }
        tried += 1;
        let project = place.path("project").display().to_string();
        let (native, payload) = agent.canary(&project).unwrap();
        let command = command(&written, id, native);
        let allowed = payload.to_string();
        let refused = allowed.replace("\"true\"", "\"rm -rf build\"");
        assert_ne!(allowed, refused, "{id}");

        let said = shell(&place, &command, &allowed);
        assert!(passes(id, &said), "{id}: {command}: {said:?}");
        let said = shell(&place, &command, &refused);
        assert!(denies(id, &said), "{id}: {command}: {said:?}");
        let told = format!("{}{}", said.stdout, said.stderr);
        assert!(told.contains("no recursive delete"), "{id}: {said:?}");
        let said = shell(&place, &command, "{");
        assert!(denies(id, &said), "{id}: unreadable: {said:?}");

        let run = || {
            let mut said = shell(&place, &command, &allowed);
            if id == "cline" {
                // Goes by standard output alone, and the shell tells on the other one what happened.
                said.stderr.clear();
            }
            said
        };
        for (what, script) in [
            ("killed", "#!/bin/sh\nkill -9 $$\n"),
            ("a failure", "#!/bin/sh\nexit 1\n"),
            ("a panic", "#!/bin/sh\nexit 101\n"),
            ("no program that the system knows", "\u{0}\u{1}"),
        ] {
            replace(&program, script);
            let said = run();
            assert!(denies(id, &said) && did_not_run(id, &said), "{id}: {what}: {said:?}");
        }
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o644)).unwrap();
        let said = run();
        assert!(denies(id, &said) && did_not_run(id, &said), "{id}: not executable: {said:?}");
        std::fs::remove_file(&program).unwrap();
        let said = run();
        assert!(denies(id, &said) && did_not_run(id, &said), "{id}: moved away: {said:?}");
    }
    assert!(tried >= 12, "{tried}");
}

/// Denied in words, by exit code where the agent goes by it.
fn did_not_run(agent: &str, said: &Said) -> bool {
    let told = format!("{}{}", said.stdout, said.stderr);
    told.contains("did not run") && (said.code == 2 || agent == "cline")
}

/// An event that can only be observed holds nobody up where snaphook is gone.
#[test]
fn what_can_only_be_observed_is_no_gate() {
    let place = guarded();
    super::fine(&place, &["install", "claude-code"]);
    let command = command(&files(&place, "claude-code", &[]), "claude-code", "PostToolUse");
    assert!(!command.contains("exit 2"), "{command}");
}
