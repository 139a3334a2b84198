//! `snaphook mcp wrap` and `unwrap`: the servers of a client's list behind the gate, and from behind it. Here are the file, what is kept of
//! it and what is told; `text` has the file's text, `edit` one server, `servers` where servers stand.

mod edit;
mod line;
mod servers;
mod text;
mod toml;

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::files::shown;
use crate::install::change::{self, Change, refused};
use crate::install::place::program;
use crate::install::record::{self, By};
use crate::mcp::wrap::text::{Done, Told, Way, changed};
use crate::{out, wiring};

/// Put the MCP servers of a client's list behind the gate
///
/// CONFIG is an `.mcp.json` or `.claude.json`, Claude Desktop's `claude_desktop_config.json`, Cursor's `mcp.json`, VS Code's `mcp.json` or
/// `settings.json`, Codex' or Grok Build's `config.toml`, OpenCode's `opencode.json`, `crush.json`, or any JSON file with `mcpServers`. Each server is started by `snaphook mcp` from then on, under its own name. Everything
/// else stays as it is, comments included; a server that is behind the gate already stays, too.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 every server is behind the gate, 1 one is not, 64 usage (also a file that cannot be read), 70 internal error."
)]
pub(crate) struct WrapArgs {
    #[command(flatten)]
    which: WhichArgs,
}

/// Take the MCP servers of a client's list from behind the gate
///
/// A file that nobody changed since `wrap` becomes what it was, byte for byte; of another one only what `wrap` put there is taken out.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 no server is behind the gate, 1 one still is, 64 usage, 70 internal error."
)]
pub(crate) struct UnwrapArgs {
    #[command(flatten)]
    which: WhichArgs,
}

#[derive(Debug, clap::Args)]
struct WhichArgs {
    /// The file with the list
    #[arg(value_name = "CONFIG")]
    config: PathBuf,

    /// Only this server; may be given again
    #[arg(long = "server", value_name = "NAME")]
    servers: Vec<String>,

    /// Change nothing, and print what would be changed
    #[arg(long)]
    dry_run: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The reason why a server is still behind the gate when a list became what it was.
const WAS_BEHIND: &str = "it was behind the gate before `wrap`; `unwrap` once more takes it out";

/// Runs `snaphook mcp wrap`.
pub(crate) fn wrap(env: &Env, args: &WrapArgs) -> Result<Exit, Failure> {
    let program = program(env)?;
    if !edit::is_gate(&program) {
        return Err(Failure::Usage(format!(
            "this program is at {program}; entries are known by the name \"snaphook\", so rename it first"
        )));
    }
    run(env, &args.which, Way::In(&program))
}

/// Runs `snaphook mcp unwrap`.
pub(crate) fn unwrap(env: &Env, args: &UnwrapArgs) -> Result<Exit, Failure> {
    run(env, &args.which, Way::Out)
}

/// The way a server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    /// Behind the gate.
    Gate,
    /// Behind a gate whose program is not there.
    Lost,
    /// As if there were none.
    Nothing,
}

/// Returns how each server of a list runs.
///
/// # Errors
/// It cannot be read.
pub(crate) fn behind(path: &Path, text: &str, program: &str) -> Result<Vec<(String, Behind)>, String> {
    let (_, told) = changed_as(path, text, Way::In(program), &[]).map_err(|odd| odd.why)?;
    let state = |done: &Done| match done {
        Done::Already => Behind::Gate,
        Done::Moved => Behind::Lost,
        _ => Behind::Nothing,
    };
    Ok(told.into_iter().map(|told| (told.name, state(&told.done))).collect())
}

/// The text of a file with its servers changed, in the form that its name says.
fn changed_as(
    path: &Path,
    text: &str,
    way: Way<'_>,
    names: &[String],
) -> Result<(String, Vec<Told>), servers::Odd> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml::changed(text, way, names),
        Some("yaml" | "yml") => Err(servers::Odd {
            line: None,
            why: "it is YAML; put `snaphook mcp --name NAME --` in front of each server's command by hand"
                .to_owned(),
        }),
        _ => changed(text, way, names),
    }
}

