//! `snaphook install` and `uninstall`: an agent's settings, changed and given back. What stands in them is the adapters'
//! (`Agent::install`); how JSON is changed is `json`'s; what was there before is `record`'s.

pub(crate) mod args;
mod json;
mod record;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;
use snaphook::{Builder, EventName, Lifecycle};
use snaphook_adapters::install::{Edit, Launcher, Reach, What, is_ours};
use snaphook_adapters::{AGENTS, Agent, Row, agent};
use snaphook_discovery::{Directories, Trust};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::files::{self, make_folder, shown};
use crate::install::args::{InstallArgs, PlaceArgs, UninstallArgs};
use crate::install::record::Record;
use crate::{out, wiring};

/// One file, changed or not.
struct Change {
    path: PathBuf,
    /// What stood there; `None` where there was no file.
    before: Option<String>,
    /// What shall stand there; `None` for no file.
    after: Option<String>,
    executable: bool,
}

/// Runs `snaphook install`.
pub(crate) fn install(env: &Env, args: &InstallArgs) -> Result<Exit, Failure> {
    let agent = known(&args.agent)?;
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let reach = reach(args.place);
    let rows = needed(env, &directories, agent)?;
    let launcher = Launcher { program: program(env)?, agent: agent.id() };
    let edits = agent.install(reach, &launcher, &rows).map_err(Failure::Usage)?;
    let base = base(&directories, reach)?;
    let mut changes = Vec::new();
    for edit in &edits {
        changes.push(change(&base, edit, agent)?);
    }
    if !args.dry_run {
        for change in &changes {
            apply(&directories, change)?;
        }
    }
    let events: Vec<&str> = rows.iter().map(|row| row.native).collect();
    tell(&directories, agent, &changes, args.dry_run, args.json, "installed", &events);
    if !args.json {
        out::print(&format!("events: {}\n", events.join(", ")));
        if !args.dry_run {
            out::print(&format!("see whether it works: snaphook doctor {}\n", agent.id()));
        }
    }
    Ok(Exit::Fine)
}

/// Runs `snaphook uninstall`.
pub(crate) fn uninstall(env: &Env, args: &UninstallArgs) -> Result<Exit, Failure> {
    let agent = known(&args.agent)?;
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let reach = reach(args.place);
    let base = base(&directories, reach)?;
    let launcher = Launcher { program: "snaphook".to_owned(), agent: agent.id() };
    let rows: Vec<&'static Row> = agent.rows().iter().collect();
    let edits = agent.install(reach, &launcher, &rows).map_err(Failure::Usage)?;
    let mut changes = Vec::new();
    for edit in &edits {
        changes.push(removal(&directories, &base, edit, agent)?);
    }
    if !args.dry_run {
        for change in &changes {
            give_back(&directories, change)?;
        }
    }
    tell(&directories, agent, &changes, args.dry_run, args.json, "uninstalled", &[]);
    Ok(Exit::Fine)
}

/// The agent of this name.
///
/// # Errors
/// There is none; the error names them.
pub(crate) fn known(id: &str) -> Result<&'static dyn Agent, Failure> {
    agent(id).ok_or_else(|| {
        let ids: Vec<&str> = AGENTS.iter().map(|agent| agent.id()).collect();
        let near = snaphook::nearest(id, ids.iter().copied()).map(|near| format!("; did you mean {near}?"));
        Failure::Usage(format!(
            "there is no agent \"{id}\"{} (there are {})",
            near.unwrap_or_default(),
            ids.join(", ")
        ))
    })
}

fn reach(place: PlaceArgs) -> Reach {
    if place.project { Reach::Project } else { Reach::User }
}

fn base(directories: &Directories, reach: Reach) -> Result<PathBuf, Failure> {
    match reach {
        Reach::Project => Ok(directories.project_root.clone()),
        Reach::User => directories
            .home
            .clone()
            .ok_or_else(|| Failure::Usage("there is no home folder; set HOME, or use --project".to_owned())),
    }
}

/// This program as the agent shall start it.
fn program(env: &Env) -> Result<String, Failure> {
    let program = env.program.as_deref().and_then(Path::to_str);
    let program = program.ok_or_else(|| {
        Failure::Internal("the path of this program cannot be told, or is not UTF-8".to_owned())
    })?;
    Ok(program.to_owned())
}

/// The rows of the agent that the hooks in force are for. Tool calls always: the built-in gate is for them, and a hook that does
/// not load denies them.
fn needed(env: &Env, directories: &Directories, agent: &dyn Agent) -> Result<Vec<&'static Row>, Failure> {
    let mut hooks = wiring::hooks_of(env, directories, &[], &Trust::default());
    let settings = wiring::settings(directories, &mut hooks);
    if hooks.hooks.is_empty() && hooks.project.is_empty() && hooks.problems.is_empty() {
        let text = "there are no hooks yet, so there is nothing to ask snaphook about; write one with `snaphook new`";
        return Err(Failure::Usage(text.to_owned()));
    }
    let engines = wiring::engines(false)?;
    let host = Builder::build(wiring::host_of(env, directories, hooks, &settings, &engines, agent.id()));
    for problem in host.problems() {
        out::error(env, &problem.to_string());
    }
    let handlers = host.hooks().into_iter().flat_map(|hook| hook.handlers);
    let mut events: BTreeSet<&'static str> = handlers
        .filter_map(|handler| match handler.event {
            EventName::Lifecycle(event) => Some(event.name()),
            EventName::Bus(_) => None,
        })
        .collect();
    events.insert(Lifecycle::ToolCall.name());
    let rows = agent.rows().iter().filter(|row| agent.registers(row));
    Ok(rows.filter(|row| row.events.iter().any(|event| events.contains(event.name()))).collect())
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| Failure::Usage(format!("{} is not UTF-8, so it is left as it is", path.display()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::Usage(format!("{} cannot be read: {error}", path.display()))),
    }
}

