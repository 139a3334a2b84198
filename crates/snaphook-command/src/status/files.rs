//! Files of the user's own, replaced in one step.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Result, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Makes a folder that only the user can read, and those above that are missing.
pub(crate) fn make_dir(dir: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Puts a file in the place of another, so that nobody reads half of it. With a time, it is from then.
pub(crate) fn replace(file: &Path, bytes: &[u8], time: Option<SystemTime>) -> Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{}.tmp", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)));
    let beside = file.with_file_name(name);
    let done = written(&beside, bytes, time).and_then(|()| std::fs::rename(&beside, file));
    if done.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    done
}

fn written(path: &Path, bytes: &[u8], time: Option<SystemTime>) -> Result<()> {
    let mut file = options().write(true).create(true).truncate(true).open(path)?;
    file.write_all(bytes)?;
    match time {
        Some(time) => file.set_modified(time),
        None => Ok(()),
    }
}

/// A file that processes lock. It is never replaced, so that all lock the same one.
pub(crate) fn lockable(path: &Path) -> Result<File> {
    options().write(true).create(true).truncate(false).open(path)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
