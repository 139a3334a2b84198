//! Snaphook between an MCP client and an MCP server.
//!
//! What no hook concerns passes as the bytes that it came as: whatever the protocol's version, methods that nobody here knows,
//! `_meta`, progress. [`message`] reads just enough of a message to tell, [`link`] is a side of the proxy whatever carries it
//! ([`carrier`] does on byte streams, [`child`] has a server behind them, and `http`, behind the feature of that name, carries one
//! by Streamable HTTP), [`session`] is what happens in between, [`person`] whom hooks ask, and [`pins`] what a server said of its
//! tools.

pub mod carrier;
pub mod child;
mod heading;
#[cfg(feature = "http")]
pub mod http;
mod json;
pub mod link;
pub mod message;
mod names;
pub mod person;
pub mod pins;
pub mod session;
mod sync;
mod texts;

pub use carrier::{Carried, MAX_FRAME, carry};
pub use link::{Incoming, Link};
pub use message::{Id, Kind, Message, Unreadable};
pub use names::server_name;
pub use person::Person;
pub use session::{Options, Proxy, run};

/// The first version of the protocol that has no sessions, and the newest that is known here. Each request says for itself of which
/// version it is, and what its client can do.
const SESSIONLESS: &str = "2026-07-28";
