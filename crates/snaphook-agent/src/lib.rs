//! Driving an agent session under Snaphook's hooks: for now the replay of recorded sessions, with real tools in a
//! scratch copy of a project.
//!
//! Lives here: recordings and their formats ([`replay`]), the tools ([`tools`]), the scratch project ([`scratch`]) and the
//! driver that puts them through a host's gates ([`driver`]).
//!
//! Not here: loading hooks and deciding about calls (`snaphook`), showing a run to a person (`snaphook-cli`).

pub mod driver;
pub mod replay;
pub mod scratch;
pub mod tools;
