//! The needs of a test on the machine that it runs on. A test that goes without it prints what is missing, and fails where
//! the variable `CI` is set: there everything is expected to be installed. Shared by the tests of several crates.

use std::io::Write as _;

/// Returns whether a program is in `PATH`.
pub fn program(name: &str) -> bool {
    #[expect(clippy::disallowed_methods, reason = "tests look where the shell would look")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    met(&format!("the program {name}"), is_there)
}

/// Hands `is_met` on. Fails where it is false and `CI` is set.
pub fn met(need: &str, is_met: bool) -> bool {
    if !is_met {
        #[expect(clippy::disallowed_methods, reason = "the environment says how the tests are run")]
        let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        assert!(!is_ci, "{need} is missing, which this test needs (the variable CI is set)");
        // Not `eprintln`: the harness keeps back what a test prints that passes.
        let text = format!("skipped a test, or a part of it: {need} is missing\n");
        std::io::stderr().write_all(text.as_bytes()).unwrap();
    }
    is_met
}
