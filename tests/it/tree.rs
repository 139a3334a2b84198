//! The repository's folder and files.

use std::path::{Path, PathBuf};

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A file of the repository.
pub fn text(relative: &str) -> String {
    let path = root().join(relative);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file with this extension below a folder, relative to the root, in order. Build output and hidden folders are
/// left out.
pub fn files(below: &str, extension: &str) -> Vec<PathBuf> {
    let root = root();
    let mut found = Vec::new();
    walk(&root.join(below), extension, &mut found);
    found.sort();
    found.iter().map(|path| path.strip_prefix(&root).unwrap().to_owned()).collect()
}

fn walk(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if entry.file_type().unwrap().is_dir() {
            if !(name.starts_with('.') || name.starts_with("target")) {
                walk(&path, extension, found);
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}
