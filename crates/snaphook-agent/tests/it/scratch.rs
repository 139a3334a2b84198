//! Scratch projects: what is in them, what reaches them, and that they go.

use std::collections::BTreeMap;
use std::fs::{File, FileTimes};
use std::path::Path;
use std::time::{Duration, SystemTime};

use snaphook_agent::scratch::{Base, CopyLimits};
use snaphook_command::process::{self, Request};
use tempfile::TempDir;

use crate::support::{Project, create, project};

async fn git(project: &Project, command: &str) -> String {
    let request = Request {
        args: vec!["-c".into(), command.into()],
        env: project.scratch.env().to_vec(),
        ..Request::new("bash", project.path())
    };
    let output = process::run(request).await.unwrap();
    format!("{}{}", output.stdout, output.stderr)
}

fn put(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let place = folder.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }
}

#[tokio::test]
async fn the_sample_is_a_repository_that_works_with_bash_and_git() {
    let project = project(Base::Sample).await;
    assert!(project.scratch.problems().is_empty(), "{:?}", project.scratch.problems());
    assert_eq!(git(&project, "git status --short --branch --ignored").await, "## main\n!! .env\n");
    assert_eq!(
        git(&project, "git log --format='%an %ad %s' --date=iso").await,
        "Sample Author 2026-01-01 12:00:00 +0000 Start\n"
    );
    assert_eq!(git(&project, "git remote; git config core.hooksPath").await, ".git/hooks\n");
    assert_eq!(git(&project, "bash build.sh && build/greeter Ada").await.lines().last(), Some("Hello, Ada!"));
    assert_eq!(
        git(&project, "tests/run.sh").await,
        "ok   greets by name\nok   trims the name\nFAIL greets the world: expected 'Hello, world!', got 'Hello, !'\n"
    );
}

#[tokio::test]
async fn the_first_commit_is_the_same_in_every_run() {
    let (one, two) = (project(Base::Sample).await, project(Base::Sample).await);
    let head = "git rev-parse HEAD";
    assert_eq!(git(&one, head).await, git(&two, head).await);
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_is_copied_without_what_git_ignores() {
    let source = TempDir::new().unwrap();
    put(
        source.path(),
        &[
            ("src/main.txt", "main"),
            (".hidden", "hidden"),
            (".gitignore", "*.log\n/target\n"),
            ("a.log", "ignored"),
            ("target/out", "ignored"),
            (".git/config", "[remote \"origin\"]\n\turl = git@example.com:x\n"),
        ],
    );
    for (to, name) in [("src", "inside"), ("/etc/hostname", "outside"), ("gone", "dangling")] {
        std::os::unix::fs::symlink(to, source.path().join(name)).unwrap();
    }
    // The folder of the scratch projects lies within what is copied.
    let under = source.path().join("state/scratch");
    let base = Base::Directory(source.path().to_owned());
    let scratch = create(&under, &base, &BTreeMap::new(), CopyLimits::default()).await.unwrap();
    let mut found: Vec<_> = std::fs::read_dir(scratch.project())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, [".git", ".gitignore", ".hidden", "inside", "src", "state"]);
    assert_eq!(std::fs::read_dir(scratch.project().join("state")).unwrap().count(), 0);
    let config = std::fs::read_to_string(scratch.project().join(".git/config")).unwrap();
    assert!(!config.contains("remote"), "{config}");
    let problems: Vec<_> = scratch.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "dangling: not copied: a symbolic link that leads outside or nowhere",
            "outside: not copied: a symbolic link that leads outside or nowhere"
        ]
    );
}

#[tokio::test]
async fn too_much_is_refused_and_leaves_nothing() {
    let source = TempDir::new().unwrap();
    put(source.path(), &[("a", "12345"), ("b", "12345"), ("c", "12345")]);
    let under = TempDir::new().unwrap();
    let base = Base::Directory(source.path().to_owned());
    for (entries, bytes, fits) in [(3, 15, true), (2, 15, false), (3, 14, false)] {
        let made = create(under.path(), &base, &BTreeMap::new(), CopyLimits { entries, bytes }).await;
        assert_eq!(made.is_ok(), fits, "{entries} {bytes}");
        if let Some(error) = made.err() {
            assert!(error.to_string().contains("name a smaller folder"), "{error}");
        }
        assert_eq!(std::fs::read_dir(under.path()).unwrap().count(), 0);
    }
    let missing = Base::Directory(source.path().join("a"));
    let error = create(under.path(), &missing, &BTreeMap::new(), CopyLimits::default()).await.unwrap_err();
    assert!(error.to_string().ends_with("a is not a folder"), "{error}");
}

#[tokio::test]
async fn recorded_files_are_put_on_top_and_stay_inside() {
    let under = TempDir::new().unwrap();
    let files = [("README.md", "other"), ("new/deep.txt", "deep"), ("../../out.txt", "out")];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    let scratch = create(under.path(), &Base::Sample, &files, CopyLimits::default()).await.unwrap();
    assert_eq!(std::fs::read_to_string(scratch.project().join("README.md")).unwrap(), "other");
    assert_eq!(std::fs::read_to_string(scratch.project().join("new/deep.txt")).unwrap(), "deep");
    assert!(!under.path().join("out.txt").exists());
    assert_eq!(
        scratch.problems().first().map(ToString::to_string).as_deref(),
        Some(
            "../../out.txt: not re-created in the scratch project: ../../out.txt is outside the session's scratch project"
        )
    );
}

#[tokio::test]
async fn it_goes_when_it_is_dropped() {
    let Project { scratch, under } = project(Base::Sample).await;
    assert_eq!(std::fs::read_dir(under.path()).unwrap().count(), 1);
    drop(scratch);
    assert_eq!(std::fs::read_dir(under.path()).unwrap().count(), 0);
    let scratch = create(under.path(), &Base::Empty, &BTreeMap::new(), CopyLimits::default()).await.unwrap();
    scratch.close().unwrap();
    assert_eq!(std::fs::read_dir(under.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn what_a_killed_run_left_is_swept_but_not_what_lives() {
    let living = project(Base::Empty).await;
    let under = living.under.path();
    let old = SystemTime::now() - Duration::from_secs(25 * 60 * 60);
    let age = |file: &Path| {
        File::options().write(true).open(file).unwrap().set_times(FileTimes::new().set_modified(old)).unwrap()
    };
    put(
        under,
        &[
            ("session-dead/lock", ""),
            ("session-dead/project/x", ""),
            ("session-young/lock", ""),
            ("other/lock", ""),
        ],
    );
    age(&under.join("session-dead/lock"));
    age(&under.join("other/lock"));
    age(&living.path().with_file_name("lock"));
    let next = create(under, &Base::Empty, &BTreeMap::new(), CopyLimits::default()).await.unwrap();
    assert!(!under.join("session-dead").exists());
    assert!(under.join("session-young").exists() && under.join("other").exists());
    assert!(living.path().exists() && next.project().exists());
}
