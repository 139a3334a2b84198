//! The place where a host's audit lines go. Not here: when a line is written, and what it has (`dispatch::audit`).

use std::sync::Arc;

use parking_lot::Mutex;
use snaphook_audit::{Audit, AuditLine, AuditOptions, SessionFields};
use snaphook_core::{Cause, Session};

use crate::report::Report;

/// The place where a host's lines go.
pub(crate) struct Auditor {
    to: Arc<dyn Audit>,
    pub(crate) options: AuditOptions,
    /// The fields of the last session that had a line.
    known: Mutex<Option<(Arc<Session>, Arc<SessionFields>)>>,
}

impl Auditor {
    pub(crate) fn new(to: Arc<dyn Audit>, options: AuditOptions) -> Self {
        Auditor { to, options, known: Mutex::default() }
    }

    pub(crate) fn fields(&self, session: &Arc<Session>) -> Arc<SessionFields> {
        let mut known = self.known.lock();
        if let Some((_, fields)) = known.as_ref().filter(|(known, _)| Arc::ptr_eq(known, session)) {
            return Arc::clone(fields);
        }
        let fields = Arc::new(SessionFields::new(session));
        *known = Some((Arc::clone(session), Arc::clone(&fields)));
        fields
    }

    /// Hands a line over; what is not taken becomes a report.
    pub(crate) fn append(&self, line: &AuditLine) -> Result<(), Report> {
        self.to.append(line).map_err(|error| Report {
            hook: None,
            location: None,
            event: None,
            cause: Some(Cause::Audit),
            message: format!("the audit could not be written: {error}"),
            traceback: None,
        })
    }
}
