//! The crate's integration tests, in one binary.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its files has failed")]

mod shell_bash;
