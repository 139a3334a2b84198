//! Snaphook between an MCP client and an MCP server.
//!
//! A message that no hook concerns passes as the bytes that came: any version of the protocol, unknown methods, `_meta`,
//! progress. [`session`] runs between the two sides, [`elicitation`] asks the client's person the questions of hooks, and
//! [`pins`] remembers the definitions of a server's tools. Not here: messages and what carries them
//! (`snaphook-mcp-transport`).

pub mod elicitation;
mod heading;
mod json;
mod names;
pub mod pins;
pub mod session;
mod texts;

pub use elicitation::ElicitationUi;
pub use names::{server_name, tool_name};
pub use session::{Options, Proxy, run};
