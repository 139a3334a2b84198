//! Snaphook from outside: the real command, real files, real processes.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests stand outside of #[test] functions, and hand the real PATH on"
)]

mod architecture;
mod check;
mod conformance;
mod containment;
mod docs;
mod examples;
mod list;
mod run;
mod runner;
mod runtimes;
mod support;
mod tree;
mod values;
