//! What `install` and `mcp wrap` found in a file before they changed it, kept in the state folder: so that it can be given back,
//! and as the backup that a person may want.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use snaphook_discovery::{Directories, hex};
use snaphook_state::{Document, DocumentError, layout, private};

use crate::exit::Failure;
use crate::install::change;

/// The command that changed a file. One file may have had both, each with what it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// `install`
    Install,
    /// `mcp wrap`
    Wrap,
}

/// The files before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    /// `None`: there was no file.
    pub(crate) before: Option<String>,
    /// The text that was written.
    pub(crate) after: String,
    /// Folders that had to be made for it, innermost first.
    pub(crate) folders: Vec<PathBuf>,
}

/// The longest record that is read, in bytes: two texts of settings, each escaped.
const MAX_BYTES: u64 = 12 * change::MAX_BYTES;

/// The ending of the files of `By::Wrap`.
const WRAPPED: &str = ".mcp.json";

fn document(directories: &Directories, path: &Path, by: By) -> Result<Document, Failure> {
    let state = directories.state.as_ref().ok_or_else(|| {
        Failure::Usage("there is no state folder for the backup; set HOME or SNAPHOOK_STATE_DIR".to_owned())
    })?;
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let name = hex(&digest[..16]);
    let name = match by {
        By::Install => format!("{name}.json"),
        By::Wrap => format!("{name}{WRAPPED}"),
    };
    Ok(Document::new(layout::installs(state).join(name), MAX_BYTES))
}

/// Waits until nobody else changes settings; they may as soon as the file is dropped.
pub(crate) fn lock(directories: &Directories) -> Result<File, Failure> {
    let file = document(directories, Path::new("lock"), By::Install)?.path().with_file_name("lock");
    let failed =
        |error: std::io::Error| Failure::Usage(format!("{} cannot be locked: {error}", file.display()));
    file.parent().map_or(Ok(()), private::make_dir).map_err(failed)?;
    let lock = private::lockable(&file).map_err(failed)?;
    lock.lock().map_err(failed)?;
    Ok(lock)
}

/// Returns what is known about a file, where anything is.
pub(crate) fn read(directories: &Directories, path: &Path, by: By) -> Result<Option<Record>, Failure> {
    // One that is damaged is as good as none: there is nothing in it to be given back.
    let Ok(Some(known)) = document(directories, path, by)?.read_json::<Value>() else { return Ok(None) };
    let text = |name: &str| known[name].as_str().map(str::to_owned);
    let folders = known["folders"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(text("after").map(|after| Record {
        before: text("before"),
        after,
        folders: folders.map(PathBuf::from).collect(),
    }))
}

/// Keeps it.
pub(crate) fn write(directories: &Directories, path: &Path, by: By, record: &Record) -> Result<(), Failure> {
    let kept = document(directories, path, by)?;
    let failed = |error: DocumentError| Failure::Usage(format!("{} {error}", kept.path().display()));
    kept.make_folder().map_err(failed)?;
    let folders: Vec<_> = record.folders.iter().map(|folder| folder.to_string_lossy()).collect();
    let document = json!({
        "path": path.to_string_lossy(),
        "before": record.before,
        "after": record.after,
        "folders": folders,
    });
    // Settings have tokens in them.
    kept.replace(format!("{document:#}\n").as_bytes()).map_err(failed)
}

/// The files that `mcp wrap` changed and nobody gave back.
pub(crate) fn wrapped(directories: &Directories) -> Vec<PathBuf> {
    let folder = directories.state.as_deref().map(layout::installs);
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let records = entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with(WRAPPED));
    let path = |record: PathBuf| {
        let known: Value = Document::new(record, MAX_BYTES).read_json().ok()??;
        known["path"].as_str().map(PathBuf::from)
    };
    records.filter_map(path).collect()
}

/// Forgets it.
pub(crate) fn forget(directories: &Directories, path: &Path, by: By) -> Result<(), Failure> {
    let _ = std::fs::remove_file(document(directories, path, by)?.path());
    Ok(())
}
