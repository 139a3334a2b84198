//! Copies a folder into a scratch project, within limits, without what its ignore files name and without `.git`.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use snaphook_core::Problem;
use snaphook_state::plain_fs;

use super::{CopyLimits, FileError, ScratchError};

/// Copies what is in `source`. `except` is the folder of all scratch projects, which may lie within.
pub(super) fn copy(
    source: &Path,
    target: &Path,
    except: &Path,
    limits: CopyLimits,
) -> Result<Vec<Problem>, ScratchError> {
    let root = source.canonicalize().map_err(ScratchError::io(source))?;
    if !root.is_dir() {
        return Err(ScratchError::NotAFolder { path: source.to_owned() });
    }
    let mut problems = Vec::new();
    let (mut entries, mut bytes) = (0, 0);
    let except = except.to_owned();
    if let Some(path) = root.ancestors().find_map(plain_fs::odd_ignore_file) {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is not a regular file");
        return Err(ScratchError::io(&path)(source));
    }
    let mut walk = WalkBuilder::new(&root);
    walk.hidden(false).require_git(false).sort_by_file_path(|one, other| one.cmp(other));
    walk.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_odd = is_folder && plain_fs::odd_ignore_file(entry.path()).is_some();
        entry.file_name() != ".git" && entry.path() != except && !is_odd
    });
    for entry in walk.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                problems.push(Problem::warning(source, format!("not copied: {error}")));
                continue;
            }
        };
        let Some(inside) = entry.path().strip_prefix(&root).ok().filter(|path| *path != Path::new("")) else {
            continue;
        };
        let Some(kind) = entry.file_type() else { continue };
        entries += 1;
        if kind.is_file() {
            bytes += entry.metadata().map_or(0, |metadata| metadata.len());
        }
        if entries > limits.entries || bytes > limits.bytes {
            return Err(ScratchError::TooLarge { path: source.to_owned(), limits });
        }
        let place = target.join(inside);
        let done = if kind.is_dir() {
            std::fs::create_dir(&place).map_err(FileError::from)
        } else if kind.is_symlink() {
            link(&root, entry.path(), &place)
        } else if kind.is_file() {
            std::fs::copy(entry.path(), &place).map(|_| ()).map_err(FileError::from)
        } else {
            Err(FileError::Special)
        };
        if let Err(why) = done {
            problems.push(Problem::warning(inside, format!("not copied: {why}")));
        }
    }
    Ok(problems)
}

/// A link is copied as one if it stays inside and is relative; else it would lead back to the original.
fn link(root: &Path, from: &Path, place: &Path) -> Result<(), FileError> {
    let to = std::fs::read_link(from)?;
    let leads_inside = from.canonicalize().is_ok_and(|real| real.starts_with(root));
    if to.is_absolute() || !leads_inside {
        return Err(FileError::OutsideLink);
    }
    make_link(to, place)
}

#[cfg(unix)]
fn make_link(to: PathBuf, place: &Path) -> Result<(), FileError> {
    Ok(std::os::unix::fs::symlink(to, place)?)
}

#[cfg(not(unix))]
fn make_link(_to: PathBuf, _place: &Path) -> Result<(), FileError> {
    Err(FileError::NoLinks)
}
