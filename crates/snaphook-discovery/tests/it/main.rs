//! Discovery against real folders: what is found, in which order, and the problems that are reported.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are outside of #[test] functions")]

mod adhoc;
mod bad_input;
mod directories;
mod discobot;
mod files;
mod folder_hooks;
mod front_matter;
mod order;
mod properties;
mod sandbox;
mod settings;
mod trust;
mod trust_gone;
mod trust_store;
