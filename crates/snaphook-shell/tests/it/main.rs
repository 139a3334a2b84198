//! The crate's integration tests, in one binary.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its files has failed")]
// The texts are run in a sandbox that only Linux has.
#![cfg(target_os = "linux")]

mod attacks;
mod sound;
mod soundness;
mod tables;
