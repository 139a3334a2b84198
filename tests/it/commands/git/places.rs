//! The place of the script: odd paths, working trees, submodules, `core.hooksPath`, projects in folders, other hook tools, and that an
//! agent's start puts it there.

use serde_json::json;

use super::super::{executable, program};
use super::{NO_BAD, PASSES, Repo, TELLS, text};
use crate::support::CommandOutput;

#[test]
fn paths_with_anything_in_them_work() {
    let name = "it's \"a\" $(touch canary) `x` \\ project\nline";
    let repo = Repo::named(name);
    repo.user_hook("tells.lua", TELLS);
    // The program's own path, too.
    let bin = repo.place.path("b'in \"$(touch canary)\"\n");
    std::fs::create_dir_all(&bin).unwrap();
    let ours = bin.join("snaphook");
    std::fs::copy(env!("CARGO_BIN_EXE_snaphook"), &ours).unwrap();
    let said = repo.started(repo.place.program(ours.to_str().unwrap(), &["git", "install"]));
    assert_eq!(said.code, 0, "{said:?}");
    repo.stage("a file.txt", "1");
    let said = repo.commit(&[]);
    assert!(said.code == 1 && said.stderr.contains("sees [a file.txt]"), "{said:?}");
    for canary in [repo.folder.join("canary"), repo.place.path("canary"), repo.folder.join(".git/canary")] {
        assert!(!canary.exists(), "{}", canary.display());
    }
    assert_eq!(repo.status()["state"], "outdated", "it calls the other program");
    assert_eq!(repo.snaphook(&["git", "uninstall"]).code, 0);
    assert!(!repo.script().exists());
}

#[test]
fn a_linked_working_tree_has_the_same_hook() {
    let repo = Repo::new();
    repo.stage("a.txt", "1");
    repo.commits(&[]);
    let tree = repo.place.path("other tree");
    assert_eq!(repo.git(&["worktree", "add", "-q", tree.to_str().unwrap(), "-b", "other"]).code, 0);
    let hook = repo.user_hook("tells.lua", TELLS);
    let there = Repo { folder: tree, ..repo };
    there.fine(&["git", "install"]);
    let here = there.place.path("project");
    assert!(here.join(".git/hooks/pre-commit").is_file(), "in the folder that all trees share");
    there.stage("b.txt", "1");
    let said = there.commit(&[]);
    assert!(said.code == 1 && said.stderr.contains("sees [b.txt]"), "{said:?}");
    // The last hook goes here, but the other tree has hooks in its project.
    std::fs::remove_file(hook).unwrap();
    there.place.write("project/.snaphook/hooks/theirs.lua", PASSES);
    there.commits(&[]);
    assert!(here.join(".git/hooks/pre-commit").is_file());
    std::fs::remove_dir_all(here.join(".snaphook")).unwrap();
    there.stage("c.txt", "1");
    there.commits(&[]);
    assert!(!here.join(".git/hooks/pre-commit").exists());
}

#[test]
fn a_hooks_path_of_the_repository_is_used_and_others_are_refused() {
    let repo = Repo::new();
    repo.user_hook("tells.lua", TELLS);
    repo.stage("a.txt", "1");
    assert_eq!(repo.git(&["config", "core.hooksPath", ".githooks"]).code, 0);
    // Relative to the top, wherever the command is called.
    repo.write("deep/er/x", "");
    let said = repo.fine(&["git", "install", "--cwd", "deep/er"]);
    assert!(said.stdout.contains("core.hooksPath is .githooks, in the working tree"), "{said:?}");
    assert!(repo.folder.join(".githooks/pre-commit").is_file());
    assert!(repo.commit(&[]).stderr.contains("sees [a.txt]"));
    repo.fine(&["git", "uninstall"]);
    assert!(!repo.folder.join(".githooks/pre-commit").exists());

    for (path, part) in
        [("/dev/null", "switches the repository's hooks off"), (".husky/_", ".husky/pre-commit instead")]
    {
        repo.git(&["config", "core.hooksPath", path]);
        let said = repo.snaphook(&["git", "install"]);
        assert!(said.code == 64 && said.stderr.contains(part), "{path}: {said:?}");
        assert!(repo.status()["refused"].as_str().unwrap().contains(part));
    }
    repo.git(&["config", "--unset", "core.hooksPath"]);
    let shared = repo.place.path("shared hooks");
    repo.git(&["config", "--global", "core.hooksPath", shared.to_str().unwrap()]);
    let said = repo.snaphook(&["git", "install"]);
    assert!(said.code == 64 && said.stderr.contains("global configuration"), "{said:?}");
    assert!(said.stderr.contains("snaphook git run pre-commit") && !shared.exists());
    // With its own folder, as the advice has it.
    let own = repo.folder.join(".git/hooks");
    repo.git(&["config", "--local", "core.hooksPath", own.to_str().unwrap()]);
    repo.fine(&["git", "install"]);
    assert!(repo.commit(&[]).stderr.contains("sees [a.txt]"));
}

