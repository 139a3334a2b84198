//! Hooks at the start: order, failures, time, user, once a session.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::executable;
use crate::needs;
use crate::support::{CommandOutput, Sandbox};

/// A line in a file for each hook that ran, and what it does besides.
fn notes(place: &Sandbox, name: &str, matter: &str, shell: &str) {
    let order = place.path("order");
    let text = format!("echo {name} >> '{}'\n{shell}", order.display());
    executable(place, &format!("config/hooks/{name}.sh"), matter, &text);
}

fn order(place: &Sandbox) -> Vec<String> {
    let text = std::fs::read_to_string(place.path("order")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// A session of nothing but a prompt, so that only the start matters.
fn session(place: &Sandbox) -> std::path::PathBuf {
    let prompt = "{\"type\": \"prompt\", \"text\": \"hello\"}";
    let text = format!("{{\"type\": \"session\", \"version\": 1, \"name\": \"s\"}}\n{prompt}\n");
    place.write("session.jsonl", text)
}

fn run(place: &Sandbox, more: &[&str]) -> CommandOutput {
    let file = session(place);
    let mut args = vec!["run", "--headless", "--replay", file.to_str().unwrap()];
    args.extend(more);
    place.run(&args)
}

/// The start of a session of Claude Code's, with the log of the process.
fn session_start(place: &Sandbox, session: &str, source: &str) -> String {
    let payload = json!({
        "session_id": session,
        "transcript_path": place.path("transcript.jsonl"),
        "cwd": place.path("project"),
        "hook_event_name": "SessionStart",
        "source": source,
    });
    let log = place.path("log");
    let _ = std::fs::remove_file(&log);
    let args = ["hook", "claude-code", "SessionStart", "--log-file", log.to_str().unwrap()];
    let said = place.run_with_stdin(&args, &payload.to_string());
    assert_eq!(said.code, 0, "{said:?}");
    std::fs::read_to_string(log).unwrap_or_default()
}

#[test]
fn they_run_in_natural_order_and_a_failure_stops_nothing() {
    let place = Sandbox::new();
    notes(&place, "10", "type: session", "");
    notes(&place, "9", "type: session\nname: Ninth", "echo broken >&2; exit 3");
    notes(&place, "1", "event: startup", "exit 0");
    notes(&place, "2", "type: file\npattern: \"*\"", "");
    let said = run(&place, &[]);
    assert_eq!(said.code, 0, "a failure does not keep the session from starting: {said:?}");
    assert_eq!(order(&place), ["1", "9", "10"]);
    assert!(said.stdout.contains("startup hooks: 3 ran, 1 failed (9)"), "{said:?}");
    assert!(said.stdout.contains("it exited with code 3: broken"), "{said:?}");
}

#[test]
fn an_agents_session_runs_them_once_and_notes_what_came_of_them() {
    let place = Sandbox::new();
    notes(&place, "a", "type: session", "echo what it says; echo and why >&2; exit 4");
    notes(&place, "b", "type: session", "pwd -P; echo $SNAPHOOK_SESSION_ID $DISCOBOT_SESSION_ID");
    let log = session_start(&place, "s1", "startup");
    assert_eq!(order(&place), ["a", "b"]);
    assert!(log.contains("startup hooks: 2 ran, 1 failed (a)"), "{log}");
    assert!(log.contains("it exited with code 4: and why"), "{log}");
    // Once a session: not when it is gone on with, but for another.
    session_start(&place, "s1", "resume");
    session_start(&place, "s1", "startup");
    assert_eq!(order(&place), ["a", "b"]);
    session_start(&place, "s2", "startup");
    assert_eq!(order(&place), ["a", "b", "a", "b"]);

    let logs = find(&place.path("state/sessions"), "a.log");
    assert_eq!(logs.len(), 2, "{logs:?}");
    assert_eq!(std::fs::read_to_string(&logs[0]).unwrap(), "what it says\nand why\n");
    let status = find(&place.path("state/sessions"), "status.json");
    let status: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&status[0]).unwrap()).unwrap();
    let a = &status["hooks"]["a"];
    assert_eq!(
        (&a["type"], &a["lastResult"], &a["lastExitCode"], &a["runCount"]),
        (&json!("session"), &json!("failure"), &json!(4), &json!(1)),
        "{status}"
    );
    assert_eq!(status["hooks"]["b"]["lastResult"], "success");
    let root = std::fs::canonicalize(place.path("project")).unwrap();
    let b = find(&place.path("state/sessions"), "b.log");
    let texts: Vec<_> = b.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert!(texts.contains(&format!("{}\ns1\n", root.display())), "{texts:?}");
}

