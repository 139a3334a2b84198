//! The command lines of `snaphook git`.

use std::path::PathBuf;

use clap::Subcommand;

use crate::compat::CompatArgs;
use crate::trust::args::PinArgs;

/// Run hooks for `pre_commit` before each commit
///
/// `install` puts a script into the repository's hooks folder that calls `snaphook git run pre-commit`. A hook that was there is
/// kept and runs first.
#[derive(Debug, clap::Args)]
pub(crate) struct GitArgs {
    #[command(subcommand)]
    pub(crate) command: GitCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GitCommand {
    Install(InstallArgs),
    Uninstall(UninstallArgs),
    Status(StatusArgs),
    Run(RunArgs),
}

/// Put the script into the repository's hooks folder
///
/// A hook that was there is kept as pre-commit.original and runs first. Running it again changes nothing.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 fine, 64 usage (also where the hooks folder is not the repository's own), 70 internal error."
)]
pub(crate) struct InstallArgs {
    /// The working directory: somewhere in the repository
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) compat: CompatArgs,
}

/// Remove the script from the repository's hooks folder
///
/// A hook that was there before is restored byte for byte.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 fine, 64 usage, 70 internal error.")]
pub(crate) struct UninstallArgs {
    /// The working directory: somewhere in the repository
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

/// Show whether commits are checked, by which hooks, and what is wrong
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 fine, 64 usage, 70 internal error.")]
pub(crate) struct StatusArgs {
    /// The working directory: somewhere in the repository
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Run the hooks for `pre_commit` on the staged files, as the script does
///
/// They run in order, each for 15 minutes at most. The first that fails refuses the commit.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 the commit may be made, 1 a hook refused it, 64 usage, 70 internal error, 130 interrupted."
)]
pub(crate) struct RunArgs {
    /// The hook by git's name: pre-commit
    #[arg(value_name = "HOOK")]
    pub(crate) stage: String,

    /// The arguments that git passes to its hook
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub(crate) rest: Vec<String>,

    #[command(flatten)]
    pub(crate) pins: PinArgs,
}