/// git names its index from where it is, and a project's programs are somewhere else.
#[test]
fn what_git_set_holds_in_a_project_s_folder_too() {
    let repo = Repo::new();
    repo.user_hook("words.lua", NO_BAD);
    std::fs::create_dir_all(repo.folder.join("sub/.snaphook")).unwrap();
    repo.fine(&["git", "install", "--cwd", "sub"]);
    repo.stage("sub/a.txt", "fine");
    repo.stage("sub/b.txt", "bad");
    repo.commits(&["sub/a.txt"]);
    let said = repo.commit(&[]);
    assert!(said.code == 1 && said.stderr.contains("bad word in b.txt"), "{said:?}");
    // Named so, git hands the name on as it is.
    let said = repo.git(&["--git-dir=.git", "--work-tree=.", "commit", "-qm", "x"]);
    assert!(said.code == 1 && said.stderr.contains("bad word in b.txt"), "{said:?}");
}

/// By hand, from a folder, with settings that make `git diff` leave out what is outside of it.
#[test]
fn called_from_a_folder_it_sees_all_that_is_staged() {
    let repo = Repo::new();
    repo.user_hook("tells.lua", TELLS);
    repo.stage("a.txt", "1");
    repo.stage("sub/b.txt", "1");
    assert_eq!(repo.git(&["config", "diff.relative", "true"]).code, 0);
    let mut command = repo.place.command(&["git", "run", "pre-commit"]);
    command.current_dir(repo.folder.join("sub"));
    let said = repo.place.finish(command.spawn().unwrap());
    assert!(said.code == 1 && said.stderr.contains("sees [a.txt sub/b.txt]"), "{said:?}");
}

/// `install` says what commits need.
#[test]
fn installing_for_an_agent_mentions_commits() {
    let repo = Repo::new();
    repo.user_hook("gate.lua", "on('tool_call', function() end)");
    let line = "run hooks before each commit: snaphook git install";
    assert!(!repo.fine(&["install", "claude-code", "--project"]).stdout.contains(line));
    repo.user_hook("passes.lua", PASSES);
    assert!(repo.fine(&["install", "claude-code", "--project"]).stdout.contains(line));
}

#[test]
fn other_hook_tools_get_advice() {
    for (foreign, advice) in [
        ("#!/bin/sh\ncall_lefthook run pre-commit\n", "lefthook.yml"),
        (
            "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n",
            "pre-commit.legacy",
        ),
        ("#!/bin/sh\nname=$(basename \"$0\")\n", "looks at its own name"),
    ] {
        let repo = Repo::new();
        repo.user_hook("passes.lua", PASSES);
        repo.foreign(foreign, 0o755);
        let said = repo.fine(&["git", "install"]);
        assert!(said.stdout.contains(advice), "{said:?}");
        assert!(repo.status()["advice"].to_string().contains(advice));
    }
}

