//! `snaphook mcp`: the gate between an MCP client and an MCP server. What it does with messages is in `snaphook-mcp`; here are
//! the host that it asks, the streams of the process and the exit code.

pub(crate) mod args;
pub(crate) mod pins;
pub(crate) mod wrap;

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::mcp::args::{McpArgs, McpCommand};

/// Runs the command.
pub(crate) fn mcp(env: &Env, args: &McpArgs) -> Result<Exit, Failure> {
    match &args.command {
        Some(McpCommand::Wrap(args)) => return wrap::wrap(env, args),
        Some(McpCommand::Unwrap(args)) => return wrap::unwrap(env, args),
        Some(McpCommand::Pins(args)) => return pins::pins(env, args),
        Some(McpCommand::Accept(args)) => return pins::accept(env, args),
        None => {}
    }
    let _ = &args.gate;
    Err(Failure::Internal("the gate for MCP servers is not there yet".to_owned()))
}
