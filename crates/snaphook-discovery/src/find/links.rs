//! The targets of paths, for many that have most of their way in common. Not here: the files at their ends.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::io::Result;
use std::path::{Path, PathBuf};

/// Folders and where they are. Hooks are side by side, and the folders above them are looked at, too: the way to each is gone
/// once. For one discovery: what it knows was so a moment ago.
#[derive(Default)]
pub(crate) struct Links {
    /// By the text of the path.
    folders: HashMap<OsString, PathBuf>,
}

impl Links {
    /// Returns where a path leads, and what is there if it is no link itself.
    pub(crate) fn resolve(&mut self, path: &Path) -> Result<(PathBuf, Option<Metadata>)> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok((std::fs::canonicalize(path)?, None));
        };
        let metadata = std::fs::symlink_metadata(path)?;
        if metadata.is_symlink() {
            return Ok((std::fs::canonicalize(path)?, None));
        }
        Ok((self.folder(folder)?.join(name), Some(metadata)))
    }

    /// Returns where a folder is: hooks' folders, and the one above, which most often has no link in it that the
    /// other has not.
    pub(crate) fn folder(&mut self, path: &Path) -> Result<PathBuf> {
        if let Some(known) = self.folders.get(path.as_os_str()) {
            return Ok(known.clone());
        }
        let above = path.parent().zip(path.file_name()).filter(|(above, _)| above.file_name().is_some());
        let real = match above {
            Some((above, name)) if !std::fs::symlink_metadata(path)?.is_symlink() && cfg!(unix) => {
                let real = match self.folders.get(above.as_os_str()) {
                    Some(known) => known.clone(),
                    None => std::fs::canonicalize(above)?,
                };
                self.folders.insert(above.as_os_str().to_owned(), real.clone());
                real.join(name)
            }
            _ => std::fs::canonicalize(path)?,
        };
        self.folders.insert(path.as_os_str().to_owned(), real.clone());
        Ok(real)
    }
}
