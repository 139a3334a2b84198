//! `snaphook mcp wrap` and `unwrap`: their command lines, and what is printed of each server. Not here: changing lists
//! (`snaphook_setup::wrap`).

use std::path::PathBuf;

use serde_json::{Value, json};
use snaphook_setup::wrap::{Direction, ListReport, ServerOutcome, ServerReport, wrap as change};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::install::{difference, program};
use crate::{print, wiring};

/// Put the MCP servers in a client's settings behind the gate
///
/// CONFIG is an `.mcp.json` or `.claude.json`, Claude Desktop's `claude_desktop_config.json`, Cursor's `mcp.json`, VS Code's `mcp.json` or
/// `settings.json`, Codex' or Grok Build's `config.toml`, OpenCode's `opencode.json`, `crush.json`, or any JSON file with `mcpServers`. Each server is started by `snaphook mcp` from then on, under its own name. Everything
/// else stays as it is, comments included; so does a server that is behind the gate already.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 every server is behind the gate, 1 one is not, 64 usage (also a file that cannot be read), 70 internal error."
)]
pub(crate) struct WrapArgs {
    #[command(flatten)]
    list: ListArgs,
}

/// Restore the MCP servers in a client's settings
///
/// A file that did not change since `wrap` is restored byte for byte; from any other, only what `wrap` added is removed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 no server is behind the gate, 1 one still is, 64 usage, 70 internal error."
)]
pub(crate) struct UnwrapArgs {
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    /// The file with the list
    #[arg(value_name = "CONFIG")]
    config: PathBuf,

    /// Only this server; may be given again
    #[arg(long = "server", value_name = "NAME")]
    servers: Vec<String>,

    /// Print what would change, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs `snaphook mcp wrap`.
pub(crate) fn wrap(env: &Env, args: &WrapArgs) -> Result<Exit, Failure> {
    run(env, &args.list, Direction::Wrap(program(env)?))
}

/// Runs `snaphook mcp unwrap`.
pub(crate) fn unwrap(env: &Env, args: &UnwrapArgs) -> Result<Exit, Failure> {
    run(env, &args.list, Direction::Unwrap)
}

fn run(env: &Env, args: &ListArgs, direction: Direction<'_>) -> Result<Exit, Failure> {
    let directories = wiring::directories(env, None)?;
    let report = change(&directories, &args.config, &args.servers, direction, args.dry_run)?;
    if args.json {
        print::json(&json!({
            "file": report.change.path.to_string_lossy(),
            "dry_run": args.dry_run,
            "changed": report.change.is_needed(),
            "servers": report.servers.iter().map(document).collect::<Vec<_>>(),
        }));
    } else {
        let file = directories.relative(&directories.cwd.join(&args.config));
        print::stdout(&text(&file, &report, args.dry_run));
    }
    Ok(if report.has_left() { Exit::Failed } else { Exit::Fine })
}

fn document(server: &ServerReport) -> Value {
    let (done, why) = match &server.outcome {
        ServerOutcome::Wrapped => ("wrapped", None),
        ServerOutcome::Already => ("already", None),
        ServerOutcome::Moved => ("moved", None),
        ServerOutcome::Unwrapped => ("unwrapped", None),
        ServerOutcome::Never => ("never", None),
        ServerOutcome::Left(fault) => ("left", Some(fault.to_string())),
    };
    json!({"list": server.list, "name": server.name, "done": done, "why": why})
}

fn text(file: &str, report: &ListReport, is_dry: bool) -> String {
    let is_changed = report.change.is_needed();
    let mut text = match (is_changed, is_dry) {
        (true, true) => format!("{file}:\n{}", difference(&report.change)),
        (true, false) => String::new(),
        (false, _) => format!("{file}: nothing to change\n"),
    };
    for ServerReport { list, name, outcome } in &report.servers {
        let outcome = match outcome {
            ServerOutcome::Wrapped => "runs behind the gate".to_owned(),
            ServerOutcome::Already => "runs behind the gate already".to_owned(),
            ServerOutcome::Moved => "runs behind the gate, which is now this program".to_owned(),
            ServerOutcome::Unwrapped => "runs without the gate".to_owned(),
            ServerOutcome::Never => "runs without the gate, as before".to_owned(),
            ServerOutcome::Left(fault) => format!("not changed: {fault}"),
        };
        let list = match list.as_str() {
            "mcpServers" | "servers" | "mcp" | "mcp_servers" => String::new(),
            other => format!(" ({other})"),
        };
        text += &format!("{}\n", snaphook_discovery::printable(&format!("{name}{list}: {outcome}")));
    }
    if report.servers.is_empty() {
        text += &format!("{file} has no servers\n");
    } else if is_changed && !is_dry {
        text += "restart the client, so that it reads the file again\n";
    }
    text
}
