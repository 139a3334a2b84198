//! `snaphook git run pre-commit`: the hooks for `pre_commit` over the staged files. Whatever keeps them from being run refuses the
//! commit. Not here: how a check runs (the host).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::json;
use snaphook::{
    CallOptions, CancellationToken, Checks, Emitted, Event, EventName, FailedCheck, HeadlessUi, Host,
    Lifecycle, Report, Session,
};
use snaphook_command::status::{Kind, RunEnd, Store};
use snaphook_discovery::{Directories, printable};
use snaphook_session::hosting::Records;
use snaphook_session::status_folder;

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::git::args::RunArgs;
use crate::git::ask::{Git, absolute};
use crate::git::change::{Done, Slot};
use crate::git::repository::Repository;
use crate::git::staged::{inside, staged};
use crate::{out, wiring};

/// The time that each hook may take.
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// What helps where hooks cannot run. How to pass over them is not said: an agent that is refused would do just that.
const REMEDY: &str = "Fix that and commit again; `snaphook git status` shows what stands in the way.";

/// Runs the command.
pub(crate) async fn run(env: &Env, args: &RunArgs) -> Result<Exit, Failure> {
    if args.stage != "pre-commit" {
        return Err(Failure::Usage(format!(
            "\"{}\" is no hook of git that snaphook runs; there is pre-commit",
            printable(&args.stage)
        )));
    }
    match checked(env, args).await {
        Ok(exit) => Ok(exit),
        Err(failure) => {
            out::error(env, &failure.to_string());
            out::print_error(&format!("The commit is refused, because its hooks cannot run. {REMEDY}\n"));
            Ok(Exit::Failed)
        }
    }
}

async fn checked(env: &Env, args: &RunArgs) -> Result<Exit, Failure> {
    let here = env.cwd.clone().ok_or_else(|| Failure::Usage("the working directory is gone".to_owned()))?;
    let mut env = env.clone();
    env.process.vars = absolute(&here, &env.vars).into();
    let env = &env;
    let git = Git::new(&here, &env.vars);
    let repository = Repository::find(&git).await?;
    let files = staged(&git).await?;
    let slot = Slot::of(&repository.hooks);
    let cancel = CancellationToken::new();
    wiring::cancel_when_told(&cancel);
    let options = CallOptions { cancel: Some(cancel.clone()), supervised: true, ..CallOptions::default() };
    let mut is_needed = false;
    for project in projects(env, &repository, &slot)? {
        let store = status_folder::of_git(&project);
        let host = host(env, args, &project, store.as_ref())?;
        let has_hooks = host.handles(&EventName::Lifecycle(Lifecycle::PreCommit));
        is_needed |= has_hooks;
        let files = inside(&files, &repository.top, &project.project_root);
        // A hook that is given another name finds no file, and may well pass over that.
        if let Some(name) = files.iter().find(|name| has_hooks && name.contains('\u{fffd}')) {
            return Err(Failure::Usage(format!(
                "\"{}\" is staged, whose name is not UTF-8, so that no hook can be told of it: rename it",
                printable(name)
            )));
        }
        let fields = json!({ "files": files }).as_object().cloned().unwrap_or_default();
        let event = Event::lifecycle(Lifecycle::PreCommit, fields)
            .map_err(|error| Failure::Internal(error.to_string()))?;
        let emitted = host.emit(event, &options).await;
        if let Some(store) = &store
            && let Err(error) = record(store, &host, &emitted.checks)
        {
            out::print_error(&format!("snaphook: the status of hooks cannot be kept: {error}\n"));
        }
        if cancel.is_cancelled() || emitted.cancelled {
            out::print_error("The commit is refused: its hooks were interrupted.\n");
            return Ok(Exit::Interrupted);
        }
        if let Some(failed) = &emitted.checks.failed {
            out::print_error(&refused(failed, &emitted));
            return Ok(Exit::Failed);
        }
        for context in &emitted.context {
            out::print_error(&format!("{}: {}\n", context.hook.id, out::lines(&context.text)));
        }
    }
    if !is_needed && !others_need_it(env, &git, &repository, &slot).await {
        take_away(&slot)?;
    }
    Ok(Exit::Fine)
}

/// The folders of each project that the script is for and this working tree has; of its top, where there is none.
pub(crate) fn projects(env: &Env, repository: &Repository, slot: &Slot) -> Result<Vec<Directories>, Failure> {
    let named = slot.projects();
    let mut folders: Vec<PathBuf> = named.iter().map(|project| repository.top.join(project)).collect();
    folders.retain(|folder| folder.is_dir());
    if folders.is_empty() {
        folders.push(repository.top.clone());
    }
    let mut all: Vec<Directories> = Vec::new();
    for folder in folders {
        let mut directories = wiring::directories(env, Some(&folder))?;
        directories.add_compat(slot.compat());
        if !all.iter().any(|other| other.project_root == directories.project_root) {
            all.push(directories);
        }
    }
    Ok(all)
}

