//! The loop of an agent's iterations as a state machine: which list of a lifecycle file runs when, and what of its output the agent
//! is told with which prompt.
//!
//! ```text
//! begin → session_start → [ prompt → pre_iteration → agent → post_iteration → complete? ]* → final delivery → session_end
//!                                                       ↓ failed
//!                                                    on_error → recovery prompt, three times in a row at most
//! ```
//!
//! The machine does nothing itself: it says what is to be done ([`Step`]) and is told what came of it ([`Signal`]). The time comes
//! with each signal. So the same machine serves a program that drives an agent, and commands that an agent calls for each event,
//! which keep its state between them ([`Saved`]).
//!
//! Lives here: the order, the buffer of output that waits ([`Pending`]), the limits. Not here: running commands
//! (`snaphook_command::lifecycle`), talking to an agent.

mod machine;
mod pending;
mod saved;

pub use machine::{Ending, Iterations, Limits as IterationLimits, Phase, Signal, Step, Unexpected};
pub use pending::{MAX_PENDING, Pending};
pub use saved::Saved;

/// The number of times that a failing agent is prompted to recover, without a success between.
pub const MAX_RECOVERIES: u32 = 3;
