//! The names of the keys that front matter may have, and which files may have them. Not here: their values
//! (`check`, `executable`).

/// Every key that front matter may have.
#[rustfmt::skip]
pub const KNOWN_KEYS: [&str; 15] = [
    "name", "description", "api", "grants", "on_failure", "examples", "type", "event", "pattern", "ignore",
    "notify_llm", "run_as", "timeout", "compat", "hold",
];

/// The keys that only executable hooks may have.
pub const EXECUTABLE_KEYS: [&str; 9] =
    ["type", "event", "pattern", "ignore", "notify_llm", "run_as", "timeout", "compat", "hold"];

/// Keys that only scripts have: in a file of Discobot's they have no effect.
pub(super) const SCRIPT_KEYS: [&str; 3] = ["grants", "examples", ON_FAILURE];

/// The key for the treatment of results where the hook fails.
pub(super) const ON_FAILURE: &str = "on_failure";
