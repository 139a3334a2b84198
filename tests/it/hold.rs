//! Commands that hooks and settings want held, from the hook's answer to the file that stays: through agents, executables,
//! lifecycle files and MCP servers. Not here: what the kernel holds (`snaphook-hold`).

use serde_json::{Value, json};

use crate::support::{CommandOutput, Sandbox};

const HOLDS: &str = r#"on("tool_call", { tool = "bash", command = "python3" }, function(event)
  return { hold = { deny_write = { "build" } } }
end)"#;

/// A call of Claude Code's Bash, before it and, with a result, after it.
fn event(place: &Sandbox, command: &str, stdout: Option<&str>) -> CommandOutput {
    let mut payload = json!({
        "session_id": "s", "cwd": place.path("project"), "tool_name": "Bash", "tool_use_id": "1",
        "tool_input": { "command": command },
    });
    let name = if stdout.is_some() { "PostToolUse" } else { "PreToolUse" };
    payload["hook_event_name"] = json!(name);
    if let Some(stdout) = stdout {
        payload["tool_response"] = json!({ "stdout": stdout, "stderr": "", "interrupted": false });
    }
    place.run_with_stdin(&["hook", "claude-code", name], &payload.to_string())
}

/// The command line that Claude Code runs instead.
fn held(place: &Sandbox, command: &str) -> String {
    let said = event(place, command, None);
    let line = said.document()["hookSpecificOutput"]["updatedInput"]["command"].clone();
    line.as_str().unwrap_or_else(|| panic!("{said:?}")).to_owned()
}

fn bash(place: &Sandbox, line: &str) -> CommandOutput {
    place.finish(place.program("bash", &["-c", line]).spawn().unwrap())
}

fn settings(place: &Sandbox, text: &str) {
    place.write("config/config.toml", text);
}

