//! Odd files where the command reads or writes: links out of the project, named pipes, folders that others can write,
//! thousands of hooks.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::{CommandOutput, Sandbox};

const GATE: &str = "on(\"tool_call\", function(event) end)\n";
const SERVERS: &str = r#"{"mcpServers": {"x": {"command": "x-server"}}}"#;

fn place() -> Sandbox {
    let place = Sandbox::new();
    place.write("config/hooks/gate.lua", GATE);
    fs::create_dir_all(place.path("project/.snaphook")).unwrap();
    place
}

fn fifo(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Runs a command; one that hangs is killed, and 124 is its code.
fn bounded(place: &Sandbox, args: &[&str], stdin: &str) -> CommandOutput {
    let mut command = place.program("timeout", &["-k", "1", "60", env!("CARGO_BIN_EXE_snaphook")]);
    command.args(args).stdin(Stdio::piped());
    place.feed(command, stdin.as_bytes())
}

#[test]
fn no_command_writes_through_a_project_s_link_out_of_it() {
    // The link, where it leads, the command.
    let cases: &[(&str, &str, &[&str])] = &[
        (".claude", "", &["install", "claude-code", "--project"]),
        (".claude/settings.json", "f", &["install", "claude-code", "--project"]),
        (".cursor", "", &["install", "cursor", "--project"]),
        (".mcp.json", "servers.json", &["mcp", "wrap", ".mcp.json"]),
        (".snaphook/hooks", "", &["new", "guard", "--project"]),
        (".snaphook/types", "", &["types"]),
        (".luarc.json", "f", &["types"]),
    ];
    for (link, to, args) in cases {
        let place = place();
        let away = place.path("away");
        fs::create_dir(&away).unwrap();
        place.write("away/f", "{}\n");
        place.write("away/servers.json", SERVERS);
        let link = place.path("project").join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(away.join(to), &link).unwrap();
        let said = bounded(&place, args, "");
        assert_eq!(said.code, 64, "{args:?} {link:?}: {said:?}");
        assert!(said.stderr.contains("a link leads out of the project"), "{args:?}: {said:?}");
        assert_eq!(files(&away), ["f", "servers.json"], "{args:?}");
        assert_eq!(fs::read_to_string(away.join("f")).unwrap(), "{}\n", "{args:?}");
        assert_eq!(fs::read_to_string(away.join("servers.json")).unwrap(), SERVERS, "{args:?}");
    }
}

#[test]
fn a_person_s_own_settings_may_be_a_link() {
    let place = place();
    let real = place.write("dotfiles/claude.json", "{\"model\": \"x\"}\n");
    fs::create_dir_all(place.path("home/.claude")).unwrap();
    let link = place.path("home/.claude/settings.json");
    symlink(&real, &link).unwrap();
    let said = place.run(&["install", "claude-code"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("snaphook"));
    assert_eq!(files(&place.path("dotfiles")), ["claude.json"]);
    assert_eq!(place.run(&["uninstall", "claude-code"]).code, 0);
    assert_eq!(fs::read_to_string(&real).unwrap(), "{\"model\": \"x\"}\n");
    assert!(link.is_symlink());
}

/// A name that could be guessed led a write elsewhere.
#[test]
fn no_name_of_a_temporary_file_can_be_guessed() {
    let place = place();
    place.write("project/.mcp.json", SERVERS);
    let victim = place.write("victim", "theirs");
    // The process's number is not known before: all near ones are taken.
    let here = std::process::id();
    for id in here..here + 3000 {
        symlink(&victim, place.path(&format!("project/.mcp.json.{id}.tmp"))).unwrap();
    }
    let said = place.run(&["mcp", "wrap", ".mcp.json"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "theirs");
}

#[test]
fn whoever_makes_the_state_folder_first_it_is_its_owner_s_alone() {
    for args in [
        &["install", "claude-code"][..],
        &["check", "--record", "--tool", "bash", "--input", r#"{"command": "ls"}"#],
        &["hook", "claude-code", "PreToolUse"],
        &["new", "guard", "--project"],
    ] {
        for umask in ["000", "002", "077"] {
            let place = place();
            fs::remove_dir(place.path("state")).unwrap();
            let line = format!("umask {umask}; exec \"$0\" \"$@\"");
            let mut command = place.program("sh", &["-c", &line, env!("CARGO_BIN_EXE_snaphook")]);
            command.args(args);
            let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": place.path("project"),
                "tool_name": "Bash", "tool_input": {"command": "ls"}});
            let said = place.feed(command, payload.to_string().as_bytes());
            assert_eq!(said.code, 0, "{args:?} {umask}: {said:?}");
            let mut open = vec![place.path("state")];
            while let Some(path) = open.pop() {
                let known = fs::symlink_metadata(&path).unwrap();
                assert_eq!(known.mode() & 0o077, 0, "{args:?} {umask}: {path:?} {:o}", known.mode());
                if known.is_dir() {
                    open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                }
            }
        }
    }
}

#[test]
fn a_state_folder_that_others_can_write_denies() {
    for folder in ["state", "state/audit"] {
        let place = place();
        assert_eq!(place.gate("ls", &[]).0, 0);
        fs::set_permissions(place.path(folder), fs::Permissions::from_mode(0o777)).unwrap();
        let said = place.check("bash", &json!({"command": "ls"}), &[]);
        assert_eq!(said.code, 2, "{folder}: {said:?}");
        assert!(said.stdout.contains("others than you can write the folder"), "{folder}: {said:?}");
        fs::set_permissions(place.path(folder), fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(place.gate("ls", &[]).0, 0);
    }
}

#[test]
fn a_named_pipe_is_waited_for_nowhere() {
    let check: &[&str] = &["check", "--record", "--tool", "bash", "--input", r#"{"command": "git status"}"#];
    let hook: &[&str] = &["hook", "claude-code", "PreToolUse"];
    let git = |place: &Sandbox| {
        for name in ["project/.git/objects", "project/.git/refs/heads"] {
            fs::create_dir_all(place.path(name)).unwrap();
        }
        place.write("project/.git/HEAD", "ref: refs/heads/main\n");
        place.write("project/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
    };
    // Where it is, the command, and its code where that is what counts.
    let cases: &[(&str, &[&str], &[i32])] = &[
        ("project/.snaphook/config.toml", check, &[2]),
        ("project/.snaphook/hooks/a.lua", check, &[2]),
        ("project/.snaphook/hooks/a/init.lua", check, &[2]),
        ("project/.snaphook/lifecycle.yml", check, &[]),
        ("config/config.toml", check, &[2]),
        ("config/hooks/b.lua", check, &[2]),
        ("state/trust/decisions.json", check, &[]),
        ("state/audit/check.jsonl", check, &[2]),
        ("state/audit/heads.chain", check, &[2]),
        ("state/hook.log", hook, &[]),
        ("project/.git", check, &[]),
        ("project/.git/config", check, &[]),
        ("project/.git/HEAD", check, &[]),
        ("project/.git/commondir", check, &[]),
        ("project/.git/hooks/pre-commit", check, &[]),
        ("project/.git/config", hook, &[]),
        ("project/.git/config", &["git", "install"], &[64]),
        ("project/.git/config", &["git", "status"], &[64]),
        ("project/.git/HEAD", &["git", "install"], &[64]),
        ("project/.git/hooks/pre-commit", &["git", "install"], &[64]),
        ("project/.git/config", &["list"], &[]),
        ("project/.git/config", &["doctor"], &[]),
        ("project/.claude/settings.json", &["install", "claude-code", "--project"], &[64]),
        ("project/.claude/settings.json", &["uninstall", "claude-code", "--project"], &[64]),
        ("home/.claude/settings.json", &["install", "claude-code"], &[64]),
        ("home/.claude/settings.json", &["doctor", "claude-code"], &[]),
        ("project/.mcp.json", &["doctor"], &[]),
        ("project/.mcp.json", &["mcp", "wrap", ".mcp.json"], &[64]),
        ("state/installs/lock", &["install", "claude-code"], &[64]),
        ("state/mcp/x.json", &["mcp", "pins"], &[]),
        ("project/pins", &["check", "--trust-file", "pins", "--tool", "bash", "--input", "{}"], &[64]),
        ("project/transcript", &["doctor", "--transcript", "transcript"], &[]),
        ("project/replay", &["run", "--replay", "replay"], &[]),
        ("project/noted", &["audit", "verify", "--expect", "noted"], &[64]),
        ("state/audit/s.jsonl", &["audit", "verify"], &[70]),
        ("project/.snaphook/hooks/a.test.lua", &["test"], &[]),
        ("project/.gitignore", &["test"], &[]),
        ("project/sub/.gitignore", &["test"], &[]),
        ("project/hook.lua", &["check", "--hook", "hook.lua", "--tool", "bash", "--input", "{}"], &[]),
        ("project/.iteratr.hooks.yml", &["import", "iteratr"], &[]),
        ("project/.luarc.json", &["types"], &[]),
    ];
    for (name, args, codes) in cases {
        let place = place();
        if name.contains(".git/") {
            git(&place);
            let _ = fs::remove_file(place.path(name));
        }
        fifo(&place.path(name));
        for folder in ["state", "state/trust", "state/audit", "state/installs", "state/mcp"] {
            let _ = fs::set_permissions(place.path(folder), fs::Permissions::from_mode(0o700));
        }
        let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": place.path("project"),
            "tool_name": "Bash", "tool_input": {"command": "ls"}});
        let said = bounded(&place, args, &payload.to_string());
        assert!(said.code != 124 && said.code != 137 && said.code >= 0, "{name} {args:?}: hangs: {said:?}");
        assert!(codes.is_empty() || codes.contains(&said.code), "{name} {args:?}: {said:?}");
    }
}

#[test]
fn thousands_of_undecided_hooks_have_a_bounded_message() {
    const MAX_MESSAGE_BYTES: usize = 64 << 10;
    let place = place();
    fs::create_dir_all(place.path("project/.snaphook/hooks")).unwrap();
    for number in 0..4000 {
        fs::write(place.path(&format!("project/.snaphook/hooks/h{number}.lua")), GATE).unwrap();
    }
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": place.path("project"),
        "tool_name": "Bash", "tool_input": {"command": "ls"}})
    .to_string();
    let initialize = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":{}}}"#,
        "\n"
    );
    let cases: &[(&[&str], &str, &[i32])] = &[
        (&["hook", "claude-code", "PreToolUse"], &payload, &[0, 2]),
        (&["check", "--tool", "bash", "--input", "{}"], "", &[2]),
        (&["check", "--json", "--tool", "bash", "--input", "{}"], "", &[2]),
        (&["list"], "", &[]),
        (&["trust"], "", &[64]),
        (&["doctor"], "", &[]),
        (&["mcp", "--", "cat"], initialize, &[]),
    ];
    for (args, stdin, codes) in cases {
        let said = bounded(&place, args, stdin);
        assert!(
            codes.is_empty() || codes.contains(&said.code),
            "{args:?}: {} {:.2000}",
            said.code,
            said.stderr
        );
        let (out, err) = (said.stdout.len(), said.stderr.len());
        assert!(
            out + err > 0 && out < MAX_MESSAGE_BYTES && err < MAX_MESSAGE_BYTES,
            "{args:?}: {out} and {err} bytes"
        );
    }
    let said = place.check("bash", &json!({}), &[]);
    assert!(said.stdout.contains("and 3989 more are not trusted"), "{}", said.stdout);
    let log = fs::read_to_string(place.path("state/hook.log")).unwrap_or_default();
    assert!(log.len() < MAX_MESSAGE_BYTES, "{}", log.len());
}
