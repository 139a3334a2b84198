//! Snaphook between an MCP client and an MCP server.
//!
//! What no hook concerns passes as the bytes that it came as: whatever the protocol's version, methods that nobody here knows,
//! `_meta`, progress. [`message`] reads just enough of a message to tell, [`link`] is a side of the proxy whatever carries it,
//! and `http`, behind the feature of that name, carries one by Streamable HTTP.

#[cfg(feature = "http")]
pub mod http;
pub mod link;
pub mod message;

pub use link::{Incoming, Link};
pub use message::{Id, Kind, Message, Unreadable};