fn find(folder: &Path, name: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(find(&path, name));
        } else if path.file_name().is_some_and(|file| file == name) {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn one_that_takes_too_long_is_ended_and_the_next_goes_on() {
    let place = Sandbox::new();
    notes(&place, "1", "type: session\ntimeout: 300ms", "sleep 60");
    notes(&place, "2", "type: session", "");
    let said = run(&place, &[]);
    assert_eq!(order(&place), ["1", "2"]);
    assert!(said.stdout.contains("it ran longer than 0.3 s and was ended"), "{said:?}");
    assert!(said.stdout.contains("startup hooks: 2 ran, 1 failed (1)"), "{said:?}");
}

#[test]
fn a_projects_startup_hook_runs_only_when_it_is_trusted() {
    let place = Sandbox::new();
    let ran = place.path("ran");
    let path = "project/.snaphook/hooks/start.sh";
    executable(&place, path, "type: session", &format!("touch '{}'", ran.display()));
    session_start(&place, "s1", "startup");
    assert!(!ran.exists());
    place.trust_all();
    session_start(&place, "s2", "startup");
    assert!(ran.exists());
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    String::from_utf8_lossy(&id.stdout).trim() == "0"
}

/// Lets another user into the place.
fn open(place: &Sandbox) {
    use std::os::unix::fs::PermissionsExt;
    for folder in ["", "project", "config", "config/hooks"] {
        std::fs::set_permissions(place.path(folder), PermissionsExt::from_mode(0o755)).unwrap();
    }
}

#[test]
fn as_root_it_becomes_the_user_unless_it_asks_for_root() {
    if !needs::met("root", is_root()) {
        return;
    }
    let place = Sandbox::new();
    open(&place);
    place.write("config/config.toml", "run_as_user = \"nobody\"\n");
    let shell =
        "echo $(id -un) $(id -u) $HOME $USER; id -G; grep -c '^Cap[A-Za-z]*:.*0000$' /proc/self/status";
    executable(&place, "config/hooks/user.sh", "type: session\nrun_as: user", shell);
    executable(&place, "config/hooks/usual.sh", "type: session", shell);
    executable(&place, "config/hooks/root.sh", "type: session\nrun_as: root", "id -un");
    let log = session_start(&place, "s1", "startup");
    assert!(log.contains("startup hooks: 3 ran, none failed"), "{log}");
    let said = |name: &str| {
        let found = find(&place.path("state/sessions"), name);
        std::fs::read_to_string(&found[0]).unwrap()
    };
    let ask = |args: &[&str]| {
        let out = Command::new("id").args(args).output().unwrap();
        String::from_utf8_lossy(&out.stdout).trim().to_owned()
    };
    let home = std::fs::read_to_string("/etc/passwd").unwrap();
    let home = home.lines().find(|line| line.starts_with("nobody:")).unwrap().split(':').nth(5).unwrap();
    let (uid, groups) = (ask(&["-u", "nobody"]), ask(&["-G", "nobody"]));
    for name in ["user.log", "usual.log"] {
        let text = said(name);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[..2], [format!("nobody {uid} {home} nobody"), groups.clone()], "{text}");
        assert!(lines[2].parse::<u32>().unwrap() >= 3, "it kept capabilities: {text}");
    }
    assert_eq!(said("root.log").trim(), "root");
}

#[test]
fn a_user_that_there_is_not_is_a_failure_and_no_reason_to_run_as_root() {
    if !needs::met("root", is_root()) {
        return;
    }
    let place = Sandbox::new();
    place.write("config/config.toml", "run_as_user = \"nobody-of-that-name\"\n");
    notes(&place, "a", "type: session", "");
    let log = session_start(&place, "s1", "startup");
    assert_eq!(order(&place), [] as [&str; 0]);
    assert!(log.contains("there is no user \"nobody-of-that-name\""), "{log}");
}

#[test]
fn root_without_root_is_a_visible_failure() {
    let place = Sandbox::new();
    notes(&place, "a", "type: session\nrun_as: root", "");
    notes(&place, "b", "type: session\nrun_as: user", "");
    let said = if is_root() {
        // As another user, in folders of their own.
        open(&place);
        let chown = Command::new("chown").args(["-R", "nobody"]).arg(place.path("")).status().unwrap();
        assert!(chown.success());
        let file = session(&place);
        let program = std::fs::copy(env!("CARGO_BIN_EXE_snaphook"), place.path("snaphook")).map(|_| ());
        program.unwrap();
        let args =
            ["--reuid=nobody", "--clear-groups", place.path("snaphook").to_str().unwrap()].map(str::to_owned);
        let mut args: Vec<_> = args.iter().map(String::as_str).collect();
        args.extend(["run", "--headless", "--replay", file.to_str().unwrap()]);
        place.finish(place.program("setpriv", &args).spawn().unwrap())
    } else {
        run(&place, &[])
    };
    assert_eq!(order(&place), ["b"], "{said:?}");
    assert!(
        said.stdout.contains("it asks to run as root") && said.stdout.contains("1 failed (a)"),
        "{said:?}"
    );
}
