//! `startup` with agents: their hooks run once a session, when it starts, before the hooks of its start. Not here: running them (the
//! host), and what an agent's driver of our own does (`snaphook-agent`).

use std::io;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, Value, json};
use snaphook::{Emitted, Event, Lifecycle, Started};
use snaphook_command::status::{HookKind, RunEnd, Store};

use crate::context::SessionContext;
use crate::event_run::EventRun;
use crate::folder::Locked;
use crate::status_folder;

/// The file of a session that says that they ran.
const STARTED: &str = "started.json";

/// The part of the time that the agent waits that they may take: the hooks of the session's start come after them.
const SHARE: f64 = 0.8;

/// Runs them where they have not run for this session. Failures are logged, and stop nothing.
pub(crate) async fn run(run: &EventRun<'_>) {
    let EventRun { host, session, .. } = run;
    if !host.handles(&Lifecycle::Startup.into()) || !is_first(session) {
        return;
    }
    let Ok(event) = Event::lifecycle(Lifecycle::Startup, Map::new()) else { return };
    let began = Instant::now();
    let limit = run.row.limit.mul_f64(SHARE).max(Duration::from_secs(1));
    let Ok(emitted) = tokio::time::timeout(limit, host.emit(event, &run.options)).await else {
        session.log.line(&format!(
            "startup hooks: they did not end within {} s, which is what the agent leaves them, and were ended",
            limit.as_secs_f64()
        ));
        return;
    };
    for report in &emitted.reports {
        session.log.line(&format!("startup: {report}"));
    }
    if let Some(summary) = emitted.startup_summary() {
        session.log.line(&format!("{summary}, in {:.1} s", began.elapsed().as_secs_f64()));
    }
    // Where nothing was noted there is nothing to find.
    let Some(store) = session.folder.hooks() else { return };
    let noted = note(&emitted, &store)
        .and_then(|()| status_folder::note(&store, host, run.incoming.origin.session.as_deref()));
    if let Err(error) = noted {
        session.log.line(&format!("the status of hooks: {error}"));
    }
}

/// Returns whether it is the first time for this session; it is not any more then. Without a folder every start is one.
fn is_first(session: &SessionContext) -> bool {
    let claim = |locked: Locked<'_>| {
        let before: Value = locked.read(STARTED)?;
        let is_first = before["startup"].is_null();
        if is_first {
            locked.write(STARTED, &json!({ "startup": true }))?;
        }
        Ok::<_, io::Error>(is_first)
    };
    match session.folder.locked() {
        None => true,
        Some(locked) => locked.and_then(claim).unwrap_or_else(|error| {
            session.report(&error);
            true
        }),
    }
}

/// Notes each run in the session's status.
fn note(emitted: &Emitted, store: &Store) -> io::Result<()> {
    let programs: Vec<&Started> = emitted.started.iter().filter(|one| one.run.is_some()).collect();
    if programs.is_empty() {
        return Ok(());
    }
    let noted = store.update(|status| {
        for Started { handler, run, failed } in &programs {
            status.record(&RunEnd {
                id: &handler.hook.id,
                name: &handler.hook.name,
                kind: HookKind::Session,
                at: SystemTime::now(),
                exit_code: run.as_ref().map_or(-1, |run| run.exit_code),
                passed: !failed,
                output: &store.output(&handler.hook.id),
            });
        }
    });
    noted.map(drop)
}
