//! Self-protection, settings and the default through the command: what a person sets, and what agents cannot.

use serde_json::json;
use snaphook_adapters::install::{Launcher, Reach, Setup};
use snaphook_adapters::{AGENTS, Row};

use crate::support::{Sandbox, causes};

const ALLOWS_LS: &str =
    "on('tool_call', { tool = 'bash', command = '^ls$' }, function() return { allow = true } end)";

fn decision(place: &Sandbox, command: &str, more: &[&str]) -> String {
    let (code, document) = place.gate(command, more);
    format!("{code} {}", causes(&document))
}

#[test]
fn self_protection_is_on_and_shows() {
    let place = Sandbox::with_hook();
    let list = place.run(&["list"]).stdout;
    assert!(list.starts_with("snaphook-self-protection managed (built in)\n"), "{list}");
    let settings = place.path("config/config.toml").display().to_string();
    for (tool, input, want) in [
        ("write", json!({"file_path": settings, "content": ""}), (2, "- headless")),
        ("bash", json!({"command": "echo > ~/.claude/settings.json"}), (2, "- headless")),
        ("bash", json!({"command": "snaphook trust guard"}), (2, "-")),
        ("write", json!({"file_path": ".snaphook/hooks/new.lua", "content": ""}), (0, "")),
        ("bash", json!({"command": "cat ~/.claude/settings.json"}), (0, "")),
    ] {
        let said = place.check(tool, &input, &["--json"]);
        assert_eq!((said.code, causes(&said.document()).as_str()), want, "{input}");
    }
    // A person can say yes to what is asked, and not to what is denied.
    let yes = ["--ui", "scripted:yes"];
    assert_eq!(place.check("write", &json!({"file_path": settings, "content": ""}), &yes).code, 0);
    assert_eq!(place.check("bash", &json!({"command": "snaphook untrust x"}), &yes).code, 2);
}

/// Whatever `snaphook install` writes for any agent, an agent is not to write by itself.
#[test]
fn what_install_writes_is_guarded() {
    let place = Sandbox::with_hook();
    let mut open = Vec::new();
    for agent in AGENTS {
        let launcher = Launcher { program: "/usr/bin/snaphook".to_owned(), agent: agent.id() };
        // Of agents with a file for each event one will do.
        let rows: Vec<&'static Row> = agent.rows().iter().take(1).collect();
        for (reach, base) in [(Reach::User, "~"), (Reach::Project, ".")] {
            let setup = Setup { reach, launcher: &launcher, rows: &rows };
            for edit in agent.install(&setup).unwrap_or_default() {
                let file = format!("{base}/{}", edit.file);
                let said = place.check("write", &json!({"file_path": file, "content": ""}), &[]);
                open.extend((said.code != 2).then(|| format!("{}: {file}", agent.id())));
            }
        }
    }
    assert!(open.is_empty(), "{}", open.join("\n"));
}

#[test]
fn only_the_user_can_switch_it_off() {
    let place = Sandbox::with_hook();
    let call = json!({"command": "rm ~/.claude/settings.json"});
    for (name, value) in [("SNAPHOOK_SELF_PROTECTION", "false"), ("SNAPHOOK_PROTECT", "0")] {
        let said = place
            .command(&["check", "--tool", "bash", "--input", &call.to_string()])
            .env(name, value)
            .output();
        assert_eq!(said.unwrap().status.code(), Some(2), "{name}");
    }
    place.write("project/.snaphook/config.toml", "self_protection = false");
    let said = place.check("bash", &call, &[]);
    assert_eq!(said.code, 2);
    assert!(
        said.stdout.contains("`self_protection` can be set in the user's config.toml only"),
        "{}",
        said.stdout
    );
    std::fs::remove_file(place.path("project/.snaphook/config.toml")).unwrap();
    place.write("config/config.toml", "self_protection = false");
    assert_eq!(place.check("bash", &call, &[]).code, 0);
    let list = place.run(&["list"]).stdout;
    assert!(
        list.contains("self-protection is off: your config.toml says `self_protection = false`"),
        "{list}"
    );
}

#[test]
fn what_no_hook_allows_comes_to_the_default() {
    let place = Sandbox::with_hook();
    place.write("config/hooks/a.lua", ALLOWS_LS);
    for (mine, theirs, flag, ls, other) in [
        ("", "", "", "0 -", "0 "),
        ("default = \"deny\"", "", "", "0 -", "2 default"),
        ("mode = \"deny-unless-allowed\"", "", "", "0 -", "2 default"),
        ("default = \"ask\"", "", "", "0 -", "2 default headless"),
        ("", "", "deny", "0 -", "2 default"),
        ("", "", "ask", "0 -", "2 default headless"),
        // The command line stands in for the user's setting; the project still tightens.
        ("default = \"deny\"", "", "allow", "0 -", "0 "),
        ("", "default = \"deny\"", "allow", "0 -", "2 default"),
        ("default = \"deny\"", "default = \"allow\"", "", "0 -", "2 default"),
        ("default = \"dney\"", "", "", "2 load -", "2 load"),
    ] {
        place.write("config/config.toml", mine);
        place.write("project/.snaphook/config.toml", theirs);
        let flags = if flag.is_empty() { vec![] } else { vec!["--default", flag] };
        let case = format!("{mine} {theirs} {flag}");
        assert_eq!(decision(&place, "ls", &flags), ls, "{case}");
        assert_eq!(decision(&place, "pwd", &flags), other, "{case}");
    }
}

#[test]
fn the_reason_says_which_setting_and_what_to_do() {
    let place = Sandbox::with_hook();
    place.write("config/config.toml", "default = \"deny\"");
    let said = place.check("bash", &json!({"command": "pwd"}), &[]).stdout;
    assert!(said.contains("`default = \"deny\"` in [place]/config/config.toml"), "{said}");
    assert!(said.contains("answers `allow = true`"), "{said}");
    let list = place.run(&["list"]);
    assert!(
        list.stdout.contains("tool calls that no hook explicitly allows are denied: `default = \"deny\"`")
    );
    let document = place.run(&["list", "--json"]).document();
    assert_eq!(document["settings"]["default"], "deny");
    assert_eq!(document["settings"]["self_protection"], true);
    let ask = place.gate("pwd", &["--default", "ask", "--ui", "scripted:yes"]);
    assert_eq!(ask.0, 0, "{}", ask.1);
    let defer = place.gate("pwd", &["--default", "ask", "--ui", "defer"]);
    assert_eq!(defer.0, 3, "{}", defer.1);
}

#[test]
fn a_session_has_a_default_too() {
    let place = Sandbox::with_hook();
    let said = place.run(&["run", "--headless", "--json", "--default", "deny"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let calls: Vec<serde_json::Value> =
        said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decided: Vec<_> = calls.iter().filter(|step| step["step"] == "call").collect();
    assert!(!decided.is_empty());
    assert!(decided.iter().all(|step| step["decision"] == "deny"), "{decided:?}");
}

#[test]
fn settings_that_are_wrong_deny_and_say_where() {
    let place = Sandbox::with_hook();
    place.write("config/config.toml", "\n\nself_protction = false\n");
    let said = place.run(&["list"]);
    assert_eq!(said.code, 2);
    assert!(
        said.stdout
            .contains("config.toml:3: the configuration file is wrong: unknown setting `self_protction`; did you mean `self_protection`?"),
        "{}",
        said.stdout
    );
}
