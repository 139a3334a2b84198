//! Files and folders that nobody but the user can read: decisions, what hooks keep, the audit. Windows keeps them so by where they
//! are. Not here: what is in them, and locks.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{Result, Write as _};
use std::path::Path;

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
    let mut new = options().write(true).create(true).truncate(true).open(beside)?;
    new.write_all(bytes)?;
    if sync {
        new.sync_all()?;
    }
    drop(new);
    std::fs::rename(beside, file)
}
