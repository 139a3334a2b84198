//! Files that are replaced at exactly the point where it would count: between looking at a name and opening it. Threads that race
//! for that point: `tests/it/file_escapes.rs`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::*;

/// `docs` with a folder, a file and room for more; `outside` with what scripts may not see or change.
fn world() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for folder in ["docs/in/deep", "outside/deep"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for (file, text) in [("docs/in/deep/x", "mine"), ("docs/file", "mine"), ("outside/deep/x", "secret-text")]
    {
        fs::write(root.join(file), text).unwrap();
    }
    (dir, root)
}

/// Puts a link to something outside in the place of what is there, if anything is.
fn replace(root: &Path, name: &str, target: &str) {
    let place = root.join(name);
    if fs::symlink_metadata(&place).is_ok() {
        fs::rename(&place, root.join("away")).unwrap();
    }
    symlink(root.join(target), place).unwrap();
}

#[test]
fn a_folder_that_becomes_a_link_is_walked_as_one() {
    // Which name is replaced when it has just been looked at, by a link to what, and where the path leads then.
    for (path, name, target, leads) in [
        ("docs/in/deep/x", "docs", "outside", "outside/in/deep/x"),
        ("docs/in/deep/x", "docs/in", "outside", "outside/deep/x"),
        ("docs/in/deep/x", "docs/in/deep", "outside/deep", "outside/deep/x"),
        ("docs/in/deep/none", "docs/in/deep", "outside/deep", "outside/deep/none"),
        // What a link leads to is one step up from its target, as the system does it.
        ("docs/in/../deep", "docs/in", "outside/deep", "outside/deep"),
        // What it ends in is only looked at here; opening it is the next test.
        ("docs/in/deep/x", "docs/in/deep/x", "outside/deep/x", "docs/in/deep/x"),
    ] {
        let (_dir, root) = world();
        let (last, mut replaced) = (Path::new(name).file_name().unwrap(), 0);
        let spot = walk_past(&root.join(path), true, |looked| {
            if looked == last && replaced == 0 {
                replace(&root, name, target);
                replaced += 1;
            }
        });
        assert_eq!(replaced, 1, "{path}");
        assert_eq!(spot.map(|spot| spot.path()), Ok(root.join(leads)), "{path}, {name} replaced");
    }
}

#[test]
fn a_folder_that_never_stands_still_is_an_error() {
    let (_dir, root) = world();
    let (inside, away) = (root.join("docs/in"), root.join("away"));
    symlink("../outside", &away).unwrap();
    let exchange = || {
        let between = root.join("between");
        fs::rename(&inside, &between).unwrap();
        fs::rename(&away, &inside).unwrap();
        fs::rename(&between, &away).unwrap();
    };
    let mut looks = 0;
    let spot = walk_past(&inside.join("deep/x"), true, |looked| {
        if looked == "in" {
            looks += 1;
            exchange();
        }
    });
    // A link at each other look, which counts as one on the way.
    assert_eq!(spot.map(|spot| spot.path()), Err(FileError::Circle));
    assert_eq!(looks, 2 * (MAX_LINKS + 1));
}

#[test]
fn what_becomes_a_link_is_not_opened() {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let names = |names: Vec<OsString>| format!("{names:?}");
    type Operation<'a> = &'a dyn Fn(&Spot) -> Result<String, FileError>;
    let read: Operation<'_> = &|spot| spot.read(100).map(text);
    let list: Operation<'_> = &|spot| spot.list(100).map(names);
    let append: Operation<'_> = &|spot| spot.append(b"harm").map(|()| "done".into());
    let write: Operation<'_> = &|spot| spot.write(b"mine").map(|()| "done".into());
    let make: Operation<'_> = &|spot| spot.make_dir().map(|()| "done".into());
    let changed = Err(FileError::Changed);
    for (path, target, operation, expected) in [
        ("docs/file", "outside/deep/x", read, changed.clone()),
        ("docs/file", "outside/deep/x", append, changed.clone()),
        // The link itself is replaced, by the file.
        ("docs/file", "outside/deep/x", write, Ok("done")),
        ("docs/in", "outside", list, changed.clone()),
        // Folders that are open already stay what they were, by whatever name.
        ("docs/in/deep/x", "outside/deep", read, Ok("mine")),
        ("docs/none", "outside/deep/x", append, Err(FileError::Exists)),
        ("docs/none", "outside/new", append, Err(FileError::Exists)),
        ("docs/none", "outside/deep/x", write, Ok("done")),
        ("docs/none/a", "outside", make, changed.clone()),
        ("docs/none", "outside/new", make, changed.clone()),
    ] {
        let (_dir, root) = world();
        let spot = walk(&root.join(path), true).unwrap();
        let name = match path {
            "docs/in/deep/x" => "docs/in/deep",
            "docs/none/a" => "docs/none",
            whole => whole,
        };
        replace(&root, name, target);
        let told = operation(&spot);
        assert_eq!(told.as_deref(), expected.as_ref().copied(), "{path} → {target}");
        let outside: Vec<_> =
            fs::read_dir(root.join("outside")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(outside, ["deep"], "{path} → {target}");
        assert_eq!(
            fs::read_to_string(root.join("outside/deep/x")).unwrap(),
            "secret-text",
            "{path} → {target}"
        );
    }
}
