//! Errors that scripts get from functions of the host. Not here: errors of scripts, as the host reads them
//! (`error`).

/// Turns an error of the shared API into a script's.
pub(crate) fn raise(error: impl std::fmt::Display) -> mlua::Error {
    mlua::Error::runtime(error.to_string())
}
