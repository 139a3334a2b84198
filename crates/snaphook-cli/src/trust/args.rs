//! The command lines about trust.

use std::path::{Path, PathBuf};

use snaphook_discovery::Trust;
use snaphook_session::PinChoice;

use crate::compat::ProjectArgs;
use crate::env::Env;
use crate::exit::Failure;

/// Trust project hooks at their current content
///
/// A hook that came with a project does not run until you trust it, and while one is undecided every gated call is
/// denied. Without a HOOK, shows each undecided hook and asks about it; for one that changed, shows the difference to
/// the version that you decided on. The events that a hook handles are known only when it runs, so read its files.
/// The decision is kept outside of the project and is valid for this content wherever it is found, until you decide
/// on a new version.
///
/// `mcp:NAME` is the MCP server NAME in the project's `.mcp.json`, which `snaphook run --model` starts only if you trust its entry. Such
/// a decision is valid in this project only.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 trusted or nothing to decide, 2 a hook stays undecided (every gated call is denied), 64 usage (also a hash that does not match, or nobody to ask), 70 internal error."
)]
pub(crate) struct TrustArgs {
    /// A project hook; with =sha256:… the content that you have read, which trusts it without a question
    #[arg(value_name = "HOOK[=HASH]")]
    pub(crate) hooks: Vec<String>,

    /// Trust without asking; each HOOK needs its hash
    #[arg(long)]
    pub(crate) yes: bool,

    /// Decide nothing; print HOOK=HASH for each hook, one a line, for --trust and --trust-file
    #[arg(long, conflicts_with_all = ["yes", "json"])]
    pub(crate) print: bool,

    /// Print one JSON document, without asking
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

/// Skip project hooks without trusting them
///
/// Ignored hooks are not loaded in this project and deny nothing. The decision is for their current content: a hook
/// that changes is undecided again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 ignored, 64 usage, 70 internal error.")]
pub(crate) struct IgnoreArgs {
    /// A project hook; with =sha256:… only this content
    #[arg(value_name = "HOOK[=HASH]", required = true)]
    pub(crate) hooks: Vec<String>,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

/// Revoke a trust or ignore decision
///
/// The hooks are undecided again, so every gated call is denied. A revoked trust ends in all projects, a revoked
/// ignore in this one.
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
    /// Trust this project hook at this content only, for this run; can be repeated. `snaphook trust --print` prints
    /// the values
    #[arg(long = "trust", value_name = "HOOK=HASH")]
    pins: Vec<String>,

    /// A file with one HOOK=HASH a line, as with --trust. It must be outside of the project, so that the project
    /// cannot trust itself
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
