//! Opening files to read that any user may have put there: what is not a regular file is an error at once, and is never
//! waited for. Not here: reading hooks (`file_bytes`), which says more about what is wrong; writing (`private_fs`, `replace`).

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read as _, Result};
use std::path::{Path, PathBuf};

/// Opens a regular file, through a link too.
///
/// # Errors
/// Those of the system; `InvalidInput` for a named pipe, a socket, a device or a folder.
pub fn open(path: &Path) -> Result<File> {
    // Looked at before it is opened, because opening alone can act on a device; and again after, because what
    // is at the path may have changed.
    refuse(&std::fs::metadata(path)?)?;
    let file = open_any(path)?;
    refuse(&file.metadata()?)?;
    Ok(file)
}

/// Reads a whole regular file of at most `most` bytes, through a link too. The limit holds for what is read, not for what the
/// file system claims.
///
/// # Errors
/// As [`open`]; `FileTooLarge` for a longer one.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = open(path)?;
    let expected = file.metadata()?.len().saturating_add(1).min(most).min(1 << 20);
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it is longer than {most} bytes")));
    }
    Ok(bytes)
}

/// The same as text.
///
/// # Errors
/// As [`read`]; `InvalidData` where it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(read(path, most)?).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Opens whatever is at the path, without waiting for it.
///
/// # Errors
/// Those of the system.
#[cfg(unix)]
pub fn open_any(path: &Path) -> Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

/// Opens whatever is at the path, without waiting for it.
///
/// # Errors
/// Those of the system.
#[cfg(not(unix))]
pub fn open_any(path: &Path) -> Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// Refuses what is not a regular file.
///
/// # Errors
/// `InvalidInput` for a named pipe, a socket, a device or a folder.
pub fn refuse(metadata: &Metadata) -> Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let message = format!("it is {}, not a regular file", kind(metadata.file_type()));
    Err(Error::new(ErrorKind::InvalidInput, message))
}

/// The word for a thing that is not a regular file.
pub fn kind(file_type: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;

        if file_type.is_fifo() {
            return "a named pipe";
        }
        if file_type.is_socket() {
            return "a socket";
        }
        if file_type.is_block_device() || file_type.is_char_device() {
            return "a device";
        }
    }
    if file_type.is_dir() { "a folder" } else { "something special" }
}

/// The file by which a folder says what is ignored in it, where that file is a named pipe, a socket or a device: a walk of the
/// folder with these files in force would wait for it.
pub fn odd_ignore_file(folder: &Path) -> Option<PathBuf> {
    let files = [".gitignore", ".ignore", ".git/info/exclude"].map(|name| folder.join(name));
    files.into_iter().find(|file| is_odd(file))
}

/// Returns whether there is something that is neither a regular file nor a folder, through a link too.
pub fn is_odd(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|known| !known.is_file() && !known.is_dir())
}
