//! The consequences of decisions: the hooks that are handed over, and the problems of the others.

use std::path::Path;

use insta::assert_snapshot;
use snaphook_discovery::trust::{Pin, Pins, TrustStore};
use snaphook_discovery::{Directories, Discovery, Environment, Trust, TrustState, discover_with};

use crate::sandbox::{Sandbox, ids};

/// Returns what is found in another project of the same person.
fn elsewhere(sandbox: &Sandbox, project: &str) -> Discovery {
    let environment = Environment { cwd: sandbox.path(project), ..sandbox.environment() };
    discover_with(&Directories::locate(&environment), &[], &sandbox.trust())
}

fn states(discovery: &Discovery) -> String {
    let one = |hook: &snaphook_discovery::ProjectHook| format!("{} {}", hook.name, hook.state.as_str());
    discovery.project.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn trust_all(store: &TrustStore, discovery: &Discovery) {
    store.trust(discovery.project.iter().map(|hook| (&hook.key, &hook.candidate.raw))).unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn an_undecided_hook_is_a_problem_and_no_hook() {
    let sandbox = Sandbox::new();
    sandbox.user("mine.lua", "x()");
    sandbox.project("guard.lua", "x()");
    sandbox.project("folder/init.lua", "x()");
    let found = sandbox.discover_as_it_is(&[]);
    assert_snapshot!(sandbox.report(&found), @"
    hook mine (user) ~/.config/snaphook/hooks/mine.lua
    Error .snaphook/hooks/folder/init.lua: the project hook \"folder\" is not trusted, so nothing of it runs (read it and decide: `snaphook trust folder`)
    Error .snaphook/hooks/guard.lua: the project hook \"guard\" is not trusted, so nothing of it runs (read it and decide: `snaphook trust guard`)
    ");
    assert!(found.problems.iter().all(|problem| problem.cause == Some(snaphook_core::Cause::Untrusted)));

    trust_all(&sandbox.store(), &found);
    assert_snapshot!(sandbox.report(&sandbox.discover_as_it_is(&[])), @"
    hook mine (user) ~/.config/snaphook/hooks/mine.lua
    hook folder (project) .snaphook/hooks/folder/init.lua
    hook guard (project) .snaphook/hooks/guard.lua
    ");
}

#[test]
fn each_byte_that_can_run_counts_and_no_other() {
    let sandbox = Sandbox::new();
    let files = [("folder/init.lua", "x()"), ("folder/lib/a.lua", "return 1"), ("folder/a.test.lua", "t()")];
    for (path, text) in files {
        sandbox.project(path, text);
    }
    assert_eq!(states(&sandbox.discover()), "folder trusted");
    for (path, text, state) in [
        ("folder/init.lua", "x() ", "undecided"),
        ("folder/lib/a.lua", "return 2", "undecided"),
        ("folder/lib/b.lua", "", "undecided"),
        ("folder/a.test.lua", "other()", "trusted"),
        ("folder/data.json", "{}", "trusted"),
    ] {
        let before = files.iter().find(|(known, _)| *known == path).map(|(_, text)| *text);
        let file = sandbox.project(path, text);
        let found = sandbox.discover_as_it_is(&[]);
        assert_eq!(states(&found), format!("folder {state}"), "{path}");
        assert_eq!(ids(&found).len(), usize::from(state == "trusted"), "{path}");
        match before {
            Some(text) => drop(sandbox.project(path, text)),
            None => std::fs::remove_file(file).unwrap(),
        }
        assert_eq!(states(&sandbox.discover_as_it_is(&[])), "folder trusted", "{path} as it was");
    }
}

#[test]
fn a_project_cannot_go_back_to_what_was_superseded() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "one()");
    sandbox.discover();
    sandbox.project("guard.lua", "two()");
    let changed = sandbox.discover_as_it_is(&[]);
    assert_snapshot!(sandbox.report(&changed), @"Error .snaphook/hooks/guard.lua: the project hook \"guard\" changed since it was decided on, so nothing of it runs (see what changed and decide: `snaphook trust guard`)");
    let before = sandbox.store().kept(changed.project[0].changed_from.unwrap()).unwrap();
    assert_eq!(before.into_iter().collect::<Vec<_>>(), [("guard.lua".to_owned(), "one()".to_owned())]);

    trust_all(&sandbox.store(), &changed);
    assert_eq!(states(&sandbox.discover_as_it_is(&[])), "guard trusted");
    sandbox.project("guard.lua", "one()");
    assert_eq!(states(&sandbox.discover_as_it_is(&[])), "guard undecided");
    // Neither by a move, which leaves the decisions about the old place behind.
    std::fs::rename(sandbox.path("home/code"), sandbox.path("home/moved")).unwrap();
    assert_eq!(states(&elsewhere(&sandbox, "home/moved")), "guard undecided");
}

#[test]
fn a_yes_is_about_content_wherever_it_stands() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "one()");
    sandbox.discover();
    // Two worktrees.
    copy(&sandbox.path("home/code"), &sandbox.path("home/worktree"));
    assert_eq!(states(&elsewhere(&sandbox, "home/worktree")), "guard trusted");
    sandbox.file("home/worktree/.snaphook/hooks/guard.lua", "two()");
    let branch = elsewhere(&sandbox, "home/worktree");
    assert_eq!(states(&branch), "guard undecided");
    trust_all(&sandbox.store(), &branch);
    assert_eq!(states(&elsewhere(&sandbox, "home/worktree")), "guard trusted");
    assert_eq!(states(&sandbox.discover_as_it_is(&[])), "guard trusted", "each keeps its own decision");
    // A moved project.
    std::fs::rename(sandbox.path("home/code"), sandbox.path("home/moved")).unwrap();
    assert_eq!(states(&elsewhere(&sandbox, "home/moved")), "guard trusted");
}

