//! Changed files, with a real git. What git is asked with must not depend on whose settings, variables or folders these are.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use snaphook_command::changes::{Dirty, FileState, LookOptions, Marker, Source, look};
use tempfile::TempDir;

/// A home and a project folder; git is called with nothing of the machine's own settings.
pub(crate) struct Bed {
    pub(crate) root: TempDir,
    pub(crate) env: Vec<(OsString, OsString)>,
}

impl Bed {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["home", "project"] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        let mut env: Vec<(OsString, OsString)> = vec![("PATH".into(), crate::PATH.into())];
        env.push(("HOME".into(), root.path().join("home").into()));
        env.push(("GIT_CONFIG_NOSYSTEM".into(), "1".into()));
        let bed = Bed { root, env };
        bed.write("../home/.gitconfig", "[user]\n name = t\n email = t@t\n[init]\n defaultBranch = main\n");
        bed
    }

    pub(crate) fn repository() -> Self {
        let bed = Bed::new();
        bed.git(&["init", "-q"]);
        bed
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.project().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn git(&self, args: &[&str]) {
        self.git_in(&self.project(), args);
    }

    pub(crate) fn git_in(&self, folder: &Path, args: &[&str]) {
        let mut git = Command::new("git");
        let done = git.args(args).current_dir(folder).env_clear().envs(self.env.clone()).output().unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    pub(crate) fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "all"]);
    }

    /// Makes a repository of what is in the folder `library`, and a submodule of that.
    pub(crate) fn library(&self, name: &str) {
        let library = self.root.path().join("library");
        self.git_in(&library, &["init", "-q"]);
        self.git_in(&library, &["add", "-A"]);
        self.git_in(&library, &["commit", "-q", "-m", "l"]);
        let library = library.to_str().unwrap();
        self.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, name]);
    }

    pub(crate) async fn look(&self) -> Dirty {
        self.look_in(&self.project(), None).await
    }

    pub(crate) async fn look_in(&self, folder: &Path, marker: Option<&Marker>) -> Dirty {
        look(LookOptions::new(folder, &self.env), marker).await
    }

    pub(crate) fn marker(&self) -> PathBuf {
        self.root.path().join(".last-eval")
    }

    /// Looks, says what is new since the marker, and moves it on.
    pub(crate) async fn fresh(&self) -> String {
        let before = Marker::read(&self.marker(), &self.project()).unwrap();
        let dirty = self.look_in(&self.project(), before.as_ref()).await;
        dirty.marker(&self.project(), before.as_ref()).write(&self.marker()).unwrap();
        let new = dirty.new_since(&self.project(), before.as_ref());
        new.iter().map(|file| file.name.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// The names; `-` before one that was deleted, `?` before one that cannot be passed on.
pub(crate) fn names(dirty: &Dirty) -> Vec<String> {
    let one = |file: &snaphook_command::changes::File| match file.state {
        FileState::Present => file.name.clone(),
        FileState::Deleted => format!("-{}", file.name),
        FileState::Unnameable => format!("?{}", file.name),
    };
    dirty.files.iter().map(one).collect()
}

#[tokio::test]
async fn everything_that_is_not_committed_is_dirty() {
    let bed = Bed::repository();
    for name in ["same", "changed", "staged", "both", "gone", "gone staged", "before"] {
        bed.write(name, "a long enough text that a rename is found\n");
    }
    bed.write(".gitignore", "*.o\nbuild/\n");
    bed.commit();
    bed.write("changed", "b");
    bed.write("staged", "b");
    bed.git(&["add", "staged"]);
    bed.write("both", "b");
    bed.git(&["add", "both"]);
    bed.write("both", "c");
    std::fs::remove_file(bed.path("gone")).unwrap();
    bed.git(&["rm", "-q", "gone staged"]);
    bed.git(&["mv", "before", "after"]);
    bed.write("deep/er/new.go", "x");
    bed.write("x.o", "ignored");
    bed.write("build/x", "ignored");
    let dirty = bed.look().await;
    assert_eq!(dirty.source, Source::Git);
    assert_eq!(
        names(&dirty),
        ["after", "-before", "both", "changed", "deep/er/new.go", "-gone", "-gone staged", "staged"]
    );
}

#[tokio::test]
async fn a_repository_without_a_commit_has_only_dirty_files() {
    let bed = Bed::repository();
    bed.write("a", "1");
    bed.write("b", "1");
    bed.git(&["add", "a"]);
    assert_eq!(names(&bed.look().await), ["a", "b"]);
}

#[tokio::test]
async fn names_are_what_they_are() {
    let bed = Bed::repository();
    let odd = ["a b", "it's", "\"q\"", "new\nline", "tab\t", "-n", "ä", "$(touch x)", "?", "back\\slash"];
    for name in odd {
        bed.write(name, "1");
    }
    std::fs::write(bed.project().join(OsStr::from_bytes(b"latin-\xe4")), "1").unwrap();
    let mut expected: Vec<String> = odd.iter().map(|name| (*name).to_owned()).collect();
    expected.push("?latin-\u{fffd}".to_owned());
    for staged in [false, true] {
        if staged {
            bed.git(&["add", "-A"]);
        }
        let mut found = names(&bed.look().await);
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "staged: {staged}");
    }
}

#[tokio::test]
async fn a_project_in_a_folder_of_a_repository_sees_its_own_files() {
    let bed = Bed::repository();
    bed.write("sub/in.go", "1");
    bed.write("sub2/out.go", "1");
    bed.write("out.go", "1");
    bed.commit();
    for name in ["sub/in.go", "sub2/out.go", "out.go", "sub/new dir/x.go"] {
        bed.write(name, "2");
    }
    let dirty = bed.look_in(&bed.path("sub"), None).await;
    assert_eq!(names(&dirty), ["in.go", "new dir/x.go"]);

    // A folder that the repository around it ignores has files all the same.
    bed.write(".gitignore", "sub2/\n");
    bed.write("free/.gitignore", "");
    bed.git(&["rm", "-rq", "--cached", "sub2"]);
    let dirty = bed.look_in(&bed.path("sub2"), None).await;
    assert_eq!((names(&dirty), &dirty.source), (vec!["out.go".to_owned()], &Source::Walk));
}

#[tokio::test]
async fn worktrees_submodules_and_repositories_inside_are_looked_into() {
    let bed = Bed::repository();
    bed.write("a", "1");
    bed.commit();
    let tree = bed.root.path().join("tree");
    bed.git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
    std::fs::write(tree.join("a"), "2").unwrap();
    assert_eq!(names(&bed.look_in(&tree, None).await), ["a"]);
    assert!(names(&bed.look().await).is_empty(), "the first tree is clean");

    bed.write("../library/l.go", "1");
    bed.library("vendor/l");
    bed.commit();
    assert!(names(&bed.look().await).is_empty());
    // Whatever its settings say of it.
    bed.git(&["config", "-f", ".gitmodules", "submodule.vendor/l.ignore", "all"]);
    bed.commit();
    bed.write("vendor/l/l.go", "2");
    bed.write("vendor/l/new.go", "2");
    bed.write("own/x.go", "1");
    bed.git_in(&bed.path("own"), &["init", "-q"]);
    let found = names(&bed.look().await);
    assert_eq!(found, ["own", "own/x.go", "vendor/l", "vendor/l/l.go", "vendor/l/new.go"]);
}

/// Settings that change what git prints, that start programs, and variables of a git that calls us.
#[tokio::test]
async fn nobodys_settings_or_variables_get_in_the_way() {
    let mut bed = Bed::repository();
    bed.write("old name.go", "a long enough text that a rename is found\n");
    bed.commit();
    bed.git(&["mv", "old name.go", "ünew.go"]);
    bed.write("dir/untracked", "1");
    let expected = ["dir/untracked", "-old name.go", "ünew.go"];
    assert_eq!(names(&bed.look().await), expected);
    let trap = bed.root.path().join("trap");
    let script = format!("#!/bin/sh\ntouch {}\n", trap.with_extension("sprung").display());
    crate::executable(&trap, &script).await;
    let trap = trap.display();
    bed.write(
        "../home/.gitconfig",
        &format!(
            "[core]\n quotePath = true\n fsmonitor = {trap}\n pager = {trap}\n hooksPath = /\n[color]\n ui = always\n status = always\n\
             [status]\n renames = copies\n showUntrackedFiles = no\n short = true\n branch = true\n relativePaths = false\n\
             [diff]\n renames = copies\n external = {trap}\n noprefix = true\n[alias]\n status = !{trap}\n"
        ),
    );
    for (name, value) in [
        ("GIT_DIR", "/nowhere"),
        ("GIT_WORK_TREE", "/"),
        ("GIT_INDEX_FILE", "/nowhere/index"),
        ("GIT_PREFIX", "dir/"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "status.short"),
        ("GIT_CONFIG_VALUE_0", "true"),
        ("GIT_LITERAL_PATHSPECS", "1"),
        ("GIT_EXTERNAL_DIFF", "false"),
        ("GIT_TRACE", "1"),
    ] {
        bed.env.push((name.into(), value.into()));
    }
    let dirty = bed.look().await;
    assert_eq!((names(&dirty), dirty.source), (expected.map(str::to_owned).to_vec(), Source::Git));
    assert!(!bed.root.path().join("trap.sprung").exists(), "a program of the settings ran");
}

/// Nothing is written into the repository: the agent may be in the middle of a commit.
#[tokio::test]
async fn looking_changes_nothing() {
    let bed = Bed::repository();
    bed.write("a", "1");
    bed.commit();
    bed.write("a", "1");
    let index = || std::fs::metadata(bed.path(".git/index")).unwrap().modified().unwrap();
    let before = index();
    std::fs::write(bed.path(".git/index.lock"), "").unwrap();
    let dirty = bed.look().await;
    assert_eq!((dirty.source, index()), (Source::Git, before));
}

#[tokio::test]
async fn where_git_cannot_say_the_folder_is_walked_and_why() {
    let bed = Bed::new();
    bed.write(".git/HEAD", "nonsense");
    bed.write(".gitignore", "*.o\n");
    bed.write("a", "1");
    bed.write("x.o", "1");
    let dirty = bed.look().await;
    assert!(
        matches!(&dirty.source, Source::WalkInstead(why) if why.contains("not a git repository")),
        "{dirty:?}"
    );
    assert_eq!(names(&dirty), [".gitignore", "a"]);

    let mut bed = Bed::repository();
    bed.write("a", "1");
    bed.env.retain(|(name, _)| name != "PATH");
    let dirty = bed.look().await;
    assert!(
        matches!(&dirty.source, Source::WalkInstead(why) if why.contains("git did not run")),
        "{dirty:?}"
    );
    assert_eq!(names(&dirty), ["a"]);
}

#[tokio::test]
async fn without_git_what_is_newer_than_the_beginning_is_dirty() {
    let bed = Bed::new();
    bed.write("old", "1");
    bed.write("deep/old", "1");
    assert_eq!(names(&bed.look().await), ["deep/old", "old"], "it is not known since when");
    let later = SystemTime::now() + Duration::from_secs(3600);
    let marker = Marker::beginning(&bed.project(), later);
    marker.write(&bed.marker()).unwrap();
    assert_eq!(bed.fresh().await, "");
    let stamp = later + Duration::from_secs(1);
    std::fs::File::open(bed.path("old")).unwrap().set_modified(stamp).unwrap();
    assert_eq!(bed.fresh().await, "old");
    assert_eq!(bed.fresh().await, "", "once");
    let marker = Marker::read(&bed.marker(), &bed.project()).unwrap();
    assert_eq!(names(&bed.look_in(&bed.project(), marker.as_ref()).await), ["old"], "and stays dirty");
    std::fs::remove_file(bed.path("old")).unwrap();
    assert_eq!(bed.fresh().await, "old", "it was deleted");
    assert_eq!(bed.fresh().await, "");
    // Bounded.
    let project = bed.project();
    let place = LookOptions { max_files: 1, ..LookOptions::new(&project, &bed.env) };
    bed.write("more", "1");
    assert!(look(place, None).await.cut);
}

#[tokio::test]
async fn new_is_what_changed_since_the_marker() {
    let bed = Bed::repository();
    bed.write("a", "1");
    bed.write("b", "1");
    assert_eq!(bed.fresh().await, "a b", "no marker: all that is dirty");
    assert_eq!(bed.fresh().await, "");
    bed.write("b", "2");
    bed.write("c", "1");
    assert_eq!(bed.fresh().await, "b c");
    assert_eq!(bed.fresh().await, "");
    std::fs::remove_file(bed.path("c")).unwrap();
    bed.git(&["add", "-A"]);
    bed.git(&["commit", "-q", "-m", "x"]);
    assert_eq!(bed.fresh().await, "", "committed, and gone before it was ever added");
    std::fs::remove_file(bed.path("a")).unwrap();
    assert_eq!(bed.fresh().await, "a", "deleted");
    assert_eq!(bed.fresh().await, "", "once");
    bed.write("a", "1");
    bed.write("a", "3");
    assert_eq!(bed.fresh().await, "a", "it came back");
}

/// Written within the tick in which it was looked at, with the same length, and moved to its place with an old time.
#[tokio::test]
async fn no_clock_is_too_coarse_for_a_change() {
    let bed = Bed::repository();
    let old = SystemTime::now() - Duration::from_secs(100_000);
    for round in 0..20 {
        bed.write("a", &format!("{round:03}"));
        assert_eq!(bed.fresh().await, "a", "round {round}");
    }
    bed.write("elsewhere", "1");
    std::fs::File::open(bed.path("elsewhere")).unwrap().set_modified(old).unwrap();
    bed.write(".git/info/exclude", "elsewhere\n");
    assert_eq!(bed.fresh().await, "");
    std::fs::rename(bed.path("elsewhere"), bed.path("here")).unwrap();
    assert_eq!(bed.fresh().await, "here", "its content is old, that it is here is not");
}

/// A marker without a list is Discobot's: then the time alone counts.
#[tokio::test]
async fn a_marker_that_somebody_else_made_has_only_its_time() {
    let bed = Bed::repository();
    bed.write("a", "1");
    for (offset, expected) in [(3600, ""), (-3600, "a")] {
        std::fs::write(bed.marker(), "").unwrap();
        let now = SystemTime::now();
        let hour = Duration::from_secs(3600);
        let time = if offset > 0 { now + hour } else { now - hour };
        std::fs::File::options().write(true).open(bed.marker()).unwrap().set_modified(time).unwrap();
        assert_eq!(bed.fresh().await, expected, "{offset}");
        assert_eq!(bed.fresh().await, "");
    }
    // One of another project does not count.
    Marker::beginning(Path::new("/"), SystemTime::now()).write(&bed.marker()).unwrap();
    assert_eq!(bed.fresh().await, "a");
    // Damaged: the same as one of another program.
    std::fs::write(bed.marker(), "snaphook 1\nrubbish\0").unwrap();
    assert!(Marker::read(&bed.marker(), &bed.project()).unwrap().is_some());
    bed.fresh().await;
    assert_eq!(bed.fresh().await, "");
}

/// The marker is of the moment before git was asked.
#[tokio::test]
async fn the_markers_time_is_from_before_the_question() {
    let bed = Bed::repository();
    bed.write("a", "1");
    let before = SystemTime::now();
    let dirty = bed.look().await;
    let after = SystemTime::now();
    let marker = dirty.marker(&bed.project(), None);
    assert!(before <= marker.time && marker.time + dirty.git_took <= after);
    marker.write(&bed.marker()).unwrap();
    let kept = std::fs::metadata(bed.marker()).unwrap().modified().unwrap();
    let apart = marker.time.duration_since(kept).unwrap_or_default();
    assert!(
        apart < Duration::from_secs(2),
        "{apart:?}: the file has this time, as fine as its system keeps it"
    );
}
