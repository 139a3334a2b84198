//! `snaphook status`: what became of checks. `rerun` runs one, `place` knows where it is all kept.

pub(crate) mod args;
pub(crate) mod rerun;

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::{Value, json};
use snaphook_command::status::{HookStatus, Last, Status, Store};
use snaphook_discovery::{Directories, Trust};
use snaphook_session::status_folder::{self, SessionStatus};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::print::{self, Paint};
use crate::status::args::StatusArgs;
use crate::wiring;

/// Runs the command.
///
/// # Errors
/// The session is not there, or its status cannot be read.
pub(crate) fn status(env: &Env, args: &StatusArgs) -> Result<Exit, Failure> {
    let directories = args.project.directories(env)?;
    let found = session(&directories, args.session.as_deref())?;
    let read = found.as_ref().map(|found| read(&found.store)).transpose()?;
    let git = status_folder::of_git(&directories).filter(|_| args.session.is_none());
    let git = git.map(|store| read_if_there(&store)).transpose()?.flatten();
    let current = CurrentHooks::of(env, &directories);
    if args.json {
        print::json(&document(found.as_ref(), read, git, &current));
        return Ok(Exit::Fine);
    }
    let paint = Paint { on: env.colours(env.stdout_is_terminal) };
    let shown = Shown { home: directories.home.as_deref(), paint, current };
    let mut text = match (&found, &read) {
        (Some(found), Some(status)) => session_text(found, status, &shown),
        _ if git.is_some() => String::new(),
        _ => "No check of changed files has run in this project yet.\n".to_owned(),
    };
    if let Some(status) = git {
        text += "before a commit\n";
        text += &hooks_text(&status, &shown);
    }
    print::stdout(&text);
    Ok(Exit::Fine)
}

/// The session that is meant; `None` where none was named and none is there.
fn session(directories: &Directories, named: Option<&str>) -> Result<Option<SessionStatus>, Failure> {
    let found = status_folder::newest(directories, named);
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
    if store.file().exists() { read(store).map(Some) } else { Ok(None) }
}

/// The ids of the hooks that are there now, whether they load or not.
struct CurrentHooks(BTreeSet<String>);

impl CurrentHooks {
    fn of(env: &Env, directories: &Directories) -> Self {
        let found = wiring::hooks_of(env, directories, &[], &Trust::default());
        let ids = found.hooks.iter().chain(found.project.iter().map(|hook| &hook.candidate));
        let ids = ids.map(|candidate| candidate.hook.id.to_string());
        // One that cannot be read is named after its file.
        let files = found.problems.iter().filter_map(|problem| problem.file.file_stem());
        CurrentHooks(ids.chain(files.map(|name| name.to_string_lossy().into_owned())).collect())
    }

    fn has(&self, id: &str) -> bool {
        self.0.contains(id)
    }
}

/// The way it is shown to a person.
struct Shown<'a> {
    home: Option<&'a Path>,
    paint: Paint,
    current: CurrentHooks,
}

/// The status as it is kept, with whose it is.
fn document(
    found: Option<&SessionStatus>,
    status: Option<Status>,
    git: Option<Status>,
    current: &CurrentHooks,
) -> Value {
    let ran = [&status, &git].into_iter().flatten().flat_map(|status| status.ran()).map(|hook| hook.hook_id);
    let gone: BTreeSet<String> = ran.filter(|id| !current.has(id)).collect();
    let whole = |status: Option<Status>| {
        status.and_then(|status| serde_json::from_str::<Value>(&status.to_json()).ok()).unwrap_or_default()
    };
    json!({
        "agent": found.map(|found| &found.agent),
        "session": found.and_then(|found| found.session.as_ref()),
        "folder": found.map(|found| found.store.dir().display().to_string()),
        "status": whole(status),
        "git": whole(git),
        "gone": gone,
    })
}

fn session_text(found: &SessionStatus, status: &Status, shown: &Shown<'_>) -> String {
    let id = found.session.as_deref().unwrap_or("without an id");
    let mut text = format!("session {} of {}\n", print::brief(id, 100), found.agent);
    if !status.last_evaluated_at.is_empty() {
        text += &format!("  looked for changed files at {}\n", print::brief(&status.last_evaluated_at, 40));
    }
    text += &hooks_text(status, shown);
    text
}

fn hooks_text(status: &Status, shown: &Shown<'_>) -> String {
    let mut text = String::new();
    for hook in status.ran() {
        text += &hook_text(&hook, status.is_pending(&hook.hook_id), shown);
    }
    for id in status.pending_hooks.iter().filter(|id| status.hook(id).is_none()) {
        text += &format!("  {} {}: has not run yet\n", shown.paint.yellow("pending"), print::brief(id, 100));
    }
    text
}

fn hook_text(hook: &HookStatus, pending: bool, Shown { home, paint, current }: &Shown<'_>) -> String {
    // The result is of no hook that could be fixed or run again.
    let is_gone = !current.has(&hook.hook_id);
    let word = match (hook.last_result, pending) {
        _ if is_gone => paint.dim("gone"),
        (Last::Success, false) => paint.green("passed"),
        (Last::Success, true) => paint.yellow("pending"),
        (Last::Failure, _) => paint.red("failed"),
        (Last::Running, _) => paint.yellow("running"),
        (Last::Unknown, _) => paint.yellow("unknown"),
    };
    let name = if hook.hook_name == hook.hook_id {
        print::brief(&hook.hook_id, 100)
    } else {
        format!("{} ({})", print::brief(&hook.hook_id, 100), print::brief(&hook.hook_name, 100))
    };
    let path = Path::new(&hook.output_path);
    let path = match home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(inside) => format!("~/{}", inside.display()),
        None => hook.output_path.clone(),
    };
    let still = match () {
        () if is_gone => ", no hook here has this id any more; its last run",
        () if pending && hook.last_result == Last::Failure => ", pending",
        () => "",
    };
    let runs = if hook.run_count == 1 { "1 run".to_owned() } else { format!("{} runs", hook.run_count) };
    let row = match hook.consecutive_failures {
        0 | 1 => String::new(),
        times => format!(", {times} times in a row"),
    };
    format!(
        "  {word} {name}{still}: {} at {}, exit code {}; {runs}, {} failed{row}\n    output: {}\n",
        hook.kind.as_str(),
        print::brief(&hook.last_run_at, 40),
        hook.last_exit_code,
        hook.fail_count,
        print::brief(&path, 400),
    )
}
