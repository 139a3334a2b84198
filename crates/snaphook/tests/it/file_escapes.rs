//! Attempts to reach with `snaphook.fs` what was not granted. None may succeed.

use std::ffi::CString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use snaphook::*;

use crate::files::{Bed, check, operation};

/// Asks for a path with each operation; none of them may be done, or show what is there.
fn nothing_reaches(bed: &Bed, path: &str) {
    for name in ["read", "list", "stat", "write", "append", "remove", "make_dir"] {
        let told = bed.say(path, operation(name, "harm"));
        let refused = told.contains("is not granted") || told.contains("failed to");
        assert!(refused, "{name} {path}: {told}");
        assert!(!told.contains("secret-text"), "{name} {path}: {told}");
    }
}

/// Everything below the folder with what is in it.
fn whole(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        match fs::symlink_metadata(&path).unwrap().file_type() {
            kind if kind.is_dir() => {
                all.push((name, "folder".into()));
                all.extend(whole(&path));
            }
            kind if kind.is_symlink() => {
                all.push((name, format!("link {}", fs::read_link(&path).unwrap().display())))
            }
            kind if kind.is_file() => all.push((name, fs::read_to_string(&path).unwrap())),
            _ => all.push((name, "other".into())),
        }
    }
    all.sort();
    all
}

/// Links of all kinds in the project; what lies outside has the text `secret-text`.
fn links(root: &Path) {
    fs::write(root.join("outside/secret.md"), "secret-text").unwrap();
    fs::create_dir(root.join("outside/docs")).unwrap();
    fs::write(root.join("outside/docs/a.md"), "secret-text").unwrap();
    fs::write(root.join("project/secret.md"), "secret-text").unwrap();
    let docs = root.join("project/docs");
    for (name, target) in [
        ("file", "../../outside/secret.md"),
        ("absolute", root.join("outside/secret.md").to_str().unwrap()),
        ("folder", "../../outside"),
        ("dangling", "../../outside/none"),
        ("chain", "chain-2"),
        ("chain-2", "file"),
        ("to-folder-link", "folder/secret.md"),
        ("up", "../.."),
        ("sibling", "../secret.md"),
        ("back", "../../outside/in/a.md"),
        ("circle", "circle-2"),
        ("circle-2", "circle"),
        ("root", "/"),
        ("proc", "/proc/self/root"),
        ("passwd", "/etc/passwd"),
        ("fine", "a.md"),
        ("fine-absolute", docs.join("a.md").to_str().unwrap()),
        ("fine-dangling", "later.md"),
        ("fine-round", "../../project/docs/a.md"),
    ] {
        symlink(target, docs.join(name)).unwrap();
    }
    symlink("../project/docs", root.join("outside/in")).unwrap();
}

#[test]
fn no_link_leads_out_of_what_was_granted() {
    let bed = Bed::with("docs/**", "docs/**", links);
    let before = whole(&bed.path("outside"));
    for path in [
        "docs/folder/secret.md",
        "docs/folder/none/deeper",
        "docs/to-folder-link/x",
        "docs/up/outside/secret.md",
        "docs/up/project/secret.md",
        "docs/folder/../outside/secret.md",
        "docs/folder/../project/secret.md",
        "docs/root/etc/passwd",
        "docs/proc/etc/passwd",
        "docs/proc/../../etc/passwd",
        "docs/folder/",
        "docs/up/.",
        "docs/file/",
        "docs/folder/in/a.md/../../../outside/secret.md",
        "docs/circle/x",
    ] {
        nothing_reaches(&bed, path);
    }
    // The link itself may be taken away, which is no way through it.
    for name in
        ["chain", "file", "absolute", "to-folder-link", "sibling", "passwd", "circle", "folder", "dangling"]
    {
        for operation in ["read", "list", "stat", "write", "append", "make_dir"] {
            let told = bed.run(&format!("{operation} docs/{name} harm"));
            assert!(told.contains("is not granted") || told.contains("circle"), "{operation} {name}: {told}");
        }
        assert_eq!(bed.run(&format!("remove docs/{name}")), "done", "{name}");
    }
    assert_eq!(whole(&bed.path("outside")), before);
    assert_eq!(bed.text("project/secret.md"), "secret-text");
    check(
        &bed,
        &[
            ("read docs/fine", "text a"),
            ("read docs/fine-absolute", "text a"),
            ("read docs/fine-round", "text a"),
            // Out and in again: what counts is where it ends.
            ("read docs/up/outside/in/a.md", "text a"),
            ("stat docs/fine-dangling", "nothing"),
            ("write docs/fine new", "done"),
            ("write docs/fine-dangling late", "done"),
        ],
    );
    check(
        &bed,
        &[
            ("remove docs/up/", "failed to remove docs/up/: it is no folder"),
            ("remove docs/in/.", "failed to remove docs/in/.: it is not there"),
        ],
    );
    // Links stay links: what they lead to was written.
    assert_eq!(
        (bed.text("project/docs/a.md").as_str(), bed.text("project/docs/later.md").as_str()),
        ("new", "late")
    );
    assert!(fs::symlink_metadata(bed.path("project/docs/fine")).unwrap().is_symlink());
}

