//! `snaphook git run pre-commit`: what git shows of the hooks before a commit, and the exit code that refuses it.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use snaphook::{CancellationToken, Checks, Emitted, FailedCheck, HeadlessUi, Host, Report, Session};
use snaphook_command::status::{HookKind, RunEnd, Store};
use snaphook_discovery::{Directories, printable};
use snaphook_session::hosting::Records;
use snaphook_session::status_folder;
use snaphook_setup::git::{
    CHECK_TIMEOUT, CommitNote, CommitOutcome, Git, LoadError, Projects, absolute_paths, check_commit,
};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::git::args::RunArgs;
use crate::{print, wiring};

/// The remedy where hooks cannot run. How to skip them is not said: an agent that is refused would do just that.
const REMEDY: &str = "Fix that and commit again; `snaphook git status` shows what is wrong.";

/// Runs the command.
pub(crate) async fn run(env: &Env, args: &RunArgs) -> Result<Exit, Failure> {
    if args.stage != "pre-commit" {
        let stage = printable(&args.stage);
        return Err(Failure::Usage(format!(
            "snaphook does not run git's hook \"{stage}\": expected pre-commit"
        )));
    }
    match checked(env, args).await {
        Ok(exit) => Ok(exit),
        Err(failure) => {
            print::error(env, &failure.to_string());
            print::stderr(&format!("The commit is refused, because its hooks cannot run. {REMEDY}\n"));
            Ok(Exit::Failed)
        }
    }
}

async fn checked(env: &Env, args: &RunArgs) -> Result<Exit, Failure> {
    let here = env.cwd.clone().ok_or_else(|| Failure::Usage("the working directory is gone".to_owned()))?;
    let mut env = env.clone();
    env.process.vars = absolute_paths(&here, &env.vars).into();
    let env = &env;
    let cancel = CancellationToken::new();
    wiring::cancel_when_told(&cancel);
    let git = Git::new(&here, &env.vars);
    Ok(match check_commit(&git, &Gated { env, args }, &cancel, &mut print_note).await? {
        CommitOutcome::Passed => Exit::Fine,
        CommitOutcome::Interrupted => {
            print::stderr("The commit is refused: its hooks were interrupted.\n");
            Exit::Interrupted
        }
        CommitOutcome::Refused(emitted) => {
            print::stderr(
                &emitted.checks.failed.as_ref().map(|failed| refusal(failed, &emitted)).unwrap_or_default(),
            );
            Exit::Failed
        }
    })
}

/// The projects of a repository, with hooks that decide about commits.
struct Gated<'a> {
    env: &'a Env,
    args: &'a RunArgs,
}

impl Projects for Gated<'_> {
    fn directories(&self, folder: &Path) -> Result<Directories, LoadError> {
        Ok(wiring::directories(self.env, Some(folder))?)
    }

    fn host(&self, directories: &Directories) -> Result<Host, LoadError> {
        let trust = self.args.pins.trust(self.env, &[&directories.project_root])?;
        let hooks = wiring::gating_hooks(self.env, directories, &[], &trust);
        let builder = wiring::host(self.env, directories, hooks, "git", None, Records::Audit)?;
        let host = builder.ui(Arc::new(HeadlessUi)).check_wait(CHECK_TIMEOUT).build();
        let outputs = status_folder::of_git(directories).as_ref().map(Store::outputs);
        let session = Session { outputs, ..(*host.session()).clone() };
        host.set_session(session);
        Ok(host)
    }

    fn record(&self, directories: &Directories, host: &Host, checks: &Checks) -> std::io::Result<()> {
        status_folder::of_git(directories).map_or(Ok(()), |store| record(&store, host, checks))
    }
}

/// Notes the result of each check, for `snaphook status`.
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
            kind: HookKind::PreCommit,
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

fn print_note(note: CommitNote<'_>) {
    let shown = |script: &Path| printable(&script.display().to_string());
    print::stderr(&match note {
        CommitNote::NotRecorded(error) => {
            format!("snaphook: the status of hooks cannot be kept: {error}\n")
        }
        CommitNote::Context(context) => format!("{}: {}\n", context.hook.id, print::lines(&context.text)),
        CommitNote::ScriptRestored(script) => format!(
            "snaphook: no hook handles pre_commit any more, so {} is restored to what it was before `snaphook git install`.\n",
            shown(script)
        ),
        CommitNote::ScriptRemoved(script) => format!(
            "snaphook: no hook handles pre_commit any more, so {} is removed; `snaphook git install` puts it back.\n",
            shown(script)
        ),
    });
}

/// Returns the text that git shows: which hook, why, what did not run, what to do.
fn refusal(failed: &FailedCheck, emitted: &Emitted) -> String {
    let hook = &failed.handler.hook;
    let place = printable(&failed.handler.location().to_string());
    let mut text =
        format!("snaphook: the pre_commit hook \"{}\" ({place}) refused this commit", printable(&hook.name));
    match failed.cause {
        Some(cause) => text += &format!(", because it cannot be run ({}):\n", cause.as_str()),
        None => text += ":\n",
    }
    text += &format!("{}\n", print::lines(failed.reason.trim_end()));
    let tracebacks = emitted.reports.iter().filter_map(|Report { traceback, .. }| traceback.as_deref());
    for traceback in tracebacks {
        text += &format!("{}\n", print::lines(traceback));
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