#[test]
fn ignoring_is_about_one_place_and_one_content() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "one()");
    let found = sandbox.discover_as_it_is(&[]);
    let hooks = || found.project.iter().map(|hook| (&hook.key, &hook.candidate.raw));
    sandbox.store().ignore(hooks()).unwrap();
    let ignored = sandbox.discover_as_it_is(&[]);
    assert_eq!((states(&ignored).as_str(), ids(&ignored).len()), ("guard ignored", 0));
    assert!(ignored.problems.is_empty());

    copy(&sandbox.path("home/code"), &sandbox.path("home/other"));
    assert_eq!(states(&elsewhere(&sandbox, "home/other")), "guard undecided");
    sandbox.project("guard.lua", "two()");
    assert_eq!(states(&sandbox.discover_as_it_is(&[])), "guard undecided");
    sandbox.project("guard.lua", "one()");
    sandbox.store().withdraw([(&found.project[0].key, found.project[0].hash)]).unwrap();
    assert_eq!(states(&sandbox.discover_as_it_is(&[])), "guard undecided");
}

#[test]
fn what_is_taken_back_is_trusted_nowhere() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "one()");
    let found = sandbox.discover();
    copy(&sandbox.path("home/code"), &sandbox.path("home/other"));
    let other = elsewhere(&sandbox, "home/other");
    trust_all(&sandbox.store(), &other);
    sandbox.store().withdraw([(&other.project[0].key, other.project[0].hash)]).unwrap();
    assert_eq!(states(&elsewhere(&sandbox, "home/other")), "guard undecided");
    assert_eq!(states(&sandbox.discover_as_it_is(&[])), "guard undecided");
    trust_all(&sandbox.store(), &found);
    assert_eq!(states(&sandbox.discover_as_it_is(&[])), "guard trusted");
    assert_eq!(states(&elsewhere(&sandbox, "home/other")), "guard undecided", "its own decision counts");
}

