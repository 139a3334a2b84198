//! The reasons why a file is out of reach, or an operation on it fails, in the words that scripts see. Not here: grants that
//! are missing.

use std::io::{Error, ErrorKind};

use super::{MAX_FILE_BYTES, MAX_FILE_NAMES};

/// The reason why an operation on a file failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum FileError {
    /// The text is no path.
    #[error(transparent)]
    Path(#[from] PathError),
    /// There is nothing.
    #[error("it is not there")]
    NotFound,
    /// The system allows it not.
    #[error("permission was denied")]
    Denied,
    /// Something has the name already.
    #[error("something else of that name is there already")]
    Exists,
    /// A file is where a folder has to be.
    #[error("it is in no folder: what should be one is a file")]
    InNoFolder,
    /// It is a folder where a file is needed.
    #[error("it is a folder")]
    IsFolder,
    /// The folder to be removed has something in it.
    #[error("the folder is not empty")]
    NotEmpty,
    /// Nothing can be written there.
    #[error("the file system is read-only")]
    ReadOnly,
    /// The disk is full, or the quota used up.
    #[error("there is no room")]
    NoRoom,
    /// The system has no such names.
    #[error("invalid file name")]
    Name,
    /// Any other error of the system: its own text.
    #[error("{0}")]
    System(String),
    /// It is something else than it was when it was looked at.
    #[error("it was replaced while it was opened")]
    #[cfg(unix)]
    Changed,
    /// Its links lead to each other.
    #[error("its links lead in a circle")]
    #[cfg(unix)]
    Circle,
    /// It is a FIFO, a socket, a device.
    #[error("it is neither a file nor a folder")]
    Special,
    /// It is not a folder where one is needed.
    #[error("it is no folder")]
    NoFolder,
    /// A file is to be made by the path of a folder.
    #[error("a path with a slash at its end is no file")]
    FolderPath,
    /// A folder is to be made where something else is.
    #[error("something is there that is no folder")]
    Occupied,
    /// The folder above is not there.
    #[error("the folder {0} is not there; make it with make_dir")]
    NoParent(String),
    /// A `..` follows a name that is not there.
    #[error("a folder above it is not there, so `..` leads nowhere")]
    #[cfg(unix)]
    NoWayUp,
    /// The file has a second name.
    #[error("it has a second name (a hard link), which may lead anywhere")]
    #[cfg(unix)]
    HardLink,
    /// All names for a temporary file are taken.
    #[error("there is no name for a temporary file beside it")]
    #[cfg(unix)]
    NoTemporary,
    /// The file is too big to be read.
    #[error("it has more than {MAX_FILE_BYTES} bytes, which is the most that is read")]
    TooBig,
    /// The text is too long to be written.
    #[error("the text has more than {MAX_FILE_BYTES} bytes, which is the most that is written")]
    TooLong,
    /// The folder has too many names.
    #[error("it has more than {MAX_FILE_NAMES} names, which is the most that is listed")]
    TooMany,
    /// The file is not UTF-8 from this byte on.
    #[error("it is no text: the byte at {0} is not UTF-8")]
    NotText(usize),
    /// A name in the folder is not UTF-8.
    #[error("the name {0} in it is not UTF-8")]
    NameNotText(String),
    /// It is among what the kernel shows as files.
    #[error("what the kernel shows as files is out of reach of hooks")]
    OfTheKernel,
    /// It is one of the files that no grant gives; whose.
    #[error("it belongs to {0}, which no grant gives")]
    Reserved(&'static str),
}

/// The reason why a text is no path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PathError {
    /// It is empty.
    #[error("the path is empty; the project's root is `.`")]
    Empty,
    /// It is too long.
    #[error("the path is longer than {0} bytes")]
    TooLong(usize),
    /// It has a NUL.
    #[error("the path has a NUL in it")]
    Nul,
    /// It begins with `~`.
    #[error("there is no home folder for `~`")]
    NoHome,
    /// It begins with `~name`.
    #[error(
        "another person's home folder is not understood; write the whole path, or `./~…` for a file of that name"
    )]
    OtherHome,
    /// It is relative.
    #[error("there is no project that a relative path could be meant from")]
    NoProject,
    /// It has a colon, which names another stream of a file.
    #[error("no name of a file has a colon")]
    Colon,
}

/// The reason in an error of the system.
pub(super) fn reason(error: impl Into<Error>) -> FileError {
    let error = error.into();
    match error.kind() {
        ErrorKind::NotFound => FileError::NotFound,
        ErrorKind::PermissionDenied => FileError::Denied,
        ErrorKind::AlreadyExists => FileError::Exists,
        ErrorKind::NotADirectory => FileError::InNoFolder,
        ErrorKind::IsADirectory => FileError::IsFolder,
        ErrorKind::DirectoryNotEmpty => FileError::NotEmpty,
        ErrorKind::ReadOnlyFilesystem => FileError::ReadOnly,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => FileError::NoRoom,
        ErrorKind::InvalidFilename => FileError::Name,
        _ => FileError::System(error.to_string()),
    }
}
