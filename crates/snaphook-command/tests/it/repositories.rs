//! Repositories from elsewhere: what their configuration, their index and their parts say must neither run anything nor lead
//! elsewhere.

use std::process::Command;
use std::time::SystemTime;

use snaphook_command::changes::Source;

use crate::changes::{Bed, names};

/// A program that the repository's own configuration names is the project's code. In each row git by itself runs one, and what we ask
/// does not.
#[tokio::test]
async fn no_program_of_the_repositorys_own_runs() {
    let partial = "git config core.repositoryFormatVersion 1; git config extensions.partialClone o; git config remote.o.promisor true; \
         tree=$(git rev-parse HEAD^{tree} | sed 's|^..|&/|'); rm -f .git/objects/$tree; git config remote.o";
    for (what, script, expected) in [
        ("clean", "git config filter.x.clean TRAP; git config filter.x.required true", ""),
        ("process", "git config filter.x.process TRAP", ""),
        (
            "an odd name",
            "git config filter.x=y.clean TRAP; echo 'a filter=x=y' > .git/info/attributes",
            "walked",
        ),
        (
            "a file that is included",
            "git config include.path more; git config -f .git/more filter.x.clean TRAP",
            "",
        ),
        (
            "the working tree's own",
            "git config extensions.worktreeConfig true; git config --worktree filter.x.clean TRAP",
            "",
        ),
        (
            "one of the person's is another",
            "git config filter.own.clean TRAP; echo 'a filter=own' > .git/info/attributes",
            "",
        ),
        (
            "one that a filter of the person's runs",
            "git config lfs.extension.x.clean TRAP; echo 'a filter=lfs' > .git/info/attributes",
            "",
        ),
        ("the monitor", "git config core.fsmonitor TRAP", ""),
        (
            "the monitor and a filter of a submodule",
            "cd sub; git config core.fsmonitor TRAP; git config filter.x.clean TRAP; echo 'l filter=x' > ../.git/modules/sub/info/attributes",
            "",
        ),
        ("what fetches objects", &format!("{partial}.url \"$PWD\"; {partial}.uploadPack TRAP"), "walked"),
        (
            "what fetches them for a remote",
            &format!("{partial}.url 'sh -c TRAP'; {partial}.vcs ext; git config protocol.ext.allow always"),
            "walked",
        ),
    ] {
        let bed = Bed::repository();
        let trap = bed.root.path().join("trap");
        let sprung = trap.with_extension("sprung");
        crate::executable(&trap, &format!("#!/bin/sh\ntouch {}\nexit 1\n", sprung.display())).await;
        let home = bed.path("../home/.gitconfig");
        let own = "[filter \"own\"]\n clean = cat\n[filter \"lfs\"]\n clean = $(git config lfs.extension.x.clean) cat\n";
        std::fs::write(&home, std::fs::read_to_string(&home).unwrap() + own).unwrap();
        bed.write("../library/l", "1");
        bed.library("sub");
        bed.write("a", "1");
        bed.write(".gitattributes", "a filter=x\n");
        bed.commit();
        let script = script.replace("TRAP", trap.to_str().unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-ec", &script]).current_dir(bed.project()).env_clear().envs(bed.env.clone());
        let set_up = shell.output().unwrap();
        assert!(set_up.status.success(), "{what}: {set_up:?}");
        // git reads the file to know whether it changed.
        for name in ["a", "sub/l"] {
            std::fs::File::open(bed.path(name)).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }
        let dirty = bed.look().await;
        let found: String = match &dirty.source {
            Source::Git => names(&dirty).iter().map(|name| format!("+{name}")).collect(),
            _ => "walked".to_owned(),
        };
        assert!(!sprung.exists(), "{what}: a program of the repository ran");
        let mut plain = Command::new("git");
        plain.args(["status", "--porcelain"]).current_dir(bed.project()).env_clear().envs(bed.env.clone());
        drop(plain.output().unwrap());
        assert!(sprung.exists(), "{what}: git by itself does not run it, so the row shows nothing");
        assert_eq!(found, expected, "{what}: {dirty:?}");
    }
}

/// git itself would say `../secret`, and a check that formats what changed would write it.
#[tokio::test]
async fn an_index_that_names_files_elsewhere_is_not_believed() {
    let bed = Bed::repository();
    bed.write("../secret", "1");
    bed.write("xx/secret", "1");
    bed.write("b", "1");
    bed.git(&["add", "-A"]);
    let index = std::fs::read(bed.path(".git/index")).unwrap();
    let at = index.windows(9).position(|bytes| bytes == b"xx/secret").unwrap();
    let forged = [&index[..at], b"../", &index[at + 3..]].concat();
    std::fs::write(bed.path(".git/index"), forged).unwrap();
    let dirty = bed.look().await;
    assert!(
        matches!(&dirty.source, Source::WalkInstead(why) if why.contains("names a file outside: ../secret")),
        "{dirty:?}"
    );
    assert_eq!(names(&dirty), ["b", "xx/secret"]);
}

/// A clone can bring a folder that looks like a repository, with a configuration in it.
#[tokio::test]
async fn a_folder_of_the_project_is_no_repository() {
    let bed = Bed::repository();
    for name in ["sub/objects/x", "sub/refs/x"] {
        bed.write(name, "");
    }
    bed.write("sub/HEAD", "ref: refs/heads/main");
    bed.write("sub/config", "[core]\n bare = false\n worktree = ../..\n");
    bed.write("sub/a", "1");
    let dirty = bed.look_in(&bed.path("sub"), None).await;
    assert!(
        matches!(&dirty.source, Source::WalkInstead(why) if why.contains("bare repository")),
        "{dirty:?}"
    );
    assert!(names(&dirty).contains(&"a".to_owned()), "{dirty:?}");
}

/// Changes in a part of the project are not missed because it is broken.
#[tokio::test]
async fn a_submodule_that_git_cannot_read_is_walked_over_with_the_rest() {
    for (what, damage) in [
        ("no repository", "echo nonsense > .git/modules/sub/HEAD"),
        ("nothing behind its file", "echo 'gitdir: /nowhere' > sub/.git"),
        ("no settings that can be read", "echo '[' > .git/modules/sub/config"),
    ] {
        let bed = Bed::repository();
        bed.write("../library/l", "1");
        bed.library("sub");
        bed.commit();
        bed.write("sub/l", "2");
        assert_eq!(names(&bed.look().await), ["sub", "sub/l"], "{what}");
        let done = Command::new("sh").args(["-ec", damage]).current_dir(bed.project()).status().unwrap();
        assert!(done.success(), "{what}");
        let dirty = bed.look().await;
        assert!(matches!(dirty.source, Source::WalkInstead(_)), "{what}: {dirty:?}");
        assert!(names(&dirty).contains(&"sub/l".to_owned()), "{what}: {dirty:?}");
    }
}
