//! Where a command writes what it makes for a hook's author, and writing it. Not here: what is written.

use std::fs::{OpenOptions, Permissions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use snaphook_discovery::Directories;

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
/// It cannot be made.
pub(crate) fn make_folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path)
        .map_err(|error| Failure::Usage(format!("the folder {} cannot be made: {error}", path.display())))
}

/// The folder without `..` and links, so that it can be compared. Windows resolves `..` by the text alone: a resolved path
/// there has a prefix that many programs do not understand.
pub(crate) fn resolved(folder: &Path) -> PathBuf {
    let found = if cfg!(windows) { std::path::absolute(folder) } else { folder.canonicalize() };
    found.unwrap_or_else(|_| folder.to_owned())
}

/// Writes a file in one step, so that nobody reads half of it.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    // A link leads to the file that is meant.
    let target: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    // Who may read the old one may read the new one, and nobody else in between.
    let permissions = target.metadata().map(|known| known.permissions()).ok();
    replace(path, &target, text, permissions.is_some(), permissions)
}

/// The same for what nobody but its owner may read.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write_private(path: &Path, text: &str) -> Result<(), Failure> {
    replace(path, path, text, true, None)
}

fn replace(
    path: &Path,
    target: &Path,
    text: &str,
    is_private: bool,
    permissions: Option<Permissions>,
) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::Usage(format!("{} cannot be written: {error}", path.display()));
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = target.with_file_name(name);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    if is_private {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    let written = options.open(&beside).and_then(|mut file| file.write_all(text.as_bytes())).and_then(|()| {
        if let Some(permissions) = permissions {
            let _ = std::fs::set_permissions(&beside, permissions);
        }
        std::fs::rename(&beside, target)
    });
    written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        failed(error)
    })
}
