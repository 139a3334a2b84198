//! The owner of a scratch folder, and removing those without one.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

/// The beginning of the names of scratch folders. Nothing else is ever removed.
const PREFIX: &str = "session-";

/// The file in a scratch folder that its session holds a lock on.
const LOCK: &str = "lock";

/// The age that a folder must have. The lock alone would do, but some network file systems have none.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Makes a scratch folder, readable for its user only, and marks it as ours.
pub(super) fn claim(under: &Path) -> io::Result<(TempDir, File)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let dir = builder.tempdir_in(under)?;
    let lock = OpenOptions::new().create_new(true).write(true).open(dir.path().join(LOCK))?;
    // Where the file system has no locks, the age of the folder has to do.
    let _ = lock.try_lock();
    Ok((dir, lock))
}

/// Removes what killed runs left behind: folders older than a day that no live session holds. What cannot be
/// removed stays; the next run tries again.
pub(super) fn sweep(under: &Path) {
    let Ok(entries) = std::fs::read_dir(under) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if ours && folder && is_abandoned(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(folder: &Path) -> bool {
    let lock = folder.join(LOCK);
    let made = lock.metadata().or_else(|_| folder.metadata()).and_then(|metadata| metadata.modified());
    let age = made.ok().and_then(|made| SystemTime::now().duration_since(made).ok());
    if age.is_none_or(|age| age < ABANDONED_AFTER) {
        return false;
    }
    match OpenOptions::new().write(true).open(&lock) {
        Ok(file) => file.try_lock().is_ok(),
        // A run that was killed before it wrote the file.
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}
