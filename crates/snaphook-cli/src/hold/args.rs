//! The command line of `snaphook hold`.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::arg_values::ProfileArg;

/// Run a command while the kernel holds it to a policy
///
/// The command cannot write, read, run or reach what the policy denies, whatever it does, and nothing that it starts can. It
/// keeps its standard streams, signals, terminal, process group, working directory and exit code. Profiles: `guarded` makes
/// snaphook's own files and agents' settings read-only; `project` also allows writing only in the project, temporary folders
/// and caches; `offline` is `guarded` without a network. A policy is a JSON object: {"deny_write": [PATH…], "deny_read":
/// [PATH…], "only_write": [PATH…], "net": "none", "loopback" or [HOST…], "deny_exec": [PROGRAM…], "env": [NAME…]}. Several
/// combine to the strictest. A single argument is a command line for bash, several are a program and its arguments.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples: snaphook hold -p guarded -- 'npm test'; snaphook hold --policy '{\"net\": \"none\"}' -- make\n\nExit codes: the command's own, 128 and its number where a signal ended it, 125 the policy cannot be held here, 126 the command cannot be run, 127 it was not found, 64 usage, 70 internal error. --check: 0 all of it can be held here, 1 not all."
)]
pub(crate) struct HoldArgs {
    /// A profile; more than one combine to the strictest [default: guarded, without --policy]
    #[arg(short, long, value_name = "NAME", value_enum)]
    pub(crate) profile: Vec<ProfileArg>,

    /// What the command may touch, as JSON
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) policy: Option<String>,

    /// The project whose places a profile guards [default: that of the working directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,

    /// Run a single argument as a program, not as a command line
    #[arg(long)]
    pub(crate) exec: bool,

    /// Accept forms that hold less where this kernel lacks something, instead of refusing to run
    #[arg(long)]
    pub(crate) allow_weaker: bool,

    /// Print what this machine can hold, and run nothing
    #[arg(long, conflicts_with = "command")]
    pub(crate) check: bool,

    /// With --check: print one JSON document
    #[arg(long, requires = "check")]
    pub(crate) json: bool,

    /// The command and its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "check")]
    pub(crate) command: Vec<OsString>,
}
