//! Trust: nothing of a project's hook runs before a person said yes to these bytes, and everything is denied until then.

use serde_json::{Value, json};

use crate::support::{Sandbox, causes};

const HOOKS: &str = "project/.snaphook/hooks";

/// A hook in each language that leaves a file behind when any of it runs for a call.
fn clone(place: &Sandbox) {
    let ran = |name: &str| place.path(name).display().to_string();
    let matter =
        |leader: &str| format!("{leader}---\n{leader} grants:\n{leader}   exec: [touch]\n{leader}---\n");
    place.write(
        &format!("{HOOKS}/one.lua"),
        format!(
            "{}on('tool_call', function(e, ctx) ctx.exec('touch', {{ '{}' }}) end)\n",
            matter("--"),
            ran("ran.lua")
        ),
    );
    place.write(
        &format!("{HOOKS}/two.rhai"),
        format!(
            "{}on(\"tool_call\", |e, ctx| {{ ctx.exec(\"touch\", [\"{}\"]); () }});\n",
            matter("//"),
            ran("ran.rhai")
        ),
    );
}

fn ran(place: &Sandbox) -> [bool; 2] {
    ["ran.lua", "ran.rhai"].map(|name| place.path(name).exists())
}

fn hash(place: &Sandbox, name: &str) -> String {
    let said = place.run(&["trust", "--print", name]);
    assert_eq!(said.code, 0, "{said:?}");
    said.stdout.trim().to_owned()
}

#[test]
fn nothing_of_a_clone_runs_before_a_yes() {
    let place = Sandbox::new();
    clone(&place);
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, causes(&document).as_str()), (2, "untrusted untrusted"));
    let reasons: Vec<_> = ["one", "two"].into_iter().enumerate().collect();
    for (at, name) in reasons {
        let reason = &document["reasons"][at];
        assert_eq!(reason["hook"], name);
        let text = reason["reason"].as_str().unwrap();
        assert!(text.contains(&format!("`snaphook trust {name}`")), "{text}");
    }
    for args in [&["list"][..], &["trust"], &["trust", "--json"], &["trust", "--print"]] {
        place.run(args);
    }
    let result = ["check", "--tool", "bash", "--input", "{}", "--result", "x"];
    assert_eq!(place.run(&result).code, 0, "what is not gated goes on");
    assert_eq!(ran(&place), [false, false]);

    place.trust_all();
    assert_eq!(place.gate("ls", &[]).0, 0);
    assert_eq!(ran(&place), [true, true]);
}

/// A hook that does not even compile is reported as untrusted: it was not compiled.
#[test]
fn an_undecided_hook_is_not_compiled() {
    let place = Sandbox::new();
    place.write(&format!("{HOOKS}/bad.lua"), "on('tool_call', function(");
    assert_eq!(causes(&place.gate("ls", &[]).1), "untrusted");
    place.trust_all();
    assert_eq!(causes(&place.gate("ls", &[]).1), "load");
}

#[test]
fn one_byte_in_a_required_file_brings_the_denial_back_with_the_difference() {
    let place = Sandbox::new();
    place.write(
        &format!("{HOOKS}/guard/init.lua"),
        "local words = require('lib.words')\non('tool_call', function() return { block = words.block, reason = 'x' } end)\n",
    );
    let part = format!("{HOOKS}/guard/lib/words.lua");
    place.write(&part, "-- what is wanted\nreturn { block = false }\n");
    place.trust_all();
    assert_eq!(place.gate("ls", &[]).0, 0);
    place.write(&part, "-- what is wanted\nreturn { block = false  }\n\u{1b}[2K");
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, causes(&document).as_str()), (2, "untrusted"));

    let said = place.run(&["trust", "guard"]);
    assert_eq!(said.code, 64);
    let difference = "    changed since it was decided on:\n    --- lib/words.lua\n    +++ lib/words.lua\n    @@ -1,2 +1,3 @@\n     \
                      -- what is wanted\n    -return { block = false }\n    +return { block = false  }\n    +\\u{1b}[2K\n";
    assert!(said.stdout.contains(difference), "{}", said.stdout);
    let document = place.run(&["trust", "--json"]).document();
    assert!(document["hooks"][0]["diff"].as_str().unwrap().contains("+return { block = false  }\n"));

    place.write(&part, "-- what is wanted\nreturn { block = false }\n");
    assert_eq!(place.gate("ls", &[]).0, 0, "the bytes that were trusted");
}

