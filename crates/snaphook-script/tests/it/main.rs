//! The crate's integration tests, in one binary.

mod shell_bash;
