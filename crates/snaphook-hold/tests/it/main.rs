//! Holding, from outside: commands are really held on this kernel, and what they did is looked at from outside of their hold.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod battery;
mod bed;
mod hosts;
mod off;
mod outsider;
mod same;
mod servers;
mod traps;