fn unreadable(path: &Path, why: &str) -> Failure {
    Failure::Usage(format!("{}: {why}; it is left as it is: mend it and try again", path.display()))
}

fn change(base: &Path, edit: &Edit, agent: &dyn Agent) -> Result<Change, Failure> {
    let path = base.join(&edit.file);
    let before = read(&path)?;
    let (after, executable) = match &edit.what {
        What::Json(parts) => {
            let text = before.as_deref().unwrap_or_default();
            (json::put(text, parts, agent.id()).map_err(|why| unreadable(&path, &why))?, false)
        }
        What::Own { text, executable } => {
            if before.as_ref().is_some_and(|before| !is_ours(before, agent.id())) {
                return Err(unreadable(&path, "there is a file of somebody else's"));
            }
            (text.clone(), *executable)
        }
    };
    Ok(Change { path, before, after: Some(after), executable })
}

fn apply(directories: &Directories, change: &Change) -> Result<(), Failure> {
    let Some(after) = change.after.as_ref().filter(|_| change.before != change.after) else { return Ok(()) };
    let folders = missing_folders(&change.path);
    // A second installation gives back what stood there before the first, if nobody changed the file since.
    let known = record::read(directories, &change.path)?;
    let first = known.filter(|known| Some(&known.after) == change.before.as_ref());
    let (before, folders) = match first {
        Some(first) => (first.before, first.folders),
        None => (change.before.clone(), folders),
    };
    record::write(directories, &change.path, &Record { before, after: after.clone(), folders })?;
    if let Some(folder) = change.path.parent() {
        make_folder(folder)?;
    }
    files::write(&change.path, after)?;
    #[cfg(unix)]
    if change.executable {
        use std::os::unix::fs::PermissionsExt as _;
        let _ = std::fs::set_permissions(&change.path, std::fs::Permissions::from_mode(0o755));
    }
    Ok(())
}

/// The folders above a file that are not there, innermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

fn removal(
    directories: &Directories,
    base: &Path,
    edit: &Edit,
    agent: &dyn Agent,
) -> Result<Change, Failure> {
    let path = base.join(&edit.file);
    let before = read(&path)?;
    let known = record::read(directories, &path)?;
    let after = match (&before, known) {
        (None, _) => None,
        (Some(now), Some(known)) if *now == known.after => known.before,
        (Some(now), _) => match &edit.what {
            What::Json(_) => Some(json::take(now, agent.id()).map_err(|why| unreadable(&path, &why))?),
            What::Own { .. } if is_ours(now, agent.id()) => None,
            What::Own { .. } => Some(now.clone()),
        },
    };
    Ok(Change { path, before, after, executable: false })
}

fn give_back(directories: &Directories, change: &Change) -> Result<(), Failure> {
    let known = record::read(directories, &change.path)?;
    if change.before != change.after {
        match &change.after {
            Some(text) => files::write(&change.path, text)?,
            None => std::fs::remove_file(&change.path).map_err(|error| {
                Failure::Usage(format!("{} cannot be removed: {error}", change.path.display()))
            })?,
        }
    }
    if change.after.is_none() {
        // Folders that were made for it, unless somebody uses them now.
        for folder in known.iter().flat_map(|known| &known.folders) {
            let _ = std::fs::remove_dir(folder);
        }
    }
    record::forget(directories, &change.path)
}

fn tell(
    directories: &Directories,
    agent: &dyn Agent,
    changes: &[Change],
    dry: bool,
    as_json: bool,
    done: &str,
    events: &[&str],
) {
    if as_json {
        let one = |change: &Change| {
            json!({
                "file": change.path.to_string_lossy(),
                "changed": change.before != change.after,
                "before": change.before,
                "after": change.after,
            })
        };
        let files: Vec<_> = changes.iter().map(one).collect();
        out::print_json(&json!({"agent": agent.id(), "dry_run": dry, "events": events, "files": files}));
        return;
    }
    for change in changes {
        let file = shown(directories, &change.path);
        if change.before == change.after {
            out::print(&format!("{file}: nothing to change\n"));
        } else if dry {
            out::print(&format!("{file}:\n{}", difference(change)));
        } else {
            out::print(&format!("{} {done} in {file}\n", agent.title()));
        }
    }
}

fn difference(change: &Change) -> String {
    let (before, after) =
        (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default());
    let diff = similar::TextDiff::from_lines(before, after);
    out::lines(&diff.unified_diff().context_radius(2).to_string()) + "\n"
}