#[test]
fn what_a_hook_holds_stays_and_the_model_is_told_why() {
    let place = Sandbox::new();
    place.write("config/hooks/hold.lua", HOLDS);
    place.write("project/build/out", "kept");
    let command = "python3 -c \"import shutil; shutil.rmtree('build')\"";
    let line = held(&place, command);
    assert!(line.ends_with(r#" hold --policy '{"deny_write":["build"]}' -- 'python3 -c "import shutil; shutil.rmtree('\''build'\'')"'"#), "{line}");
    let ran = bash(&place, &line);
    assert_ne!(ran.code, 0);
    assert_eq!(std::fs::read_to_string(place.path("project/build/out")).unwrap(), "kept");
    let told = event(&place, &line, Some(&ran.stderr)).stdout;
    assert!(
        told.contains("snaphook ran this command held by the kernel") && told.contains("Read-only"),
        "{told}"
    );
    // The next call works, and is not held.
    assert!(event(&place, "rm -rf build", None).stdout.is_empty());
    // Unheld, it does what it says.
    assert_eq!(bash(&place, command).code, 0);
    assert!(!place.path("project/build").exists());
}

#[test]
fn a_command_that_is_held_already_stays_as_it_is() {
    let place = Sandbox::new();
    place.write("config/hooks/hold.lua", HOLDS);
    let line = held(&place, "python3 x.py");
    assert!(event(&place, &line, None).stdout.is_empty(), "{line}");
    let trick = format!("{line}; python3 y.py");
    assert!(held(&place, &trick).ends_with("; python3 y.py'"));
}

#[test]
fn settings_hold_every_command() {
    let place = Sandbox::with_hook();
    settings(&place, "[hold]\ntools = \"always\"\nprotected = [\"keep\"]\n");
    place.write("project/keep/file", "");
    // What the text does not say, no gate asks about.
    place.write(
        "project/run.sh",
        "touch free; touch keep/x; echo > $SNAPHOOK_CONFIG_DIR/hooks/open.lua; exit 7",
    );
    let line = held(&place, "sh run.sh");
    assert!(line.contains(" hold -p guarded -- '"), "{line}");
    let ran = bash(&place, &line);
    assert_eq!(ran.code, 7, "{ran:?}");
    assert!(place.path("project/free").exists() && !place.path("project/keep/x").exists());
    assert!(std::fs::read_to_string(place.path("config/hooks/open.lua")).unwrap().contains("tool_call"));
    assert_eq!(ran.stderr.matches("Read-only file system").count(), 2, "{ran:?}");
}

#[test]
fn nobody_is_asked_about_what_this_machine_can_hold() {
    let place = Sandbox::with_hook();
    for unsupported in ["deny", "ask", "weaker"] {
        settings(&place, &format!("[hold]\ntools = \"always\"\nunsupported = \"{unsupported}\"\n"));
        let line = held(&place, "sh run.sh");
        assert!(line.ends_with(" hold -p guarded -- 'sh run.sh'"), "{unsupported}: {line}");
    }
}

#[test]
fn a_refusal_at_a_guarded_place_is_told() {
    let place = Sandbox::with_hook();
    settings(&place, "[hold]\ntools = \"always\"\n");
    let line = held(&place, "sh run.sh");
    let told = |stderr: &str| event(&place, &line, Some(stderr)).stdout;
    let said = told("mv: cannot move '.snaphook/config.toml': Device or resource busy");
    assert!(said.contains("held by the kernel (profile guarded)"), "{said}");
    assert_eq!(told("mv: cannot move 'out/config.toml': Device or resource busy"), "");
}

/// The home of this test's user, where a file that starts shells can be written.
fn account() -> Option<std::path::PathBuf> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let own = rustix::process::getuid().as_raw().to_string();
    let user = users.lines().find(|line| line.split(':').nth(2) == Some(&own))?;
    let file = std::path::Path::new(user.split(':').nth(5)?).join(".profile");
    std::fs::OpenOptions::new().append(true).open(&file).is_ok().then_some(file)
}

#[test]
fn another_home_does_not_open_the_accounts() {
    let Some(file) = account() else { return };
    let place = Sandbox::new();
    let said = place.run(&["hold", "--", &format!(": >> '{}'", file.display())]);
    assert!(said.code != 0 && said.stderr.contains("Read-only file system"), "{said:?}");
}

/// The places around a command: whoever holds the next call finds them again.
#[test]
fn what_a_held_command_makes_moves_no_guard() {
    let place = Sandbox::new();
    place.write("project/.snaphook/hooks/x.lua", "");
    place.write("project/src/main.c", "");
    place.write("home/.benv", "");
    let hold = |more: &[&str], line: &str, variables: &[(&str, &str)]| {
        let mut command = place.command(&[&["hold"], more, &["--", line]].concat());
        command.current_dir(place.path("project/src")).envs(variables.iter().copied());
        place.finish(command.spawn().unwrap())
    };
    // Another project within this one.
    assert_eq!(hold(&[], "mkdir .snaphook", &[]).code, 0);
    let said = hold(&[], "echo >> ../.snaphook/hooks/x.lua", &[]);
    assert!(said.stderr.contains("Read-only"), "{said:?}");
    std::fs::remove_dir(place.path("project/src/.snaphook")).unwrap();
    // A link in the place of the folder for temporary files.
    let outside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (outside, temporary) = (outside.path().display().to_string(), place.path("t").display().to_string());
    std::fs::create_dir(&temporary).unwrap();
    let held = |line: String| hold(&["-p", "project"], &line, &[("TMPDIR", &temporary)]);
    assert_eq!(held(format!("rmdir '{temporary}' && ln -s '{outside}' '{temporary}'")).code, 0);
    let said = held(format!("echo > '{outside}/x'"));
    assert!(said.stderr.contains("Read-only"), "{said:?}");
    // A start-up file that a variable names.
    let named = place.path("home/.benv").display().to_string();
    let said = hold(&[], "echo > ~/.benv", &[("BASH_ENV", &named)]);
    assert!(said.stderr.contains("Read-only"), "{said:?}");
    // Hooks that are kept elsewhere.
    place.write("home/kept.lua", "");
    std::fs::create_dir_all(place.path("config/hooks")).unwrap();
    std::os::unix::fs::symlink(place.path("home/kept.lua"), place.path("config/hooks/kept.lua")).unwrap();
    let said = hold(&[], "echo > ~/kept.lua", &[]);
    assert!(said.stderr.contains("Read-only"), "{said:?}");
    // Walls around the home.
    let said = place.finish({
        let mut command = place.command(&["hold", "-p", "project", "--", "true"]);
        command.current_dir(place.path("home")).spawn().unwrap()
    });
    assert!(said.code == 64 && said.stderr.contains("would leave all of"), "{said:?}");
}

#[test]
fn doctor_says_what_is_held_and_whether_it_can_be() {
    let place = Sandbox::new();
    let line = || {
        let said = place.run(&["doctor"]).stdout;
        said.lines().find(|line| line.contains("holding commands")).unwrap().to_owned()
    };
    assert!(
        line().contains("this machine can; agents' commands are not held unless a hook says so"),
        "{}",
        line()
    );
    settings(&place, "[hold]\ntools = \"when-asked\"\nprofile = \"project\"\n");
    assert!(line().contains("agents' commands are held (when-asked, -p project)"), "{}", line());
    settings(&place, "[hold]\ntools = \"always\"\nprotected = [\"absent/file\"]\n");
    assert!(line().starts_with("wrong") && line().contains("absent/file"), "{}", line());
}

#[test]
fn check_shows_what_is_held() {
    let place = Sandbox::new();
    place.write("config/hooks/hold.lua", HOLDS);
    let (code, document) = place.gate("python3 x.py", &[]);
    assert_eq!((code, &document["hold"]), (0, &json!({"deny_write": ["build"]})));
    let said = place.check("bash", &json!({"command": "python3 x.py"}), &[]).stdout;
    assert!(said.contains("held: {\"deny_write\":[\"build\"]}"), "{said}");
    let (_, document) = place.gate("ls", &[]);
    assert_eq!(document["hold"], Value::Null);
}

#[test]
fn an_executable_is_held_by_its_front_matter() {
    let place = Sandbox::new();
    let hook = |hold: &str| {
        let file = place.write(
            "config/hooks/guard.sh",
            format!(
                "#!/bin/sh\n#---\n# name: guard\n# event: tool_call\n{hold}#---\ncat > /dev/null\n\
                 if touch kept/x; then echo '{{}}'; else echo '{{\"block\": true, \"reason\": \"held\"}}'; fi\n"
            ),
        );
        #[cfg(unix)]
        std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    };
    place.write("project/kept/file", "");
    hook("# hold: {deny_write: [kept]}\n");
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, document["reasons"][0]["reason"].as_str()), (2, Some("held")), "{document}");
    hook("");
    assert_eq!(place.gate("ls", &[]).0, 0);
    hook("# hold: {deny_writes: [kept]}\n");
    let (code, document) = place.gate("ls", &[]);
    assert!(code == 2 && document.to_string().contains("did you mean `deny_write`?"), "{document}");
}

