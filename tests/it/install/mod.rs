//! `snaphook install` and `uninstall`: settings files as people have them, changed and given back, byte for byte.

mod by_hand;
mod commands;
mod files;
mod samples;

use std::path::PathBuf;

use serde_json::Value;

use crate::support::{CommandOutput, Sandbox};

/// Denies one command, and is for results, too.
pub const GUARD: &str = r#"
on("tool_call", function(event)
  if event.command and event.command:find("rm %-rf") then return { block = true, reason = "no recursive delete" } end
end)
on("tool_result", function() end)
"#;

/// A place with a hook.
pub fn guarded() -> Sandbox {
    let place = Sandbox::new();
    place.write("config/hooks/guard.lua", GUARD);
    place
}

/// Runs it, and it has to work.
pub fn fine(place: &Sandbox, args: &[&str]) -> CommandOutput {
    let said = place.run(args);
    assert_eq!(said.code, 0, "{args:?}: {said:?}");
    said
}

/// The files that an installation is about.
pub fn files(place: &Sandbox, agent: &str, more: &[&str]) -> Vec<PathBuf> {
    let said = fine(place, &[&["install", agent, "--dry-run", "--json"], more].concat());
    let files = said.document()["files"].as_array().unwrap().clone();
    files.iter().map(|file| place.path(shown(&file["file"]))).collect()
}

fn shown(file: &Value) -> &str {
    file.as_str().unwrap().strip_prefix("[place]/").unwrap()
}

pub fn text(path: &std::path::Path) -> String {
    String::from_utf8(std::fs::read(path).unwrap()).unwrap()
}
