//! The agent crate, tested with real files and real processes.

mod replay;
mod scratch;
mod support;
mod tools;
