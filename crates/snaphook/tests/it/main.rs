//! The host with handlers written in Rust and a fake engine: no script language is needed to hold the laws.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod ask;
mod audit;
mod audit_files;
mod audit_heads;
mod checks;
mod emit;
#[cfg(unix)]
mod file_escapes;
#[cfg(unix)]
mod file_oracle;
mod files;
mod gate;
#[cfg(unix)]
mod grants;
mod hold;
mod kv;
mod load;
mod registration_cache;
mod services;
mod stuck;
mod support;
mod tool;
mod web;
mod withhold;
