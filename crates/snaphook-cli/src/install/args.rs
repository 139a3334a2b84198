//! The command lines of `install` and `uninstall`.

use std::path::PathBuf;

/// Register snaphook with agents: write `snaphook hook` into their settings
///
/// Registers all events of an agent; those that come with each piece of a model's answer only if a hook handles them. Other entries of
/// the settings stay as they are. Running it again changes nothing, unless snaphook has moved.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 fine, 64 usage (also a settings file that cannot be edited), 70 internal error."
)]
pub(crate) struct InstallArgs {
    /// The agents: claude-code, codex, gemini, cursor, copilot, opencode, … (`snaphook hook --agents` lists them)
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,

    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

/// Remove snaphook from agents' settings
///
/// A file that did not change since `install` is restored byte for byte; from any other, only snaphook's entries are removed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 fine, 64 usage, 70 internal error.")]
pub(crate) struct UninstallArgs {
    /// The agents
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,

    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

/// The change of settings: whose, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct ChangeArgs {
    /// Your own settings, for all projects [default]
    #[arg(long, conflicts_with = "project")]
    pub(crate) user: bool,

    /// The project's settings, which are part of it
    #[arg(long)]
    pub(crate) project: bool,

    /// Print what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// The working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Print JSON: one document a line for each agent
    #[arg(long)]
    pub(crate) json: bool,
}
