//! Values that hooks keep: for the session in memory (`state`), for longer on disk (`store`). Both are per hook.

mod state;
mod store;

pub(crate) use state::SessionState;
pub(crate) use store::Store;

/// The most that one hook keeps in each of the two, in bytes of JSON.
pub const MAX_KEPT: usize = 1 << 20;
