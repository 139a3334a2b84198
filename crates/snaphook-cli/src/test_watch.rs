//! `snaphook test --watch`: again whenever a script changes. Not here: what is run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::event::{CreateKind, ModifyKind, RemoveKind};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use snaphook::CancellationToken;
use snaphook_discovery::language_of;
use snaphook_testing::FoundTests;

use crate::exit::{Exit, Failure};
use crate::print;

/// The time in which nothing has to change before the next run: editors write a file in several steps.
const QUIET: Duration = Duration::from_millis(100);
/// The time between two looks whether to end.
const TICK: Duration = Duration::from_millis(200);
/// Each folder takes a watch of the system's, which are few.
const MAX_FOLDERS: usize = 4096;

type Events = Receiver<notify::Result<Event>>;

/// Finds, runs, waits for a change, and again, until it is cancelled.
///
/// # Errors
/// The system gives no watches.
pub(crate) fn watch(
    cancel: &CancellationToken,
    find: impl Fn() -> FoundTests,
    mut run: impl FnMut(&FoundTests) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    let (tell, told) = channel();
    let failed = |error: notify::Error| Failure::Internal(format!("failed to watch for changes: {error}"));
    let mut watcher = notify::recommended_watcher(tell).map_err(failed)?;
    let mut watched = BTreeSet::new();
    loop {
        let found = find();
        // Before the run reads the files, so that no change goes unseen.
        follow(&mut watcher, &mut watched, found.folders()).map_err(failed)?;
        run(&found)?;
        if cancel.is_cancelled() {
            return Ok(Exit::Interrupted);
        }
        print::stdout(&format!("watching {} folder(s); Ctrl-C ends\n", watched.len()));
        if !wait(&told, cancel)? {
            return Ok(Exit::Interrupted);
        }
        print::stdout("\n");
    }
}

/// Watches these folders and no others.
fn follow(
    watcher: &mut RecommendedWatcher,
    watched: &mut BTreeSet<PathBuf>,
    wanted: &BTreeSet<PathBuf>,
) -> notify::Result<()> {
    let wanted: BTreeSet<PathBuf> = wanted.iter().take(MAX_FOLDERS).cloned().collect();
    for gone in watched.difference(&wanted) {
        // A folder that was removed has lost its watch already.
        let _ = watcher.unwatch(gone);
    }
    for folder in wanted.difference(watched) {
        match watcher.watch(folder, RecursiveMode::NonRecursive) {
            Err(error) if folder.exists() => return Err(error),
            _ => {}
        }
    }
    *watched = wanted;
    Ok(())
}

/// Waits for a change that matters, and until no more come. `false` when it was cancelled.
fn wait(told: &Events, cancel: &CancellationToken) -> Result<bool, Failure> {
    let mut changed = false;
    loop {
        if cancel.is_cancelled() {
            return Ok(false);
        }
        match told.recv_timeout(if changed { QUIET } else { TICK }) {
            Ok(Ok(event)) => changed |= matters(&event),
            // Events were lost: perhaps one that matters.
            Ok(Err(_)) => changed = true,
            Err(RecvTimeoutError::Timeout) if changed => return Ok(true),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Internal("the file watcher stopped".to_owned()));
            }
        }
    }
}

/// Scripts that change, folders that come and go.
fn matters(event: &Event) -> bool {
    let script = |path: &PathBuf| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| language_of(name).is_some())
    };
    match event.kind {
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => false,
        EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder) => {
            // The tests' own scratch folders, for a project in the folder for temporary files.
            !event.paths.iter().all(|path| is_scratch(path))
        }
        _ => event.need_rescan() || event.paths.iter().any(script),
    }
}

fn is_scratch(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(snaphook_testing::SCRATCH_PREFIX))
}
