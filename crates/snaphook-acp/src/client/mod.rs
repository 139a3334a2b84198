//! A client of ACP agents: begins sessions, sends prompts, hears what the agent does, and answers what it asks for. It
//! gates nothing by itself: between it and the agent belongs the [proxy](crate::proxy), over a
//! [`channel`](snaphook_mcp_transport::transport::channel) in memory. Not here: files, terminals and the person ([`Serve`]
//! has them).

mod connection;
mod serve;
mod update;

pub use connection::{AgentInfo, ClientError, Connection, Offers, Stop, connect};
pub use serve::{AgentRequest, Refused, Serve, TerminalRequest};
pub use update::{CallUpdate, SessionUpdate, Update};
