//! Snaphook from outside: the real command, real files, real processes.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests are outside of #[test] functions, and hand the real PATH on"
)]

mod acp;
mod add;
mod agents_seen;
mod api;
mod architecture;
mod audit;
mod check;
mod commands;
mod conformance;
mod containment;
#[cfg(unix)]
mod dialogs;
mod docs;
mod docs_testing;
mod doctor;
mod examples;
mod exec_grants;
mod failures;
mod files;
mod hold;
mod hook;
mod http;
mod install;
#[cfg(unix)]
mod interactive;
mod list;
mod manual;
mod mcp;
mod mcp_pins;
mod mcp_wrap;
mod model;
mod model_mcp;
#[path = "../needs.rs"]
mod needs;
mod new;
mod odd_files;
mod protect;
#[cfg(unix)]
mod pty;
mod readme;
mod redaction;
mod run;
mod runner;
mod runtimes;
mod support;
mod test;
mod tour;
mod tree;
mod trial;
mod trust;
#[cfg(unix)]
mod trust_asks;
mod types;
mod values;

/// As in the command: without it, what Rhai hooks hold is not counted.
#[global_allocator]
static ALLOCATOR: snaphook_rhai::MeteredAllocator = snaphook_rhai::MeteredAllocator;
