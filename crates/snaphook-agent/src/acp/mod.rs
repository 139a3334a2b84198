//! The driver of agents that speak ACP. The agent is behind the proxy of `snaphook-acp`, with the session's host, and this is its
//! editor: files and terminals are served behind the same gates, each permission passes the gate, and nothing is offered that is not served. Not here:
//! starting the agent's process, and the agent's own hooks (the command).

mod driver;
mod serve;
mod terminals;

pub use driver::{AcpAgent, StartError};