#[test]
fn without_a_terminal_a_hash_is_the_yes() {
    let place = Sandbox::new();
    clone(&place);
    let pin = hash(&place, "one");
    let wrong = format!("one=sha256:{}", "00".repeat(32));
    for (args, why) in [
        (
            &["trust"][..],
            "not a terminal, so nothing was decided; pass the hash that you reviewed:\n    snaphook trust one=sha256:",
        ),
        (&["trust", "one"], &format!("pass the hash that you reviewed:\n    snaphook trust {pin}")),
        (&["trust", "--yes", "one"], "not a terminal"),
        (&["trust", &pin, "two"], "not a terminal"),
        (&["trust", &wrong], "nothing was decided. See what it is: snaphook trust one"),
        (&["trust", &pin, &wrong], "nothing was decided"),
        (&["trust", "one=sha256:12"], "has an invalid hash; expected NAME=sha256:…"),
        (&["trust", "three"], "there is no project hook three; there are one, two"),
        (&["ignore", &wrong], "nothing was decided"),
        (&["ignore"], "<HOOK[=HASH]>"),
        (&["untrust", "three"], "there is no project hook three"),
    ] {
        let said = place.run(args);
        assert_eq!(said.code, 64, "{args:?}: {said:?}");
        assert!(said.stderr.contains(why), "{args:?}: {said:?}");
        assert!(!place.path("state/trust/decisions.json").exists(), "{args:?}");
    }
    let said = place.run(&["trust", "--yes", &pin]);
    assert_eq!((said.code, said.stdout), (0, format!("trusted {}\n", pin.replace('=', " "))));
    let said = place.run(&["trust", "--json"]).document();
    assert_eq!(said["hooks"].as_array().map(Vec::len), Some(1), "two is left: {said}");
    assert_eq!(place.run(&["trust", "--json"]).code, 2);
    place.trust_all();
    let said = place.run(&["trust"]);
    assert_eq!((said.code, said.stdout.as_str()), (0, "no project hook is undecided\n"));
}

#[test]
fn what_is_shown_is_what_it_asks_for() {
    let place = Sandbox::new();
    let text = "-----\n-- description: Guards the tree\n-- grants:\n--   exec: [git, 'cargo:test,build']\n--   net: [example.com]\n-----\non('tool_call', function() end)\n";
    place.write(&format!("{HOOKS}/guard.lua"), text);
    let said = place.run(&["trust", "guard"]);
    let pin = hash(&place, "guard");
    let shown = format!(
        "guard .snaphook/hooks/guard.lua\n    Guards the tree\n    grants exec: git, cargo:test,build\n    grants net: \
         example.com\n    file guard.lua (7 lines, {} bytes)\n    {}\n",
        text.len(),
        &pin["guard=".len()..]
    );
    assert_eq!(said.stdout, shown);
    let document = place.run(&["trust", &pin, "--json"]).document();
    let hook = &document["hooks"][0];
    assert_eq!((&hook["state"], &hook["grants"]["net"]), (&json!("trusted"), &json!(["example.com"])));
    assert_eq!(hook["files"], json!([{ "path": "guard.lua", "bytes": text.len() }]));
}

/// A file that cannot be read cannot be decided about, and still denies.
#[test]
fn what_cannot_be_read_is_told() {
    let place = Sandbox::new();
    place.write(&format!("{HOOKS}/guard.lua"), b"\xff\xfeo\0n\0");
    let said = place.run(&["trust"]);
    let told = "no project hook is undecided\nerror: .snaphook/hooks/guard.lua:1: is UTF-16, not UTF-8 (save it as UTF-8)\n";
    assert_eq!((said.code, said.stdout.as_str()), (2, told));
    assert_eq!(causes(&place.gate("ls", &[]).1), "load");
}

#[test]
fn ignored_hooks_deny_nothing_and_do_not_run() {
    let place = Sandbox::with_hook();
    clone(&place);
    assert_eq!(place.run(&["ignore", "one", "two"]).code, 0);
    assert_eq!(place.gate("ls", &[]).0, 0);
    assert_eq!(ran(&place), [false, false]);
    let said = place.run(&["untrust", "one"]);
    assert_eq!((said.code, said.stdout.contains("undecided one")), (0, true), "{said:?}");
    assert_eq!(place.gate("ls", &[]).0, 2);
    place.trust_all();
    assert_eq!((place.gate("ls", &[]).0, ran(&place)), (0, [true, true]));
    place.run(&["untrust", "two"]);
    assert_eq!(causes(&place.gate("ls", &[]).1), "untrusted");
}

