//! Other agents' hook protocols: what an agent sends becomes an [`Incoming`] event, what hooks want becomes the agent's own
//! answer. Pure: no process, no file, no clock; the command `snaphook hook` reads, dispatches and writes.
//!
//! The way of one call: [`read`] → the host decides → [`Outcome`](snaphook_core::Outcome) → [`fit_to_agent`], which turns what the agent cannot honour
//! into something at least as strict and says so → [`Agent::answer`]. Whatever goes wrong on the way, there is
//! [`Agent::deny`].
//!
//! One folder an agent below `agents/`, one line in [`AGENTS`]. What an agent honours stands in its table of [`Row`]s,
//! and nowhere else: documentation, installation and tests read it.

mod agent;
pub mod agents;
mod calls;
mod clear;
mod effects;
mod field_map;
mod fields;
mod fit;
mod incoming;
pub mod install;
mod patch;
mod protocol;
mod reply;
mod sender;
mod switches;
pub mod table;

pub use agent::{Agent, CANARY, Refused, Row, Tier, Unreadable};
pub use agents::{AGENTS, agent};
pub use effects::{Effect, Effects};
pub use fit::{Fitted, Response, fit_to_effects};
pub use incoming::{Incoming, Origin};
pub use protocol::{effects as effects_of, fit_to_agent, read};
pub use reply::Reply;
pub use sender::{borrows, sender, variables};
pub use switches::{Off, SettingsFile};
