//! Invalid settings files, and files that other programs change at the same time.

use std::process::Stdio;

use super::{files, fine, guarded, text};
use crate::support::Sandbox;

const SETTINGS: &str = "home/.claude/settings.json";

#[test]
fn what_cannot_be_read_is_refused_and_left_as_it_is() {
    let wrong: [(&str, &[u8], &str); 11] = [
        ("cut off", b"{\"hooks\": {", "it is not valid JSON"),
        ("not JSON", b"model: sonnet\n", "it is not valid JSON"),
        ("single quotes", b"{'model': 'a'}", "it is not valid JSON"),
        ("no comma", b"{\"a\": 1 \"b\": 2}", "it is not valid JSON"),
        ("another type", b"[1, 2]", "expected a JSON object"),
        ("hooks of another type", b"{\"hooks\": []}", "expected `hooks` to be an object"),
        (
            "an event of another type",
            b"{\"hooks\": {\"PreToolUse\": {}}}",
            "expected `hooks.PreToolUse` to be a list",
        ),
        ("hooks twice", b"{\"hooks\": {}, \"hooks\": {}}", "`hooks` appears twice"),
        (
            "an event twice",
            b"{\"hooks\": {\"PreToolUse\": [], \"PreToolUse\": []}}",
            "`PreToolUse` appears twice",
        ),
        ("not UTF-8", b"{\"a\": \"\xff\"}", "is not UTF-8"),
        ("binary", b"\x00\x01\x02", "it is not valid JSON"),
    ];
    for (name, bytes, why) in wrong {
        let place = guarded();
        let file = place.write(SETTINGS, bytes);
        for args in [&["install", "claude-code"][..], &["install", "claude-code", "--dry-run"]] {
            let said = place.run(args);
            assert_eq!(said.code, 64, "{name}: {said:?}");
            assert!(said.stderr.contains(why) && said.stderr.contains("was not changed"), "{name}: {said:?}");
        }
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "{name}");
        assert_eq!(entries(&place, "home/.claude"), ["settings.json"], "{name}");
    }
    let place = guarded();
    std::fs::create_dir_all(place.path(SETTINGS)).unwrap();
    let said = place.run(&["install", "claude-code"]);
    assert!(said.code == 64 && said.stderr.contains("cannot be read"), "{said:?}");
}

