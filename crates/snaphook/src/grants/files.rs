//! Files that a script may read or write.

use snaphook_core::{FileReply, FileRequest, ServiceError};

use super::{Asker, Base};

/// The granted paths.
pub(super) struct Files;

impl Files {
    pub(super) fn new(_read: &[String], _write: &[String], _base: &Base) -> Self {
        Files
    }

    /// Does what is asked.
    ///
    /// # Errors
    /// The grant that is missing.
    pub(super) fn run(&self, asker: &Asker, request: FileRequest) -> Result<FileReply, ServiceError> {
        Err(asker.missing(&format!("the file {}", request.path), "read", &request.path))
    }
}
