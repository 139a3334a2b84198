//! Other agents' hook protocols: what an agent sends becomes an [`Incoming`] event, what hooks want becomes the agent's own
//! answer. Pure: no process, no file, no clock; the command `snaphook hook` reads, dispatches and writes.
//!
//! The way of one call: [`read`] → the host decides → [`Outcome`] → [`settle_for`], which turns what the agent cannot honour
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
mod fields;
mod incoming;
pub mod install;
mod keys;
mod origin;
mod patch;
mod reply;
mod settle;
mod switches;
pub mod table;

pub use agent::{Agent, CANARY, Refused, Row, Tier, Unreadable};
pub use agents::{AGENTS, agent};
pub use effects::{Effect, Effects};
pub use incoming::{Incoming, Origin};
pub use origin::{borrows, effects as effects_of, read, really, variables};
pub use reply::Reply;
pub use settle::{Say, Settled, settle, settle_for};
pub use switches::{Off, SettingsFile};