fn entries(place: &Sandbox, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(place.path(folder)).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// An unknown name changes nothing; an invalid file does not hold up the agents behind it.
#[test]
fn several_agents_at_once() {
    let place = guarded();
    let said = place.run(&["install", "gemini", "claud"]);
    assert!(said.code == 64 && said.stderr.contains("did you mean claude-code?"), "{said:?}");
    assert!(!place.path("home/.gemini").exists());
    place.write(SETTINGS, "{");
    place.write("config/hooks/typo.lua", "on('tool_cal', print)");
    let said = place.run(&["install", "claude-code", "gemini", "codex"]);
    // What is wrong with a hook is said once for all.
    assert_eq!(said.stderr.matches("did you mean \"tool_call\"?").count(), 1, "{said:?}");
    assert!(
        said.code == 64 && said.stderr.contains("claude-code: ") && said.stderr.contains("was not changed"),
        "{said:?}"
    );
    for title in ["Registered snaphook with Gemini CLI in ", "Registered snaphook with Codex CLI in "] {
        assert!(said.stdout.contains(title), "{title}: {said:?}");
    }
    let said = fine(&place, &["uninstall", "gemini", "codex", "--json"]);
    assert_eq!(said.stdout.lines().count(), 2, "{said:?}");
    assert!(!place.path("home/.gemini").exists() && !place.path("home/.codex").exists());
    let said = place.run(&["install"]);
    assert!(
        said.code == 64 && said.stderr.contains("no agent named: expected one of claude-code,"),
        "{said:?}"
    );
}

/// A file of snaphook's name that another program wrote is not snaphook's.
#[test]
fn a_file_of_somebody_elses_is_refused() {
    for agent in ["copilot", "goose", "grok", "cline"] {
        let place = guarded();
        for file in files(&place, agent, &[]) {
            let relative = file.strip_prefix(place.path("")).unwrap().to_str().unwrap().to_owned();
            place.write(&relative, "{\"mine\": 1}\n");
            let said = place.run(&["install", agent]);
            assert!(
                said.code == 64
                    && said.stderr.contains("refusing to overwrite a file that snaphook did not create"),
                "{agent}: {said:?}"
            );
            assert_eq!(text(&file), "{\"mine\": 1}\n");
            fine(&place, &["uninstall", agent]);
            assert_eq!(text(&file), "{\"mine\": 1}\n");
            std::fs::remove_file(&file).unwrap();
        }
    }
}

/// Files and folders that were not there are gone again, for every agent, in both places.
#[test]
fn what_was_not_there_is_gone_again() {
    for agent in crate::hook::support::agents() {
        for more in [&[][..], &["--project"]] {
            let place = guarded();
            let said = place.run(&[&["install", &agent], more].concat());
            if said.code == 64 && said.stderr.contains("Add this to it") {
                continue;
            }
            if said.code == 64 && said.stderr.contains("does not know how") {
                continue;
            }
            if said.code == 64 && said.stderr.contains("person's settings only") {
                assert!(!more.is_empty(), "{agent}");
                continue;
            }
            assert_eq!(said.code, 0, "{agent}: {said:?}");
            let written = files(&place, &agent, more);
            assert!(!written.is_empty() && written.iter().all(|file| file.exists()), "{agent}");
            fine(&place, &[&["uninstall", &agent], more].concat());
            assert!(written.iter().all(|file| !file.exists()), "{agent}");
            assert_eq!(entries(&place, "home"), Vec::<String>::new(), "{agent}");
            assert_eq!(entries(&place, "project"), Vec::<String>::new(), "{agent}");
        }
    }
}

#[test]
fn without_hooks_there_is_nothing_to_install() {
    let place = Sandbox::new();
    let said = place.run(&["install", "claude-code"]);
    assert!(said.code == 64 && said.stderr.contains("there are no hooks yet"), "{said:?}");
    let said = place.run(&["install", "claude"]);
    assert!(said.code == 64 && said.stderr.contains("did you mean claude-code"), "{said:?}");
    assert_eq!(entries(&place, "home"), Vec::<String>::new());
}

#[test]
fn a_dry_run_changes_nothing_and_shows_what_would_change() {
    let place = guarded();
    let file = place.write(SETTINGS, "{\"model\": \"a\"}\n");
    let said = fine(&place, &["install", "claude-code", "--dry-run"]);
    assert!(said.stdout.contains("PreToolUse") && said.stdout.contains("+"), "{said:?}");
    assert_eq!(text(&file), "{\"model\": \"a\"}\n");
    assert_eq!(entries(&place, "state"), Vec::<String>::new());
    fine(&place, &["install", "claude-code"]);
    let installed = text(&file);
    fine(&place, &["uninstall", "claude-code", "--dry-run"]);
    assert_eq!(text(&file), installed);
}

/// All events, whatever the hooks here are for: those of another project may be for others. Those that come with each piece of a
/// model's answer only where a hook is for them.
#[test]
fn the_events_are_all_of_the_agents() {
    let place = guarded();
    let events = |agent: &str| {
        let said = fine(&place, &["install", agent, "--json"]);
        let events = said.document()["events"].as_array().unwrap().clone();
        events.iter().map(|event| event.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for agent in ["claude-code", "codex", "gemini"] {
        let rows = snaphook_adapters::agent(agent).unwrap().rows();
        let all = rows.iter().filter(|row| !row.events.is_empty() && !row.is_frequent());
        assert_eq!(events(agent), all.map(|row| row.native).collect::<Vec<_>>(), "{agent}");
    }
    place.write("config/hooks/pieces.lua", r#"on("model_response", function() end)"#);
    assert!(events("gemini").contains(&"AfterModel".to_owned()));
    std::fs::remove_file(place.path("config/hooks/pieces.lua")).unwrap();
    assert!(!events("gemini").contains(&"AfterModel".to_owned()));
    assert!(!text(&place.path("home/.gemini/settings.json")).contains("AfterModel"));
}

/// Earlier versions put Cline's files into two folders, both of which it reads.
#[test]
fn files_of_earlier_versions_are_taken_away() {
    let place = guarded();
    let old = "#!/bin/sh\n# written by `snaphook install cline`\nsnaphook hook cline PreToolUse\n";
    place.write("home/.cline/hooks/PreToolUse", old);
    place.write("home/.cline/hooks/PostToolUse", "#!/bin/sh\necho mine\n");
    fine(&place, &["install", "cline"]);
    assert_eq!(entries(&place, "home/.cline/hooks"), ["PostToolUse"]);
    assert!(entries(&place, "home/Documents/Cline/Hooks").contains(&"PreToolUse".to_owned()));
    place.write("home/.cline/hooks/PreToolUse", old);
    let said = place.run(&["doctor", "cline"]);
    assert!(
        said.code == 1 && said.stdout.contains(".cline/hooks/PreToolUse is from an earlier version"),
        "{said:?}"
    );
    fine(&place, &["uninstall", "cline"]);
    assert_eq!(entries(&place, "home/.cline/hooks"), ["PostToolUse"]);
}

/// The person's settings may be elsewhere.
#[test]
fn a_variable_of_the_agents_moves_its_settings() {
    let place = guarded();
    let moved = place.path("elsewhere");
    for (agent, variable, file) in
        [("claude-code", "CLAUDE_CONFIG_DIR", "settings.json"), ("codex", "CODEX_HOME", "hooks.json")]
    {
        let mut command = place.command(&["install", agent]);
        let output = command.env(variable, &moved).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(text(&moved.join(file)).contains("hook"), "{agent}");
        let output = place.command(&["uninstall", agent]).env(variable, &moved).output().unwrap();
        assert!(output.status.success() && !moved.join(file).exists(), "{output:?}");
    }
    assert_eq!(entries(&place, "home"), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_read_only_files_are_left() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = guarded();
    let real = place.write("home/dotfiles/claude.json", "{}\n");
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
    std::fs::create_dir_all(place.path("home/.claude")).unwrap();
    let link = place.path(SETTINGS);
    symlink(&real, &link).unwrap();
    fine(&place, &["install", "claude-code"]);
    assert!(link.is_symlink() && text(&real).contains("snaphook"), "{}", text(&real));
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    fine(&place, &["uninstall", "claude-code"]);
    assert!(link.is_symlink());
    assert_eq!(text(&real), "{}\n");

    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o440)).unwrap();
    let said = place.run(&["install", "claude-code"]);
    assert!(said.code == 64 && said.stderr.contains("it is read-only"), "{said:?}");
    assert_eq!(text(&real), "{}\n");

    std::fs::remove_file(&real).unwrap();
    let said = place.run(&["install", "claude-code"]);
    assert!(said.code == 64 && said.stderr.contains("a link to nothing"), "{said:?}");
    assert!(link.is_symlink() && !real.exists());
}

/// A script that lost its permission to run is no gate.
#[cfg(unix)]
#[test]
fn a_script_that_does_not_run_is_fixed() {
    use std::os::unix::fs::PermissionsExt;
    let place = guarded();
    fine(&place, &["install", "cline"]);
    let script = place.path("home/Documents/Cline/Hooks/PreToolUse");
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o644)).unwrap();
    fine(&place, &["install", "cline"]);
    assert_ne!(std::fs::metadata(&script).unwrap().permissions().mode() & 0o111, 0);
}

/// Two at once, and many: the file is whole, has each entry once, and is given back.
#[test]
fn installations_at_once_do_not_disturb_each_other() {
    let before = "{\n  // mine\n  \"model\": \"a\"\n}\n";
    for _ in 0..3 {
        let place = guarded();
        let file = place.write(SETTINGS, before);
        let start = |_| {
            let mut command = place.command(&["install", "claude-code"]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let children: Vec<_> = (0..6).map(start).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let after = text(&file);
        assert_eq!(after.matches("hook claude-code PreToolUse").count(), 1, "{after}");
        assert_eq!(entries(&place, "home/.claude"), ["settings.json"]);
        fine(&place, &["uninstall", "claude-code"]);
        assert_eq!(text(&file), before);
    }
}

/// Installed for two agents and in both places: each is taken out by itself.
#[test]
fn agents_and_places_are_apart() {
    let place = guarded();
    for args in [&["claude-code"][..], &["claude-code", "--project"], &["droid"], &["gemini"]] {
        fine(&place, &[&["install"], args].concat());
    }
    fine(&place, &["uninstall", "claude-code"]);
    assert!(!place.path(SETTINGS).exists());
    for file in ["project/.claude/settings.json", "home/.factory/hooks.json", "home/.gemini/settings.json"] {
        assert!(text(&place.path(file)).contains("snaphook"), "{file}");
    }
}