#[test]
fn what_a_link_leads_to_is_named() {
    let bed = Bed::with("docs/**", "", links);
    check(
        &bed,
        &[(
            "read docs/chain",
            "reading ROOT/outside/secret.md, which docs/chain leads to, is not granted; the hook's front matter needs `read: [ROOT/outside/secret.md]` under `grants`",
        )],
    );
}

#[test]
fn no_spelling_of_a_path_reaches_more() {
    let bed = Bed::with("docs/** /srv/x", "docs/** /srv/x", links);
    let before = (whole(&bed.path("outside")), whole(&bed.path("project")));
    for path in [
        "docs/../secret.md",
        "docs/../../outside/secret.md",
        "docs/../docs/../secret.md",
        "docs/./../secret.md",
        "docs//..//secret.md",
        "../outside/secret.md",
        "./../outside/secret.md",
        "../project/secret.md",
        "ROOT/outside/secret.md",
        "ROOT/project/docs/../secret.md",
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/Cargo.toml",
        "/proc/self/environ",
        "/proc/self/fd/0",
        "/dev/fd/0",
        "/dev/stdin",
        "/etc/passwd",
        "//etc/passwd",
        "~root/.profile",
        "~/note.md",
        "~",
        "~/../outside/secret.md",
        "file:///etc/passwd",
        "\\..\\secret.md",
        "docs\\..\\secret.md",
        "DOCS/a.md",
        "Docs/a.md",
        "ｄｏｃｓ/a.md",
        "docs／a.md",
        "doc\u{17f}/a.md",
        "\u{202e}docs/a.md",
        "do\u{200d}cs/a.md",
        "./docs\u{0}/../secret.md",
        "docs\u{0}",
        "..",
        "../..",
        "/",
        "",
        " docs/a.md",
        "docs /a.md",
        "$HOME/note.md",
        "/srv/x/../../etc/passwd",
    ] {
        nothing_reaches(&bed, path);
    }
    for path in [
        "docs/%2e%2e/secret.md",
        "docs/．．/secret.md",
        "docs/‥/secret.md",
        "docs/..\u{200b}/secret.md",
        "docs/.. /secret.md",
    ] {
        assert!(!bed.say(path, FileOperation::Read).contains("secret-text"), "{path}");
    }
    assert_eq!((whole(&bed.path("outside")), whole(&bed.path("project"))), before);
}

#[test]
fn everything_is_not_the_kernel_s_files() {
    let bed = Bed::new("/** **", "/** **");
    for path in [
        "/proc/self/environ",
        "/proc/self/mem",
        "/proc/self/fd/0",
        "/dev/null",
        "/dev/tty",
        "/dev/fd/1",
        "/sys/kernel",
    ] {
        for operation in ["read", "list", "stat", "write", "append", "make_dir"] {
            let told = bed.run(&format!("{operation} {path} x"));
            assert!(told.starts_with("failed to"), "{operation} {path}: {told}");
        }
    }
    // Neither do its links lead anywhere: what this process has open, and its root.
    let open = fs::File::open(bed.path("home/note.md")).unwrap();
    let by_number = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open));
    let by_root = format!("/proc/self/root{}", bed.path("home/note.md").display());
    for path in [by_number, by_root] {
        let told = bed.run(&format!("read {path}"));
        assert!(told.starts_with("failed to"), "{path}: {told}");
    }
}

