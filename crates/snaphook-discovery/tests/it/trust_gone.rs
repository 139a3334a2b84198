//! A hook that was trusted in the project and is gone denies until the person takes the trust back.

use std::fs;

use insta::assert_snapshot;
use snaphook_core::{Cause, Severity};
use snaphook_discovery::{Directories, Discovery, Environment, TrustState, discover_with};

use crate::sandbox::Sandbox;

const HOOKS: &str = "home/code/.snaphook/hooks";

/// The names of the hooks that are missed.
fn missed(found: &Discovery) -> Vec<&str> {
    let denials = found.problems.iter().filter(|problem| problem.severity == Severity::Error);
    let gone =
        denials.filter(|problem| problem.message.contains("is gone") || problem.message.contains("its own"));
    assert!(gone.clone().all(|problem| problem.cause == Some(Cause::Untrusted)));
    assert_eq!(gone.count(), found.former.len());
    found.former.iter().map(|former| former.key.hook.as_str()).collect()
}

fn in_project(sandbox: &Sandbox, cwd: &str) -> Discovery {
    let environment = Environment { cwd: sandbox.path(cwd), ..sandbox.environment() };
    discover_with(&Directories::locate(&environment), &[], &sandbox.trust())
}

fn trust(sandbox: &Sandbox, found: &Discovery) {
    sandbox.store().trust(found.project.iter().map(|hook| (&hook.key, &hook.candidate.raw))).unwrap();
}

#[test]
fn a_trusted_hook_that_is_gone_denies_and_says_which_and_why() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "x()");
    sandbox.project("folder/init.lua", "y()");
    sandbox.discover();
    fs::remove_file(sandbox.path(HOOKS).join("guard.lua")).unwrap();
    fs::remove_dir_all(sandbox.path(HOOKS).join("folder")).unwrap();
    let found = sandbox.discover_as_it_is(&[]);
    assert_snapshot!(sandbox.report(&found), @"
    Error .snaphook/hooks/folder: was a hook that you trusted, and is gone (put it back (for example with `git restore`, or `git switch` to a branch that has it), or run `snaphook untrust folder` if it is not wanted any more)
    Error .snaphook/hooks/guard.lua: was a hook that you trusted, and is gone (put it back (for example with `git restore`, or `git switch` to a branch that has it), or run `snaphook untrust guard.lua` if it is not wanted any more)
    ");
    assert_eq!(missed(&found), ["folder", "guard.lua"]);

    // One is put back, the other is not wanted any more; back again it is another question.
    sandbox.project("guard.lua", "x()");
    let former = &found.former[0];
    sandbox.store().withdraw([(&former.key, former.hash())]).unwrap();
    let found = sandbox.discover_as_it_is(&[]);
    assert!(missed(&found).is_empty() && found.problems.is_empty(), "{:?}", found.problems);
    sandbox.project("folder/init.lua", "y()");
    assert_eq!(sandbox.discover_as_it_is(&[]).project[0].state, TrustState::Undecided);
}

/// However it goes: its file, its folder, all of `.snaphook`, also where the project's root is another folder then.
#[test]
fn whatever_takes_it_away_is_noticed() {
    type Change = fn(&Sandbox);
    let changes: &[(&str, Change)] = &[
        ("the file", |sandbox| fs::remove_file(sandbox.path(HOOKS).join("guard.lua")).unwrap()),
        ("the folder", |sandbox| fs::remove_dir_all(sandbox.path(HOOKS)).unwrap()),
        ("all", |sandbox| fs::remove_dir_all(sandbox.path("home/code/.snaphook")).unwrap()),
        ("away", |sandbox| {
            fs::rename(sandbox.path("home/code/.snaphook"), sandbox.path("home/code/off")).unwrap()
        }),
        ("a folder in its place", |sandbox| {
            fs::remove_file(sandbox.path(HOOKS).join("guard.lua")).unwrap();
            fs::create_dir(sandbox.path(HOOKS).join("guard.lua")).unwrap();
        }),
        ("another name that is no hook's", |sandbox| {
            fs::rename(sandbox.path(HOOKS).join("guard.lua"), sandbox.path(HOOKS).join("guard.lua.off"))
                .unwrap()
        }),
        ("another language's name", |sandbox| {
            fs::rename(sandbox.path(HOOKS).join("guard.lua"), sandbox.path(HOOKS).join("guard.rhai")).unwrap()
        }),
        ("hidden", |sandbox| {
            fs::rename(sandbox.path(HOOKS).join("guard.lua"), sandbox.path(HOOKS).join(".guard.lua")).unwrap()
        }),
        #[cfg(unix)]
        ("a link to another hook", |sandbox| {
            fs::remove_file(sandbox.path(HOOKS).join("guard.lua")).unwrap();
            sandbox.link("home/code/.snaphook/hooks/guard.lua", "a.lua");
        }),
    ];
    for root in ["home", "home/code"] {
        for (what, change) in changes {
            let sandbox = Sandbox::new();
            // The root without `.snaphook`: the folder itself, or one above it.
            fs::create_dir(sandbox.path(root).join(".git")).unwrap();
            sandbox.project("a.lua", "lenient()");
            sandbox.project("guard.lua", "x()");
            let before = sandbox.discover();
            assert_eq!((before.hooks.len(), before.problems.len()), (2, 0));
            change(&sandbox);
            let found = sandbox.discover_as_it_is(&[]);
            let denies = found
                .problems
                .iter()
                .any(|problem| problem.severity == Severity::Error && problem.to_string().contains("guard"));
            assert!(denies, "{root}: {what}: {:?}", found.problems);
        }
    }
}

