//! Checks of changed files at the end of the agent's turn: within the process that the agent calls, and within the time that it
//! waits. Nothing of this happens on other events. Not here: the checks themselves (`snaphook::checks`).

use std::time::{Duration, Instant, SystemTime};

use snaphook::checks::{Ended, Evaluated};
use snaphook::{CallOptions, Host, Lifecycle, Outcome};
use snaphook_adapters::{Incoming, Row};
use snaphook_command::changes::{Marker, in_repository};
use snaphook_discovery::Directories;

use crate::hook::desk::Desk;
use crate::hook::session::SessionFolder;
use crate::hook::{before, call};
use crate::status::place;

/// The time that is left for ending a check that takes too long, before the deadline of the whole call.
const TO_END: Duration = Duration::from_secs(3);

/// Runs what is pending where the agent's turn has ended; a failure is a text to go on with.
pub(crate) async fn at_stop(
    desk: &Desk<'_>,
    row: &Row,
    incoming: &Incoming,
    host: &Host,
    session: &SessionFolder,
    options: &CallOptions,
    outcome: &mut Outcome,
) {
    if !incoming.events.iter().any(|event| call::is(event, Lifecycle::AgentEnd)) {
        return;
    }
    let log = |text: &str| desk.log.line(&format!("{}: {text}", incoming.native));
    let Some(store) = session.hooks() else {
        if !host.file_checks().is_empty() {
            log("there is no state folder, so checks of changed files do not run");
        }
        return;
    };
    let limit = before(row.limit).saturating_sub(TO_END).max(row.limit / 2);
    let cancel = options.cancel.clone().unwrap_or_default().child_token();
    let within = CallOptions { cancel: Some(cancel.clone()), ..options.clone() };
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
    match done {
        Ok(evaluated) => tell(&evaluated, began.elapsed(), host, session, incoming, outcome, &log),
        Err(error) => log(&format!("the status of hooks, so that no check ran: {error}")),
    }
    if let Err(error) = place::note(&store, host, incoming.origin.session.as_deref()) {
        log(&format!("the status of hooks: {error}"));
    }
}

fn tell(
    evaluated: &Evaluated,
    took: Duration,
    host: &Host,
    session: &SessionFolder,
    incoming: &Incoming,
    outcome: &mut Outcome,
    log: &dyn Fn(&str),
) {
    for note in &evaluated.notes {
        log(note);
    }
    for report in &evaluated.reports {
        log(&report.to_string());
    }
    match evaluated.ended {
        Ended::NoAction | Ended::Passed => {}
        Ended::Abandoned => log(&format!(
            "the checks of changed files did not end within {:.0} s and stay pending: {}",
            took.as_secs_f64(),
            evaluated.pending.join(" ")
        )),
        Ended::Failed => {
            let Some(failed) = evaluated.ran.last() else { return };
            log(&format!(
                "the check \"{}\" failed; pending: {}",
                failed.hook.id,
                evaluated.pending.join(" ")
            ));
            if let Some(failed) = evaluated.to_tell() {
                let attempt = session.continued(&incoming.origin).saturating_add(1);
                outcome.continue_with.push(failed.message(attempt, host.home()));
            }
        }
    }
}

/// The person wrote a prompt. Without git only the time tells what changed since, and nobody else keeps it.
pub(crate) fn at_prompt(
    directories: &Directories,
    host: &Host,
    session: &SessionFolder,
) -> std::io::Result<()> {
    let root = &directories.project_root;
    let Some(store) = session.hooks().filter(|_| !host.file_checks().is_empty() && !in_repository(root))
    else {
        return Ok(());
    };
    if Marker::read(&store.marker(), root)?.is_some() {
        return Ok(());
    }
    store.make()?;
    Marker::beginning(root, SystemTime::now()).write(&store.marker())
}
