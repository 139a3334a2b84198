//! Writing and reading where others may write too: links, named pipes, folders of others, umasks.
#![cfg(unix)]

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use snaphook_discovery::replace::{Mode, Target};
use snaphook_state::{plain_fs, private_fs};
use tempfile::TempDir;

struct Bed(TempDir);

impl Bed {
    fn new() -> Self {
        let bed = Bed(tempfile::tempdir().unwrap());
        for folder in ["project/sub", "home", "elsewhere"] {
            fs::create_dir_all(bed.path(folder)).unwrap();
        }
        bed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn link(&self, to: &str, name: &str) {
        symlink(self.path(to), self.path(name)).unwrap();
    }

    fn in_project(&self, name: &str) -> std::io::Result<Target> {
        Target::in_project(&self.path("project"), &self.path(name))
    }

    /// Returns what is there, with what it holds.
    fn tree(&self) -> Vec<String> {
        let mut found = Vec::new();
        walk(self.0.path(), self.0.path(), &mut found);
        found.sort();
        found
    }
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let path = entry.path();
        let shown = path.strip_prefix(root).unwrap().display().to_string();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            walk(root, &path, found);
        } else if kind.is_symlink() {
            found.push(format!("{shown} ->"));
        } else {
            found.push(format!("{shown} = {}", fs::read_to_string(&path).unwrap_or_default()));
        }
    }
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o777
}

#[test]
fn a_project_s_link_out_of_it_is_never_followed() {
    // What the project has made, and the file that is written.
    type Make = fn(&Bed);
    let cases: &[(&str, Make, &str)] = &[
        ("the file", |bed| bed.link("elsewhere/f", "project/f"), "project/f"),
        ("its folder", |bed| bed.link("elsewhere", "project/d"), "project/d/f"),
        ("a folder above", |bed| bed.link("elsewhere", "project/d"), "project/d/new/deeper/f"),
        ("dangling", |bed| bed.link("elsewhere/none", "project/f"), "project/f"),
        ("dangling folder", |bed| bed.link("elsewhere/none", "project/d"), "project/d/f"),
        (
            "a link to a link",
            |bed| {
                bed.link("elsewhere", "project/a");
                bed.link("project/a", "project/b");
            },
            "project/b/f",
        ),
    ];
    for (what, make, file) in cases {
        for with_file in [true, false] {
            let bed = Bed::new();
            if with_file {
                bed.write("elsewhere/f", "theirs");
            }
            make(&bed);
            let before = bed.tree();
            let error =
                bed.in_project(file).and_then(|target| target.replace(b"ours", Mode::Kept)).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::NotFound),
                "{what}: {error}"
            );
            assert_eq!(bed.tree(), before, "{what}");
        }
    }
    // One that stays in the project is as good as the folder.
    let bed = Bed::new();
    bed.link("project/sub", "project/d");
    bed.in_project("project/d/new/f").unwrap().replace(b"ours", Mode::Kept).unwrap();
    assert_eq!(fs::read_to_string(bed.path("project/sub/new/f")).unwrap(), "ours");
}

#[test]
fn a_link_that_is_put_there_after_the_look_is_not_followed() {
    let bed = Bed::new();
    let target = bed.in_project("project/sub/f").unwrap();
    fs::rename(bed.path("project/sub"), bed.path("project/was")).unwrap();
    bed.link("elsewhere", "project/sub");
    assert!(target.replace(b"ours", Mode::Kept).is_err());
    assert!(target.create(b"ours", Mode::Plain).is_err());
    bed.write("elsewhere/f", "theirs");
    assert!(target.remove().is_err());
    assert_eq!(fs::read_to_string(bed.path("elsewhere/f")).unwrap(), "theirs");
    // At the file's own name: its place is taken, what it leads to stays.
    let target = bed.in_project("project/f").unwrap();
    bed.link("elsewhere/f", "project/f");
    target.replace(b"ours", Mode::Kept).unwrap();
    assert_eq!(fs::read_to_string(bed.path("elsewhere/f")).unwrap(), "theirs");
    assert_eq!(fs::read_to_string(bed.path("project/f")).unwrap(), "ours");
}

#[test]
fn a_user_s_own_link_is_followed_to_the_file_that_it_means() {
    let bed = Bed::new();
    let real = bed.write("elsewhere/settings.json", "{}");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    bed.link("elsewhere/settings.json", "home/settings.json");
    let target = Target::of_user(&bed.path("home/settings.json")).unwrap();
    assert_eq!(target.resolved(), fs::canonicalize(&real).unwrap());
    target.replace(b"{\"a\":1}", Mode::Kept).unwrap();
    assert!(fs::symlink_metadata(bed.path("home/settings.json")).unwrap().is_symlink());
    assert_eq!((fs::read_to_string(&real).unwrap().as_str(), mode(&real)), ("{\"a\":1}", 0o640));
    bed.link("elsewhere/none", "home/dangling");
    assert_eq!(
        Target::of_user(&bed.path("home/dangling")).unwrap_err().to_string(),
        "it is a link to nothing"
    );
    // Whatever is at the path itself.
    Target::itself(&bed.path("home/settings.json")).unwrap().replace(b"x", Mode::Executable).unwrap();
    assert_eq!(mode(&bed.path("home/settings.json")), 0o755);
    assert_eq!(fs::read_to_string(&real).unwrap(), "{\"a\":1}");
}

