//! The command line.

use std::path::PathBuf;

use crate::acp::args::AcpArgs;
use crate::arg_values::{DefaultArg, LanguageArg, Ui};
use crate::author::add::AddArgs;
use crate::author::new::NewArgs;
use crate::author::types::TypesArgs;
use crate::compat::ProjectArgs;
use crate::doctor::args::DoctorArgs;
use crate::git::args::GitArgs;
use crate::hold::args::HoldArgs;
use crate::hook::args::{HookArgs, ServeArgs};
use crate::import::args::ImportArgs;
use crate::install::args::{InstallArgs, UninstallArgs};
use crate::manual::{CompletionsArgs, ManArgs};
use crate::mcp::args::McpArgs;
use crate::run::args::{RunArgs, SessionsArgs};
use crate::status::args::{RerunArgs, StatusArgs};
use crate::trial::RecordArgs;
use crate::trust::args::{IgnoreArgs, PinArgs, TrustArgs, UntrustArgs};
use clap::{Parser, Subcommand};

const ALL_CODES: &str = "\
Exit codes: 0 allowed or fine, 1 a test failed, a commit is refused, the audit was changed, or doctor found a problem, 2 denied, 3 a person must be asked (only with --ui defer), \
64 usage, 70 internal error, 125 to 127 hold could not start its command, 130 interrupted.";

const CODES: &str = "\
Exit codes: 0 allowed or fine, 2 denied, 3 a person must be asked (only with --ui defer), 64 usage, 70 internal \
error, 130 interrupted.";

/// Hook scripts for coding agents: they gate each tool call before it runs and rewrite results after it.
///
/// Hooks are Lua or Rhai files in ~/.config/snaphook/hooks (yours) and .snaphook/hooks (the project's, which run
/// after `snaphook trust`). SNAPHOOK_CONFIG_DIR and SNAPHOOK_STATE_DIR move all files that snaphook reads and writes;
/// SNAPHOOK_LOG sets the log level.
#[derive(Debug, Parser)]
#[command(name = "snaphook", version, after_help = ALL_CODES, max_term_width = 100)]
pub(crate) struct Args {
    /// Write the log to this file instead of stderr
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(Box<RunArgs>),
    Sessions(SessionsArgs),
    Check(CheckArgs),
    List(ListArgs),
    Test(TestArgs),
    New(NewArgs),
    Add(AddArgs),
    Types(TypesArgs),
    Trust(TrustArgs),
    Ignore(IgnoreArgs),
    Untrust(UntrustArgs),
    Status(StatusArgs),
    Rerun(RerunArgs),
    Audit(AuditArgs),
    Hook(HookArgs),
    Serve(ServeArgs),
    Mcp(McpArgs),
    Acp(AcpArgs),
    Hold(HoldArgs),
    Install(InstallArgs),
    Uninstall(UninstallArgs),
    Doctor(DoctorArgs),
    Git(GitArgs),
    Import(ImportArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Command {
    /// Returns what is logged unless `SNAPHOOK_LOG` says otherwise. Where a person reads along, reports are in the
    /// output itself, and what hooks log is of interest.
    pub(crate) fn log_filter(&self) -> &'static str {
        const FOR_PEOPLE: &str = "error,snaphook::hook=info,snaphook::notice=info";
        match self {
            Command::Check(CheckArgs { json: false, .. }) => FOR_PEOPLE,
            Command::Run(args) if !args.as_json() => FOR_PEOPLE,
            // Tests provoke failures, and show those that matter.
            Command::Test(_) => "error",
            _ => "warn",
        }
    }
}

/// Decide one tool call, or rewrite one result
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

    /// Also load this hook file or folder of hooks; can be repeated
    #[arg(long = "hook", value_name = "PATH")]
    pub(crate) hooks: Vec<PathBuf>,

    /// Decision when no hook explicitly allows a call; overrides your config.toml, while a project's config.toml can
    /// still be stricter [default: allow]
    #[arg(long, value_name = "VERDICT", value_enum)]
    pub(crate) default: Option<DefaultArg>,

