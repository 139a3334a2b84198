//! Files and folders that only the user can read: decisions, what hooks keep, the audit. Windows keeps them so by where they
//! are. Not here: what is in them, the lock of the audit, which is on its own file, and files that others share (`replace`).
//!
//! A folder is made for its owner alone, whatever the umask. One that is there already:
//!
//! - belongs to another user, or can be written by others: an error. Its content may have been changed, and a person has to
//!   look; to close it without a word would take what is there for the user's own.
//! - can be read by others only: closed. Nothing in it can have been changed.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{Error, ErrorKind, Result, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Makes a folder, and those above that are missing.
///
/// # Errors
/// Those of the system; `PermissionDenied` where another user could change what is in it.
pub fn make_dir(dir: &Path) -> Result<()> {
    match std::fs::metadata(dir) {
        Ok(known) => return close(dir, &known),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)?;
    let known = std::fs::metadata(dir)?;
    // A umask can take the owner's own rights.
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(&known) & 0o700 != 0o700 {
        return std::fs::set_permissions(dir, std::os::unix::fs::PermissionsExt::from_mode(0o700));
    }
    close(dir, &known)
}

/// Looks whether a folder that is there is the user's alone to write.
///
/// # Errors
/// Those of the system; `PermissionDenied` where another user could change what is in it.
pub fn check_dir(dir: &Path) -> Result<()> {
    own(dir, &std::fs::metadata(dir)?)
}

#[cfg(unix)]
fn own(dir: &Path, known: &Metadata) -> Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let denied = |text: String| Err(Error::new(ErrorKind::PermissionDenied, text));
    let shown = snaphook_core::printable(&dir.to_string_lossy());
    if !known.is_dir() {
        return Err(Error::new(ErrorKind::NotADirectory, format!("{shown} is not a folder")));
    }
    let user = rustix::process::geteuid().as_raw();
    if known.uid() != user && known.uid() != 0 {
        let owner = known.uid();
        return denied(format!(
            "the folder {shown} belongs to the user with the id {owner}, not to you: look at it, then move it away"
        ));
    }
    if known.mode() & 0o022 != 0 {
        return denied(format!(
            "others than you can write the folder {shown}: look at what is in it, then `chmod go-w {shown}`"
        ));
    }
    Ok(())
}

#[cfg(not(unix))]
fn own(dir: &Path, known: &Metadata) -> Result<()> {
    if known.is_dir() {
        Ok(())
    } else {
        Err(Error::new(ErrorKind::NotADirectory, format!("{} is not a folder", dir.display())))
    }
}

fn close(dir: &Path, known: &Metadata) -> Result<()> {
    own(dir, known)?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(known) & 0o055 != 0 {
        // One of root's stays as it is: what root lets others read is root's to say.
        let _ = std::fs::set_permissions(dir, std::os::unix::fs::PermissionsExt::from_mode(0o700));
    }
    Ok(())
}

/// Opens files; one that is made is the user's own. A link is not followed, and a named pipe not waited for.
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    options
}

/// The same for a file that the user names: a link is followed.
pub fn options_for_named() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    options
}

/// Puts a file in the place of another in one step, so that nobody reads half of it. With `sync` it is on the disk when this
/// returns.
///
/// # Errors
/// Those of the system; the file is as it was then.
pub fn replace(file: &Path, bytes: &[u8], sync: bool) -> Result<()> {
    let new = PendingFile::new(file)?;
    (&new.file).write_all(bytes)?;
    if sync {
        new.file.sync_all()?;
    }
    new.commit()
}

/// The same, with a time of its own.
///
/// # Errors
/// As [`replace`].
pub fn replace_dated(file: &Path, bytes: &[u8], time: SystemTime) -> Result<()> {
    let new = PendingFile::new(file)?;
    (&new.file).write_all(bytes)?;
    new.file.set_modified(time)?;
    new.commit()
}

/// A file that is going to take another's place. Its name until then cannot be guessed; without [`PendingFile::commit`] it is gone.
#[derive(Debug)]
pub struct PendingFile {
    file: File,
    path: PathBuf,
    target: PathBuf,
}

impl PendingFile {
    /// A new file in the folder of `target`.
    ///
    /// # Errors
    /// Those of the system.
    pub fn new(target: &Path) -> Result<Self> {
        let path = target.with_file_name(temporary());
        let file = options().write(true).create_new(true).open(&path)?;
        Ok(PendingFile { file, path, target: target.to_owned() })
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file its place.
    ///
    /// # Errors
    /// Those of the system; the file is gone then, and what was in its place stays.
    pub fn commit(self) -> Result<()> {
        std::fs::rename(&self.path, &self.target)
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        // Nothing where it took its place.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// An unguessable name for a file until it gets its own.
pub fn temporary() -> String {
    // The keys of the state come from the system's source of randomness.
    let random = RandomState::new();
    format!(".snaphook-{:016x}{:016x}.tmp", random.hash_one(0), random.hash_one(1))
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
