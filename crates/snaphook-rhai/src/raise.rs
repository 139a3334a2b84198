//! Errors that scripts get from functions of the host. Not here: errors of scripts, as the host reads them
//! (`error`).

use rhai::{EvalAltResult, Position};

use crate::meter::outside;

/// The error that scripts get when a host function fails.
pub(crate) type Raised = Box<EvalAltResult>;

/// An error that the script sees, at the line of the call.
pub(crate) fn raise(error: impl std::fmt::Display) -> Raised {
    EvalAltResult::ErrorRuntime(error.to_string().into(), Position::NONE).into()
}

/// Does the host's own work for a script; see [`outside`]. The script gets the error's text, on its own account.
///
/// # Errors
/// Those of the work.
pub(crate) fn host<T, E: std::fmt::Display>(work: impl FnOnce() -> Result<T, E>) -> Result<T, Raised> {
    outside(work).map_err(|error| {
        let raised = raise(&error);
        outside(|| drop(error));
        raised
    })
}
