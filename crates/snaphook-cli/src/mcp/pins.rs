//! `snaphook mcp pins` and `accept`: what servers said of their tools, and a person's yes to what they say now. And whose tools a
//! session's are.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use snaphook::{Problem, Scope};
use snaphook_discovery::{Directories, printable};
use snaphook_mcp::pins::{Change, ChangeKind, PinFault, PinStore, Pinned, Pins, Server};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::mcp::args::GateArgs;
use crate::print::Paint;
use crate::{print, wiring};

/// Show the tool definitions of MCP servers, and what changed since they were first seen
///
/// The first list of tools that a server gives is what it is held to. `[mcp] changed_tools = "deny"` in your config.toml denies calls to a tool
/// that changed or is new, until you accept it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 nothing changed, 1 something did, 64 usage, 70 internal error.")]
pub(crate) struct PinsArgs {
    /// Only this server, with each change in full
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Accept the current tool definitions of an MCP server
///
/// What is accepted is what `snaphook mcp pins NAME` shows: look at it first. Sessions that are going on take notice.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 fine, 64 usage, 70 internal error.")]
pub(crate) struct AcceptArgs {
    /// The server
    #[arg(value_name = "NAME")]
    name: String,

    /// Only these tools
    #[arg(value_name = "TOOL")]
    tools: Vec<String>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The pins of a session's server.
pub(crate) fn of_session(args: &GateArgs, directories: &Directories) -> Arc<Pins> {
    let words = args.server.iter().map(|word| word.to_string_lossy().into_owned());
    let target: Vec<String> = args.url.iter().cloned().chain(words).collect();
    // Not the name that the server gives itself: another one would be a new server.
    let called = target.first().map(|first| first.rsplit(['/', '\\']).next().unwrap_or(first).to_owned());
    let name = args.name.clone().or(called).unwrap_or_default();
    let server = Server { name: snaphook_mcp::server_name(&name), target };
    Arc::new(Pins::new(directories.state.as_deref(), server))
}

/// The store of these folders.
fn store(env: &Env) -> Result<PinStore, Failure> {
    let directories = wiring::directories(env, None)?;
    let state = directories.state.as_ref();
    let missing = || Failure::Usage("there is no state folder; set HOME or SNAPHOOK_STATE_DIR".to_owned());
    state.map(|state| PinStore::new(state)).ok_or_else(missing)
}

/// Returns what `list` tells: tools that are not as they were first seen.
pub(crate) fn problems(directories: &Directories) -> Vec<Problem> {
    let Some(state) = &directories.state else { return Vec::new() };
    let (known, faults) = PinStore::new(state).all();
    let about = |file: &Path| directories.display_path(file, Scope::User);
    let store = PinStore::new(state);
    let mut problems = Vec::new();
    for pinned in known {
        let changes = pinned.changes();
        if changes.is_empty() {
            continue;
        }
        let name = printable(&pinned.server.name);
        let told: Vec<String> = changes.iter().take(MAX_TOLD).map(ToString::to_string).collect();
        let more = changes.len().saturating_sub(MAX_TOLD);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let text = format!("MCP server {name}: {}{more}", printable(&told.join("; ")));
        let help = format!("look at it with `snaphook mcp pins {name}`");
        problems.push(Problem::warning(about(&store.file(&pinned.server)), text).with_help(help));
    }
    for fault in faults {
        let text = printable(&format!("the pinned tools {}", fault.why));
        problems.push(Problem::warning(about(&fault.file), text).with_help("remove the file to begin anew"));
    }
    problems
}

/// The number of changes of a server that are listed in one line.
const MAX_TOLD: usize = 5;

/// Those of a name.
fn named(known: Vec<Pinned>, name: &str) -> Result<Vec<Pinned>, Failure> {
    let names: Vec<String> = known.iter().map(|pinned| pinned.server.name.clone()).collect();
    let found: Vec<Pinned> = known.into_iter().filter(|pinned| pinned.server.name == name).collect();
    if found.is_empty() {
        let near = snaphook::nearest(name, names.iter().map(String::as_str));
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        return Err(Failure::Usage(format!("no tools of a server \"{name}\" were seen yet{near}")));
    }
    Ok(found)
}

/// Runs `snaphook mcp pins`.
pub(crate) fn pins(env: &Env, args: &PinsArgs) -> Result<Exit, Failure> {
    let (mut known, faults) = store(env)?.all();
    if let Some(name) = &args.name {
        known = named(known, name)?;
    }
    let paint = Paint { on: env.colours(env.stdout_is_terminal) };
    if args.json {
        let servers: Vec<_> = known.iter().map(document).collect();
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        print::json(&json!({ "servers": servers, "problems": faults }));
    } else {
        let mut text = String::new();
        for pinned in &known {
            text += &server_text(pinned, args.name.is_some(), paint);
        }
        for fault in &faults {
            text += &format!("{} {}\n", paint.red("error:"), fault_text(fault));
        }
        if text.is_empty() {
            text += "no server's tools were seen yet\n";
        }
        print::stdout(&text);
    }
    let is_changed = known.iter().any(|pinned| !pinned.changes().is_empty()) || !faults.is_empty();
    Ok(if is_changed { Exit::Failed } else { Exit::Fine })
}

fn fault_text(fault: &PinFault) -> String {
    format!("{} (remove the file to begin anew)", print::lines(&fault.to_string()))
}

fn document(pinned: &Pinned) -> Value {
    let changes = pinned.changes().into_iter().map(|change| change_document(pinned, &change));
    json!({
        "name": pinned.server.name,
        "target": pinned.server.target,
        "complete": pinned.complete,
        "tools": pinned.tools.keys().collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
    })
}

fn change_document(pinned: &Pinned, change: &Change) -> Value {
    let (what, fields) = match &change.kind {
        ChangeKind::New => ("new", None),
        ChangeKind::Changed { fields } => ("changed", Some(fields)),
        ChangeKind::Gone => ("gone", None),
        ChangeKind::Twice => ("twice", None),
    };
    let value =
        |definition: Option<&snaphook_mcp::pins::Definition>| definition.and_then(|d| d.value.clone());
    json!({
        "tool": change.tool,
        "what": what,
        "fields": fields,
        "before": value(pinned.tools.get(&change.tool)),
        "now": value(pinned.pending.get(&change.tool)),
    })
}

fn server_text(pinned: &Pinned, in_full: bool, paint: Paint) -> String {
    let changes = pinned.changes();
    let count = pinned.tools.len();
    let tools = if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") };
    let state = match (pinned.complete, changes.is_empty()) {
        (false, true) => paint.dim("no whole list was seen yet"),
        (true, true) => paint.green("as first seen"),
        (_, false) => paint.yellow("changed"),
    };
    let target = print::brief(&pinned.server.target.join(" "), 100);
    let name = print::brief(&pinned.server.name, 100);
    let mut text = format!("{} {tools}, {state} {}\n", paint.bold(&name), paint.dim(&target));
    for change in &changes {
        text += &format!("  {}\n", print::lines(&change.to_string()));
        if in_full {
            text += &difference(pinned, &change.tool);
        }
    }
    if !changes.is_empty() {
        let hint = if in_full { "accept" } else { "pins" };
        text += &paint.dim(&format!("  look at it: snaphook mcp {hint} {name}\n"));
    }
    text
}

/// The lines of a definition that changed.
fn difference(pinned: &Pinned, tool: &str) -> String {
    let text = |definition: Option<&snaphook_mcp::pins::Definition>| match definition {
        None => String::new(),
        Some(definition) => match &definition.value {
            Some(value) => format!("{value:#}\n"),
            None => format!("too long to be kept: {}\n", definition.hash),
        },
    };
    let (before, now) = (text(pinned.tools.get(tool)), text(pinned.pending.get(tool)));
    let diff = similar::TextDiff::from_lines(&before, &now);
    let shown = diff.unified_diff().context_radius(1).to_string();
    shown.lines().map(|line| format!("    {}\n", print::lines(line))).collect()
}

/// Runs `snaphook mcp accept`.
pub(crate) fn accept(env: &Env, args: &AcceptArgs) -> Result<Exit, Failure> {
    let store = store(env)?;
    let (known, faults) = store.all();
    let failed = |fault: PinFault| Failure::Usage(fault_text(&fault));
    let found = match named(known, &args.name) {
        Ok(found) => found,
        Err(unknown) => return Err(faults.into_iter().next().map_or(unknown, failed)),
    };
    for tool in &args.tools {
        let is_known = |pinned: &Pinned| pinned.tools.contains_key(tool) || pinned.pending.contains_key(tool);
        if !found.iter().any(is_known) {
            let tools = found.iter().flat_map(|pinned| pinned.tools.keys().chain(pinned.pending.keys()));
            let near = snaphook::nearest(tool, tools.map(String::as_str));
            let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            return Err(Failure::Usage(format!("{} has no tool \"{tool}\"{near}", args.name)));
        }
    }
    let mut accepted = Vec::new();
    for pinned in &found {
        accepted.extend(store.accept(&pinned.server, &args.tools).map_err(failed)?);
    }
    if args.json {
        let tools: Vec<_> = accepted.iter().map(|change| &change.tool).collect();
        print::json(&json!({ "name": args.name, "accepted": tools }));
    } else if accepted.is_empty() {
        print::stdout("nothing changed, so there is nothing to accept\n");
    } else {
        let lines =
            accepted.iter().map(|change| format!("accepted: {}\n", print::lines(&change.to_string())));
        print::stdout(&lines.collect::<String>());
    }
    Ok(Exit::Fine)
}
