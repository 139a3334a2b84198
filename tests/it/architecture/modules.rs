//! Every file of tests is part of a test program: Cargo and the compiler are silent about one that no `mod` names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{files, text};

#[test]
fn every_file_of_tests_is_a_module() {
    let all: BTreeSet<PathBuf> = ["tests", "crates"].iter().flat_map(|folder| files(folder, "rs")).collect();
    let roots: Vec<&PathBuf> = all.iter().filter(|path| is_root(path)).collect();
    assert!(roots.len() >= 10, "{roots:?}");
    let mut reached = BTreeSet::new();
    for root in &roots {
        reach(root, root.parent().unwrap(), &mut reached);
    }
    let has = |path: &Path, name: &str| path.iter().any(|part| part == name);
    let is_test = |path: &&PathBuf| has(path, "tests") && !has(path, "src");
    // A workspace of its own, whose tests are single files, and a crate that is built as anybody's.
    let others = ["tests/typecheck", "tests/interop/work/projects"];
    let is_other = |path: &&PathBuf| others.iter().any(|other| path.starts_with(other));
    let is_missed = |path: &&PathBuf| is_test(path) && !is_other(path) && !reached.contains(*path);
    // What stands below a module that nobody names is named by it.
    let missing: Vec<_> = all
        .iter()
        .filter(is_missed)
        .filter_map(|path| {
            let parent = parent_of(path, |file| all.contains(file));
            parent.is_none_or(|parent| reached.contains(&parent)).then(|| missing_line(path, &all))
        })
        .collect();
    assert_eq!(missing, [] as [String; 0], "these tests are not compiled");
}

/// The line that makes a file a part of its test program, with the place where it belongs.
fn missing_line(path: &Path, all: &BTreeSet<PathBuf>) -> String {
    let (_, name) = place_of(path);
    match parent_of(path, |file| all.contains(file)) {
        Some(parent) => format!("add `mod {name};` to {}", parent.display()),
        None => format!("name {} in a `#[path = \"…\"]` of the programs that use it", path.display()),
    }
}

/// The folder whose module names this file, and the name of the module that the file is.
fn place_of(path: &Path) -> (&Path, String) {
    let folder = path.parent().unwrap();
    let is_folder = path.file_name().is_some_and(|name| name == "mod.rs");
    let (folder, named) = if is_folder { (folder.parent().unwrap(), folder) } else { (folder, path) };
    (folder, named.file_stem().unwrap().to_string_lossy().into_owned())
}

/// The file that a `mod` line for this one belongs to.
fn parent_of(path: &Path, is_there: impl Fn(&PathBuf) -> bool) -> Option<PathBuf> {
    let (folder, _) = place_of(path);
    [folder.join("main.rs"), folder.join("mod.rs"), folder.with_extension("rs")].into_iter().find(is_there)
}

#[test]
fn the_line_that_is_missing_is_named() {
    let all: BTreeSet<PathBuf> =
        ["tests/it/main.rs", "tests/it/hook/mod.rs", "tests/it/examples.rs"].map(PathBuf::from).into();
    for (file, line) in [
        ("tests/it/new.rs", "add `mod new;` to tests/it/main.rs"),
        ("tests/it/new/mod.rs", "add `mod new;` to tests/it/main.rs"),
        ("tests/it/hook/once.rs", "add `mod once;` to tests/it/hook/mod.rs"),
        ("tests/it/examples/bed.rs", "add `mod bed;` to tests/it/examples.rs"),
        ("tests/shared.rs", "name tests/shared.rs in a `#[path = \"…\"]` of the programs that use it"),
    ] {
        assert_eq!(missing_line(Path::new(file), &all), line);
    }
}

/// `tests/NAME/main.rs`, of the workspace or of a crate.
fn is_root(path: &Path) -> bool {
    let parts: Vec<_> = path.iter().rev().collect();
    parts.len() >= 3 && parts[0] == "main.rs" && parts[2] == "tests"
}

/// Follows the `mod` lines of a file, whose modules are in `folder`.
fn reach(file: &Path, folder: &Path, reached: &mut BTreeSet<PathBuf>) {
    if !reached.insert(file.to_owned()) {
        return;
    }
    let source = text(file.to_str().unwrap());
    let mut path = None;
    for line in source.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("#[path = \"") {
            path = rest.strip_suffix("\"]").map(|rest| resolved(&file.parent().unwrap().join(rest)));
            continue;
        }
        let line = line.trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) else { continue };
        let (plain, inner) = (folder.join(name).with_extension("rs"), folder.join(name).join("mod.rs"));
        match path.take() {
            Some(path) => reach(&path, path.parent().unwrap(), reached),
            None if root_has(&plain) => reach(&plain, &folder.join(name), reached),
            None => reach(&inner, &folder.join(name), reached),
        }
    }
}

fn root_has(path: &Path) -> bool {
    super::root().join(path).is_file()
}

/// A path without `..`.
fn resolved(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path {
        if part == ".." {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}
