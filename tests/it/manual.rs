//! `snaphook completions` and `snaphook man`.

use std::process::{Command, Stdio};

use crate::support::Sandbox;

#[test]
fn completions_know_the_commands() {
    let place = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = place.run(&["completions", shell]);
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{shell}");
        for word in ["git-guard", "uninstall", "--record"] {
            // Names of hooks are no part of the command line.
            assert_eq!(said.stdout.contains(word), word != "git-guard", "{shell}: {word}");
        }
    }
    let script = place.write("snaphook.bash", place.run(&["completions", "bash"]).stdout);
    let read = Command::new("bash").arg("-n").arg(script).stdin(Stdio::null()).output().unwrap();
    assert!(read.status.success() && read.stderr.is_empty(), "{read:?}");
    let said = place.run(&["completions", "tcsh"]);
    assert!(said.code == 64 && said.stderr.contains("bash"), "{said:?}");
}

#[test]
fn each_command_has_a_page() {
    let place = Sandbox::new();
    let said = place.run(&["man", "--out", "pages/man1"]);
    assert_eq!(said.code, 0, "{said:?}");
    let page = |name: &str| std::fs::read_to_string(place.path("project/pages/man1").join(name)).unwrap();
    for (name, part) in [
        ("snaphook.1", "snaphook\\-check(1)"),
        ("snaphook-check.1", "\\-\\-record"),
        ("snaphook-audit-verify.1", "\\-\\-expect"),
        ("snaphook-git-run.1", "pre_commit"),
    ] {
        assert!(page(name).starts_with(".ie") && page(name).contains(part), "{name}: {}", page(name));
    }
    let count = std::fs::read_dir(place.path("project/pages/man1")).unwrap().count();
    assert!(said.stdout.starts_with(&format!("written {count} pages")), "{said:?}");
    assert_eq!(place.run(&["man", "audit", "verify"]).stdout, page("snaphook-audit-verify.1"));
    assert_eq!(place.run(&["man"]).stdout, page("snaphook.1"));
    let said = place.run(&["man", "audit", "verfy"]);
    assert!(said.code == 64 && said.stderr.contains("see `snaphook help audit`"), "{said:?}");
}