/// A project that shares another's yes can make it its own, so that it does not end with the other's.
#[test]
fn a_shared_yes_becomes_ones_own() {
    let place = Sandbox::new();
    let hook = "on('tool_call', function() end)";
    let folders = ["project", "second", "third"];
    for folder in folders {
        place.write(&format!("{folder}/.snaphook/hooks/guard.lua"), hook);
    }
    let at = |folder: &str| place.path(folder).display().to_string();
    let gated = |folder: &str| place.gate("ls", &["--cwd", &at(folder)]).0;
    place.trust_all();
    assert_eq!(folders.map(gated), [0, 0, 0]);
    let said = place.run(&["trust", "guard", "--cwd", &at("second")]);
    assert_eq!(said.code, 0, "it is trusted already, so there is no question: {said:?}");
    place.write(&format!("{HOOKS}/guard.lua"), format!("{hook} -- new"));
    place.trust_all();
    assert_eq!(folders.map(gated), [0, 0, 0], "the second stands by the old version");
    place.write(&format!("{HOOKS}/guard.lua"), hook);
    assert_eq!(folders.map(gated), [2, 0, 0], "the first does not");
    place.run(&["untrust", "guard", "--cwd", &at("second")]);
    assert_eq!(folders.map(gated), [2, 2, 2]);
}

#[test]
fn pins_of_a_command_line_decide_for_one_run() {
    let place = Sandbox::new();
    clone(&place);
    let (one, two) = (hash(&place, "one"), hash(&place, "two"));
    assert_eq!(place.gate("ls", &["--trust", &one]).0, 2);
    let (code, document) = place.gate("ls", &["--trust", &one, "--trust", &two]);
    assert_eq!((code, ran(&place)), (0, [true, true]), "{document}");
    assert_eq!(place.gate("ls", &[]).0, 2, "nothing was kept");

    let pins = place.run(&["trust", "--print"]).stdout;
    assert_eq!(pins, format!("{one}\n{two}\n"));
    let file = place.write("pins", format!("# of the release\n{pins}")).display().to_string();
    assert_eq!(place.gate("ls", &["--trust-file", &file]).0, 0);
    let inside = place.write("project/pins", &pins).display().to_string();
    let broken = place.write("broken", format!("{one}\ntwo\n")).display().to_string();
    let mut refused = vec![
        (inside.clone(), "it is in the project, which would decide about itself"),
        ("pins".to_owned(), "it is in the project"),
        (broken, "line 2: \"two\" has no hash"),
        ("/nowhere".to_owned(), "/nowhere"),
    ];
    if cfg!(unix) {
        let link = place.path("link");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&inside, &link).unwrap();
        refused.push((link.display().to_string(), "it is in the project"));
    }
    for (file, why) in refused {
        let said = place.check("bash", &json!({}), &["--trust-file", &file]);
        assert_eq!(said.code, 64, "{file}: {said:?}");
        assert!(said.stderr.contains(why), "{file}: {said:?}");
    }
    let said = place.check("bash", &json!({}), &["--trust", "one"]);
    assert_eq!((said.code, said.stderr.contains("--trust \"one\" has no hash")), (64, true), "{said:?}");
}

/// The session's tools work in a copy: decisions about the folder that was copied hold in it.
#[test]
fn a_run_takes_the_decisions_of_the_folder_that_it_copies() {
    let place = Sandbox::new();
    clone(&place);
    let replay = place.write(
        "s.jsonl",
        "{\"type\":\"session\",\"version\":1,\"name\":\"mine\"}\n{\"type\":\"prompt\",\"text\":\"go\"}\n\
         {\"type\":\"turn\",\"calls\":[{\"id\":\"1\",\"tool\":\"bash\",\"input\":{\"command\":\"true\"}}]}\n",
    );
    let replay = replay.to_string_lossy();
    let run = |more: &[&str]| {
        let mut args = vec!["run", "--headless", "--json", "--cwd", ".", "--replay", &replay];
        args.extend(more);
        let said = place.run(&args);
        let steps = said.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let blocked = steps.filter(|step| step["step"] == "prompt_blocked" || step["decision"] == "deny");
        blocked.count() > 0
    };
    assert!(run(&[]), "an undecided hook denies");
    let pins = [hash(&place, "one"), hash(&place, "two")];
    assert!(!run(&["--trust", &pins[0], "--trust", &pins[1]]));
    assert!(run(&[]));
    place.run(&["ignore", "one"]);
    place.run(&["trust", &pins[1]]);
    assert!(!run(&[]));
}