#[test]
fn a_command_of_a_lifecycle_file_is_held() {
    let place = Sandbox::with_hook();
    place.write("project/kept/file", "");
    place.write(
        "project/.snaphook/lifecycle.yml",
        "version: 1\nhooks:\n  session_start:\n    - command: touch kept/x && echo written || echo held\n      pipe_output: true\n      hold: {deny_write: [kept]}\n",
    );
    place.trust_all();
    let payload = json!({"session_id": "s", "cwd": place.path("project"), "hook_event_name": "SessionStart", "source": "startup"});
    place.run_with_stdin(&["hook", "claude-code", "SessionStart"], &payload.to_string());
    let prompt = json!({"session_id": "s", "cwd": place.path("project"), "hook_event_name": "UserPromptSubmit", "prompt": "hi"});
    let said = place.run_with_stdin(&["hook", "claude-code", "UserPromptSubmit"], &prompt.to_string());
    assert!(said.stdout.contains("held") && !place.path("project/kept/x").exists(), "{said:?}");
}

#[test]
fn what_cannot_be_held_is_refused_and_says_why() {
    let place = Sandbox::with_hook();
    for (arguments, code, text) in [
        (
            &["hold", "--policy", r#"{"deny_write": ["absent/file"]}"#, "--", "true"][..],
            125,
            "does not exist",
        ),
        (&["hold", "--policy", r#"{"deny_writes": []}"#, "--", "true"], 64, "did you mean `deny_write`?"),
        (&["hold", "--policy", "{", "--", "true"], 64, "--policy is not a JSON object"),
        (
            &["hold", "--policy", r#"{"net": "none", "net": ["a.org"]}"#, "--", "true"],
            64,
            "duplicate key `net`",
        ),
        (&["hold", "-p", "gaurded", "--", "true"], 64, "a similar value exists: 'guarded'"),
        (&["hold", "--project", "nowhere", "--", "true"], 64, "nowhere"),
        (&["hold"], 64, "<COMMAND>"),
        (&["hold", "--", "no-such-program"], 127, "not found"),
        (&["hold", "--exec", "--", "no-such-program"], 127, "command not found"),
        (&["hold", "--exec", "--", "/"], 126, "/"),
    ] {
        let said = place.run(arguments);
        assert!(said.code == code && said.stderr.contains(text), "{arguments:?}: {said:?}");
    }
    settings(&place, "[hold]\nprotected = [\"*.md\"]\n");
    let said = place.run(&["hold", "--", "true"]);
    assert!(said.code != 0 && said.stderr.contains("config.toml:2"), "{said:?}");
}
