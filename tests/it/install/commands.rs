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
use crate::needs;
use crate::support::{CommandOutput, Sandbox};

/// The program under a name of its own, so that it can be taken away.
fn program(place: &Sandbox, folder: &str) -> PathBuf {
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

fn shell(place: &Sandbox, command: &str, stdin: &str) -> CommandOutput {
    by_shell(&["sh"], place, command, stdin)
}

fn by_shell(shell: &[&str], place: &Sandbox, command: &str, stdin: &str) -> CommandOutput {
    let plain = place.command(&[]);
    let mut child = Command::new(shell[0])
        .args(&shell[1..])
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
    CommandOutput {
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

/// Returns what a program in snaphook's place may print. `nothing` is snaphook's own output where no hook objects.
fn stand_ins(nothing: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = [
        ("an empty file", ""),
        ("no program that the system knows", "\u{0}\u{1}"),
        ("success", "#!/bin/sh\nexit 0\n"),
        ("garbage", "#!/bin/sh\necho garbage\n"),
        ("killed", "#!/bin/sh\nkill -9 $$\n"),
        ("a failure", "#!/bin/sh\nexit 1\n"),
        ("a panic", "#!/bin/sh\nexit 101\n"),
        ("a refusal without a word", "#!/bin/sh\nexit 2\n"),
    ]
    .map(|(what, script)| (what.to_owned(), script.to_owned()))
    .into();
    // As agents take them: consent, and the first half of it.
    let answers = [
        nothing,
        "{}",
        r#"{"decision": "allow"}"#,
        r#"{"cancel": false}"#,
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}"#,
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "#,
    ];
    for answer in answers {
        for end in ["exit 0", "exit 1", "exit 2", "kill -9 $$", "kill -15 $$"] {
            let script = format!("#!/bin/sh\ncat > /dev/null\nprintf %s '{answer}'\n{end}\n");
            all.push((format!("{answer}, then {end}"), script));
        }
    }
    all
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
        for (what, script) in stand_ins(agent.nothing(Some(native)).stdout.as_str()) {
            replace(&program, &script);
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
fn did_not_run(agent: &str, said: &CommandOutput) -> bool {
    let told = format!("{}{}", said.stdout, said.stderr);
    told.contains("did not run") && (said.code == 2 || agent == "cline")
}

/// An agent with a command for each shape of command line: the usual one, and one without `$`.
const SHAPES: [&str; 2] = ["claude-code", "grok"];

/// A place with snaphook under a name of its own, and the command for a harmless call and its payload.
fn installed(id: &str) -> (Sandbox, PathBuf, String, String) {
    let place = guarded();
    let program = program(&place, "my tools/it's");
    let plain = place.command(&[]);
    let mut install = Command::new(&program);
    install.args(["install", id]).current_dir(place.path("project")).env_clear();
    install.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(install.output().unwrap().status.success(), "{id}");
    let agent = snaphook_adapters::agent(id).unwrap();
    let (native, payload) = agent.canary(&place.path("project").display().to_string()).unwrap();
    let command = command(&files(&place, id, &[]), id, native);
    (place, program, command, payload.to_string())
}

/// Agents start commands by whatever the person's shell is.
#[test]
fn each_shell_reads_the_command_lines_alike() {
    let shells: [&[&str]; 6] = [&["dash"], &["bash"], &["busybox", "sh"], &["zsh"], &["ksh"], &["mksh"]];
    let shells: Vec<&[&str]> = shells.into_iter().filter(|shell| needs::program(shell[0])).collect();
    assert!(!shells.is_empty());
    for id in SHAPES {
        let (place, program, command, allowed) = installed(id);
        let refused = allowed.replace("\"true\"", "\"rm -rf build\"");
        for shell in &shells {
            let said = by_shell(shell, &place, &command, &allowed);
            assert!(passes(id, &said), "{id}, {shell:?}: {said:?}");
            let said = by_shell(shell, &place, &command, &refused);
            assert!(
                denies(id, &said) && said.stdout.contains("no recursive delete"),
                "{id}, {shell:?}: {said:?}"
            );
            // The answer is not read.
            let closed = format!("{{ {command}; }} >&-");
            let said = by_shell(shell, &place, &closed, &allowed);
            assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{id}, {shell:?}: {said:?}");
        }
        replace(&program, "#!/bin/sh\nprintf '{\"decision\": \"allow\"}'\n");
        for shell in &shells {
            let said = by_shell(shell, &place, &command, &allowed);
            assert!(denies(id, &said) && did_not_run(id, &said), "{id}, {shell:?}: {said:?}");
        }
    }
}

/// One exit code lets a call pass, and no other.
#[test]
fn no_other_exit_code_is_consent() {
    for id in SHAPES {
        let (place, program, command, allowed) = installed(id);
        replace(&program, "#!/bin/sh\ncat > /dev/null\nexit \"$(cat code)\"\n");
        for code in 0..=255 {
            place.write("project/code", code.to_string());
            let said = shell(&place, &command, &allowed);
            assert_eq!(passes(id, &said), code == 219, "{id}, {code}: {said:?}");
            assert!(code == 219 || said.code == 2, "{id}, {code}: {said:?}");
        }
    }
}

/// A pipe without a reader: neither success nor a signal, which some agents take for success.
#[test]
fn an_answer_into_a_broken_pipe_is_a_refusal() {
    for id in SHAPES {
        let (place, _program, command, allowed) = installed(id);
        let refused = allowed.replace("\"true\"", "\"rm -rf build\"");
        let mut child = place.program("sh", &["-c", &command]).stdin(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        child.stdin.take().unwrap().write_all(refused.as_bytes()).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(2), "{id}");
    }
}

/// Entries of an earlier version are replaced, and removed.
#[test]
fn an_older_registration_is_replaced() {
    let older = |program: &str, event: &str| {
        format!("{program} hook claude-code {event} || {{ [ $? -eq 2 ] || echo 'denied' >&2; exit 2; }}")
    };
    let program = env!("CARGO_BIN_EXE_snaphook");
    for program in [program, "'/elsewhere/my tools/snaphook'"] {
        let entry =
            |event| serde_json::json!([{"hooks": [{"type": "command", "command": older(program, event)}]}]);
        let settings = serde_json::json!({
            "theme": "dark", "hooks": {"PreToolUse": entry("PreToolUse"), "UserPromptSubmit": entry("UserPromptSubmit")},
        });
        let place = guarded();
        let file = place.write("home/.claude/settings.json", settings.to_string());
        for _ in 0..2 {
            super::fine(&place, &["install", "claude-code"]);
            let now: Value = serde_json::from_str(&text(&file)).unwrap();
            for event in ["PreToolUse", "UserPromptSubmit"] {
                let gates = now["hooks"][event].as_array().unwrap();
                assert_eq!(gates.len(), 1, "{event}: {now}");
                assert!(gates[0]["hooks"][0]["command"].as_str().unwrap().contains("--sealed"), "{now}");
            }
        }
        super::fine(&place, &["doctor"]);
        super::fine(&place, &["uninstall", "claude-code"]);
        let now: Value = serde_json::from_str(&text(&file)).unwrap();
        assert_eq!(now, serde_json::json!({"theme": "dark"}));
    }
}

/// An event that can only be observed does not hold up the agent where snaphook is gone.
#[test]
fn what_can_only_be_observed_is_no_gate() {
    let place = guarded();
    super::fine(&place, &["install", "claude-code"]);
    let command = command(&files(&place, "claude-code", &[]), "claude-code", "PostToolUse");
    assert!(!command.contains("exit") && !command.contains("--sealed"), "{command}");
}
