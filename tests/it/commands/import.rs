//! `snaphook import`: what files of other products come to, and that nothing is written half.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::program;
use crate::support::{CommandOutput, Sandbox, repository};

const GO_FMT: &str = "#!/bin/bash\n#---\n# name: Go format check\n# type: file\n# pattern: *.go\n# blocking: false\n#---\n\
    gofmt -l $DISCOBOT_CHANGED_FILES\n";
const SETUP: &str =
    "#!/bin/bash\n#---\n# name: Install system deps\n# type: session\n# run_as: root\n#---\napt-get update\n";
const TYPES: &str = "#!/bin/sh\n//---\n// type: pre-commit\n//---\npnpm typecheck\n";

/// A project with Discobot's hooks, and files among them that are not hooks.
fn discobot() -> Sandbox {
    let place = Sandbox::new();
    program(&place, "project/.discobot/hooks/2-go-fmt.sh", GO_FMT);
    program(&place, "project/.discobot/hooks/1-setup.sh", SETUP);
    program(&place, "project/.discobot/hooks/10-types.sh", TYPES);
    program(&place, "project/.discobot/hooks/.hidden.sh", SETUP);
    program(&place, "project/.discobot/hooks/plain.sh", "#!/bin/sh\necho hello\n");
    program(&place, "project/.discobot/hooks/untyped.sh", "#!/bin/sh\n#---\n# name: x\n#---\n");
    place.write("project/.discobot/hooks/not-executable.sh", SETUP);
    place.write("project/.discobot/hooks/README.md", "# Hooks\n");
    place.write("project/.discobot/hooks/lib/x.sh", SETUP);
    place
}

fn import(place: &Sandbox, args: &[&str]) -> CommandOutput {
    place.run(&[&["import"], args].concat())
}

/// The files of a dry run's document by their names.
fn files(document: &Value) -> Vec<(String, Value)> {
    let files = document["files"].as_array().unwrap();
    let name = |file: &Value| {
        let from = PathBuf::from(file["from"].as_str().unwrap());
        from.file_name().unwrap().to_str().unwrap().to_owned()
    };
    files.iter().map(|file| (name(file), file.clone())).collect()
}

