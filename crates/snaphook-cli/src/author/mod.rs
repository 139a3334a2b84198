//! Help for people who write hooks: declarations for their editors, and hooks to start from. Not here: running tests.

pub(crate) mod add;
pub(crate) mod new;
pub(crate) mod types;

mod luarc;
mod templates;