fn host(
    env: &Env,
    args: &RunArgs,
    directories: &Directories,
    store: Option<&Store>,
) -> Result<Host, Failure> {
    let trust = args.pins.trust(env, &[&directories.project_root])?;
    let hooks = wiring::gating_hooks(env, directories, &[], &trust);
    let builder = wiring::host(env, directories, hooks, "git", None, Records::Audit)?;
    let host = builder.ui(Arc::new(HeadlessUi)).check_wait(LIMIT).build();
    let session = Session { outputs: store.map(Store::outputs), ..(*host.session()).clone() };
    host.set_session(session);
    Ok(host)
}

/// Notes what each check came to, for `snaphook status`.
fn record(store: &Store, host: &Host, checks: &Checks) -> std::io::Result<()> {
    let passed = checks.passed.iter().map(|handler| {
        let run = checks.runs.iter().find(|(of, _)| of.hook == handler.hook).map(|(_, run)| run);
        (handler, true, run, "")
    });
    let failed = checks
        .failed
        .iter()
        .map(|failed| (&failed.handler, false, failed.run.as_deref(), failed.reason.as_str()));
    for (handler, passed, run, reason) in passed.chain(failed) {
        let id = handler.hook.id.as_str();
        if run.is_none() {
            store.write_output(id, reason)?;
        }
        let exit_code = run.map_or(i32::from(!passed), |run| run.exit_code);
        let output = store.output(id);
        let end = RunEnd {
            kind: Kind::PreCommit,
            id,
            name: &handler.hook.name,
            at: SystemTime::now(),
            exit_code,
            passed,
            output: &output,
        };
        store.update(|status| status.record(&end))?;
    }
    status_folder::note(store, host, None)
}

/// Returns what stands where git shows it: which hook, why, what did not run, what to do.
fn refused(failed: &FailedCheck, emitted: &Emitted) -> String {
    let hook = &failed.handler.hook;
    let place = printable(&failed.handler.location().to_string());
    let mut text =
        format!("snaphook: the pre_commit hook \"{}\" ({place}) refused this commit", printable(&hook.name));
    match failed.cause {
        Some(cause) => text += &format!(", because it cannot be run ({}):\n", cause.as_str()),
        None => text += ":\n",
    }
    text += &format!("{}\n", out::lines(failed.reason.trim_end()));
    let tracebacks = emitted.reports.iter().filter_map(|Report { traceback, .. }| traceback.as_deref());
    for traceback in tracebacks {
        text += &format!("{}\n", out::lines(traceback));
    }
    let pending: Vec<_> = emitted.checks.pending.iter().map(|handler| handler.hook.id.as_str()).collect();
    if !pending.is_empty() {
        text += &format!("Not run: {}\n", printable(&pending.join(", ")));
    }
    text += &match failed.cause {
        Some(_) => format!("{REMEDY}\n"),
        None => "Fix what it says and commit again.\n".to_owned(),
    };
    text
}

/// Returns whether another working tree of the repository, which the script serves, too, has hooks in its project.
async fn others_need_it(env: &Env, git: &Git, repository: &Repository, slot: &Slot) -> bool {
    let named = slot.projects();
    let has_hooks = |folder: PathBuf| {
        let Ok(directories) = wiring::directories(env, Some(&folder)) else { return false };
        let theirs = directories.project_root.join(".discobot/hooks");
        let has_any =
            |folder: &Path| std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
        has_any(&directories.project_hooks) || has_any(&theirs)
    };
    let trees = repository.others(git).await;
    trees.iter().any(|tree| {
        let folders = named.iter().map(|project| tree.join(project)).chain([tree.clone()]);
        folders.filter(|folder| folder.is_dir()).any(has_hooks)
    })
}

/// The last hook is gone, so the script goes. It is this process's parent: the shell has it open and needs no name for it.
fn take_away(slot: &Slot) -> Result<(), Failure> {
    let shown = printable(&slot.script.display().to_string());
    match slot.remove(None)? {
        Done::Restored => out::print_error(&format!(
            "snaphook: no hook is for pre_commit any more, so {shown} is again what it was before `snaphook git install`.\n"
        )),
        Done::Removed => out::print_error(&format!(
            "snaphook: no hook is for pre_commit any more, so {shown} is gone; `snaphook git install` puts it back.\n"
        )),
        _ => {}
    }
    Ok(())
}
