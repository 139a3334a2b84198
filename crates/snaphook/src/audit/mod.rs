//! The audit: one line for each decision, and for each result that hooks rewrote. What stands in a line is in `line`, what
//! is kept out of it in `mask`; `record` makes lines of decisions. Lines go through the port [`Audit`]; the one that the
//! command uses is [`FileAudit`], which chains them by hash (`chain`), notes how far each session is (`heads`), and which `log` reads
//! and verifies.

mod chain;
mod disk;
mod file;
mod heads;
mod heads_log;
mod line;
mod log;
mod mask;
mod record;
mod verify;

use std::sync::{Arc, Mutex};

use snaphook_core::Session;

use crate::report::Report;
use crate::sync::lock;

pub use file::{DEFAULT_KEEP, DEFAULT_MAX_BYTES, FileAudit};
pub use heads_log::VerifiedHeads;
pub use line::{AuditLine, AuditReason, AuditResult, AuditedGrant, AuditedHook, InputHash};
pub use log::{AuditLog, StoredLine, VerifiedLog};
pub use mask::{MASKS, Mask, mask_text};
pub use verify::{BadLine, Verified};

pub(crate) use record::Ran;

/// Takes audit lines.
///
/// A gated event whose line is refused is denied with the cause `audit`: whoever can fill a disk could otherwise act
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

/// How inputs of tools stand in the audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuditInputs {
    /// Whole, with secrets masked. One of more than about 64 KiB is hashed all the same.
    #[default]
    Full,
    /// As a hash.
    Hash,
}

/// What stands in audit lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditOptions {
    /// Inputs of tools, and fields of other gated events.
    pub inputs: AuditInputs,
    /// Whether the text of the person's prompts is written, and not only its hash. Default: no.
    pub prompts: bool,
}

/// Where a host's lines go.
pub(crate) struct Auditor {
    to: Arc<dyn Audit>,
    options: AuditOptions,
    /// What each line of the session of before has.
    whose: Mutex<Option<Arc<Whose>>>,
}

/// What stands in each line of a session, masked already.
struct Whose {
    session: Arc<Session>,
    id: String,
    cwd: String,
    masked: usize,
}

impl Auditor {
    pub(crate) fn new(to: Arc<dyn Audit>, options: AuditOptions) -> Self {
        Auditor { to, options, whose: Mutex::default() }
    }

    fn whose(&self, session: &Arc<Session>) -> Arc<Whose> {
        let mut known = lock(&self.whose);
        if let Some(known) = known.as_ref().filter(|known| Arc::ptr_eq(&known.session, session)) {
            return Arc::clone(known);
        }
        let mut masked = 0;
        let id = mask::text(session.id.clone(), &mut masked);
        let cwd = mask::text(session.cwd.display().to_string(), &mut masked);
        let whose = Arc::new(Whose { session: Arc::clone(session), id, cwd, masked });
        *known = Some(Arc::clone(&whose));
        whose
    }

    /// Hands a line over; what is not taken becomes a report.
    pub(crate) fn append(&self, line: &AuditLine) -> Result<(), Report> {
        self.to.append(line).map_err(|error| Report {
            hook: None,
            location: None,
            event: None,
            cause: Some(snaphook_core::Cause::Audit),
            message: format!("the audit could not be written: {error}"),
            traceback: None,
        })
    }
}
