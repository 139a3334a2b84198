//! The questions of `snaphook trust` at a terminal, and the results of each answer.

use crate::pty::{Ended, Terminal};
use crate::support::{Sandbox, causes};

const HOOKS: &str = "project/.snaphook/hooks";

/// A project with one hook.
fn project() -> Sandbox {
    let place = Sandbox::new();
    place.write(&format!("{HOOKS}/guard.lua"), guard("no"));
    place
}

fn guard(reason: &str) -> String {
    format!(
        "-----\n-- description: Keeps the build as it is\n-- grants:\n--   exec: [git]\n--   read: [docs/**]\n-----\n\
         on(\"tool_call\", {{ command = \"rm\" }}, function()\n  return {{ block = true, reason = \"{reason}\" }}\nend)\n"
    )
}

/// Returns what a call comes to while the hook is undecided, and when it is trusted.
fn undecided(place: &Sandbox) -> bool {
    let (code, document) = place.gate("ls", &[]);
    match (code, causes(&document).as_str()) {
        (2, "untrusted") => true,
        (0, "") => false,
        other => panic!("{other:?}"),
    }
}

/// Answers the question about each hook with a key.
fn answered(place: &Sandbox, args: &[&str], keys: &[&str]) -> Ended {
    let mut terminal = Terminal::start(place.command(args));
    for key in keys {
        terminal.until(" with this content?");
        terminal.press(key);
    }
    let ended = terminal.end();
    assert!(ended.settings_are_as_before && ended.shows_cursor(), "{:?}", ended.shown);
    ended
}

/// Shows what has to be seen before there is anything to say yes to.
#[track_caller]
fn shows(shown: &str, parts: &[&str]) {
    let mut rest = shown;
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => panic!("{part:?} is not shown, or not there: {shown}"),
        }
    }
}

#[test]
fn only_a_yes_is_a_yes() {
    for (key, code, says) in [
        ("\r", 2, "undecided guard: gated calls are denied\n"),
        ("n", 2, "undecided guard: gated calls are denied\n"),
        ("\u{1b}", 2, "undecided guard: gated calls are denied\n"),
        ("x\r", 2, "undecided guard: gated calls are denied\n"),
        ("y", 0, "trusted guard sha256:"),
        ("xY", 0, "trusted guard sha256:"),
    ] {
        let place = project();
        assert!(undecided(&place));
        let ended = answered(&place, &["trust"], &[key]);
        let known = [
            "guard .snaphook/hooks/guard.lua\n",
            "Keeps the build as it is\n",
            "grants exec: git\n",
            "grants read: docs/**\n",
            "file guard.lua (9 lines, ",
            "sha256:",
            "Trust guard with this content?",
            says,
        ];
        shows(&ended.shown, &known);
        assert_eq!((ended.code, ended.signal), (Some(code), None), "{key:?}: {}", ended.shown);
        assert_eq!(undecided(&place), code == 2, "{key:?}");
    }
}

#[test]
fn what_changed_is_shown_before_the_question() {
    let place = project();
    answered(&place, &["trust", "guard"], &["y"]);
    place.write(&format!("{HOOKS}/guard.lua"), guard("never"));
    assert!(undecided(&place));
    let ended = answered(&place, &["trust"], &["\r"]);
    let difference = [
        "changed since it was decided on:\n",
        "-  return { block = true, reason = \"no\" }\n",
        "+  return { block = true, reason = \"never\" }\n",
        "Trust guard with this content?",
    ];
    shows(&ended.shown, &difference);
    assert!(undecided(&place));
    shows(&answered(&place, &["trust"], &["y"]).shown, &difference);
    assert!(!undecided(&place));
}

/// Also of what was said yes to before: it is written with the last answer.
#[test]
fn ctrl_c_leaves_nothing_decided() {
    for (keys, trusted) in [(&["\u{3}"][..], false), (&["y", "\u{3}"], false), (&["y", "n"], true)] {
        let place = project();
        place.write(&format!("{HOOKS}/other.rhai"), "on(\"tool_call\", |event| ());\n");
        let ended = answered(&place, &["trust"], keys);
        let code = if trusted { 2 } else { 130 };
        assert_eq!((ended.code, ended.signal), (Some(code), None), "{keys:?}: {}", ended.shown);
        assert_eq!(ended.shown.contains("trusted"), trusted, "{}", ended.shown);
        assert_eq!(ended.shown.ends_with("interrupted: nothing was decided\n"), !trusted, "{}", ended.shown);
        let (_, document) = place.gate("ls", &[]);
        let open = if trusted { "untrusted" } else { "untrusted untrusted" };
        assert_eq!(causes(&document), open, "{keys:?}");
    }
}

/// The question before a session is the same one, and its copy of the project goes, too.
#[test]
fn a_session_that_is_not_begun_leaves_nothing() {
    let place = project();
    let ended = answered(&place, &["run", "--cwd", "."], &["\u{3}"]);
    assert_eq!((ended.code, ended.signal), (Some(130), None), "{}", ended.shown);
    assert_eq!(std::fs::read_dir(place.path("state/scratch")).map_or(0, Iterator::count), 0);
    assert!(undecided(&place));
}