fn run(env: &Env, args: &WhichArgs, way: Way<'_>) -> Result<Exit, Failure> {
    let directories = wiring::directories(env, None)?;
    let named = directories.cwd.join(&args.config);
    // Two ways to one file are one file.
    let path = crate::files::target(&directories, &named)?.resolved();
    let _alone = (!args.dry_run).then(|| record::lock(&directories)).transpose()?;
    let Some(before) = change::read(&path)? else {
        return Err(Failure::Usage(format!("there is no file {}", named.display())));
    };
    let changed = |text: &str| {
        changed_as(&path, text, way, &args.servers).map_err(|odd| {
            let line = odd.line.map(|line| format!("line {line}: ")).unwrap_or_default();
            refused(&named, &format!("{line}{}", odd.why))
        })
    };
    let (mut after, mut told) = changed(&before)?;
    let is_all = way == Way::Out && args.servers.is_empty();
    let known = record::read(&directories, &path, By::Wrap)?.filter(|known| known.after == before);
    // Nobody changed it since: it becomes what it was.
    if let Some(first) = known.and_then(|known| known.before).filter(|_| is_all) {
        // What stood behind the gate before `wrap` does so again.
        for (told, first) in told.iter_mut().zip(changed(&first)?.1) {
            if first.done == Done::Unwrapped {
                told.done = Done::Left(WAS_BEHIND.to_owned());
            }
        }
        after = first;
    }
    let change = Change::of_text(path, before, after)?;
    if !args.dry_run {
        if is_all {
            Change::give_back_all(std::slice::from_ref(&change), &directories)?;
        } else {
            change.apply(&directories)?;
        }
    }
    let is_left = told.iter().any(|told| matches!(told.done, Done::Left(_)));
    if args.json {
        let servers: Vec<_> = told.iter().map(document).collect();
        out::print_json(&json!({
            "file": change.path.to_string_lossy(),
            "dry_run": args.dry_run,
            "changed": change.is_needed(),
            "servers": servers,
        }));
    } else {
        let file = shown(&directories, &named);
        out::print(&text_of(&file, &change, &told, args.dry_run));
    }
    Ok(if is_left { Exit::Failed } else { Exit::Fine })
}

fn document(told: &Told) -> serde_json::Value {
    let Told { list, name, done } = told;
    let why = match done {
        Done::Left(why) => Some(why),
        _ => None,
    };
    json!({"list": list, "name": name, "done": word(done), "why": why})
}

fn word(done: &Done) -> &'static str {
    match done {
        Done::Wrapped => "wrapped",
        Done::Already => "already",
        Done::Moved => "moved",
        Done::Unwrapped => "unwrapped",
        Done::Never => "never",
        Done::Left(_) => "left",
    }
}

fn text_of(file: &str, change: &Change, told: &[Told], is_dry: bool) -> String {
    let mut text = String::new();
    if is_dry && change.is_needed() {
        text += &format!("{file}:\n{}", change.difference());
    } else if !change.is_needed() {
        text += &format!("{file}: nothing to change\n");
    }
    for Told { list, name, done } in told {
        let said = match done {
            Done::Wrapped => "runs behind the gate".to_owned(),
            Done::Already => "runs behind the gate already".to_owned(),
            Done::Moved => "runs behind the gate, which is this program now".to_owned(),
            Done::Unwrapped => "runs without the gate".to_owned(),
            Done::Never => "runs without the gate, as before".to_owned(),
            Done::Left(why) => format!("is left as it is: {why}"),
        };
        let list = match list.as_str() {
            "mcpServers" | "servers" | "mcp" | "mcp_servers" => String::new(),
            other => format!(" ({other})"),
        };
        let line = format!("{name}{list}: {said}");
        text += &format!("{}\n", snaphook_discovery::printable(&line));
    }
    if told.is_empty() {
        text += &format!("{file} has no servers\n");
    } else if change.is_needed() && !is_dry {
        text += "restart the client, so that it reads the file again\n";
    }
    text
}
