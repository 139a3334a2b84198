//! `startup` with agents: their hooks run once a session, when it starts, before the hooks of its start. Not here: running them (the
//! host), and what an agent's driver of our own does (`snaphook-agent`).

use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, json};
use snaphook::{CallOptions, Emitted, Event, Host, Lifecycle, Started};
use snaphook_adapters::{Incoming, Row};
use snaphook_command::status::{Kind, RunEnd};

use crate::hook::log::Log;
use crate::hook::session::SessionFolder;
use crate::status::place;

/// The file of a session that says that they ran.
const STARTED: &str = "started.json";

/// The part of the time that the agent waits that they may take: the hooks of the session's start come after them.
const SHARE: f64 = 0.8;

/// Runs them where the event starts a session that they have not run for. Failures are logged, and stop nothing.
pub(crate) async fn run(
    host: &Host,
    row: &Row,
    incoming: &Incoming,
    session: &SessionFolder,
    options: &CallOptions,
    log: &Log,
) {
    let starts = |event: &Event| *event.name() == Lifecycle::SessionStart.into();
    if !incoming.events.iter().any(starts)
        || !host.handles(&Lifecycle::Startup.into())
        || !first(session, log)
    {
        return;
    }
    let Ok(event) = Event::lifecycle(Lifecycle::Startup, Map::new()) else { return };
    let began = Instant::now();
    let limit = row.limit.mul_f64(SHARE).max(Duration::from_secs(1));
    let Ok(emitted) = tokio::time::timeout(limit, host.emit(event, options)).await else {
        log.line(&format!(
            "startup hooks: they did not end within {} s, which is what the agent leaves them, and were ended",
            limit.as_secs_f64()
        ));
        return;
    };
    for report in &emitted.reports {
        log.line(&format!("startup: {report}"));
    }
    if let Some(summary) = emitted.startup_summary() {
        log.line(&format!("{summary}, in {:.1} s", began.elapsed().as_secs_f64()));
    }
    note(&emitted, session, log);
    // Where nothing was noted there is nothing to find.
    if let Some(store) = session.hooks() {
        let noted = place::note(&store, host, incoming.origin.session.as_deref());
        noted.unwrap_or_else(|error| log.line(&format!("the status of hooks: {error}")));
    }
}

/// Returns whether it is the first time for this session; it is not any more then. Without a folder every start is one.
fn first(session: &SessionFolder, log: &Log) -> bool {
    let claimed = |locked: crate::hook::session::Locked<'_>| {
        let before = locked.read(STARTED)?;
        let is_first = before["startup"].is_null();
        if is_first {
            locked.write(STARTED, &json!({ "startup": true }))?;
        }
        Ok::<_, std::io::Error>(is_first)
    };
    match session.locked() {
        None => true,
        Some(locked) => locked.and_then(claimed).unwrap_or_else(|error| {
            log.line(&format!("the session's folder: {error}"));
            true
        }),
    }
}

/// Notes each run in the session's status.
fn note(emitted: &Emitted, session: &SessionFolder, log: &Log) {
    let Some(store) = session.hooks() else { return };
    let programs: Vec<&Started> = emitted.started.iter().filter(|one| one.run.is_some()).collect();
    if programs.is_empty() {
        return;
    }
    let noted = store.update(|status| {
        for Started { handler, run, failed } in &programs {
            status.record(&RunEnd {
                id: &handler.hook.id,
                name: &handler.hook.name,
                kind: Kind::Session,
                at: SystemTime::now(),
                exit_code: run.as_ref().map_or(-1, |run| run.exit_code),
                passed: !failed,
                output: &store.output(&handler.hook.id),
            });
        }
    });
    if let Err(error) = noted {
        log.line(&format!("the status of hooks: {error}"));
    }
}
