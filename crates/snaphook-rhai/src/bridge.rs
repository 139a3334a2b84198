//! What the bindings of one hook share: the hook, the host's services, and which handler runs right now.

use rhai::EvalAltResult;

/// Seconds since 1970, from the clock of the host that the script on this thread belongs to.
///
/// # Errors
/// No script runs on this thread.
pub(crate) fn now() -> Result<f64, Box<EvalAltResult>> {
    Err("no script runs here".into())
}
