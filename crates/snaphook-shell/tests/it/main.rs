//! The crate's integration tests, in one binary.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot set up its files or its shells has failed"
)]
// The texts are run in a sandbox that only Linux has.
#![cfg(target_os = "linux")]

mod attacks;
#[path = "../../../../tests/needs.rs"]
mod needs;
mod sound;
mod soundness;
mod tables;
