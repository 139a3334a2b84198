//! Trust by content (law 7): nothing of a project's hook runs before a person has said yes to exactly these bytes.
//! `hash` says what the bytes are.

mod hash;

pub use hash::{ContentHash, NoHash};