/// To take back a decision about a version that is not there any more says nothing about others who have it.
#[test]
fn what_was_not_trusted_here_stays_trusted_elsewhere() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "one()");
    let found = sandbox.discover();
    copy(&sandbox.path("home/code"), &sandbox.path("home/other"));
    trust_all(&sandbox.store(), &elsewhere(&sandbox, "home/other"));
    sandbox.project("guard.lua", "two()");
    let changed = sandbox.discover_as_it_is(&[]);
    sandbox.store().withdraw([(&changed.project[0].key, changed.project[0].hash)]).unwrap();
    assert_eq!(states(&elsewhere(&sandbox, "home/other")), "guard trusted");
    sandbox.project("guard.lua", "one()");
    assert_eq!(states(&sandbox.discover_as_it_is(&[])), "guard undecided");
    // Nor does it to end an ignoring.
    sandbox.store().ignore([(&found.project[0].key, &found.project[0].candidate.raw)]).unwrap();
    sandbox.store().withdraw([(&found.project[0].key, found.project[0].hash)]).unwrap();
    assert_eq!(states(&elsewhere(&sandbox, "home/other")), "guard trusted");
}

#[test]
fn pins_decide_alone_about_what_they_name() {
    let sandbox = Sandbox::new();
    sandbox.user("guard.lua", "mine()");
    sandbox.project("guard.lua", "x()");
    sandbox.project("other.lua", "x()");
    let found = sandbox.discover();
    let hash = found.project[0].hash;
    let wrong = format!("sha256:{}", "00".repeat(32)).parse().unwrap();
    let with = |names: &[(&str, _)]| {
        let pins = names.iter().map(|(name, hash)| Pin { name: (*name).to_owned(), hash: *hash }).collect();
        let trust = Trust { pins: Pins(pins), ..sandbox.trust() };
        discover_with(&sandbox.directories(), &[], &trust)
    };
    // By the short name, by the id and by the file; one of several is enough.
    for names in [&["guard"][..], &["guard-lua"], &["guard.lua"]] {
        let pins: Vec<_> = names.iter().map(|name| (*name, hash)).collect();
        assert_eq!(states(&with(&pins)), "guard trusted, other trusted", "{names:?}");
        let pins: Vec<_> = names.iter().map(|name| (*name, wrong)).collect();
        assert_eq!(states(&with(&pins)), "guard undecided, other trusted", "{names:?}");
    }
    assert_eq!(states(&with(&[("guard", wrong), ("guard", hash)])), "guard trusted, other trusted");
    let report = sandbox.report(&with(&[("guard", wrong), ("gard", hash)]));
    assert_snapshot!(report.replace(&hash.to_string(), "[hash]"), @"
    hook guard (user) ~/.config/snaphook/hooks/guard.lua
    hook other (project) .snaphook/hooks/other.lua
    Error .snaphook/hooks/guard.lua: the project hook \"guard-lua\" is not the version that --trust names (it is [hash]) (read it, then name this one: `snaphook trust --print guard-lua`)
    Warning --trust: there is no project hook \"gard\" (`snaphook list` names them)
    ");
}

#[test]
fn who_names_a_hook_of_the_project_trusts_it_for_this_run() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "x()");
    sandbox.project("other.lua", "x()");
    let found = sandbox.discover_as_it_is(&[".snaphook/hooks/guard.lua"]);
    assert_eq!(
        (states(&found).as_str(), &ids(&found)[..]),
        ("guard trusted, other undecided", &["guard"][..])
    );
    assert_eq!(states(&sandbox.discover_as_it_is(&[])), "guard undecided, other undecided");
}

#[test]
fn hooks_of_one_name_are_told_apart() {
    let sandbox = Sandbox::new();
    for name in ["guard.lua", "guard.rhai", "guard/init.lua", "lone.lua"] {
        sandbox.project(name, "x()");
    }
    assert_eq!(
        states(&sandbox.discover_as_it_is(&[])),
        "guard undecided, guard.lua undecided, guard.rhai undecided, lone undecided"
    );
}

/// The bytes that were read run: a file that changes later changes nothing of what was handed over.
#[test]
fn what_changes_after_it_was_read_is_not_what_was_decided_on() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "one()");
    let shown = sandbox.discover_as_it_is(&[]);
    sandbox.project("guard.lua", "two()");
    // The yes is about what was shown.
    trust_all(&sandbox.store(), &shown);
    assert_eq!(states(&sandbox.discover_as_it_is(&[])), "guard undecided");
    assert_eq!(&*shown.project[0].candidate.source, "one()");
}

#[cfg(unix)]
mod unix {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use snaphook_discovery::trust::Owners;

    use super::*;

