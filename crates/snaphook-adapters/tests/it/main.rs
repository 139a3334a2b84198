//! Every agent: what is read from its payloads, what it is answered, and what holds for all of them.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]
#![expect(clippy::disallowed_methods, reason = "BLESS=1 in the environment has tests write their fixtures")]

mod clear;
mod fixtures;
mod laws;
mod samples;
mod sender;
mod setups;
mod support;