#[test]
fn twenty_processes_at_once_lose_nothing() {
    let place = Sandbox::new();
    for number in 0..20 {
        place.write(
            &format!("{HOOKS}/hook{number}.lua"),
            format!("on('tool_call', function() end) -- {number}"),
        );
    }
    let pins = place.run(&["trust", "--print"]).stdout;
    let started: Vec<_> = pins.lines().map(|pin| place.command(&["trust", pin]).spawn().unwrap()).collect();
    for child in started {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(place.gate("ls", &[]).0, 0);
}

#[test]
fn a_damaged_store_denies_and_nobody_empties_it() {
    let place = Sandbox::new();
    clone(&place);
    place.trust_all();
    let pin = hash(&place, "one");
    let store = place.write("state/trust/decisions.json", "{\"format\": 1, \"decisions\": [");
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, causes(&document).as_str()), (2, "untrusted untrusted untrusted"));
    assert!(document["reasons"][2]["reason"].as_str().unwrap().contains("the trust store is damaged"));
    for args in [&["trust", &pin][..], &["ignore", "one"], &["untrust", "one"], &["trust", "--print"]] {
        let said = place.run(args);
        assert_eq!(said.code, 64, "{args:?}");
        assert!(said.stderr.contains("the trust store is damaged"), "{said:?}");
    }
    assert_eq!(std::fs::read_to_string(store).unwrap(), "{\"format\": 1, \"decisions\": [");
    assert_eq!(ran(&place), [false, false]);
}

#[test]
fn a_new_hook_is_trusted_as_it_was_written_and_no_further() {
    let place = Sandbox::new();
    std::fs::create_dir_all(place.path("project/.git")).unwrap();
    let document = place.run(&["new", "guard", "--json"]).document();
    assert_eq!(document["trusted"], true);
    assert_eq!(place.gate("ls", &[]).0, 0);
    let hook = place.path(&format!("{HOOKS}/guard.lua"));
    let text = std::fs::read_to_string(&hook).unwrap();
    std::fs::write(&hook, format!("{text}\n")).unwrap();
    assert_eq!(causes(&place.gate("ls", &[]).1), "untrusted");
    // Testing is the author's own act, and asks no questions.
    let tested = place.run(&["test"]);
    assert_eq!(tested.code, 0, "{tested:?}");
    assert_eq!(place.run(&["new", "mine", "--user", "--json"]).document()["trusted"], Value::Null);

    place.write("state/trust/decisions.json", "damaged");
    let said = place.run(&["new", "other"]);
    assert_eq!(said.code, 0);
    assert!(said.stdout.contains("other is not trusted: ") && said.stdout.contains("is damaged"), "{said:?}");
}

/// A state folder, settings and variables of the project's own decide nothing.
#[test]
fn a_project_has_no_say() {
    let place = Sandbox::new();
    clone(&place);
    place.trust_all();
    let store = std::fs::read(place.path("state/trust/decisions.json")).unwrap();
    place.run(&["untrust", "one", "two"]);
    for folder in [".local/state/snaphook", ".snaphook", ".snaphook/state", "state"] {
        place.write(&format!("project/{folder}/trust/decisions.json"), &store);
    }
    place.write("project/.snaphook/config.toml", "self_protection = false\n");
    place.write("project/.env", "SNAPHOOK_STATE_DIR=state\n");
    assert_eq!(place.gate("ls", &[]).0, 2);
    let output = place
        .command(&["check", "--tool", "bash", "--input", "{}", "--json"])
        .env("SNAPHOOK_STATE_DIR", "state")
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        document["reasons"].to_string().contains("is in the project, which must not decide about itself")
    );
    assert_eq!(ran(&place), [false, false]);
}

