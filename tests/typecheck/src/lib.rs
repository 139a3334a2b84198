//! Two real checkers over the declarations that `snaphook types` writes: Luau's own, in this process, and EmmyLua's, as a
//! program. Here is how they are asked; what they have to find is in `tests/` and `cases/`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods, reason = "helpers of tests")]

use std::path::{Path, PathBuf};
use std::process::Command;

use luau_analyze::{Checker, Severity};
use serde_json::{Value, json};

/// The declarations for EmmyLua and the Lua language server, as they are shipped.
pub const LUALS: &str = include_str!("../../../crates/snaphook-cli/types/snaphook.d.lua");

/// The declarations for Luau's checker, as they are shipped.
pub const LUAU: &str = include_str!("../../../crates/snaphook-cli/types/snaphook.d.luau");

/// Something that a checker found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// Its message.
    pub message: String,
}

/// Returns what Luau's own checker finds in strict mode. Lints about style are left out.
pub fn luau(source: &str) -> Vec<Finding> {
    let mut checker = Checker::new().expect("the checker starts");
    checker.add_definitions(LUAU).expect("the declarations are valid");
    let result = checker.check(source).expect("the checker runs");
    assert!(!result.timed_out && !result.cancelled);
    let errors = result.diagnostics.into_iter().filter(|found| found.severity == Severity::Error);
    errors.map(|found| Finding { line: found.line as usize + 1, message: one_line(&found.message) }).collect()
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns what EmmyLua's checker finds, warnings included. It knows Lua but not Luau's own syntax.
pub fn emmylua(source: &str) -> Vec<Finding> {
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir(place.path().join("types")).unwrap();
    std::fs::write(place.path().join("types/snaphook.d.lua"), LUALS).unwrap();
    std::fs::write(place.path().join("hook.lua"), source).unwrap();
    let config = json!({ "workspace.library": ["types"], "runtime.version": "Lua5.4" });
    std::fs::write(place.path().join(".luarc.json"), config.to_string()).unwrap();
    let out = place.path().join("found.json");
    let done = Command::new(emmylua_check())
        .arg(place.path())
        .args(["--severity", "warn", "-f", "json", "--output"])
        .arg(&out)
        .output()
        .expect("emmylua_check starts");
    let text = std::fs::read_to_string(&out).unwrap_or_else(|error| panic!("{error}: {done:?}"));
    let found: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let files = found.as_array().cloned().unwrap_or_default();
    files
        .iter()
        .flat_map(|file| file["diagnostics"].as_array().cloned().unwrap_or_default())
        .map(finding)
        .collect()
}

fn finding(found: Value) -> Finding {
    let line = found["range"]["start"]["line"].as_u64().expect("a finding has a line");
    Finding { line: line as usize + 1, message: found["message"].as_str().unwrap_or_default().to_owned() }
}

/// Returns where `.ci/run` installs the program, or `$EMMYLUA_CHECK`.
fn emmylua_check() -> PathBuf {
    let named = std::env::var_os("EMMYLUA_CHECK").map(PathBuf::from);
    let path = named.unwrap_or_else(|| root().join("target/emmylua/bin/emmylua_check"));
    assert!(
        path.exists(),
        "emmylua_check is not there; `.ci/run` installs it, or name it with EMMYLUA_CHECK"
    );
    path
}

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
