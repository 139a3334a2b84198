//! `snaphook install` and `uninstall`: an agent's settings, changed and given back. What stands in them is the adapters'
//! (`Agent::install`); whose they are and which files is `place`'s, changing one `change`'s, its JSON `json`'s, its TOML `toml`'s, what was there before
//! `record`'s.

pub(crate) mod args;
pub(crate) mod change;
pub(crate) mod json;
pub(crate) mod place;
pub(crate) mod record;
pub(crate) mod toml;

pub(crate) use place::{known, names};
use serde_json::json;
use snaphook::{Lifecycle, Problem, Severity};
use snaphook_adapters::Agent;
use snaphook_adapters::install::{FileContent, Reach, is_ours};
use snaphook_discovery::Directories;

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::files::shown;
use crate::install::args::{InstallArgs, PlaceArgs, UninstallArgs};
use crate::install::change::Change;
use crate::install::place::{Place, in_force};
use crate::out::{self, Paint};
use crate::{tell, wiring};

/// Runs `snaphook install`.
pub(crate) fn install(env: &Env, args: &InstallArgs) -> Result<Exit, Failure> {
    let mut told = Vec::new();
    each(&args.agents, |agent| install_one(env, args, agent, &mut told))
}

/// Runs `snaphook uninstall`.
pub(crate) fn uninstall(env: &Env, args: &UninstallArgs) -> Result<Exit, Failure> {
    each(&args.agents, |agent| uninstall_one(env, args, agent))
}

/// Does the same for each agent, if all are known. One that fails does not hold up those behind it.
fn each(
    asked: &[String],
    mut work: impl FnMut(&'static dyn Agent) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    if asked.is_empty() {
        return Err(Failure::Usage(format!("which agent? There are {}", names())));
    }
    let agents = asked.iter().map(|name| known(name)).collect::<Result<Vec<_>, _>>()?;
    let mut failures = Vec::new();
    for agent in &agents {
        match work(*agent) {
            Err(Failure::Usage(text)) if agents.len() > 1 => failures.push(format!("{}: {text}", agent.id())),
            done => done?,
        }
    }
    if failures.is_empty() { Ok(Exit::Fine) } else { Err(Failure::Usage(failures.join("\n"))) }
}

/// Makes one agent ask. What is wrong with hooks is told once for all agents.
fn install_one(
    env: &Env,
    args: &InstallArgs,
    agent: &'static dyn Agent,
    told: &mut Vec<Problem>,
) -> Result<(), Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let place = Place { env, directories: &directories, agent, reach: reach(args.place) };
    let hooks = in_force(env, &directories, agent.id())?;
    if let Some(missing) = hooks.missing {
        let text = "there are no hooks yet, so there is nothing to ask snaphook about; write one with `snaphook new`";
        return Err(Failure::Usage(format!("{text}\n{}: {}", missing.file.display(), missing.message)));
    }
    let paint = Paint { on: env.colours(env.stderr_is_terminal) };
    for problem in hooks.problems {
        if problem.severity > Severity::Note && !told.contains(&problem) {
            out::print_error(&format!("{}\n", tell::problem_line(paint, &problem)));
            told.push(problem);
        }
    }
    let rows = place.rows_for(&hooks.events);
    let edits = place.edits(&rows)?;
    let _alone = (!args.dry_run).then(|| record::lock(&directories)).transpose()?;
    let mut changes = Vec::new();
    for edit in &edits {
        changes.push(Change::install(place.path(&edit.file)?, edit, agent)?);
    }
    // Files of ours for events that no hook is for any more.
    let mut stale = Vec::new();
    for edit in place.all_edits()? {
        let path = place.path(&edit.file)?;
        let is_own =
            matches!(edit.content, FileContent::Own { .. }) && edits.iter().all(|now| now.file != edit.file);
        if is_own && change::read(&path)?.is_some_and(|text| is_ours(&text, agent.id())) {
            stale.push(Change::removal(&directories, path, &edit, agent)?);
        }
    }
    Change::may_be_written(&changes, &directories)?;
    if !args.dry_run {
        for change in &changes {
            change.apply(&directories)?;
        }
        Change::give_back_all(&stale, &directories)?;
    }
    changes.append(&mut stale);
    let events: Vec<&str> = rows.iter().map(|row| row.native).collect();
    tell(&directories, agent, &changes, args.dry_run, args.json, "installed", &events);
    if !args.json {
        out::print(&format!("events: {}\n", events.join(", ")));
        out::print(&format!("this agent: {}\n", agent.tier().text()));
        if !args.dry_run {
            if !agent.after_install().is_empty() {
                out::print(&format!("by hand: {}\n", agent.after_install()));
            }
            out::print(&format!("see whether it works: snaphook doctor {}\n", agent.id()));
            if hooks.events.contains(Lifecycle::PreCommit.name()) {
                out::print("for hooks before a commit: snaphook git install\n");
            }
        }
    }
    Ok(())
}

fn uninstall_one(env: &Env, args: &UninstallArgs, agent: &'static dyn Agent) -> Result<(), Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let place = Place { env, directories: &directories, agent, reach: reach(args.place) };
    let _alone = (!args.dry_run).then(|| record::lock(&directories)).transpose()?;
    let mut changes = Vec::new();
    // Where a person put the entries in, there is no file of ours to undo.
    let (edits, by_hand) = match place.all_edits() {
        Ok(edits) => (edits, false),
        Err(Failure::Usage(_)) => (Vec::new(), true),
        Err(failure) => return Err(failure),
    };
    for edit in &edits {
        changes.push(Change::removal(&directories, place.path(&edit.file)?, edit, agent)?);
    }
    if !args.dry_run {
        Change::give_back_all(&changes, &directories)?;
    }
    tell(&directories, agent, &changes, args.dry_run, args.json, "uninstalled", &[]);
    if by_hand && !args.json {
        let (title, id) = (agent.title(), agent.id());
        out::print(&format!(
            "snaphook has changed no file of {title}. If you put entries into its settings by hand, take out those that call \
             `snaphook hook {id}`; `snaphook install {id}` shows which.\n"
        ));
    }
    Ok(())
}

fn reach(place: PlaceArgs) -> Reach {
    if place.project { Reach::Project } else { Reach::User }
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
        let files: Vec<_> = changes.iter().map(Change::document).collect();
        out::print_json(&json!({
            "agent": agent.id(),
            "dry_run": dry,
            "events": events,
            "files": files,
            "by_hand": if events.is_empty() { "" } else { agent.after_install() },
        }));
        return;
    }
    for change in changes {
        let file = shown(directories, &change.path);
        if !change.is_needed() {
            out::print(&format!("{file}: nothing to change\n"));
        } else if dry {
            out::print(&format!("{file}:\n{}", change.difference()));
        } else {
            out::print(&format!("{} {done} in {file}\n", agent.title()));
        }
    }
}
