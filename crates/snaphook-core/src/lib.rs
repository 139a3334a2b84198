//! The rules of Snaphook: events and their reply classes, verdicts and their law, and the ports that the other
//! crates fill. This crate does no I/O, starts no task and knows no script language.

mod hook;
mod problem;

pub use hook::{HookIdentity, HookRef, Location, Scope};
pub use problem::{Problem, Severity};