#[test]
fn where_nobody_commits_nothing_is_installed() {
    let repo = Repo::new();
    repo.user_hook("passes.lua", PASSES);
    let bare = repo.place.path("bare.git");
    repo.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    let nothing = repo.place.path("home");
    for (folder, part) in [
        (bare.as_path(), "is bare"),
        (&repo.folder.join(".git"), "name a folder of its working tree"),
        (&nothing, "is not in a git repository: run `git init`"),
    ] {
        let said = repo.snaphook(&["git", "install", "--cwd", folder.to_str().unwrap()]);
        assert!(said.code == 64 && said.stderr.contains(part), "{part}: {said:?}");
    }
    std::fs::create_dir_all(repo.script()).unwrap();
    let said = repo.snaphook(&["git", "install"]);
    assert!(said.code == 64 && said.stderr.contains("is not a file"), "{said:?}");
}

#[test]
fn git_s_own_variables_and_submodules_count() {
    let repo = Repo::new();
    repo.user_hook("tells.lua", TELLS);
    repo.stage("a.txt", "1");
    repo.commits(&["--no-verify"]);
    // A repository that is named by a variable.
    let elsewhere = repo.place.path("elsewhere");
    repo.git(&["init", "-q", elsewhere.to_str().unwrap()]);
    let mut command = repo.place.command(&["git", "install"]);
    // Its working tree is where it is called, as git has it.
    command.env("GIT_DIR", "../elsewhere/.git");
    let said = repo.started(command);
    assert!(!repo.script().exists(), "{said:?}");
    assert!(elsewhere.join(".git/hooks/pre-commit").is_file(), "{said:?}");
    // A submodule has its own hooks, in the repository around it.
    let allow = ["-c", "protocol.file.allow=always"];
    let around = repo.place.path("around");
    repo.git(&["init", "-q", around.to_str().unwrap()]);
    let from = repo.folder.display().to_string();
    let around = Repo { folder: around, ..repo };
    let said = around.git(&[&allow[..], &["submodule", "--quiet", "add", &from, "sub"]].concat());
    assert_eq!(said.code, 0, "{said:?}");
    let sub = Repo { folder: around.folder.join("sub"), ..around };
    sub.fine(&["git", "install"]);
    assert!(sub.place.path("around/.git/modules/sub/hooks/pre-commit").is_file());
    sub.stage("b.txt", "1");
    assert!(sub.commit(&[]).stderr.contains("sees [b.txt]"));
}

#[test]
fn projects_in_folders_of_a_repository_share_the_script() {
    let repo = Repo::new();
    for project in ["one", "two's $(touch canary)"] {
        std::fs::create_dir_all(repo.folder.join(project).join(".snaphook")).unwrap();
        repo.fine(&["git", "install", "--cwd", project]);
    }
    repo.user_hook("tells.lua", TELLS);
    repo.stage("outside.txt", "1");
    let said = repo.commit(&[]);
    assert!(said.stderr.contains("sees []"), "{said:?}");
    repo.stage("one/a.txt", "1");
    assert!(repo.commit(&[]).stderr.contains("sees [a.txt]"));
    assert_eq!(repo.status()["projects"], json!(["one", "two's $(touch canary)"]));
    assert!(repo.fine(&["git", "uninstall", "--cwd", "one"]).stdout.contains("stays for other projects"));
    repo.stage("two's $(touch canary)/b.txt", "1");
    assert!(repo.commit(&[]).stderr.contains("sees [b.txt]"));
    repo.fine(&["git", "uninstall", "--cwd", "two's $(touch canary)"]);
    assert!(!repo.script().exists() && !repo.folder.join("canary").exists());
}

/// A session of an agent begins.
fn session_starts(repo: &Repo, more: &[&str]) -> CommandOutput {
    let payload = serde_json::json!({
        "session_id": "s1", "transcript_path": "/nowhere", "cwd": repo.folder, "hook_event_name": "SessionStart", "source": "startup",
    });
    let said = repo
        .place
        .run_with_stdin(&[&["hook", "claude-code", "SessionStart"], more].concat(), &payload.to_string());
    assert_eq!(said.code, 0, "{said:?}");
    said
}

