//! The loop of a session: sequences as tables, and laws for every sequence.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod agent_loop;
mod iterations;