#[test]
fn what_is_taken_back_stays_taken_back() {
    let place = |root: &Path| {
        for folder in ["secrets", "Straße"] {
            fs::create_dir(root.join("project").join(folder)).unwrap();
            fs::write(root.join("project").join(folder).join("key"), "secret-text").unwrap();
        }
        symlink("../secrets", root.join("project/docs/s")).unwrap();
        symlink("../secrets/key", root.join("project/docs/k")).unwrap();
        // As on a file system that does not tell names apart.
        for other in ["SECRETS", "\u{17f}ecrets", "secrets.", "Secre\u{200d}ts", "STRASSE"] {
            symlink("docs", root.join("project").join(other)).unwrap();
        }
    };
    let bed = Bed::with("** !secrets/** !secrets !straße", "** !secrets !straße", place);
    for path in [
        "secrets/key",
        "docs/s/key",
        "docs/k",
        "docs/../secrets/key",
        "SECRETS/a.md",
        "\u{17f}ecrets/a.md",
        "secrets./a.md",
        "Secre\u{200d}ts/a.md",
        "STRASSE/a.md",
        "Straße/key",
    ] {
        for operation in ["read", "stat", "write", "append"] {
            let told = bed.run(&format!("{operation} {path} harm"));
            assert!(told.contains("is not granted"), "{operation} {path}: {told}");
        }
    }
    assert_eq!(bed.text("project/secrets/key"), "secret-text");
}

#[test]
fn snaphook_s_own_files_are_out_of_reach() {
    let prepare = |root: &Path| {
        symlink("../.snaphook", root.join("project/docs/s")).unwrap();
        symlink("../.snaphook/hooks/gate.lua", root.join("project/docs/gate")).unwrap();
        symlink("../../config/hooks", root.join("project/docs/user")).unwrap();
        symlink("../../state", root.join("project/docs/state")).unwrap();
        symlink("../../config/hooks/later.lua", root.join("project/docs/later")).unwrap();
        fs::hard_link(root.join("config/hooks/user.lua"), root.join("project/docs/hard.lua")).unwrap();
        fs::hard_link(root.join("state/trust/decisions.json"), root.join("project/docs/hard.json")).unwrap();
        fs::create_dir_all(root.join("outside/other/.snaphook/hooks")).unwrap();
        fs::create_dir_all(root.join("outside/other/.Snaphook")).unwrap();
    };
    let bed = Bed::with("/** ~ **", "/** ~ **", prepare);
    let all = || {
        let mut all = whole(&bed.path("config"));
        all.extend(whole(&bed.path("state")));
        all.extend(whole(&bed.path("project/.snaphook")));
        all.extend(whole(&bed.path("outside")));
        all
    };
    let before = all();
    for path in [
        ".snaphook/hooks/gate.lua",
        ".snaphook/hooks/new.lua",
        ".snaphook/config.toml",
        ".snaphook",
        ".snaphook/hooks",
        ".SNAPHOOK/hooks/gate.lua",
        ".Snaphook/x",
        ".\u{17f}naphook/x",
        ".snaphoo\u{212a}/x",
        ".snaphook./x",
        ".snap\u{200d}hook/x",
        "docs/.snaphook/hooks/x.lua",
        "docs/../.snaphook/x",
        "docs/s/hooks/gate.lua",
        "docs/gate",
        "docs/user/user.lua",
        "docs/later",
        "docs/state/trust/decisions.json",
        "~/../config/hooks/user.lua",
        "../config/config.toml",
        "ROOT/config/hooks",
        "ROOT/config/hooks/x/y",
        "ROOT/CONFIG/hooks/x",
        "ROOT/state",
        "ROOT/state/trust/decisions.json",
        "ROOT/state/audit",
        "ROOT/State/x",
        "/etc/snaphook/hooks/x.lua",
        "ROOT/outside/other/.snaphook/hooks/x.lua",
        "ROOT/outside/other/.Snaphook/x",
    ] {
        for operation in ["write", "append", "remove", "make_dir"] {
            let is_link =
                fs::symlink_metadata(bed.path("project").join(path)).is_ok_and(|found| found.is_symlink());
            if operation == "remove" && is_link {
                continue;
            }
            let told = bed.run(&format!("{operation} {path} harm"));
            assert!(told.contains("which no grant gives"), "{operation} {path}: {told}");
        }
    }
    for path in [
        "ROOT/state",
        "ROOT/state/trust",
        "docs/state/trust/decisions.json",
        "ROOT/state/none",
        "../state/trust/decisions.json",
    ] {
        for operation in ["read", "stat", "list"] {
            let told = bed.run(&format!("{operation} {path}"));
            assert!(told.contains("it belongs to snaphook's state"), "{operation} {path}: {told}");
        }
    }
    // By a hard link the text is its own; the other name keeps its.
    check(
        &bed,
        &[
            ("append docs/hard.lua x", "failed to append to docs/hard.lua: it has a second name…"),
            ("append docs/hard.json x", "failed to append to docs/hard.json: it has a second name…"),
            ("read .snaphook/hooks/gate.lua", "text gate"),
            ("read ~/../config/hooks/user.lua", "text user"),
        ],
    );
    assert_eq!(all(), before);
    for path in ["docs/hard.lua", "docs/hard.json"] {
        let told = bed.run(&format!("write {path} harm"));
        assert!(told == "done" || told.contains("which no grant gives"), "{told}");
    }
    assert_eq!(all(), before);
}

