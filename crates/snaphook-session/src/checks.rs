//! Checks of changed files at the end of the agent's turn: within the process that the agent calls, and within the time
//! that it waits. Nothing of this happens on other events. Not here: the checks themselves (`snaphook::checks`).

use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use snaphook::checks::{Ended, Evaluated, RanCheck};
use snaphook::{CallOptions, Host};
use snaphook_command::changes::{Marker, in_repository};
use snaphook_command::status::Store;

use crate::event_run::EventRun;
use crate::status_folder;

/// The time that is left for ending a check that takes too long, before the deadline of the whole call.
const TO_END: Duration = Duration::from_secs(3);

/// Runs what is pending where the agent's turn has ended; gives the check that failed, if the agent gets a message about it.
pub(crate) async fn at_stop(run: &EventRun<'_>) -> Option<RanCheck> {
    let EventRun { host, session, row, .. } = run;
    let Some(store) = session.folder.hooks() else {
        if !host.file_checks().is_empty() {
            run.log("there is no state folder, so checks of changed files do not run");
        }
        return None;
    };
    let limit = run.limit().saturating_sub(TO_END).max(row.limit / 2);
    let cancel = run.options.cancel.clone().unwrap_or_default().child_token();
    let within = CallOptions { cancel: Some(cancel.clone()), ..run.options.clone() };
    let began = Instant::now();
    let mut work = Box::pin(host.check_files(&store, &within));
    let done = tokio::select! {
        done = &mut work => done,
        () = tokio::time::sleep(limit) => {
            cancel.cancel();
            let done = work.await;
            // What was running has got TERM; KILL follows only as long as this process is there.
            tokio::time::sleep(TO_END.mul_f64(0.8).min(row.limit / 10)).await;
            done
        }
    };
    let failed = match done {
        Ok(evaluated) => {
            report(run, &evaluated, began.elapsed());
            evaluated.to_tell().cloned()
        }
        Err(error) => {
            run.log(&format!("the status of hooks, so that no check ran: {error}"));
            None
        }
    };
    if let Err(error) = status_folder::note(&store, host, run.incoming.origin.session.as_deref()) {
        run.log(&format!("the status of hooks: {error}"));
    }
    failed
}

fn report(run: &EventRun<'_>, evaluated: &Evaluated, took: Duration) {
    for note in &evaluated.notes {
        run.log(note);
    }
    for report in &evaluated.reports {
        run.log(&report.to_string());
    }
    let pending = || evaluated.pending.join(" ");
    match evaluated.ended {
        Ended::NoAction | Ended::Passed => {}
        Ended::Abandoned => run.log(&format!(
            "the checks of changed files did not end within {:.0} s and stay pending: {}",
            took.as_secs_f64(),
            pending()
        )),
        Ended::Failed => {
            let Some(failed) = evaluated.ran.last() else { return };
            run.log(&format!("the check \"{}\" failed; pending: {}", failed.hook.id, pending()));
        }
    }
}

/// Begins to watch files when the person writes a prompt. Without git only the time shows what changed since, and it is
/// kept nowhere else.
pub(crate) fn at_prompt(run: &EventRun<'_>) -> io::Result<()> {
    match run.session.folder.hooks() {
        Some(store) => begin_to_watch(run.host, &store, &run.session.directories.project_root),
        None => Ok(()),
    }
}

/// Notes the time from which changed files count, where checks want to know and no git tells.
///
/// # Errors
/// The status folder cannot be used.
pub fn begin_to_watch(host: &Host, store: &Store, root: &Path) -> io::Result<()> {
    if host.file_checks().is_empty() || in_repository(root) || Marker::read(&store.marker(), root)?.is_some()
    {
        return Ok(());
    }
    store.make()?;
    Marker::beginning(root, SystemTime::now()).write(&store.marker())
}
