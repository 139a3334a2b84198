//! Files and folders that nobody but the user can read: decisions, what hooks keep, the audit. Windows keeps them so by where they
//! are. Not here: what is in them, and the lock of the audit, which is on its own file.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Result, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// Makes a folder, and those above that are missing.
///
/// # Errors
/// Those of the system.
pub fn make_dir(dir: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Opens files; one that is made is the user's own.
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Puts a file in the place of another in one step, so that nobody reads half of it. `beside` is its name until then, in the same
/// folder: whoever writes at the same time needs another. With `sync` it is on the disk when this returns.
///
/// # Errors
/// Those of the system; the file is as it was then.
pub fn replace(file: &Path, beside: &Path, bytes: &[u8], sync: bool) -> Result<()> {
    let new = written(beside, bytes)?;
    if sync {
        new.sync_all()?;
    }
    drop(new);
    std::fs::rename(beside, file)
}

/// Writes a file from its beginning.
///
/// # Errors
/// Those of the system.
pub fn written(path: &Path, bytes: &[u8]) -> Result<File> {
    let mut file = options().write(true).create(true).truncate(true).open(path)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// A file that processes lock. It is never replaced, so that all lock the same one.
///
/// # Errors
/// Those of the system.
pub fn lockable(path: &Path) -> Result<File> {
    options().write(true).create(true).truncate(false).open(path)
}

/// Takes a lock that other processes respect, and waits so long for it at most. It has a file of its own, as that with the data is
/// replaced with each change; it is given back when the file is closed.
///
/// # Errors
/// Those of the system, and [`ErrorKind::TimedOut`].
pub fn lock(path: &Path, patience: Duration) -> Result<File> {
    let lock = lockable(path)?;
    let until = Instant::now() + patience;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Err(Error::new(ErrorKind::TimedOut, "another process holds its lock"));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}
