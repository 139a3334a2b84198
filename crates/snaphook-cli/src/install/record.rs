//! What `install` found in a file before it changed it, kept in the state folder: so that `uninstall` can give it back, and as
//! the backup that a person may want.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use snaphook_discovery::Directories;

use crate::exit::Failure;

/// The files before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    /// `None`: there was no file.
    pub(crate) before: Option<String>,
    /// What was written.
    pub(crate) after: String,
    /// Folders that had to be made for it, innermost first.
    pub(crate) folders: Vec<PathBuf>,
}

fn file(directories: &Directories, path: &Path) -> Result<PathBuf, Failure> {
    let state = directories.state.as_ref().ok_or_else(|| {
        Failure::Usage("there is no state folder for the backup; set HOME or SNAPHOOK_STATE_DIR".to_owned())
    })?;
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    Ok(state.join("installs").join(format!("{name}.json")))
}

/// Waits until nobody else changes settings; they may as soon as the file is dropped.
pub(crate) fn lock(directories: &Directories) -> Result<File, Failure> {
    let file = file(directories, Path::new("lock"))?.with_file_name("lock");
    if let Some(folder) = file.parent() {
        crate::files::make_folder(folder)?;
    }
    let failed =
        |error: std::io::Error| Failure::Usage(format!("{} cannot be locked: {error}", file.display()));
    let lock = File::options().write(true).create(true).truncate(false).open(&file).map_err(failed)?;
    lock.lock().map_err(failed)?;
    Ok(lock)
}

/// What is known about a file, where anything is.
pub(crate) fn read(directories: &Directories, path: &Path) -> Result<Option<Record>, Failure> {
    let Ok(text) = std::fs::read_to_string(file(directories, path)?) else { return Ok(None) };
    let Ok(known) = serde_json::from_str::<Value>(&text) else { return Ok(None) };
    let text = |name: &str| known[name].as_str().map(str::to_owned);
    let folders = known["folders"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(text("after").map(|after| Record {
        before: text("before"),
        after,
        folders: folders.map(PathBuf::from).collect(),
    }))
}

/// Keeps it.
pub(crate) fn write(directories: &Directories, path: &Path, record: &Record) -> Result<(), Failure> {
    let file = file(directories, path)?;
    if let Some(folder) = file.parent() {
        crate::files::make_folder(folder)?;
    }
    let folders: Vec<_> = record.folders.iter().map(|folder| folder.to_string_lossy()).collect();
    let document = json!({
        "path": path.to_string_lossy(),
        "before": record.before,
        "after": record.after,
        "folders": folders,
    });
    crate::files::write(&file, &format!("{document:#}\n"))
}

/// Forgets it.
pub(crate) fn forget(directories: &Directories, path: &Path) -> Result<(), Failure> {
    let _ = std::fs::remove_file(file(directories, path)?);
    Ok(())
}