#[test]
fn what_is_no_file_holds_nobody() {
    let make = |root: &Path| {
        let fifo = CString::new(root.join("project/docs/fifo").to_str().unwrap()).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            fifo.as_c_str(),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        std::os::unix::net::UnixListener::bind(root.join("project/docs/socket")).unwrap();
        symlink("fifo", root.join("project/docs/to-fifo")).unwrap();
    };
    let bed = Bed::with("**", "**", make);
    for name in ["fifo", "socket", "to-fifo"] {
        for operation in ["read", "write", "append"] {
            let told = bed.run(&format!("{operation} docs/{name} x"));
            assert!(told.ends_with("it is neither a file nor a folder"), "{operation} {name}: {told}");
        }
        assert_eq!(bed.run(&format!("stat docs/{name}")), "other 0");
    }
    assert_eq!(bed.run("remove docs/fifo"), "done");
}

/// Ends the thread that swaps, also when a test fails.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `swap` over and over beside `work`, until that ran often enough and saw both: the folder and the link.
fn race(swap: impl Fn() + Send + 'static, mut work: impl FnMut(&mut [u64; 2])) {
    let stop = Stop(Arc::new(AtomicBool::new(false)));
    let told = Arc::clone(&stop.0);
    let swapper = std::thread::spawn(move || {
        while !told.load(Ordering::Relaxed) {
            swap();
        }
    });
    let mut seen = [0; 2];
    let mut rounds = 0;
    while rounds < ROUNDS || (rounds < 20 * ROUNDS && seen.contains(&0)) {
        work(&mut seen);
        rounds += 1;
    }
    drop(stop);
    swapper.join().unwrap();
    assert!(!seen.contains(&0), "both were there in {rounds} rounds: {seen:?}");
}

const ROUNDS: u64 = 400;

/// `in` and `link` take each other's name: in one step where the system can, so that it fits between a look and an opening.
/// The same at exactly that point, with every way to open: `grants/files/unix_tests.rs`.
fn exchange(docs: &Path) {
    let (a, b) = (docs.join("in"), docs.join("link"));
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).unwrap();
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    {
        let between = docs.join("between");
        fs::rename(&a, &between).unwrap();
        fs::rename(&b, &a).unwrap();
        fs::rename(&between, &b).unwrap();
    }
}

/// A folder and a link to one outside take each other's name.
#[test]
fn a_folder_that_becomes_a_link_shows_nothing() {
    let prepare = |root: &Path| {
        fs::create_dir_all(root.join("project/docs/in/deep")).unwrap();
        fs::write(root.join("project/docs/in/deep/x"), "mine").unwrap();
        fs::create_dir_all(root.join("outside/deep")).unwrap();
        fs::write(root.join("outside/deep/x"), "secret-text").unwrap();
        symlink("../../outside", root.join("project/docs/link")).unwrap();
    };
    let bed = Bed::with("docs/**", "docs/**", prepare);
    let docs = bed.path("project/docs");
    let before = whole(&bed.path("outside"));
    let swap = move || exchange(&docs);
    race(swap, |seen| {
        for operation in ["read docs/in/deep/x", "list docs/in/deep", "stat docs/in/deep/x"] {
            let told = bed.run(operation);
            assert!(!told.contains("secret-text"), "{operation}: {told}");
            seen[0] += u64::from(told == "text mine");
            seen[1] += u64::from(told.contains("is not granted"));
        }
        for operation in ["write docs/in/deep/x mine", "append docs/in/deep/y harm", "remove docs/in/deep/y"]
        {
            bed.run(operation);
        }
    });
    assert_eq!(whole(&bed.path("outside")), before);
}

