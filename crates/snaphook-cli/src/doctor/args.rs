//! The command line of `doctor`.

use std::path::PathBuf;

/// Check that agents really ask snaphook, and that it answers
///
/// Checks each agent whose settings mention snaphook, yours and the project's: settings, program, events, hooks, folders. Then runs the
/// registered command with a harmless call, the shell command `true`, and with a payload that cannot be read, which has to be denied.
/// Lists of MCP servers that `snaphook mcp wrap` changed are checked, too. Nothing is changed: the calls are tried in a copy of the state
/// folder.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 nothing is wrong, 1 something is, 64 usage (also a transcript that cannot be read), 70 internal error."
)]
pub(crate) struct DoctorArgs {
    /// Only this agent, whether its settings mention snaphook or not
    #[arg(value_name = "AGENT")]
    pub(crate) agent: Option<String>,

    /// Instead: list the tool calls of an agent's transcript that the audit does not have. Reads transcripts of Claude Code and Codex
    /// CLI
    #[arg(long, value_name = "TRANSCRIPT", conflicts_with = "agent")]
    pub(crate) coverage: Option<PathBuf>,

    /// The working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