/// Everything below a folder, with modes and texts.
fn tree(folder: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else {
            let mode = path.metadata().unwrap().permissions().mode();
            found.push((path.clone(), mode, std::fs::read(path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn a_dry_run_explains_each_file_and_writes_nothing() {
    let place = discobot();
    let before = tree(&place.path("project"));
    let said = import(&place, &["discobot", "--dry-run", "--json"]);
    assert_eq!(said.code, 0, "{said:?}");
    let document = said.document();
    assert_eq!((&document["dry_run"], &document["written"]), (&Value::from(true), &Value::from(false)));
    let files = files(&document);
    let of = |name: &str| &files.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("{name}")).1;
    assert_eq!(files.len(), 9);
    let go = of("2-go-fmt.sh");
    assert_eq!(go["state"], "copied");
    for (key, value) in [
        ("event", "\"files_changed\""),
        ("name", "\"Go format check\""),
        ("pattern", "[\"*.go\"]"),
        ("notify_llm", "true"),
        ("limit", "\"900s\""),
        ("variables", "[\"DISCOBOT_CHANGED_FILES\"]"),
    ] {
        assert_eq!(go["hook"][key].to_string(), value, "{key}");
    }
    assert!(go["hook"]["command"].as_str().unwrap().ends_with(".snaphook/hooks/2-go-fmt.sh"));
    assert!(go["notes"].to_string().contains("`blocking` is no key"), "{go}");
    let setup = of("1-setup.sh");
    assert_eq!((&setup["hook"]["event"], &setup["hook"]["run_as"]), (&"startup".into(), &"root".into()));
    assert_eq!(setup["hook"]["limit"], "300s");
    assert_eq!(of("10-types.sh")["hook"]["event"], "pre_commit");
    for (name, why) in [
        (".hidden.sh", "is hidden"),
        ("plain.sh", "has no front matter"),
        ("untyped.sh", "has no `type`"),
        ("not-executable.sh", "is not executable"),
        ("README.md", "does not begin with `#!`"),
        ("lib", "is a folder"),
    ] {
        assert_eq!(of(name)["state"], "left", "{name}");
        assert!(of(name)["why"].as_str().unwrap().contains(why), "{}", of(name));
    }
    // For people, in the order in which they will run.
    let text = import(&place, &["discobot", "--dry-run"]).stdout;
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("1-setup.sh -> .snaphook/hooks/1-setup.sh") < at("2-go-fmt.sh ->"), "{text}");
    assert!(
        at("2-go-fmt.sh ->") < at("10-types.sh ->") && text.contains("Dry run: 3 files would be written"),
        "{text}"
    );
    assert_eq!(tree(&place.path("project")), before);
}

#[test]
fn discobot_s_hooks_become_ours() {
    let place = discobot();
    let before = tree(&place.path("project/.discobot"));
    let said = import(&place, &["discobot"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.stdout.contains("snaphook trust") && said.stdout.contains("snaphook git install"),
        "{said:?}"
    );
    assert_eq!(tree(&place.path("project/.discobot")), before, "the old ones are as they were");
    let written = tree(&place.path("project/.snaphook/hooks"));
    let names: Vec<_> =
        written.iter().map(|(path, ..)| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["1-setup.sh", "10-types.sh", "2-go-fmt.sh"]);
    assert!(written.iter().all(|(_, mode, _)| mode & 0o111 == 0o111));
    let go = std::fs::read_to_string(place.path("project/.snaphook/hooks/2-go-fmt.sh")).unwrap();
    assert_eq!(
        go,
        "#!/bin/bash\n#---\n# name: \"Go format check\"\n# type: file\n# pattern: \"*.go\"\n# compat: discobot\n#---\n\
         gofmt -l $DISCOBOT_CHANGED_FILES\n"
    );
    // They load here.
    place.trust_all();
    let list = place.run(&["list", "--json"]).document();
    let events: Vec<_> = list["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hook| {
            let event = hook["handlers"][0]["event"].as_str().unwrap_or_default();
            format!("{} {event}", hook["id"].as_str().unwrap())
        })
        .collect();
    assert_eq!(events[1..], ["1-setup startup", "2-go-fmt files_changed", "10-types pre_commit"], "{list}");
    // Again: there is nothing left to do, and nothing is touched.
    let said = import(&place, &["discobot"]);
    assert!(
        said.code == 0 && said.stdout.contains("is at [place]/project/.snaphook/hooks/2-go-fmt.sh already"),
        "{said:?}"
    );
    assert_eq!(tree(&place.path("project/.snaphook/hooks")), written);
}

#[test]
fn nothing_is_overwritten_and_nothing_is_written_half() {
    type Wrong<'a> = (&'a str, &'a dyn Fn(&Sandbox), &'a str);
    let wrong: [Wrong<'_>; 4] = [
        (
            "another file is there",
            &|place| drop(place.write("project/.snaphook/hooks/10-types.sh", "mine")),
            "is not overwritten",
        ),
        (
            "a key is wrong",
            &|place| {
                drop(program(
                    place,
                    "project/.discobot/hooks/bad.sh",
                    "#!/bin/sh\n#---\n# type: file\n#---\n",
                ))
            },
            "needs a `pattern`",
        ),
        (
            "it would be a script here",
            &|place| drop(program(place, "project/.discobot/hooks/x.lua", SETUP)),
            "taken for a script",
        ),
        (
            "front matter never ends",
            &|place| {
                drop(program(place, "project/.discobot/hooks/open.sh", "#!/bin/sh\n#---\n# type: session\n"))
            },
            "never closed",
        ),
    ];
    for (case, make, why) in wrong {
        let place = discobot();
        make(&place);
        let before = tree(&place.path("project"));
        let said = import(&place, &["discobot"]);
        assert_eq!(said.code, 64, "{case}: {said:?}");
        assert!(said.stdout.contains(why) && said.stderr.contains("so none was"), "{case}: {said:?}");
        assert_eq!(tree(&place.path("project")), before, "{case}");
        let said = import(&place, &["discobot", "--dry-run"]);
        assert!(said.code == 0 && said.stdout.contains(why), "{case}: {said:?}");
    }
    // A folder that cannot be written takes all back.
    let place = discobot();
    place.write("project/.snaphook/hooks", "a file in the way");
    let said = import(&place, &["discobot"]);
    assert!(said.code == 64 && said.stderr.contains("Not a directory"), "{said:?}");
    assert_eq!(std::fs::read_to_string(place.path("project/.snaphook/hooks")).unwrap(), "a file in the way");
}

#[test]
fn marvin_s_scripts_are_copied_and_typescript_gets_a_skeleton() {
    let place = Sandbox::new();
    place.write("project/.marvin/hooks/gate.lua", "on('tool_call', function() end)\n");
    place.write("project/.marvin/hooks/gate.test.lua", "test('x', function() end)\n");
    place.write("home/.config/marvin/hooks/notify.rhai", "on(\"agent_end\", |event| {});\n");
    let ts = "export default function (marvin) {\n  marvin.on(\"tool.execute.before\", async (ev, ctx) => {\n    \
        await ctx.exec(\"git\", [])\n  })\n  marvin.on('turn_end', () => marvin.send('x'))\n  marvin.on('odd', f)\n}\n";
    place.write("project/.marvin/hooks/gate.ts", ts);
    place.write("project/.marvin/hooks/notes.txt", "x");
    let said = import(&place, &["marvin"]);
    assert_eq!(said.code, 0, "{said:?}");
    for part in [
        "gate.ts: is TypeScript, which you have to port by hand",
        "on(\"tool_call\", function(event, ctx) -- tool.execute.before",
        "on(\"turn_end\", function(event, ctx) -- turn_end",
        "odd: there is no such event here",
        "with `exec` under grants",
        "notes.txt: is not a hook",
    ] {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
    let text = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    assert_eq!(text("project/.snaphook/hooks/gate.lua"), "on('tool_call', function() end)\n");
    assert!(place.path("project/.snaphook/hooks/gate.test.lua").is_file());
    assert_eq!(
        text("config/hooks/notify.rhai"),
        "on(\"agent_end\", |event| {});\n",
        "the user's go to the user's"
    );
    assert!(!place.path("project/.snaphook/hooks/gate.ts").exists());
    assert!(place.path("project/.marvin/hooks/gate.lua").is_file());
}

#[test]
fn what_is_not_there_is_a_usage_error() {
    let place = Sandbox::new();
    for (args, part) in [
        (&["discobot"][..], "found no hooks of Discobot"),
        (&["marvin"], ".config/marvin/hooks or"),
        (&["husky"], "expected one of discobot, marvin, iteratr"),
        (&["discobot", "--from", "nowhere"], "nowhere does not exist"),
    ] {
        let said = import(&place, args);
        assert!(said.code == 64 && said.stderr.contains(part), "{args:?}: {said:?}");
    }
}

/// Whole files as projects have them: each is explained, and those that are hooks become ours.
#[test]
fn whole_folders_of_other_products_are_explained() {
    let samples = repository("tests/fixtures/import");
    let place = Sandbox::new();
    for entry in std::fs::read_dir(samples.join("discobot")).unwrap().map(Result::unwrap) {
        let name = format!("project/.discobot/hooks/{}", entry.file_name().to_str().unwrap());
        let text = std::fs::read(entry.path()).unwrap();
        if text.starts_with(b"#!") {
            program(&place, &name, text);
        } else {
            place.write(&name, text);
        }
    }
    let said = import(&place, &["discobot", "--dry-run", "--json"]);
    assert_eq!(said.code, 0, "{said:?}");
    let document = said.document();
    let files = files(&document);
    assert_eq!(files.len(), 10, "{document}");
    for (name, file) in &files {
        let state = if ["README.md", "common.sh"].contains(&&**name) { "left" } else { "copied" };
        assert_eq!(file["state"], state, "{name}: {file}");
    }
    let from = |file: &str| samples.join(file).canonicalize().unwrap().display().to_string();
    for file in ["iteratr/commented.yml", "iteratr/short.yml"] {
        let said = import(&place, &["iteratr", "--from", &from(file), "--dry-run"]);
        assert!(said.code == 0 && said.stdout.contains("post_iteration: "), "{said:?}");
    }
    let marvin = import(&place, &["marvin", "--from", &from("marvin"), "--dry-run"]);
    assert_eq!(marvin.code, 0, "{marvin:?}");
    assert_eq!(marvin.stdout.matches("is TypeScript").count(), 4, "{marvin:?}");
}

#[test]
fn iteratr_s_file_becomes_ours_byte_for_byte() {
    let place = Sandbox::new();
    let text = "version: 1\nhooks:\n  pre_iteration:\n    - command: \"golangci-lint run\"\n      timeout: 60\n  on_task_complete:\n    \
        - command: \"./validate.sh {{task_id}}\"\n      pipe_output: true\n";
    place.write("project/.iteratr.hooks.yml", text);
    let said = import(&place, &["iteratr", "--dry-run"]);
    assert_eq!(said.code, 0, "{said:?}");
    for part in [
        ".iteratr.hooks.yml -> .snaphook/lifecycle.yml",
        "pre_iteration: golangci-lint run (limit 60s)",
        "on_task_complete: ./validate.sh {{task_id}} (limit 30s, output to the agent)",
        "pipe_output: true",
    ] {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
    assert!(!place.path("project/.snaphook").exists());
    assert_eq!(import(&place, &["iteratr"]).code, 0);
    assert_eq!(std::fs::read_to_string(place.path("project/.snaphook/lifecycle.yml")).unwrap(), text);
    place.write("project/.iteratr.hooks.yml", "version: 1\nhooks:\n\t- x\n");
    let said = import(&place, &["iteratr"]);
    assert!(said.code == 64 && said.stdout.contains("wrong: 3:1"), "{said:?}");
    assert_eq!(std::fs::read_to_string(place.path("project/.snaphook/lifecycle.yml")).unwrap(), text);
}

/// An imported hook keeps its surroundings: Discobot's variables, its words, also where its conventions are not in use.
#[test]
fn an_imported_hook_goes_on_seeing_discobot_s_variables() {
    let place = Sandbox::new();
    let shell = "echo \"$DISCOBOT_HOOK_TYPE $DISCOBOT_SESSION_ID $DISCOBOT_CHANGED_FILES in $DISCOBOT_WORKSPACE\"; exit 1";
    let text = format!("#!/bin/sh\n#---\n# name: Show\n# type: file\n# pattern: \"*.go\"\n#---\n{shell}\n");
    program(&place, "project/.discobot/hooks/show.sh", text);
    let git = place.program("git", &["init", "-q"]).output().unwrap();
    assert!(git.status.success());
    assert_eq!(import(&place, &["discobot"]).code, 0);
    place.trust_all();
    place.write("project/src/a.go", "x");
    let payload = serde_json::json!({
        "session_id": "s-7", "cwd": place.path("project"), "hook_event_name": "Stop", "stop_hook_active": false,
    });
    let said = place.run_with_stdin(&["hook", "claude-code", "Stop"], &payload.to_string());
    let reason = said.document()["reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("[Discobot Hook Failed] \"Show\" (pattern: *.go)\n"), "{reason}");
    assert!(reason.contains("\nfile s-7 src/a.go in [place]/project\n"), "{reason}");
}
