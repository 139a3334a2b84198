//! The Luau engine against a fake host.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stand outside of #[test] functions")]

mod api;
mod containment;
mod escapes;
mod hints;
mod loading;
#[path = "../../../../tests/engines/pauses.rs"]
mod pauses;
#[path = "../../../../tests/engines/said.rs"]
mod said;
mod support;
mod testing;
mod values;
mod waiting;
