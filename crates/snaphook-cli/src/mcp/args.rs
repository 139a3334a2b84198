//! The command line of `snaphook mcp`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Subcommand;

use crate::arg_values::ProfileArg;
use crate::hook::args::ChoiceArgs;
use crate::mcp::pins::{AcceptArgs, PinsArgs};
use crate::mcp::wrap::{UnwrapArgs, WrapArgs};

/// Run as a gating proxy in front of an MCP server
///
/// The client starts this command instead of the server: `snaphook mcp -- npx some-server`. Hooks see each tool call
/// as `mcp__SERVER__TOOL`; all other messages pass unchanged, byte for byte. Without a command, `--url` names a
/// server to reach over HTTP.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Exit codes: the server's own, 128 and its number where a signal ended it, 64 usage, 70 internal error."
)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,

    #[command(flatten)]
    pub(crate) gate: GateArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    Wrap(WrapArgs),
    Unwrap(UnwrapArgs),
    Pins(PinsArgs),
    Accept(AcceptArgs),
}

/// The gate itself.
#[derive(Debug, clap::Args)]
pub(crate) struct GateArgs {
    /// The server's name in `mcp__NAME__TOOL` [default: the name that the server reports]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// The address of a server that speaks Streamable HTTP
    #[arg(long, value_name = "URL", conflicts_with = "server")]
    pub(crate) url: Option<String>,

    /// A header field to send to that server only: 'NAME: VALUE', or 'NAME: env:VARIABLE' for a secret
    #[arg(long, value_name = "FIELD", conflicts_with = "server")]
    pub(crate) header: Vec<String>,

    /// Offer Streamable HTTP at this address instead of standard input and output: 127.0.0.1:PORT, with port 0 any that is free
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,

    /// Let other machines connect, too. Connections are not authenticated
    #[arg(long, requires = "listen")]
    pub(crate) allow_remote: bool,

    /// The working directory, of hooks and of the server
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Hold the server by the kernel, as `snaphook hold -p PROFILE` does
    #[arg(long, value_name = "PROFILE", value_enum, conflicts_with = "url")]
    pub(crate) hold: Option<ProfileArg>,

    #[command(flatten)]
    pub(crate) choice: ChoiceArgs,

    /// State that `wrap` found and `unwrap` needs; the gate does not look at it
    #[arg(long, value_name = "WHAT", hide = true)]
    pub(crate) was: Option<String>,

    /// The server's program, and its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "url")]
    pub(crate) server: Vec<OsString>,
}
