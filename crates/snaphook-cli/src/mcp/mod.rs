//! `snaphook mcp`: the gate between an MCP client and an MCP server. What it does with messages is in `snaphook-mcp`; here are
//! the host that it asks, the streams of the process and the exit code.

pub(crate) mod args;

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::mcp::args::McpArgs;

/// Runs the command.
pub(crate) fn mcp(_env: &Env, args: &McpArgs) -> Result<Exit, Failure> {
    let _ = &args.gate;
    Err(Failure::Internal("the gate for MCP servers is not there yet".to_owned()))
}
