//! Tools of MCP servers: what starts or reaches a server ([`ServerConfig`]), the session with it (`connection`, on `rmcp`), the tools
//! that it gives ([`Servers`]), and one call of one (`tool`). Each call passes the host's gate as every other tool's does.
//!
//! A server is a stranger. What it says is bounded in size and time, tools whose names a provider would refuse are left out, and what
//! it said of its tools before is what it is held to (`snaphook_mcp::pins`).
//!
//! Not here: which servers of a project may start (`snaphook_discovery::project_servers`), and the gate in front of a server that
//! another agent starts (`snaphook-mcp`).

mod bridge;
mod config;
mod connection;
mod listing;
mod result;
mod servers;
mod tool;

pub use config::{ConfigError, ServerConfig, Surroundings};
pub use connection::{RequestError, StartServerError};
pub use servers::{ServerPlan, Servers};

/// The longest name of a tool that every provider takes.
pub const MAX_TOOL_NAME: usize = 64;

/// The longest description of a tool that a model is given, in bytes. The rest is cut.
pub const MAX_DESCRIPTION: usize = 8 << 10;

/// The longest schema of a tool, in bytes of JSON. A tool with a longer one is left out.
pub const MAX_SCHEMA: usize = 64 << 10;

/// The most tools of one server. The others are left out.
pub const MAX_TOOLS: usize = 256;