    /// The session id that hooks see, and the audit with --record
    #[arg(long, value_name = "ID", default_value = "check")]
    pub(crate) session: String,

    /// The way questions are answered: headless, terminal, defer, or scripted:yes,no,… [default: terminal if there is
    /// one, else headless]
    #[arg(long, value_name = "WHO")]
    pub(crate) ui: Option<Ui>,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,

    #[command(flatten)]
    pub(crate) pins: PinArgs,

    #[command(flatten)]
    pub(crate) record: RecordArgs,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the hooks in running order, and every problem
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 fine, 2 a hook does not load (every gated call is denied) or a lifecycle file is broken, 64 usage, 70 internal error."
)]
pub(crate) struct ListArgs {
    /// Also list the handlers that this agent never calls, and the effects that it does not honour
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,

    /// Also load this hook file or folder of hooks; can be repeated
    #[arg(long = "hook", value_name = "PATH")]
    pub(crate) hooks: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Run the tests of hooks, without an agent
///
/// Tests are next to their hooks: guard.test.lua next to guard.lua; short ones are `examples` in a hook's front
/// matter. Without a PATH, runs the tests of the project's hooks and of the current folder with its subfolders, else
/// those of your own hooks.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 all tests passed, 1 one failed or there is none, 64 usage, 70 internal error, 130 interrupted."
)]
pub(crate) struct TestArgs {
    /// A test file, a hook, or a folder
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Run only the tests whose names contain this text, or match it as a regular expression
    #[arg(long, value_name = "TEXT|REGEX")]
    pub(crate) filter: Option<String>,

    /// For tests that name a hook without its extension: use the hook in this language only
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) language: Option<LanguageArg>,

    /// Run again whenever a file changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["json", "junit"])]
    pub(crate) watch: bool,

    /// Show which lines of hooks did not run
    #[arg(long)]
    pub(crate) coverage: bool,

    /// Show which decisions of the tests this agent would not honour; `all` prints a table of all agents
    #[arg(long, value_name = "AGENT|all")]
    pub(crate) agent: Option<String>,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,

    /// Write the results as JUnit XML to this file, for CI
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

/// Show decisions, and verify that the audit was not changed
///
/// `hook`, `serve`, `mcp` and `acp` (and `run` and `check` with --record) write one line for each decision, and for each result that
/// hooks rewrote, into the folder `audit` of the state folder: one file a session, each line with the hash of the one before it. `[audit]`
/// in your config.toml sets what is written.
#[derive(Debug, clap::Args)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    Show(ShowArgs),
    Verify(VerifyArgs),
    Stats(StatsArgs),
}

/// Show decisions, oldest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 fine, 64 usage, 70 internal error.")]
pub(crate) struct ShowArgs {
    /// Only this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,

    /// Only what was denied
    #[arg(long)]
    pub(crate) denied: bool,

    /// Show at most this many lines, the last ones; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,

    /// Print the lines as they are written
    #[arg(long)]
    pub(crate) json: bool,
}

/// Verify that no line was changed, removed, put in or moved
///
/// It names the first line that does not hold, and sessions whose file is gone, cut at its end or replaced. Files that were all
/// written anew together it sees only with --expect: keep what verify prints elsewhere, and name it the next time.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 every line holds, 1 one does not, a file is gone or cut, or an expected line is not there, 64 usage, 70 internal error."
)]
pub(crate) struct VerifyArgs {
    /// Only this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,

    /// A line with this hash (sha256:…) has to be there: the last one that was noted. Or a file, like the output of an earlier
    /// verify, each of whose hashes has to be there; may be given again
    #[arg(long, value_name = "HASH|FILE")]
    pub(crate) expect: Vec<String>,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Count what each hook did: calls, denials, time
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 fine, 64 usage, 70 internal error.")]
pub(crate) struct StatsArgs {
    /// Only this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
