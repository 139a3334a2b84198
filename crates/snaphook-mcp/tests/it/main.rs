//! The gate between two sides in memory, with real hooks.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are outside of #[test] functions")]

mod http;
mod input_required;
mod messages;
mod order;
mod scene;
mod session;
mod tasks;
mod torn;

/// As in the command.
#[global_allocator]
static ALLOCATOR: snaphook_rhai::MeteredAllocator = snaphook_rhai::MeteredAllocator;