#[test]
fn a_session_with_discobot_s_hooks_for_commits_installs_the_script() {
    let repo = Repo::new();
    let hook =
        executable(&repo.place, "project/.discobot/hooks/x.sh", "type: file\npattern: \"*\"", "exit 0");
    repo.foreign("#!/bin/sh\n", 0o755);
    let trusted = |text: &str| {
        std::fs::write(&hook, text).unwrap();
        let pins = repo.fine(&["trust", "--print", "--compat", "discobot"]).stdout;
        repo.fine(&[&["trust", "--compat", "discobot"][..], &pins.lines().collect::<Vec<_>>()].concat());
    };
    trusted("#!/bin/sh\n#---\n# type: session\n#---\n");
    session_starts(&repo, &["--compat", "discobot"]);
    assert_eq!(text(&repo.script()), "#!/bin/sh\n", "no hook is for commits");
    trusted("#!/bin/sh\n#---\n# type: pre-commit\n#---\necho no; exit 1\n");
    session_starts(&repo, &[]);
    assert_eq!(text(&repo.script()), "#!/bin/sh\n", "its hooks are not in use");

    session_starts(&repo, &["--compat", "discobot"]);
    assert!(text(&repo.script()).contains("# snaphook:managed"));
    assert_eq!(text(&repo.original()), "#!/bin/sh\n");
    // The script knows whose hooks it runs, also where the person's settings do not say so.
    repo.stage("a.txt", "1");
    assert_eq!(repo.commit(&[]).code, 1);
    let script = text(&repo.script());
    session_starts(&repo, &["--compat", "discobot"]);
    assert_eq!(text(&repo.script()), script);
    repo.fine(&["git", "uninstall"]);
    repo.fine(&["git", "install", "--compat", "discobot"]);
    assert_eq!(text(&repo.script()), script);
}

/// A person who looks at a repository, or sets it up, need not have trusted it.
#[test]
fn no_program_that_the_repository_names_runs_for_us() {
    let repo = Repo::new();
    repo.user_hook("passes.lua", PASSES);
    repo.stage("a.txt", "1");
    repo.commits(&[]);
    let sprung = repo.place.path("sprung");
    program(&repo.place, "trap", format!("#!/bin/sh\ntouch {}\nexit 1\n", sprung.display()));
    let trap = repo.place.path("trap");
    for name in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "diff.external",
        "diff.x.textconv",
        "filter.x.clean",
        "filter.x.process",
        "gpg.program",
        "pager.config",
        "pager.diff",
    ] {
        assert_eq!(repo.git(&["config", name, trap.to_str().unwrap()]).code, 0);
    }
    repo.write(".git/info/attributes", "* filter=x diff=x\n");
    for args in [
        &["git", "install"][..],
        &["git", "status"],
        &["git", "run", "pre-commit"],
        &["status"],
        &["list"],
        &["git", "uninstall"],
    ] {
        repo.fine(args);
        assert!(!sprung.exists(), "{args:?}");
    }
    repo.git(&["status"]);
    assert!(sprung.exists(), "git by itself runs none, so nothing was shown");
}

/// A hook that formats what is staged would write what such a name leads to.
#[test]
fn an_index_that_names_files_elsewhere_refuses_the_commit() {
    let repo = Repo::new();
    repo.user_hook("tells.lua", TELLS);
    repo.stage("xx/secret", "1");
    let index = std::fs::read(repo.folder.join(".git/index")).unwrap();
    let at = index.windows(9).position(|bytes| bytes == b"xx/secret").unwrap();
    let forged = [&index[..at], b"../", &index[at + 3..]].concat();
    std::fs::write(repo.folder.join(".git/index"), forged).unwrap();
    let said = repo.snaphook(&["git", "run", "pre-commit"]);
    assert!(said.code == 1 && said.stderr.contains("names a file outside: ../secret"), "{said:?}");
    assert!(!said.stderr.contains("sees ["), "{said:?}");
}
