//! Other agents' hook protocols: what an agent sends becomes an [`Incoming`] event, what hooks want becomes the agent's own
//! answer. Pure: no process, no file, no clock; the command `snaphook hook` reads, dispatches and writes.
//!
//! The way of one call: [`read`] → the host decides → [`Outcome`](snaphook_core::Outcome) → [`fit_to_agent`], which turns what the agent cannot honour
//! into something at least as strict and says so → [`Agent::answer`]. Whatever goes wrong on the way, there is
//! [`Agent::deny`].
//!
//! One folder an agent below `agents/`, one line in [`AGENTS`]. What an agent honours is in its table of [`Row`]s,
//! and nowhere else: documentation, installation and tests read it.
//!
//! ```
//! use snaphook_adapters::{agent, fit_to_agent, read};
//! use snaphook_core::{Outcome, Ruling};
//!
//! let claude = agent("claude-code").ok_or("unknown agent")?;
//! let payload = serde_json::json!({
//!     "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/project",
//!     "tool_name": "Bash", "tool_input": {"command": "rm -rf build"}, "tool_use_id": "1",
//! });
//! let payload = payload.as_object().ok_or("not an object")?;
//! let incoming = read(claude, Some("PreToolUse"), payload, &|_| None)?;
//! assert_eq!(incoming.events[0].call().and_then(|call| call.command()).as_deref(), Some("rm -rf build"));
//!
//! let outcome = Outcome { ruling: Ruling::Deny("not that folder".to_owned()), ..Outcome::default() };
//! let reply = claude.answer(&incoming, &fit_to_agent(claude, &incoming, outcome).response);
//! assert!(reply.stdout.contains(r#""permissionDecision":"deny""#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
mod row;
mod sender;
mod switches;
pub mod table;

pub use agent::{Agent, CANARY, Profile, Refused, Row, Tier, Unreadable};
pub use agents::{AGENTS, agent};
pub use effects::{Effect, Effects};
pub use fit::{Fitted, Response, fit_to_effects};
pub use incoming::{Incoming, Origin};
pub use protocol::{effects as effects_of, fit_to_agent, read};
pub use reply::Reply;
pub use sender::{borrows, sender, variables};
pub use switches::{Off, SettingsFile};
