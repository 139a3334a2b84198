//! Backups of the files that `install` and `mcp wrap` changed, kept in the state folder: so that a file can be given back, and
//! for a person who wants to see what it was.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use snaphook_discovery::{Directories, hex};
use snaphook_state::{Document, layout, private_fs};

use crate::SetupError;
use crate::files::MAX_SETTINGS_BYTES;

/// The tool that changed a file. One file may have been changed by both, each with a backup of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// `install`
    Install,
    /// `mcp wrap`
    Wrap,
}

/// One file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Backup {
    /// `None`: there was no file.
    pub(crate) before: Option<String>,
    /// The text that was written.
    pub(crate) after: String,
    /// Folders that had to be made for it, innermost first.
    pub(crate) folders: Vec<PathBuf>,
}

/// The largest backup that is read, in bytes: two texts of settings, each escaped.
const MAX_BYTES: u64 = 12 * MAX_SETTINGS_BYTES;

/// The ending of backups of `Tool::Wrap`.
const WRAPPED: &str = ".mcp.json";

impl Backup {
    /// Returns the backup of a file, where there is one. A damaged one counts as none: nothing in it can be given back.
    pub(crate) fn read(
        directories: &Directories,
        path: &Path,
        tool: Tool,
    ) -> Result<Option<Self>, SetupError> {
        let Ok(Some(known)) = document(directories, path, tool)?.read_json::<Value>() else {
            return Ok(None);
        };
        let text = |name: &str| known[name].as_str().map(str::to_owned);
        let folders = known["folders"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(text("after").map(|after| Backup {
            before: text("before"),
            after,
            folders: folders.map(PathBuf::from).collect(),
        }))
    }

    /// Keeps it.
    pub(crate) fn write(&self, directories: &Directories, path: &Path, tool: Tool) -> Result<(), SetupError> {
        let kept = document(directories, path, tool)?;
        let folders: Vec<_> = self.folders.iter().map(|folder| folder.to_string_lossy()).collect();
        let document = json!({
            "path": path.to_string_lossy(),
            "before": self.before,
            "after": self.after,
            "folders": folders,
        });
        // Settings have tokens in them.
        let written = kept.make_folder().and_then(|()| kept.replace(format!("{document:#}\n").as_bytes()));
        written.map_err(|source| SetupError::Backup { path: kept.path().to_owned(), source })
    }

    /// Removes the backup of a file.
    pub(crate) fn forget(directories: &Directories, path: &Path, tool: Tool) -> Result<(), SetupError> {
        let _ = std::fs::remove_file(document(directories, path, tool)?.path());
        Ok(())
    }
}

fn document(directories: &Directories, path: &Path, tool: Tool) -> Result<Document, SetupError> {
    let state = directories.state.as_ref().ok_or(SetupError::NoStateFolder)?;
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let name = hex(&digest[..16]);
    let name = match tool {
        Tool::Install => format!("{name}.json"),
        Tool::Wrap => format!("{name}{WRAPPED}"),
    };
    Ok(Document::new(layout::installs(state).join(name), MAX_BYTES))
}

/// Waits until no other process changes settings; they may as soon as the file is dropped.
pub(crate) fn lock(directories: &Directories) -> Result<File, SetupError> {
    let file = document(directories, Path::new("lock"), Tool::Install)?.path().with_file_name("lock");
    let failed = |source: io::Error| SetupError::Lock { path: file.clone(), source };
    file.parent().map_or(Ok(()), private_fs::make_dir).map_err(failed)?;
    let lock = private_fs::lockable(&file).map_err(failed)?;
    lock.lock().map_err(failed)?;
    Ok(lock)
}

/// Returns the files that `mcp wrap` changed and `unwrap` did not give back.
pub(crate) fn wrapped(directories: &Directories) -> Vec<PathBuf> {
    let folder = directories.state.as_deref().map(layout::installs);
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let backups = entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with(WRAPPED));
    let path = |backup: PathBuf| {
        let known: Value = Document::new(backup, MAX_BYTES).read_json().ok()??;
        known["path"].as_str().map(PathBuf::from)
    };
    backups.filter_map(path).collect()
}
