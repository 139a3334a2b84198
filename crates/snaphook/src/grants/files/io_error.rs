//! Why something failed, as people say it.

use std::io::{Error, ErrorKind};

/// The reason in an error of the system.
pub(super) fn reason(error: impl Into<Error>) -> String {
    let error = error.into();
    let words = match error.kind() {
        ErrorKind::NotFound => "it is not there",
        ErrorKind::PermissionDenied => "permission was denied",
        ErrorKind::AlreadyExists => "something else of that name is there already",
        ErrorKind::NotADirectory => NOT_A_FOLDER,
        ErrorKind::IsADirectory => "it is a folder",
        ErrorKind::DirectoryNotEmpty => "the folder is not empty",
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "there is no room",
        ErrorKind::InvalidFilename => "invalid file name",
        _ => return error.to_string(),
    };
    words.to_owned()
}

/// Of a file where a folder has to be.
pub(super) const NOT_A_FOLDER: &str = "it is in no folder: what should be one is a file";
/// Of a FIFO, a socket, a device.
pub(super) const NO_FILE: &str = "it is neither a file nor a folder";
