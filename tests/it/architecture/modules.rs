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
    // A workspace of its own, whose tests are single files.
    let is_other = |path: &&PathBuf| path.starts_with("tests/typecheck");
    let missed: Vec<_> =
        all.iter().filter(is_test).filter(|path| !is_other(path) && !reached.contains(*path)).collect();
    assert_eq!(missed, [] as [&PathBuf; 0], "no `mod` names these files");
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
