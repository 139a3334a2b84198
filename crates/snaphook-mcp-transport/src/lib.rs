//! Messages of the Model Context Protocol, and the transports that carry them, on either side.
//!
//! A [`Message`] is its bytes, and as much of its content as a transport needs. A [`Transport`] is one
//! side of a proxy, whatever carries it: [`framing`] does on byte streams, [`child`] starts a server
//! and frames its pipes, and `http`, behind the feature of that name, is Streamable HTTP. What
//! is carried keeps the bytes that came. Not here: what methods mean, and hooks (`snaphook-mcp`).

pub mod child;
pub mod framing;
#[cfg(feature = "http")]
pub mod http;
pub mod json;
pub mod message;
pub mod strict;
pub mod transport;

pub use framing::{Framed, MAX_FRAME_BYTES, framed};
pub use message::{Id, InvalidMessage, Message, MessageKind};
pub use transport::{Incoming, Transport};

/// The first version of the protocol without sessions, and the newest that is supported. Each
/// request names its version and the capabilities of its client.
pub const STATELESS_VERSION: &str = "2026-07-28";