#[cfg(unix)]
#[test]
fn a_hook_of_mine_that_others_can_write_denies() {
    use std::os::unix::fs::PermissionsExt;

    let place = Sandbox::new();
    let hook = place.write("config/hooks/mine.lua", "on('tool_call', function() end)");
    assert_eq!(place.gate("ls", &[]).0, 0);
    for path in [hook.clone(), place.path("config/hooks"), place.path("config")] {
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o775)).unwrap();
        let (code, document) = place.gate("ls", &[]);
        assert_eq!((code, causes(&document).as_str()), (2, "untrusted"), "{}", path.display());
        let reason = document["reasons"][0]["reason"].as_str().unwrap();
        assert!(
            reason.contains("can be changed by others than you") && reason.contains("chmod go-w"),
            "{reason}"
        );
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    assert_eq!(place.gate("ls", &[]).0, 0);
}

/// An executable that is emptied is not a gate any more; that lets nothing through.
#[cfg(unix)]
#[test]
fn an_emptied_executable_denies_until_somebody_decides() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Sandbox::with_hook();
    let gate =
        place.write("project/.snaphook/hooks/gate.sh", "#!/bin/sh\n#---\n# event: tool_call\n#---\nexit 0\n");
    std::fs::set_permissions(&gate, std::fs::Permissions::from_mode(0o755)).unwrap();
    place.trust_all();
    assert_eq!(place.gate("ls", &[]).0, 0);
    std::fs::write(&gate, "").unwrap();
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, causes(&document).as_str()), (2, "untrusted"));
    let said = place.run(&["untrust", "gate.sh"]);
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (0, "gate.sh is no hook any more, and denies nothing: if it comes back, it is undecided\n")
    );
    assert_eq!(place.gate("ls", &[]).0, 0);
}

/// Removed, or not on the branch that is checked out: a gate that a person trusted is missed, everywhere that it is asked.
#[test]
fn a_trusted_hook_that_is_gone_denies_until_somebody_decides() {
    let place = Sandbox::with_hook();
    let git = |args: &[&str]| {
        let config = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main"];
        let said = place.finish(place.program("git", &[&config[..], args].concat()).spawn().unwrap());
        assert_eq!(said.code, 0, "{args:?}: {said:?}");
    };
    place.write("project/README.md", "x");
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    git(&["switch", "-qc", "hooks"]);
    place.write(&format!("{HOOKS}/guard.lua"), "on('tool_call', function() return nil end)");
    git(&["add", "."]);
    git(&["commit", "-qm", "two"]);
    place.trust_all();
    assert_eq!(place.gate("ls", &[]).0, 0);

    git(&["switch", "-q", "main"]);
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, causes(&document).as_str()), (2, "untrusted"));
    for (args, code) in [(&["list"][..], 2), (&["trust"], 2), (&["doctor"], 1)] {
        let said = place.run(args);
        let text = format!("{}{}", said.stdout, said.stderr);
        assert_eq!(said.code, code, "{args:?}: {text}");
        for part in [".snaphook/hooks/guard.lua", "is gone", "`snaphook untrust guard.lua`"] {
            assert!(text.contains(part), "{args:?}: {text}");
        }
    }
    let said = place.run(&["ignore", "guard.lua"]);
    assert!(said.code == 64 && said.stderr.contains("run `snaphook untrust guard.lua`"), "{said:?}");

    git(&["switch", "-q", "hooks"]);
    assert_eq!(place.gate("ls", &[]).0, 0, "it is back");
    git(&["switch", "-q", "main"]);
    let said = place.run(&["untrust", "guard.lua"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(place.gate("ls", &[]).0, 0);
    git(&["switch", "-q", "hooks"]);
    assert_eq!(causes(&place.gate("ls", &[]).1), "untrusted", "back again, it is another question");

    // A worktree has what the person decided elsewhere, and misses it once it ran there.
    place.trust_all();
    git(&["worktree", "add", "-q", "../worktree", "-b", "other"]);
    let in_worktree = || {
        let input = json!({ "command": "ls" }).to_string();
        place.run(&[
            "check",
            "--record",
            "--cwd",
            "../worktree",
            "--json",
            "--tool",
            "bash",
            "--input",
            &input,
        ])
    };
    assert_eq!(in_worktree().code, 0);
    std::fs::remove_dir_all(place.path("worktree/.snaphook")).unwrap();
    let said = in_worktree();
    assert_eq!((said.code, causes(&said.document()).as_str()), (2, "untrusted"), "{said:?}");
}
