//! `snaphook install` and `uninstall`: the agents that were named, one by one, and what is printed of each. Not here: changing
//! settings (`snaphook-setup`).

pub(crate) mod args;

use serde_json::{Value, json};
use snaphook::{Problem, Severity};
use snaphook_adapters::Agent;
use snaphook_adapters::install::Reach;
use snaphook_discovery::{Directories, Trust};
use snaphook_session::hosting::Records;
use snaphook_session::required;
use snaphook_setup::install::{self as setup, Change, HooksInForce, SettingsTarget};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::install::args::{ChangeArgs, InstallArgs, UninstallArgs};
use crate::print::{self, Paint};
use crate::{render, wiring};

/// Runs `snaphook install`.
pub(crate) fn install(env: &Env, args: &InstallArgs) -> Result<Exit, Failure> {
    let mut printed = Vec::new();
    each(&args.agents, |agent| install_one(env, &args.change, agent, &mut printed))
}

/// Runs `snaphook uninstall`.
pub(crate) fn uninstall(env: &Env, args: &UninstallArgs) -> Result<Exit, Failure> {
    each(&args.agents, |agent| uninstall_one(env, &args.change, agent))
}

/// Does the same for each agent, if all are known. One that fails does not hold up those behind it.
fn each(
    named: &[String],
    mut work: impl FnMut(&'static dyn Agent) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    if named.is_empty() {
        return Err(Failure::Usage(format!("no agent named: expected one of {}", names())));
    }
    let agents = named.iter().map(|name| agent_named(name)).collect::<Result<Vec<_>, _>>()?;
    let mut failures = Vec::new();
    for agent in &agents {
        match work(*agent) {
            Err(Failure::Usage(text)) if agents.len() > 1 => failures.push(format!("{}: {text}", agent.id())),
            done => done?,
        }
    }
    if failures.is_empty() { Ok(Exit::Fine) } else { Err(Failure::Usage(failures.join("\n"))) }
}

/// Registers snaphook with one agent. `printed` are the problems with hooks that were printed for an agent before.
fn install_one(
    env: &Env,
    args: &ChangeArgs,
    agent: &'static dyn Agent,
    printed: &mut Vec<Problem>,
) -> Result<(), Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let target = target(env, &directories, agent, reach(args))?;
    let hooks = in_force(env, &directories, agent.id())?;
    let paint = Paint { on: env.colours(env.stderr_is_terminal) };
    for problem in hooks.problems.iter().filter(|_| hooks.missing.is_none()) {
        if problem.severity > Severity::Note && !printed.contains(problem) {
            print::stderr(&format!("{}\n", render::problem_line(paint, problem)));
            printed.push(problem.clone());
        }
    }
    let done = setup::install(&target, &hooks, args.dry_run)?;
    if args.json {
        print_document(agent, &done.changes, args.dry_run, &done.events, agent.profile().after_install);
        return Ok(());
    }
    let title = agent.title();
    let mut text =
        lines(&directories, &done.changes, args.dry_run, &format!("Registered snaphook with {title}"));
    text += &format!("events: {}\n", done.events.join(", "));
    text += &format!("this agent: {}\n", agent.profile().tier.text());
    if !args.dry_run {
        if !agent.profile().after_install.is_empty() {
            text += &format!("by hand: {}\n", agent.profile().after_install);
        }
        text += &format!("check that it works: snaphook doctor {}\n", agent.id());
        if hooks.has_pre_commit() {
            text += "run hooks before each commit: snaphook git install\n";
        }
    }
    print::stdout(&text);
    Ok(())
}

fn uninstall_one(env: &Env, args: &ChangeArgs, agent: &'static dyn Agent) -> Result<(), Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let target = target(env, &directories, agent, reach(args))?;
    let done = setup::uninstall(&target, args.dry_run)?;
    if args.json {
        print_document(agent, &done.changes, args.dry_run, &[], "");
        return Ok(());
    }
    let (title, id) = (agent.title(), agent.id());
    let mut text =
        lines(&directories, &done.changes, args.dry_run, &format!("Removed snaphook from {title}"));
    if done.is_by_hand {
        text += &format!(
            "snaphook has changed no file of {title}. If you added entries to its settings by hand, remove those that call \
             `snaphook hook {id}`; `snaphook install {id}` shows which.\n"
        );
    }
    print::stdout(&text);
    Ok(())
}

fn reach(args: &ChangeArgs) -> Reach {
    if args.project { Reach::Project } else { Reach::User }
}

/// Returns the settings of an agent.
///
/// # Errors
/// The path of this program is unknown.
pub(crate) fn target<'a>(
    env: &'a Env,
    directories: &'a Directories,
    agent: &'static dyn Agent,
    reach: Reach,
) -> Result<SettingsTarget<'a>, Failure> {
    Ok(SettingsTarget { directories, vars: &env.vars, program: program(env)?, agent, reach })
}

/// Returns the path of this program, as others start it.
///
/// # Errors
/// It is unknown.
pub(crate) fn program(env: &Env) -> Result<&str, Failure> {
    let program = env.program.as_deref().and_then(|program| program.to_str());
    program.ok_or_else(|| Failure::Internal("the path of this program is unknown, or not UTF-8".to_owned()))
}

/// Loads the hooks in force.
///
/// # Errors
/// An engine does not start.
pub(crate) fn in_force(env: &Env, directories: &Directories, agent: &str) -> Result<HooksInForce, Failure> {
    let hooks = wiring::hooks_of(env, directories, &[], &Trust::default());
    let missing = required::missing(&hooks, directories, &Trust::default());
    let count = hooks.hooks.len();
    let host = wiring::host(env, directories, hooks, agent, None, Records::Store)?.build();
    Ok(HooksInForce::of(&host, directories, count, missing))
}

/// Returns the agent of this name.
///
/// # Errors
/// There is none; the error names them.
pub(crate) fn agent_named(id: &str) -> Result<&'static dyn Agent, Failure> {
    setup::agent_named(id).map_err(|error| Failure::Usage(error.to_string()))
}

/// Returns the names of all agents, as a person types them.
pub(crate) fn names() -> String {
    setup::agent_names()
}

fn print_document(agent: &dyn Agent, changes: &[Change], is_dry: bool, events: &[&str], by_hand: &str) {
    print::json(&json!({
        "agent": agent.id(),
        "dry_run": is_dry,
        "events": events,
        "files": changes.iter().map(document).collect::<Vec<_>>(),
        "by_hand": by_hand,
    }));
}

fn document(change: &Change) -> Value {
    json!({
        "file": change.path.to_string_lossy(),
        "changed": change.is_needed(),
        "before": change.before,
        "after": change.after,
    })
}

fn lines(directories: &Directories, changes: &[Change], is_dry: bool, done: &str) -> String {
    let line = |change: &Change| {
        let file = directories.relative(&change.path);
        match (change.is_needed(), is_dry) {
            (false, _) => format!("{file}: nothing to change\n"),
            (true, true) => format!("{file}:\n{}", difference(change)),
            (true, false) => format!("{done} in {file}\n"),
        }
    };
    changes.iter().map(line).collect()
}

/// Returns the lines that change.
pub(crate) fn difference(change: &Change) -> String {
    let (before, after) =
        (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default());
    let diff = similar::TextDiff::from_lines(before, after);
    print::lines(&diff.unified_diff().context_radius(2).to_string()) + "\n"
}
