//! The agent crate, tested with real files and real processes.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

mod acp;
mod driver;
mod mcp;
mod model;
mod replay;
mod scratch;
mod support;
mod tools;
