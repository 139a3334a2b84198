//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::author::types::TypesArgs;

const CODES: &str = "\
Exit codes: 0 allowed or fine, 2 denied, 3 a person has to be asked (only with --ui defer), 64 usage, 70 internal \
error, 130 interrupted.";

/// Hook scripts for coding agents: they gate each tool call before it runs and rewrite results after it.
///
/// Hooks are Lua files in ~/.config/snaphook/hooks (yours) and .snaphook/hooks (the project's). SNAPHOOK_CONFIG_DIR and
/// SNAPHOOK_STATE_DIR move everything that is read and written; SNAPHOOK_LOG sets the log level.
#[derive(Debug, Parser)]
#[command(name = "snaphook", version, after_help = CODES, max_term_width = 100)]
pub(crate) struct Args {
    /// Write the log to this file instead of standard error
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArgs),
    Check(CheckArgs),
    List(ListArgs),
    Types(TypesArgs),
}

impl Command {
    /// Whether a person reads along, who wants to see what hooks log, and sees reports in the output itself.
    pub(crate) fn shows_hook_logs(&self) -> bool {
        match self {
            Command::Check(args) => !args.json,
            Command::Run(args) => !args.json,
            Command::List(_) | Command::Types(_) => false,
        }
    }
}

/// Run a recorded session with real tools, guarded by hooks
///
/// The tools act in a scratch copy that is removed at the end. Without --replay the bundled session runs, guarded by the
/// bundled examples (and by your own hooks).
#[derive(Debug, clap::Args)]
#[command(after_help = CODES)]
pub(crate) struct RunArgs {
    /// The session: JSON Lines as in docs/replay.md, or a Claude Code transcript
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,

    /// A hook file or a folder of hooks, beside those in the usual places; may be given again
    #[arg(long = "hook", value_name = "PATH")]
    pub(crate) hooks: Vec<PathBuf>,

    /// Run in a scratch copy of this folder, with its project hooks
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Ask nobody: what needs a person is denied
    #[arg(long)]
    pub(crate) headless: bool,

    /// Print JSON Lines, one document a step
    #[arg(long)]
    pub(crate) json: bool,
}

/// Decide about one tool call, or rewrite one result
#[derive(Debug, clap::Args)]
#[command(after_help = CODES)]
pub(crate) struct CheckArgs {
    /// The tool's canonical name: bash, read, write, edit, glob, grep, web_fetch, web_search, task, mcp__SERVER__TOOL, …
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: String,

    /// The call's input as JSON; `-` reads it from standard input
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) input: String,

    /// Run the tool_result handlers on this text instead of deciding; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) result: Option<String>,

    /// With --result: the tool failed
    #[arg(long, requires = "result")]
    pub(crate) is_error: bool,

    /// A hook file or a folder of hooks, beside those in the usual places; may be given again
    #[arg(long = "hook", value_name = "PATH")]
    pub(crate) hooks: Vec<PathBuf>,

    /// The working directory of the call
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Who answers questions: headless, terminal, defer, or scripted:yes,no,… [default: terminal where there is one,
    /// else headless]
    #[arg(long, value_name = "WHO")]
    pub(crate) ui: Option<Ui>,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the hooks in the order in which they run, and every problem
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 fine, 2 a hook does not load (every gated call is denied), 64 usage, 70 internal error."
)]
pub(crate) struct ListArgs {
    /// A hook file or a folder of hooks, beside those in the usual places; may be given again
    #[arg(long = "hook", value_name = "PATH")]
    pub(crate) hooks: Vec<PathBuf>,

    /// The working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Who answers questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ui {
    Headless,
    Terminal,
    Defer,
    Scripted(String),
}

impl std::str::FromStr for Ui {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "headless" => Ok(Ui::Headless),
            "terminal" => Ok(Ui::Terminal),
            "defer" => Ok(Ui::Defer),
            other => match other.strip_prefix("scripted:") {
                Some(answers) => Ok(Ui::Scripted(answers.to_owned())),
                None => Err("it is headless, terminal, defer, or scripted:yes,no,…".to_owned()),
            },
        }
    }
}