#[test]
fn nothing_is_overwritten_or_left_behind() {
    let bed = Bed::new();
    for (name, make) in [
        ("file", &(|bed: &Bed| drop(bed.write("project/f", "theirs"))) as &dyn Fn(&Bed)),
        ("link", &|bed| bed.link("elsewhere/none", "project/f")),
        ("folder", &|bed| fs::create_dir(bed.path("project/f")).unwrap()),
    ] {
        let target = bed.in_project("project/f").unwrap();
        make(&bed);
        let before = bed.tree();
        let error = target.create(b"ours", Mode::Plain).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{name}");
        if name == "folder" {
            assert!(target.replace(b"ours", Mode::Kept).is_err());
        }
        assert_eq!(bed.tree(), before, "{name}");
        let _ = fs::remove_file(bed.path("project/f")).or_else(|_| fs::remove_dir(bed.path("project/f")));
    }
    bed.in_project("project/f").unwrap().create(b"ours", Mode::Shared).unwrap();
    assert_eq!(bed.tree(), ["project/f = ours"]);
    assert_eq!(mode(&bed.path("project/f")) & 0o022, 0);
}

#[test]
fn what_is_no_regular_file_is_an_error_at_once() {
    let bed = Bed::new();
    fifo(&bed.path("home/pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(bed.path("home/socket")).unwrap();
    bed.link("home/pipe", "home/to-pipe");
    symlink("/dev/null", bed.path("home/device")).unwrap();
    for (name, what) in [
        ("pipe", "a named pipe"),
        ("to-pipe", "a named pipe"),
        ("socket", "a socket"),
        ("device", "a device"),
        ("", "a folder"),
    ] {
        let path = bed.path("home").join(name);
        let expected = format!("it is {what}, not a regular file");
        assert_eq!(plain_fs::read(&path, 10).unwrap_err().to_string(), expected);
        assert_eq!(plain_fs::open(&path).unwrap_err().kind(), ErrorKind::InvalidInput);
        if !name.is_empty() {
            assert_eq!(Target::of_user(&path).unwrap_err().to_string(), expected);
            assert!(private_fs::lockable(&path).is_err(), "{name}");
        }
    }
    let file = bed.write("home/file", "0123456789");
    assert_eq!(plain_fs::read(&file, 10).unwrap(), b"0123456789");
    assert_eq!(plain_fs::read(&file, 9).unwrap_err().kind(), ErrorKind::FileTooLarge);
    fs::write(&file, [0xff]).unwrap();
    assert_eq!(plain_fs::read_text(&file, 10).unwrap_err().kind(), ErrorKind::InvalidData);
    bed.link("home/pipe", "project/.gitignore");
    assert_eq!(plain_fs::odd_ignore_file(&bed.path("project")), Some(bed.path("project/.gitignore")));
    assert_eq!(plain_fs::odd_ignore_file(&bed.path("elsewhere")), None);
}

#[test]
fn private_files_take_no_link_s_place_and_no_link_s_way() {
    let bed = Bed::new();
    bed.write("elsewhere/f", "theirs");
    // Names that could have been guessed.
    for name in ["f.tmp", &format!("f.{}.tmp", std::process::id()), "f"] {
        bed.link("elsewhere/f", &format!("home/{name}"));
    }
    private_fs::replace(&bed.path("home/f"), b"ours", true).unwrap();
    assert_eq!(fs::read_to_string(bed.path("elsewhere/f")).unwrap(), "theirs");
    assert_eq!(
        (fs::read_to_string(bed.path("home/f")).unwrap().as_str(), mode(&bed.path("home/f"))),
        ("ours", 0o600)
    );
    for name in ["home/f.tmp", "home/dangling"] {
        if name.ends_with("dangling") {
            bed.link("elsewhere/made", name);
        }
        assert!(private_fs::lockable(&bed.path(name)).is_err());
        assert!(private_fs::options().append(true).create(true).open(bed.path(name)).is_err());
    }
    assert!(!bed.path("elsewhere/made").exists());
    // What does not get its place is gone.
    let before = bed.tree();
    drop(private_fs::PendingFile::new(&bed.path("home/g")).unwrap());
    assert_eq!(bed.tree(), before);
}

#[test]
fn a_folder_that_others_can_write_is_an_error_and_one_they_can_read_is_closed() {
    let bed = Bed::new();
    let folder = bed.path("home/state");
    for (mode_before, fine) in [
        (0o700, true),
        (0o755, true),
        (0o750, true),
        (0o775, false),
        (0o722, false),
        (0o777, false),
        (0o1777, false),
    ] {
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode_before)).unwrap();
        match private_fs::make_dir(&folder) {
            Ok(()) => assert_eq!((fine, mode(&folder)), (true, 0o700), "{mode_before:o}"),
            Err(error) => {
                assert!(!fine && error.kind() == ErrorKind::PermissionDenied, "{mode_before:o}: {error}");
                assert!(error.to_string().contains("chmod go-w"), "{error}");
                assert_eq!(mode(&folder), mode_before & 0o777, "left as it is, for a person to look at");
            }
        }
        assert_eq!(private_fs::check_dir(&folder).is_ok(), fine);
        fs::remove_dir(&folder).unwrap();
    }
    private_fs::make_dir(&folder.join("deeper")).unwrap();
    assert_eq!((mode(&folder), mode(&folder.join("deeper"))), (0o700, 0o700));
}
