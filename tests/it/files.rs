//! `snaphook.fs` in the whole command: what is snaphook's own stays out of reach where nothing else guards it.

use std::fs;

use serde_json::json;

use crate::support::{Sandbox, granting};

/// Returns the answer to a hook that writes to this path.
fn writes(place: &Sandbox, hook: &str, grants: &str, path: &str) -> String {
    let source = granting("lua", grants)
        + "on('tool_call', function(event) snaphook.fs.write(event.command, 'harm') end)\n";
    let hook = place.write(hook, source);
    let input = json!({ "command": path });
    let said = place.check("bash", &input, &["--hook", &hook.to_string_lossy()]);
    match said.code {
        0 => "done".to_owned(),
        _ => said.stdout,
    }
}

#[test]
fn hooks_cannot_write_what_guards_them_without_self_protection_either() {
    let place = Sandbox::new();
    place.write("config/config.toml", "self_protection = false\n");
    place.write("project/.snaphook/config.toml", "default = \"allow\"\n");
    place.write("project/docs/a.md", "a");
    let all = "read: ['/**', '**'], write: ['/**', '**', '~/**']";
    let root = place.path("").canonicalize().unwrap();
    let root = root.display();
    for path in [
        format!("{root}/config/hooks/new.lua"),
        format!("{root}/config/config.toml"),
        format!("{root}/state/trust/decisions.json"),
        format!("{root}/state/audit/check.jsonl"),
        "~/../config/hooks/new.lua".to_owned(),
        "../state/new".to_owned(),
        ".snaphook/hooks/new.lua".to_owned(),
        ".Snaphook/hooks/new.lua".to_owned(),
        "/etc/snaphook/hooks/new.lua".to_owned(),
        // The hook itself, which is in no hooks folder.
        "tools/hook.lua".to_owned(),
    ] {
        let told = writes(&place, "project/tools/hook.lua", all, &path);
        assert!(told.contains("which no grant gives"), "{path}: {told}");
    }
    assert_eq!(fs::read_to_string(place.path("config/config.toml")).unwrap(), "self_protection = false\n");
    assert!(!place.path("config/hooks/new.lua").exists());
    assert_eq!(writes(&place, "project/tools/hook.lua", all, "docs/a.md"), "done");
    assert_eq!(writes(&place, "project/tools/hook.lua", all, "~/new.md"), "done");
    assert_eq!(fs::read_to_string(place.path("home/new.md")).unwrap(), "harm");
}

#[test]
fn an_entry_that_is_no_path_is_a_problem_with_its_line() {
    let place = Sandbox::new();
    let told = writes(&place, "project/tools/hook.lua", "read: ['../x']", "docs/a.md");
    assert!(told.contains("hook.lua:2") && told.contains("`../x` climbs with `..`"), "{told}");
}
