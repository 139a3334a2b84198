//! Files that the set-up tools read and write, with their paths in the errors. Not here: where a write may lead
//! (`snaphook_discovery::replace`).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use snaphook_discovery::Directories;
use snaphook_discovery::replace::{Mode, Target};
use snaphook_state::plain_fs;

use crate::SetupError;

/// The largest file of settings that is read, in bytes.
pub(crate) const MAX_SETTINGS_BYTES: u64 = 16 << 20;

/// Returns a file's text; `None` where there is no file.
pub(crate) fn read(path: &Path) -> Result<Option<String>, SetupError> {
    match plain_fs::read(path, MAX_SETTINGS_BYTES) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| SetupError::NotUtf8(path.to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(SetupError::Read { path: path.to_owned(), source }),
    }
}

/// Returns the place of a file that is written.
pub(crate) fn target(directories: &Directories, path: &Path) -> Result<Target, SetupError> {
    Target::of(directories, path).map_err(|source| SetupError::Unsafe { path: path.to_owned(), source })
}

/// Writes a file in one step, so that no reader gets half of it; makes its folders.
pub(crate) fn write(
    directories: &Directories,
    path: &Path,
    text: &str,
    mode: Mode,
) -> Result<(), SetupError> {
    let written = target(directories, path)?.replace(text.as_bytes(), mode);
    written.map_err(|source| SetupError::Write { path: path.to_owned(), source })
}

/// Returns the folders above a file that are missing, innermost first.
pub(crate) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

/// Returns whether the system would run the file.
pub(crate) fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|known| known.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.exists()
}
