//! The command line of `snaphook acp`.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::hook::args::ChoiceArgs;

/// Run as a gating proxy in front of an ACP agent
///
/// The editor starts this command instead of the agent: `snaphook acp -- opencode acp`. Hooks see each permission
/// request of the agent, each file and terminal that it asks the editor for, and each prompt; all other messages pass
/// unchanged, byte for byte. A question of a hook is put by the editor.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: the agent's own, 128 and its number where a signal ended it, 64 usage, 70 internal error."
)]
pub(crate) struct AcpArgs {
    /// The working directory of the agent, and the folder whose hooks gate a session that names none
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Do not ask; deny what needs a person. For editors that have none
    #[arg(long)]
    pub(crate) headless: bool,

    #[command(flatten)]
    pub(crate) choice: ChoiceArgs,

    /// The agent's program, and its arguments
    #[arg(last = true, value_name = "COMMAND", required = true)]
    pub(crate) agent: Vec<OsString>,
}
