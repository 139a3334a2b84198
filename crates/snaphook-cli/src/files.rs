//! Where a command writes what it makes for a hook's author, and writing it. Not here: what is written.

use std::path::{Component, Path, PathBuf};

use snaphook_discovery::Directories;
use snaphook_discovery::replace::{Mode, Target};

use crate::exit::Failure;

/// The project's root, if the working directory is in a project: a folder above it has a `.snaphook` or a `.git`.
pub(crate) fn project(directories: &Directories) -> Option<&Path> {
    let root = directories.project_root.as_path();
    let is_one = [".snaphook", ".git"].iter().any(|name| root.join(name).symlink_metadata().is_ok());
    is_one.then_some(root)
}

/// A path as it is told: relative to where the command was called, where it lies below.
pub(crate) fn shown(directories: &Directories, path: &Path) -> String {
    let shown = path.strip_prefix(&directories.cwd).unwrap_or(path);
    snaphook_discovery::printable(&shown.display().to_string())
}

/// Makes a folder with all above it.
///
/// # Errors
/// It cannot be made, or a link leads out of the project.
pub(crate) fn make_folder(directories: &Directories, path: &Path) -> Result<(), Failure> {
    let made = |error: &dyn std::fmt::Display| {
        Failure::Usage(format!("the folder {} cannot be made: {error}", path.display()))
    };
    // Any file in it is in the same place.
    let target = place(directories, &path.join("x")).map_err(|error| made(&error))?;
    target.make_folder().map_err(|error| made(&error))
}

/// The folder without `..` and links, so that it can be compared. Windows resolves `..` by the text alone: a resolved path
/// there has a prefix that many programs do not understand.
pub(crate) fn resolved(folder: &Path) -> PathBuf {
    let found = if cfg!(windows) { std::path::absolute(folder) } else { folder.canonicalize() };
    found.unwrap_or_else(|_| folder.to_owned())
}

/// Writes a file in one step, so that nobody reads half of it; makes its folders.
///
/// # Errors
/// It cannot be written, or a link leads out of the project.
pub(crate) fn write(directories: &Directories, path: &Path, text: &str, mode: Mode) -> Result<(), Failure> {
    let written = target(directories, path)?.replace(text.as_bytes(), mode);
    written.map_err(|error| Failure::Usage(format!("{} cannot be written: {error}", path.display())))
}

/// Returns where a file is written. One in the project stays in it: who wrote the project does not say where else we
/// write. Anywhere else, and where the project is around the home folder, a link is the user's own and is followed.
///
/// # Errors
/// A link leads out of the project; what is there is no regular file.
pub(crate) fn target(directories: &Directories, path: &Path) -> Result<Target, Failure> {
    place(directories, path)
        .map_err(|error| Failure::Usage(format!("{} is left as it is: {error}", path.display())))
}

fn place(directories: &Directories, path: &Path) -> std::io::Result<Target> {
    let root = directories.project_root.as_path();
    let has_home = directories.home.as_deref().is_some_and(|home| home.starts_with(root));
    if lexical(path).starts_with(root) && !has_home {
        Target::in_project(root, path)
    } else {
        Target::of_user(path)
    }
}

/// The path without `.` and `..`, by its text alone.
fn lexical(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = folded.pop(),
            part => folded.push(part),
        }
    }
    folded
}
