//! A check of changed files or of a commit that failed, as data. Not here: how checks run (`emit`, `checks`).

use snaphook_core::{Cause, HandlerInfo, ProgramRun};

/// A check that failed.
#[derive(Debug, Clone)]
pub struct FailedCheck {
    /// The check.
    pub handler: HandlerInfo,
    /// The reason; never empty.
    pub reason: String,
    /// Set where the check itself is broken.
    pub cause: Option<Cause>,
    /// The traces of its program, where it is one that ran.
    pub run: Option<Box<ProgramRun>>,
}
