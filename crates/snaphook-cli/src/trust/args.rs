//! The command lines about trust.

use std::path::{Path, PathBuf};

use snaphook_discovery::Trust;
use snaphook_session::PinChoice;

use crate::compat::ProjectArgs;
use crate::env::Env;
use crate::exit::Failure;

/// Say that hooks of the project may run, with exactly the content that they have now
///
/// Nothing of a hook that came with a project runs before: until somebody decides, every gated call is denied. Without a HOOK
/// each undecided one is shown and asked about; of one that changed, the difference to the version that was decided on. Which
/// events a hook answers is known only when it runs, so read its files. A yes is kept outside of the project and holds for this
/// content wherever it is found; it ends for the old version when you decide on a new one.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 trusted or nothing to decide, 2 a hook stays undecided (every gated call is denied), 64 usage (also a hash that does not match, or nobody to ask), 70 internal error."
)]
pub(crate) struct TrustArgs {
    /// A hook of the project; with =sha256:… the content that you have read, which is the yes
    #[arg(value_name = "HOOK[=HASH]")]
    pub(crate) hooks: Vec<String>,

    /// Ask nobody: each HOOK needs its hash
    #[arg(long)]
    pub(crate) yes: bool,

    /// Decide nothing, and print HOOK=HASH of each hook, a line each, for --trust and --trust-file
    #[arg(long, conflicts_with_all = ["yes", "json"])]
    pub(crate) print: bool,

    /// Ask nobody, and print one JSON document
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

/// Leave hooks of the project out: they are not loaded here, and deny nothing
///
/// It holds for the content that a hook has now, in this project: a changed one is undecided again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 ignored, 64 usage, 70 internal error.")]
pub(crate) struct IgnoreArgs {
    /// A hook of the project; with =sha256:… only this content
    #[arg(value_name = "HOOK[=HASH]", required = true)]
    pub(crate) hooks: Vec<String>,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

/// Take a decision about hooks of the project back: they are undecided, and every gated call is denied
///
/// What was trusted is trusted nowhere any more, in no other project either; what was ignored is undecided in this one.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 taken back, 64 usage, 70 internal error.")]
pub(crate) struct UntrustArgs {
    /// A hook of the project
    #[arg(value_name = "HOOK", required = true)]
    pub(crate) hooks: Vec<String>,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

/// Decisions for this run.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct PinArgs {
    /// Trust this hook of the project with this content, and no other, for this run; may be given again. `snaphook trust
    /// --print` writes it
    #[arg(long = "trust", value_name = "HOOK=HASH")]
    pins: Vec<String>,

    /// A file with HOOK=HASH a line, as with --trust. It must not be in the project, which would decide about itself
    #[arg(long, value_name = "FILE")]
    trust_file: Option<PathBuf>,
}

impl PinArgs {
    /// Returns the decisions as the session takes them.
    pub(crate) fn choice(&self) -> PinChoice {
        PinChoice { pins: self.pins.clone(), file: self.trust_file.clone() }
    }

    /// Returns the decisions. `roots` are the folders that the file must not be in.
    ///
    /// # Errors
    /// A pin is invalid; the file cannot be read, or is in the project.
    pub(crate) fn trust(&self, env: &Env, roots: &[&Path]) -> Result<Trust, Failure> {
        Ok(self.choice().trust(env, roots)?)
    }
}
