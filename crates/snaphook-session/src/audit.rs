//! The audit that the settings ask for, with errors that say what a person can do.

use std::path::PathBuf;
use std::sync::Arc;

use snaphook::Builder;
use snaphook_audit::{Audit, AuditError, AuditInputs, AuditLine, AuditOptions, FileAudit};
use snaphook_discovery::{AuditInputs as InputsSetting, AuditSettings, Directories};
use snaphook_state::layout;

/// The host with the audit that the settings ask for.
pub(crate) fn audited(builder: Builder, settings: &AuditSettings, directories: &Directories) -> Builder {
    if !settings.enabled {
        return builder;
    }
    let file = |state: &PathBuf| {
        FileAudit::new(layout::audit(state)).max_bytes(settings.max_bytes).keep(u64::from(settings.keep))
    };
    let inputs = match settings.inputs {
        InputsSetting::Full => AuditInputs::Full,
        InputsSetting::Hash => AuditInputs::Hash,
    };
    let audit = WithRemedy(directories.state.as_ref().map(file));
    builder.audit(Arc::new(audit), AuditOptions { inputs, ..AuditOptions::default() })
}

/// The audit's files, where there is a place for them; errors say what a person can do.
struct WithRemedy(Option<FileAudit>);

impl Audit for WithRemedy {
    fn append(&self, line: &AuditLine) -> Result<(), AuditError> {
        let remedy = |error: &str, what: &str| {
            AuditError(format!(
                "{error} ({what}, or switch the audit off in your config.toml: `enabled = false` under `[audit]`)"
            ))
        };
        match &self.0 {
            Some(file) => file
                .append(line)
                .map_err(|error| remedy(&error.0, "free space or fix the folder, or set SNAPHOOK_STATE_DIR")),
            None => Err(remedy("there is no folder for it", "set HOME or SNAPHOOK_STATE_DIR")),
        }
    }
}