    fn mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn links_out_of_the_project_deny() {
        let sandbox = Sandbox::new();
        let outside = sandbox.file("home/outside.lua", "x()");
        sandbox.link("home/code/.snaphook/hooks/out.lua", &outside);
        sandbox.file("home/code/tools/inside.lua", "x()");
        sandbox.link("home/code/.snaphook/hooks/inside.lua", sandbox.path("home/code/tools/inside.lua"));
        assert_snapshot!(sandbox.report_all(), @"
        hook inside (project) .snaphook/hooks/inside.lua
        Error .snaphook/hooks/out.lua: is a link that leads out of the project, so nothing of it runs (copy what it leads to into the project, or name it with --hook)
        ");
        let named = sandbox.discover_as_it_is(&[".snaphook/hooks/out.lua"]);
        assert_eq!(ids(&named), ["inside", "out"]);
    }

    #[test]
    fn a_checkout_that_cannot_be_written_is_decided_on() {
        let sandbox = Sandbox::new();
        let file = sandbox.project("guard.lua", "x()");
        let folders = ["home/code/.snaphook/hooks", "home/code/.snaphook", "home/code"];
        mode(&file, 0o444);
        folders.iter().for_each(|folder| mode(&sandbox.path(folder), 0o555));
        assert_eq!(states(&sandbox.discover()), "guard trusted");
        folders.iter().for_each(|folder| mode(&sandbox.path(folder), 0o755));
    }

    #[test]
    fn what_others_can_write_does_not_run() {
        let sandbox = Sandbox::new();
        let single = sandbox.user("single.lua", "x()");
        sandbox.user("folder/init.lua", "x()");
        let part = sandbox.user("folder/lib/part.lua", "x()");
        sandbox.user("fine.lua", "x()");
        sandbox.file("managed/all.lua", "x()");
        let managed = sandbox.path("managed");
        mode(&single, 0o664);
        mode(&part, 0o602);
        mode(&managed, 0o775);
        assert_snapshot!(sandbox.report_all(), @"
        hook fine (user) ~/.config/snaphook/hooks/fine.lua
        Error [root]/managed: can be changed by others than the administrator, so nothing in it runs (look at it, then `chmod go-w [root]/managed`)
        Error ~/.config/snaphook/hooks/folder/lib/part.lua: can be changed by others than you, so nothing in it runs (look at it, then `chmod go-w ~/.config/snaphook/hooks/folder/lib/part.lua`)
        Error ~/.config/snaphook/hooks/single.lua: can be changed by others than you, so nothing in it runs (look at it, then `chmod go-w ~/.config/snaphook/hooks/single.lua`)
        ");
        for path in [&single, &part, &managed] {
            mode(path, 0o755);
        }
        for folder in ["home/.config/snaphook/hooks", "home/.config/snaphook"] {
            mode(&sandbox.path(folder), 0o777);
            let found = sandbox.discover();
            assert_eq!(ids(&found), ["all"], "{folder}");
            assert_eq!(found.problems.len(), 1, "it is reported once: {:?}", found.problems);
            mode(&sandbox.path(folder), 0o755);
        }
        assert_eq!(ids(&sandbox.discover()), ["all", "fine", "folder", "single"]);
    }

    /// Files that may be written without a question must not take a gate away.
    #[test]
    fn what_was_trusted_and_is_no_hook_any_more_denies() {
        const GATE: &str = "#!/bin/sh\n#---\n# event: tool_call\n#---\nexit 2\n";
        const CHECK: &str = "#!/bin/sh\n#---\n# type: pre-commit\n#---\nexit 1\n";
        let sandbox = Sandbox::new();
        let gate = sandbox.project("gate.sh", GATE);
        let init = sandbox.project("folder/init.lua", "x()");
        let check = sandbox.file("home/code/.discobot/hooks/check.sh", CHECK);
        sandbox.project("notes.txt", "data");
        let mut directories = sandbox.directories();
        directories.add_compat([snaphook_core::Product::Discobot]);
        let found = || discover_with(&directories, &[], &sandbox.trust());
        let restore = || {
            for (path, text) in [(&gate, GATE), (&init, "x()"), (&check, CHECK)] {
                std::fs::write(path, text).unwrap();
                mode(path, 0o755);
            }
        };
        restore();
        trust_all(&sandbox.store(), &found());
        assert_eq!(states(&found()), "folder trusted, gate trusted, check trusted");
        type Change<'a> = &'a dyn Fn();
        let changes: [(&str, Change<'_>); 6] = [
            ("gate.sh", &|| std::fs::write(&gate, "").unwrap()),
            ("gate.sh", &|| std::fs::write(&gate, "#!/bin/sh\nexit 0\n").unwrap()),
            ("folder", &|| std::fs::remove_file(&init).unwrap()),
            (".discobot/hooks/check.sh", &|| mode(&check, 0o644)),
            (".discobot/hooks/check.sh", &|| {
                std::fs::write(&check, "#!/bin/sh\n#---\n# name: x\n#---\n").unwrap()
            }),
            ("gate.sh", &|| {
                std::fs::write(&gate, GATE.replace("#!/bin/sh\n", "")).unwrap();
                mode(&gate, 0o644);
            }),
        ];
        for (at, (name, change)) in changes.into_iter().enumerate() {
            change();
            let found = found();
            let errors: Vec<_> = found
                .problems
                .iter()
                .filter(|problem| problem.severity == snaphook_core::Severity::Error)
                .collect();
            assert_eq!(errors.len(), 1, "{at}: {errors:?}");
            assert_eq!(errors[0].cause, Some(snaphook_core::Cause::Untrusted), "{at}");
            assert!(
                errors[0].to_string().contains(&format!("snaphook untrust {name}")),
                "{at}: {}",
                errors[0]
            );
            restore();
        }
        // What a person says ends it, here and nowhere else. What is gone is missed as well.
        std::fs::write(&gate, "").unwrap();
        let former = found().former;
        sandbox.store().withdraw(former.iter().map(|former| (&former.key, former.hash()))).unwrap();
        assert!(found().former.is_empty() && found().problems.iter().all(|problem| problem.cause.is_none()));
        std::fs::remove_file(&check).unwrap();
        let missed: Vec<_> = found().former.into_iter().map(|former| former.key.hook).collect();
        assert_eq!(missed, [".discobot/hooks/check.sh"]);
        // Who does not have hooks of the other product loaded does not miss them.
        assert!(sandbox.discover_as_it_is(&[]).former.is_empty());
    }

    #[test]
    fn a_link_to_what_others_can_write_does_not_run() {
        let sandbox = Sandbox::new();
        sandbox.file("home/dotfiles/mine.lua", "x()");
        sandbox.link("home/.config/snaphook/hooks/mine.lua", sandbox.path("home/dotfiles/mine.lua"));
        assert_eq!(ids(&sandbox.discover()), ["mine"]);
        mode(&sandbox.path("home/dotfiles"), 0o777);
        assert_snapshot!(sandbox.report_all(), @"Error ~/dotfiles: can be changed by others than you, so nothing in it runs (look at it, then `chmod go-w ~/dotfiles`)");
    }

    #[test]
    fn what_belongs_to_others_does_not_run() {
        let sandbox = Sandbox::new();
        sandbox.user("mine.lua", "x()");
        sandbox.file("managed/all.lua", "x()");
        // Seen by another user.
        let me = Owners::default().user;
        let nobody = Owners { admin: me + 1, user: me + 2 };
        let found = discover_with(&sandbox.directories(), &[], &Trust { owners: nobody, ..Trust::default() });
        // What belongs to root is as good as one's own, also for those who test as root.
        let expected: &[&str] = if me == 0 { &["all", "mine"] } else { &[] };
        assert_eq!(ids(&found), expected);
        let theirs =
            found.problems.iter().filter(|problem| problem.message.contains(&format!("the id {me}")));
        assert_eq!(theirs.count() > 0, me != 0, "{:?}", found.problems);
    }
}

#[test]
fn states_have_their_words() {
    let words = [TrustState::Trusted, TrustState::Ignored, TrustState::Undecided].map(TrustState::as_str);
    assert_eq!(words, ["trusted", "ignored", "undecided"]);
}
