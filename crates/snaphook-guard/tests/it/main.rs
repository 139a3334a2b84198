//! The gate in a host, without a script language.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

#[path = "../../../../tests/needs.rs"]
mod needs;
mod protect;
#[cfg(unix)]
mod protect_real;
