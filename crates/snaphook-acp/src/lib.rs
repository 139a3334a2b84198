//! Snaphook between an editor and an agent that speak the Agent Client Protocol (ACP), version 1.
//!
//! A message that no hook concerns passes as the bytes that came: unknown methods, `_meta`, extensions. [`proxy`] runs
//! between the two sides, [`editor_ui`] asks the editor's person the questions of hooks, and [`hosts`] is how the proxy
//! gets the hooks of a session's folder. [`client`] is an editor without a screen, for programs that drive an agent
//! through the proxy. Not here: messages and what carries them (`snaphook-mcp-transport`, as both
//! protocols are lines of JSON-RPC), and starting the agent (`snaphook-cli`).

pub mod client;
pub mod editor_ui;
mod fields;
pub mod hosts;
mod known_calls;
mod permission;
pub mod proxy;

pub use hosts::{HostError, Hosts};
pub use proxy::{Ended, Proxy, Watch, run};
