//! Loading: from what discovery found to the set of hooks in force. Not here: what runs them (`dispatch`).

pub(crate) mod hook_set;
pub(crate) mod loader;
pub(crate) mod registration_cache;
