//! The audit: one line for each decision, and for each result that hooks rewrote.
//!
//! | module | content |
//! |---|---|
//! | `line` | the fields of a line |
//! | `builder` | a line built from a decision or a result |
//! | `mask` | secrets taken out of what is written |
//! | `file`, `chain`, `heads` | files of lines chained by hash, and how far each session is |
//! | `disk`, `events` | their names, locks and ends, and the lines that the audit writes about itself |
//! | `log`, `verify`, `heads_log` | reading and verifying them |
//!
//! Lines go through the port [`Audit`]; the `snaphook` command uses [`FileAudit`]. Not here: when a
//! line is written and what happens where it is not taken (the host), and how the log is shown (the
//! CLI).
//!
//! ```
//! use snaphook_audit::mask_text;
//!
//! let line = "curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789'";
//! assert!(!mask_text(line).contains("abcdefghijklmnopqrstuvwxyz"));
//! ```

mod builder;
mod chain;
mod disk;
mod events;
mod file;
mod heads;
mod heads_log;
mod line;
mod log;
mod mask;
mod verify;

pub use builder::{HookRun, LineBuilder, SessionFields};
pub use file::{DEFAULT_KEEP, DEFAULT_MAX_BYTES, FileAudit};
pub use heads_log::VerifiedHeads;
pub use line::{AuditLine, AuditReason, AuditResult, AuditedGrant, AuditedHook, InputHash};
pub use log::{AuditLog, StoredLine, VerifiedLog};
pub use mask::{MASKS, Mask, mask_text};
pub use verify::{BadLine, Verified};

/// Takes audit lines.
///
/// A gated event whose line is refused is denied with the cause `audit`: a full disk would otherwise let it act
/// without a trace.
pub trait Audit: Send + Sync {
    /// Takes one line. Called on the thread of the call before it goes on, so it has to be quick.
    ///
    /// # Errors
    /// The line was not taken. The text names the place and the reason.
    fn append(&self, line: &AuditLine) -> Result<(), AuditError>;
}

/// A line that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AuditError(pub String);

/// The way inputs of tools are in the audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuditInputs {
    /// Whole, with secrets masked. One of more than about 64 KiB is hashed all the same.
    #[default]
    Full,
    /// As a hash.
    Hash,
}

/// The options of audit lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditOptions {
    /// Inputs of tools, and fields of other gated events.
    pub inputs: AuditInputs,
    /// True if the text of the person's prompts is written, and not only its hash. Default: no.
    pub prompts: bool,
}
