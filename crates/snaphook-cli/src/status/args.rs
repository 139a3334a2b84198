//! The command lines of `snaphook status` and `snaphook rerun`.

use std::path::PathBuf;

use crate::compat::ProjectArgs;
use crate::trust::args::PinArgs;

/// Show file checks: which are pending, and how each last ran
///
/// Without --session, shows the newest session of this project in which a check ran. Checks before a commit are
/// shown, too.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 fine, 64 usage or no such session, 70 internal error.")]
pub(crate) struct StatusArgs {
    /// The session, by the agent's own id
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Run one file check now
///
/// Runs the check on all of its changed files, as at the end of the agent's turn: a check that passes is no longer
/// pending. Prints the output and keeps it where `snaphook status` says. Ctrl-C ends the check and everything that it
/// started.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 it passed or no file of its own changed, 2 it failed, 64 usage or no such check, 70 internal error, 130 interrupted."
)]
pub(crate) struct RerunArgs {
    /// The hook's id, as `snaphook list` and `snaphook status` show it
    #[arg(value_name = "HOOK")]
    pub(crate) hook: String,

    /// The session whose status counts, by the agent's own id [default: the newest one of this project]
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,

    /// Also load this hook file or folder of hooks; can be repeated
    #[arg(long = "hook", value_name = "PATH")]
    pub(crate) hooks: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) pins: PinArgs,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}
