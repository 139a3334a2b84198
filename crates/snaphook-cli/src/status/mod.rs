//! `snaphook status`: what became of checks. `rerun` runs one, `place` knows where it is all kept.

pub(crate) mod args;
pub(crate) mod place;
pub(crate) mod rerun;

use std::io::ErrorKind;

use serde_json::{Value, json};
use snaphook_command::status::{HookStatus, Last, Status, Store};
use snaphook_discovery::Directories;

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::out::{self, Paint};
use crate::status::args::StatusArgs;
use crate::status::place::Found;

/// Runs the command.
///
/// # Errors
/// The session is not there, or its status cannot be read.
pub(crate) fn status(env: &Env, args: &StatusArgs) -> Result<Exit, Failure> {
    let directories = args.project.directories(env)?;
    let found = session(&directories, args.session.as_deref())?;
    let read = found.as_ref().map(|found| read(&found.store)).transpose()?;
    let git = place::of_git(&directories).filter(|_| args.session.is_none());
    let git = git.map(|store| read_if_there(&store)).transpose()?.flatten();
    if args.json {
        out::print_json(&document(found.as_ref(), read, git));
        return Ok(Exit::Fine);
    }
    let paint = Paint { on: env.colours(env.stdout_is_terminal) };
    let mut text = match (&found, &read) {
        (Some(found), Some(status)) => session_text(found, status, directories.home.as_deref(), paint),
        _ if git.is_some() => String::new(),
        _ => "No check of changed files has run in this project yet.\n".to_owned(),
    };
    if let Some(status) = git {
        text += "before a commit\n";
        text += &hooks_text(&status, directories.home.as_deref(), paint);
    }
    out::print(&text);
    Ok(Exit::Fine)
}

/// The session that is meant; `None` where none was named and none is there.
fn session(directories: &Directories, named: Option<&str>) -> Result<Option<Found>, Failure> {
    let found = place::newest(directories, named);
    match (named, &found) {
        (Some(id), None) => {
            Err(Failure::Usage(format!("no check of changed files has run in a session \"{id}\"")))
        }
        _ => Ok(found),
    }
}

fn read(store: &Store) -> Result<Status, Failure> {
    store.read().map_err(|error| {
        let file = store.file();
        let text = match error.kind() {
            ErrorKind::InvalidData => {
                format!("{} is damaged; the next check sets it aside: {error}", file.display())
            }
            _ => format!("{}: {error}", file.display()),
        };
        Failure::Internal(text)
    })
}

fn read_if_there(store: &Store) -> Result<Option<Status>, Failure> {
    match store.file().exists() {
        true => read(store).map(Some),
        false => Ok(None),
    }
}

/// The status as it is kept, with whose it is.
fn document(found: Option<&Found>, status: Option<Status>, git: Option<Status>) -> Value {
    let whole = |status: Option<Status>| {
        status.and_then(|status| serde_json::from_str::<Value>(&status.to_json()).ok()).unwrap_or_default()
    };
    json!({
        "agent": found.map(|found| &found.agent),
        "session": found.and_then(|found| found.session.as_ref()),
        "folder": found.map(|found| found.store.dir().display().to_string()),
        "status": whole(status),
        "git": whole(git),
    })
}

fn session_text(found: &Found, status: &Status, home: Option<&std::path::Path>, paint: Paint) -> String {
    let id = found.session.as_deref().unwrap_or("without an id");
    let mut text = format!("session {} of {}\n", out::brief(id, 100), found.agent);
    if !status.last_evaluated_at.is_empty() {
        text += &format!("  looked for changed files at {}\n", out::brief(&status.last_evaluated_at, 40));
    }
    text += &hooks_text(status, home, paint);
    text
}

fn hooks_text(status: &Status, home: Option<&std::path::Path>, paint: Paint) -> String {
    let mut text = String::new();
    for hook in status.ran() {
        text += &hook_text(&hook, status.is_pending(&hook.hook_id), home, paint);
    }
    for id in status.pending_hooks.iter().filter(|id| status.hook(id).is_none()) {
        text += &format!("  {} {}: has not run yet\n", paint.yellow("pending"), out::brief(id, 100));
    }
    text
}

fn hook_text(hook: &HookStatus, pending: bool, home: Option<&std::path::Path>, paint: Paint) -> String {
    let word = match (hook.last_result, pending) {
        (Last::Success, false) => paint.green("passed"),
        (Last::Success, true) => paint.yellow("pending"),
        (Last::Failure, _) => paint.red("failed"),
        (Last::Running, _) => paint.yellow("running"),
        (Last::Unknown, _) => paint.yellow("unknown"),
    };
    let name = match hook.hook_name == hook.hook_id {
        true => out::brief(&hook.hook_id, 100),
        false => format!("{} ({})", out::brief(&hook.hook_id, 100), out::brief(&hook.hook_name, 100)),
    };
    let path = std::path::Path::new(&hook.output_path);
    let path = match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(inside) => format!("~/{}", inside.display()),
        None => hook.output_path.clone(),
    };
    let still = if pending && hook.last_result == Last::Failure { ", pending" } else { "" };
    let runs = if hook.run_count == 1 { "1 run".to_owned() } else { format!("{} runs", hook.run_count) };
    let row = match hook.consecutive_failures {
        0 | 1 => String::new(),
        times => format!(", {times} times in a row"),
    };
    format!(
        "  {word} {name}{still}: {} at {}, exit code {}; {runs}, {} failed{row}\n    output: {}\n",
        hook.kind.as_str(),
        out::brief(&hook.last_run_at, 40),
        hook.last_exit_code,
        hook.fail_count,
        out::brief(&path, 400),
    )
}
