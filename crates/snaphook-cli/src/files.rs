//! Files that a command makes for a hook's author. Not here: where a write may lead (`snaphook_discovery::replace`).

use std::path::Path;

use snaphook_discovery::Directories;
use snaphook_discovery::replace::{Mode, Target};

use crate::exit::Failure;

/// The project's root, if the working directory is in a project: a folder above it has a `.snaphook` or a `.git`.
pub(crate) fn project(directories: &Directories) -> Option<&Path> {
    let root = directories.project_root.as_path();
    let is_one = [".snaphook", ".git"].iter().any(|name| root.join(name).symlink_metadata().is_ok());
    is_one.then_some(root)
}

/// Makes a folder with all above it.
///
/// # Errors
/// It cannot be made, or a link leads out of the project.
pub(crate) fn make_folder(directories: &Directories, path: &Path) -> Result<(), Failure> {
    // Any file in it is in the same place.
    let made = Target::of(directories, &path.join("x")).and_then(|target| target.make_folder());
    made.map_err(|error| Failure::Usage(format!("the folder {} cannot be made: {error}", path.display())))
}

/// Writes a file in one step, so that no reader gets half of it; makes its folders.
///
/// # Errors
/// It cannot be written, or a link leads out of the project.
pub(crate) fn write(directories: &Directories, path: &Path, text: &str, mode: Mode) -> Result<(), Failure> {
    let written = target(directories, path)?.replace(text.as_bytes(), mode);
    written.map_err(|error| Failure::Usage(format!("{} cannot be written: {error}", path.display())))
}

/// Returns where a file is written.
///
/// # Errors
/// A link leads out of the project; what is there is no regular file.
pub(crate) fn target(directories: &Directories, path: &Path) -> Result<Target, Failure> {
    Target::of(directories, path)
        .map_err(|error| Failure::Usage(format!("{} was not changed: {error}", path.display())))
}
