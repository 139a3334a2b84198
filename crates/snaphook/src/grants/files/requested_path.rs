//! The path that a script wrote, made absolute. Not here: its target (`system`), and the grants (`globs`).

use std::path::{Component, Path, PathBuf};

use super::io_error::PathError;

/// The longest path that is looked at, in bytes: what systems take.
const MAX_PATH_BYTES: usize = 4096;

/// A path that a script asks for.
#[derive(Debug)]
pub(super) struct RequestedPath {
    /// As the script wrote it.
    pub(super) text: String,
    /// Absolute, with all its `..`: where they lead, only the links on the way say.
    pub(super) path: PathBuf,
    /// Absolute, without `.` and `..`, as text would have it.
    pub(super) plain: PathBuf,
    /// True if it says that it is a folder, by a slash or a dot at its end.
    pub(super) is_folder: bool,
}

impl RequestedPath {
    /// Reads what a script wrote.
    ///
    /// # Errors
    /// Why it is no path.
    pub(super) fn read(text: &str, root: &Path, home: Option<&Path>) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        if text.len() > MAX_PATH_BYTES {
            return Err(PathError::TooLong(MAX_PATH_BYTES));
        }
        if text.contains('\0') {
            return Err(PathError::Nul);
        }
        let path = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                let home = home.filter(|home| home.is_absolute());
                let home = home.ok_or(PathError::NoHome)?;
                home.join(rest.trim_start_matches('/'))
            }
            Some(_) => return Err(PathError::OtherHome),
            None => root.join(text),
        };
        if !path.is_absolute() {
            return Err(PathError::NoProject);
        }
        // `a:b` is a stream of the file `a` there, by another name.
        if cfg!(windows)
            && path.components().any(|part| {
                part.as_os_str().to_string_lossy().contains(':') && matches!(part, Component::Normal(_))
            })
        {
            return Err(PathError::Colon);
        }
        let last = text.rsplit(std::path::is_separator).next().unwrap_or_default();
        Ok(RequestedPath {
            text: text.to_owned(),
            plain: lexical(&path),
            path,
            is_folder: matches!(last, "" | "." | ".."),
        })
    }
}

/// A path without `.` and `..`, as text would have it.
pub(super) fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