/// The file itself becomes a link to one outside.
#[test]
fn a_file_that_becomes_a_link_shows_nothing() {
    let prepare = |root: &Path| fs::write(root.join("outside/secret.md"), "secret-text").unwrap();
    let bed = Bed::with("docs/**", "docs/**", prepare);
    let (docs, before) = (bed.path("project/docs"), whole(&bed.path("outside")));
    let swap = move || {
        let _there = fs::remove_file(docs.join("x"));
        let _also = symlink("../../outside/secret.md", docs.join("new"));
        let _then = fs::rename(docs.join("new"), docs.join("x"));
        let _file = fs::write(docs.join("file"), "mine");
        let _again = fs::rename(docs.join("file"), docs.join("x"));
    };
    race(swap, |seen| {
        let told = bed.run("read docs/x");
        assert!(!told.contains("secret-text"), "{told}");
        seen[0] += u64::from(told == "text mine");
        seen[1] += u64::from(told.contains("is not granted"));
        bed.run("append docs/x harm");
        bed.run("write docs/x mine");
    });
    assert_eq!(whole(&bed.path("outside")), before);
}

/// A writable file becomes a link into the hooks.
#[test]
fn a_folder_that_becomes_the_hooks_takes_nothing() {
    let prepare = |root: &Path| {
        fs::create_dir(root.join("project/docs/in")).unwrap();
        symlink("../../project/.snaphook/hooks", root.join("project/docs/link")).unwrap();
    };
    let bed = Bed::with("**", "**", prepare);
    let docs = bed.path("project/docs");
    let before = whole(&bed.path("project/.snaphook"));
    let swap = move || exchange(&docs);
    race(swap, |seen| {
        for operation in ["write docs/in/x.lua harm", "append docs/in/x.lua harm", "remove docs/in/gate.lua"]
        {
            let told = bed.run(operation);
            seen[0] += u64::from(told == "done");
            seen[1] += u64::from(told.contains("which no grant gives"));
        }
    });
    assert_eq!(whole(&bed.path("project/.snaphook")), before);
}

/// A new folder becomes a link.
#[test]
fn a_folder_that_is_made_is_made_nowhere_else() {
    let bed = Bed::with("docs/**", "docs/**", |_| {});
    let (docs, before) = (bed.path("project/docs"), whole(&bed.path("outside")));
    let swap = move || {
        let place = docs.join("in");
        let _folder = fs::remove_dir_all(&place);
        let _link = symlink("../../outside", &place);
        let _gone = fs::remove_file(&place);
        let _again = fs::create_dir(&place);
    };
    race(swap, |seen| {
        for operation in ["make_dir docs/in/a/b", "write docs/in/a/x harm", "make_dir docs/in/c"] {
            let told = bed.run(operation);
            seen[0] += u64::from(told == "done");
            seen[1] += u64::from(told.contains("is not granted"));
        }
    });
    assert_eq!(whole(&bed.path("outside")), before);
}

#[test]
fn a_project_that_is_reached_through_a_link_is_the_project() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("real/docs")).unwrap();
    fs::write(root.join("real/docs/a.md"), "a").unwrap();
    fs::write(root.join("real/x"), "x").unwrap();
    symlink("real", root.join("linked")).unwrap();
    let bed = Bed::at(&root.join("linked"), "docs/**", "docs/**");
    check(
        &bed,
        &[
            ("read docs/a.md", "text a"),
            ("write docs/b.md b", "done"),
            ("list docs", "names a.md b.md"),
            ("read x", "reading x is not granted…"),
            ("read docs/../x", "reading docs/../x is not granted…"),
        ],
    );
    // Another folder in its place is not the project that was granted.
    fs::create_dir_all(root.join("other/docs")).unwrap();
    fs::write(root.join("other/docs/a.md"), "secret-text").unwrap();
    fs::remove_file(root.join("linked")).unwrap();
    symlink("other", root.join("linked")).unwrap();
    assert!(bed.run("read docs/a.md").contains("is not granted"));
    let reply = bed.ask(root.join("real/docs/a.md").to_str().unwrap(), FileOperation::Read);
    assert_eq!(reply, Ok(FileReply::Text("a".into())));
}
