//! The proxy between an editor and an agent that are played from a text.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are outside of #[test] functions")]

mod ends;
mod files;
mod messages;
mod permissions;
mod prompts;
mod scene;
