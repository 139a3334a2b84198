//! The command lines of `install` and `uninstall`.

use std::path::PathBuf;

/// Make agents ask snaphook: write `snaphook hook` into their settings
///
/// Registers all events of an agent, but those that come with each piece of a model's answer only if a hook is for them. What others put
/// into the settings stays as it is. A second time changes nothing; run it again when snaphook has moved.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 fine, 64 usage (also a settings file that cannot be read), 70 internal error."
)]
pub(crate) struct InstallArgs {
    /// The agents: claude-code, codex, gemini, cursor, copilot, opencode, … (`snaphook hook --agents` lists them)
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    /// Change nothing, and print what would be changed
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// The working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Print JSON: a document a line for each agent
    #[arg(long)]
    pub(crate) json: bool,
}

/// Take snaphook out of agents' settings
///
/// A file that nobody changed since `install` becomes what it was, byte for byte; of another one only snaphook's entries are taken out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 fine, 64 usage, 70 internal error.")]
pub(crate) struct UninstallArgs {
    /// The agents
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    /// Change nothing, and print what would be changed
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// The working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Print JSON: a document a line for each agent
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose settings.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct PlaceArgs {
    /// Your own settings, for every project [default]
    #[arg(long, conflicts_with = "project")]
    pub(crate) user: bool,

    /// The project's settings, which come with it
    #[arg(long)]
    pub(crate) project: bool,
}
