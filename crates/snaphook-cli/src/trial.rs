//! A state folder to try things in: what a person runs to look (`check`, `run`, `doctor`) changes nothing that agents' sessions
//! keep. What hooks stored, and decisions about them, are copied into a folder that goes with the process. Not here: the audit,
//! which is not written at all unless `--record` asks for it.

use std::io::ErrorKind;
use std::path::Path;

use snaphook_state::{plain_fs, private_fs};
use tempfile::TempDir;

use crate::exit::Failure;

/// The folder that hooks keep data in.
pub(crate) const STORE: &str = "store";
/// Decisions about hooks of projects.
pub(crate) const TRUST: &str = "trust";

/// The longest file that is copied, in bytes: no file in the state folder is longer.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The depth to which folders are copied. The state folder is not deeper.
const MAX_DEPTH: usize = 4;

/// True if the results of the trial count.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct RecordArgs {
    /// Write decisions to the audit and keep what hooks store, as with an agent [default: no audit, and hooks work on
    /// a copy of their stored data]
    #[arg(long)]
    pub(crate) record: bool,
}

/// A copy of the state folder, removed when it is dropped.
pub(crate) struct Trial {
    folder: TempDir,
}

impl Trial {
    /// A copy of these parts of a state folder.
    ///
    /// # Errors
    /// It cannot be made, or a part cannot be read.
    pub(crate) fn of(state: &Path, parts: &[&str]) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("snaphook-trial-").tempdir();
        let folder = folder.map_err(|error| {
            Failure::Internal(format!("failed to make a folder for temporary files: {error} (set TMPDIR)"))
        })?;
        for part in parts {
            let from = state.join(part);
            copy(&from, &folder.path().join(part), MAX_DEPTH)
                .map_err(|error| Failure::Internal(format!("failed to copy {}: {error}", from.display())))?;
        }
        Ok(Trial { folder })
    }

    /// The copy.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Copies the files of a folder. Links and other kinds of files are left out, as are locks.
fn copy(from: &Path, to: &Path, deepest: usize) -> std::io::Result<()> {
    let entries = match std::fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
        Err(error) => return Err(error),
    };
    private_fs::make_dir(to)?;
    for entry in entries {
        let entry = entry?;
        let (path, place) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() && deepest > 0 {
            copy(&path, &place, deepest - 1)?;
        } else if kind.is_file() && path.extension().is_none_or(|ending| ending != "lock") {
            match plain_fs::read(&path, MAX_FILE_BYTES) {
                // Another process has just replaced it.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                bytes => private_fs::replace(&place, &bytes?, false)?,
            }
        }
    }
    Ok(())
}
