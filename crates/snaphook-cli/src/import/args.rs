//! The command line of `snaphook import`.

use std::path::PathBuf;

/// Import the hooks of Discobot, iteratr or marvin
///
/// Copies them to where snaphook looks for hooks: executables with their front matter rewritten, the lifecycle file, scripts. Nothing is
/// overwritten, and if one file cannot be imported, none is. The old files stay as they are.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 fine, 64 usage (also a file that is wrong or in the way: nothing is written then), 70 internal error."
)]
pub(crate) struct ImportArgs {
    /// discobot (.discobot/hooks), iteratr (.iteratr.hooks.yml) or marvin (.marvin/hooks, ~/.config/marvin/hooks)
    #[arg(value_name = "PRODUCT")]
    pub(crate) product: String,

    /// Write nothing, and print what each file would become, or why it is not a hook
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// The files, if not in the product's own place: a folder, or the lifecycle file itself
    #[arg(long, value_name = "PATH")]
    pub(crate) from: Option<PathBuf>,

    /// The working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