#[test]
fn the_same_bytes_under_another_name_stand_in_for_it() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "x()");
    sandbox.project("folder/init.lua", "y()");
    sandbox.discover();
    let rename = |from: &str, to: &str| {
        fs::rename(sandbox.path(HOOKS).join(from), sandbox.path(HOOKS).join(to)).unwrap();
    };
    rename("guard.lua", "10-guard.lua");
    rename("folder", "dir");
    let found = sandbox.discover_as_it_is(&[]);
    assert!(missed(&found).is_empty());
    let states: Vec<_> = found.project.iter().map(|hook| (&*hook.name, hook.state)).collect();
    // A name is part of a single file's content; a folder's is not.
    assert_eq!(states, [("10-guard", TrustState::Undecided), ("dir", TrustState::Trusted)]);
    trust(&sandbox, &found);
    assert!(sandbox.discover_as_it_is(&[]).problems.is_empty());
    // It is missed under its new name, and under the old one.
    fs::remove_file(sandbox.path(HOOKS).join("10-guard.lua")).unwrap();
    assert_eq!(missed(&sandbox.discover_as_it_is(&[])), ["10-guard.lua", "guard.lua"]);
}

#[test]
fn what_nobody_trusted_is_not_missed() {
    let sandbox = Sandbox::new();
    for name in ["undecided.lua", "ignored.lua", "withdrawn.lua"] {
        sandbox.project(name, name);
    }
    let found = sandbox.discover_as_it_is(&[]);
    let named = |name: &'static str| found.project.iter().filter(move |hook| hook.name == name);
    sandbox.store().ignore(named("ignored").map(|hook| (&hook.key, &hook.candidate.raw))).unwrap();
    sandbox.store().trust(named("withdrawn").map(|hook| (&hook.key, &hook.candidate.raw))).unwrap();
    sandbox.store().withdraw(named("withdrawn").map(|hook| (&hook.key, hook.hash))).unwrap();
    fs::remove_dir_all(sandbox.path(HOOKS)).unwrap();
    let found = sandbox.discover_as_it_is(&[]);
    assert!(found.problems.is_empty() && found.former.is_empty(), "{:?}", found.problems);
}

/// A worktree or a clone on a branch without the hook never had it; one that ran it by a yes elsewhere misses it.
#[test]
fn another_place_misses_what_it_had() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "x()");
    sandbox.discover();
    let place = "home/worktree/.snaphook/hooks/guard.lua";
    fs::create_dir_all(sandbox.path("home/worktree/.snaphook/hooks")).unwrap();
    assert!(in_project(&sandbox, "home/worktree").problems.is_empty(), "it never had it");

    sandbox.file(place, "x()");
    let found = in_project(&sandbox, "home/worktree");
    assert_eq!((found.hooks.len(), found.shared.len()), (1, 1));
    sandbox.store().note_shared(&found.shared).unwrap();
    let found = in_project(&sandbox, "home/worktree");
    assert_eq!((found.hooks.len(), found.shared.len()), (1, 0), "noted once");
    fs::remove_file(sandbox.path(place)).unwrap();
    assert_eq!(missed(&in_project(&sandbox, "home/worktree")), ["guard.lua"]);
    assert!(sandbox.discover_as_it_is(&[]).problems.is_empty(), "the other place has it");

    // A note is no decision: what is superseded where it was decided is trusted nowhere.
    sandbox.file(place, "x()");
    sandbox.project("guard.lua", "z()");
    trust(&sandbox, &sandbox.discover_as_it_is(&[]));
    assert_eq!(in_project(&sandbox, "home/worktree").project[0].state, TrustState::Undecided);
    // And the new version is trusted here as it would be without the note, and noted in its stead.
    sandbox.file(place, "z()");
    let found = in_project(&sandbox, "home/worktree");
    assert_eq!((found.hooks.len(), found.shared.len()), (1, 1));
}

#[test]
fn thousands_of_them_come_to_a_bounded_message() {
    let sandbox = Sandbox::new();
    for number in 0..60 {
        sandbox.project(&format!("h{number}.lua"), format!("x({number})"));
    }
    sandbox.discover();
    fs::remove_dir_all(sandbox.path(HOOKS)).unwrap();
    let found = sandbox.discover_as_it_is(&[]);
    assert_eq!((found.former.len(), found.problems.len()), (60, 21));
    assert!(
        found.problems[20].message.contains("40 more hooks that you trusted are gone"),
        "{:?}",
        found.problems[20]
    );
}

/// An unknown loss denies, too.
#[test]
fn a_damaged_store_denies_where_no_hook_is_left() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "x()");
    sandbox.discover();
    fs::remove_dir_all(sandbox.path("home/code/.snaphook")).unwrap();
    sandbox.file("home/.local/state/snaphook/trust/decisions.json", "{");
    let found = sandbox.discover_as_it_is(&[]);
    assert!(
        found.problems.iter().any(|problem| problem.message.contains("is damaged")),
        "{:?}",
        found.problems
    );
}
