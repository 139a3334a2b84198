//! Snaphook between an MCP client and an MCP server.
//!
//! What no hook concerns passes as the bytes that it came as: whatever the protocol's version, methods that nobody here knows,
//! `_meta`, progress. [`message`] reads just enough of a message to tell, [`link`] is a side of the proxy whatever carries it,
//! [`pins`] holds a server to what it said of its tools.

pub mod carrier;
mod json;
pub mod link;
pub mod message;
pub mod pins;

pub use carrier::{Carried, MAX_FRAME, carry};
pub use link::{Incoming, Link};
pub use message::{Id, Kind, Message, Unreadable};
