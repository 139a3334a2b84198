//! One evaluation: what changed, which hooks that makes pending, and running them one after the other.

use std::collections::{HashMap, HashSet};
use std::io::Result;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, Value, json};
use snaphook_command::changes::{Dirty, File, FileState, LookOptions, Marker, Source, look};
use snaphook_command::status::{HookKind, RunEnd, Status, Store, Turn, iso};
use snaphook_core::{Cause, Event, EventName, Handler, HookRef, Lifecycle, Product, Session};

use super::message::lines;
use super::model::{Due, Round, Step};
use super::{Ended, Evaluated, RanCheck};
use crate::dispatch::failed_check::FailedCheck;
use crate::host::{Current, Host, Inner};
use crate::options::CallOptions;
use crate::sync::until;

/// The time between two looks whether another process is done with the same session's checks.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

const FILES_CHANGED: EventName = EventName::Lifecycle(Lifecycle::FilesChanged);

/// A hook with its checks and the files that they are for.
struct Subject {
    hook: HookRef,
    checks: Vec<Check>,
}

/// One handler of `files_changed`.
struct Check {
    handler: Arc<dyn Handler>,
    /// Its dirty files that are there.
    files: Vec<String>,
    /// Those that are not.
    gone: Vec<String>,
    /// Those that are there under a name that is no text.
    nameless: Vec<String>,
    /// True if one of them is new.
    new: bool,
}

impl Check {
    fn is_concerned(&self) -> bool {
        [&self.files, &self.gone, &self.nameless].into_iter().any(|files| !files.is_empty())
    }
}

impl Host {
    /// Looks which files changed since the last evaluation and runs the checks that are pending, until one fails. `store` is
    /// the status folder of the session.
    ///
    /// Where a hook did not load nothing runs, as with [`Host::emit`]: it may have been a check. Without any check nothing is
    /// looked at. Has to be polled on a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    /// The status folder cannot be used: nothing is known of what is pending.
    pub async fn check_files(&self, store: &Store, options: &CallOptions) -> Result<Evaluated> {
        let current = self.inner.current();
        let loaded = &current.loaded;
        if loaded.handlers(&FILES_CHANGED).is_empty() && loaded.lost_check(&FILES_CHANGED).is_none() {
            return Ok(Evaluated::nothing());
        }
        let cancel = options.cancel.as_ref();
        let mut evaluated = Evaluated::nothing();
        // What was running when it was given up is pending still.
        match until(cancel, self.inner.evaluate(&current, store, options, &mut evaluated)).await {
            Some(done) => done?,
            None => evaluated.ended = Ended::Abandoned,
        }
        if evaluated.ended == Ended::Abandoned {
            evaluated.pending = store.read().map(|status| status.pending_hooks).unwrap_or_default();
        }
        Ok(evaluated)
    }

    /// Runs all checks of a hook now, on all of their dirty files, whatever is pending. `None` where no hook of that id has a
    /// check. The hook is pending until it passes.
    ///
    /// # Errors
    /// The status folder cannot be used.
    pub async fn rerun_check(
        &self,
        store: &Store,
        hook: &str,
        options: &CallOptions,
    ) -> Result<Option<Evaluated>> {
        let current = self.inner.current();
        if !current.loaded.handlers(&FILES_CHANGED).iter().any(|check| check.info().hook.id == hook) {
            return Ok(None);
        }
        let mut evaluated = Evaluated::nothing();
        let work = self.inner.rerun(&current, store, hook, options, &mut evaluated);
        match until(options.cancel.as_ref(), work).await {
            Some(done) => done?,
            None => evaluated.ended = Ended::Abandoned,
        }
        evaluated.pending = store.read().map(|status| status.pending_hooks).unwrap_or_default();
        Ok(Some(evaluated))
    }

    /// The person's home folder, where the host was told of one.
    pub fn home(&self) -> Option<&std::path::Path> {
        self.inner.shared.home.as_deref()
    }

    /// The hooks that have checks of changed files, in the order in which they run.
    pub fn file_checks(&self) -> Vec<HookRef> {
        let current = self.inner.current();
        let mut hooks: Vec<HookRef> = Vec::new();
        for handler in current.loaded.handlers(&FILES_CHANGED) {
            let hook = &handler.info().hook;
            if !hooks.contains(hook) {
                hooks.push(hook.clone());
            }
        }
        hooks
    }
}

impl Inner {
    async fn evaluate(
        &self,
        current: &Current,
        store: &Store,
        options: &CallOptions,
        evaluated: &mut Evaluated,
    ) -> Result<()> {
        let _turn = turn(store).await?;
        // A damaged status takes the marker along, so this is first.
        let opened = store.update(|status| status.pending_hooks.clone())?;
        evaluated.notes.extend(opened.set_aside.map(|aside| aside.to_string()));
        let root = &current.session.project_root;
        let before = Marker::read(&store.marker(), root)?;
        let dirty = look(LookOptions::new(root, &self.shared.env), before.as_ref()).await;
        evaluated.notes.extend(note(&dirty));
        let new: HashSet<&str> =
            dirty.new_since(root, before.as_ref()).into_iter().map(|file| file.name.as_str()).collect();
        let subjects = subjects(current, &dirty, &new);
        let names: HashSet<&str> = subjects.iter().map(|subject| subject.hook.id.as_str()).collect();
        let matched = subjects.iter().filter(|subject| subject.checks.iter().any(|check| check.new));
        let lost = current.loaded.lost_check(&FILES_CHANGED);
        let whole = lost.is_none() && before.is_some();
        let pending = store.update(|status| {
            status.add_pending(matched.map(|subject| subject.hook.id.as_str()));
            // A hook that is gone does not wait. One that did not load may be there again, and so may another project's.
            if whole {
                status.pending_hooks.retain(|id| names.contains(id.as_str()));
            }
            status.last_evaluated_at = iso(SystemTime::now());
            status.pending_hooks.clone()
        })?;
        // Behind the status: where the process dies in between, the same files are new once more, and none is lost.
        dirty.marker(root, before.as_ref()).write(&store.marker())?;
        evaluated.pending = pending.value;
        if let Some(failure) = current.loaded.failures.first() {
            if !new.is_empty() || !evaluated.pending.is_empty() {
                evaluated.ended = Ended::Failed;
                evaluated.ran.push(RanCheck::not_run(failure.as_check(FILES_CHANGED)));
            }
            return Ok(());
        }
        let due = subjects.iter().map(|subject| Due {
            pending: evaluated.pending.contains(&subject.hook.id),
            concerned: subject.checks.iter().any(Check::is_concerned),
        });
        let mut round = Round::new(due.collect());
        loop {
            let step = round.next();
            let (at, runs) = match step {
                Step::Over => break,
                Step::Drop(at) => (at, false),
                Step::Run(at) => (at, true),
            };
            let Some(subject) = subjects.get(at) else { return Ok(()) };
            evaluated.ended = Ended::Passed;
            if !runs {
                let dropped = &subject.hook.id;
                store.update(|status| status.remove_pending(dropped))?;
                evaluated.pending.retain(|id| id != dropped);
                evaluated.dropped.push(dropped.clone());
                continue;
            }
            let passed = self.run_hook(current, store, subject, options, evaluated).await?;
            round.ran(passed);
            if passed {
                evaluated.pending.retain(|id| *id != subject.hook.id);
            } else if evaluated.ended != Ended::Abandoned {
                evaluated.ended = Ended::Failed;
            }
        }
        // One that cannot be read keeps no other from running, and passes as little as one that fails.
        if let Some(lost) = lost.filter(|_| evaluated.ended == Ended::Passed || !new.is_empty())
            && !matches!(evaluated.ended, Ended::Failed | Ended::Abandoned)
        {
            evaluated.ended = Ended::Failed;
            evaluated.ran.push(RanCheck::not_run(lost.as_check(FILES_CHANGED)));
        }
        Ok(())
    }

    async fn rerun(
        &self,
        current: &Current,
        store: &Store,
        hook: &str,
        options: &CallOptions,
        evaluated: &mut Evaluated,
    ) -> Result<()> {
        let _turn = turn(store).await?;
        let opened = store.update(|status| status.add_pending([hook]))?;
        evaluated.notes.extend(opened.set_aside.map(|aside| aside.to_string()));
        if let Some(failure) = current.loaded.failures.first() {
            evaluated.ended = Ended::Failed;
            evaluated.ran.push(RanCheck::not_run(failure.as_check(FILES_CHANGED)));
            return Ok(());
        }
        let root = &current.session.project_root;
        let marker = Marker::read(&store.marker(), root)?;
        let dirty = look(LookOptions::new(root, &self.shared.env), marker.as_ref()).await;
        evaluated.notes.extend(note(&dirty));
        let subjects = subjects(current, &dirty, &HashSet::new());
        let Some(subject) = subjects.iter().find(|subject| subject.hook.id == hook) else { return Ok(()) };
        if !subject.checks.iter().any(Check::is_concerned) {
            store.update(|status| status.remove_pending(hook))?;
            evaluated.dropped.push(hook.to_owned());
            evaluated.ended = Ended::Passed;
            return Ok(());
        }
        let passed = self.run_hook(current, store, subject, options, evaluated).await?;
        if evaluated.ended != Ended::Abandoned {
            evaluated.ended = if passed { Ended::Passed } else { Ended::Failed };
        }
        Ok(())
    }

    /// Runs a hook's checks until one fails, and notes what they came to. Gives whether they all passed.
    async fn run_hook(
        &self,
        current: &Current,
        store: &Store,
        subject: &Subject,
        options: &CallOptions,
        evaluated: &mut Evaluated,
    ) -> Result<bool> {
        let mut result: Option<RanCheck> = None;
        for check in subject.checks.iter().filter(|check| check.is_concerned()) {
            let session = Session { outputs: Some(store.outputs()), ..(*current.session).clone() };
            let mut context = self.context(current, options);
            context.session = Arc::new(session);
            let context = Arc::new(context);
            let event = Event::lifecycle(Lifecycle::FilesChanged, files(&check.files));
            let event = event.map_err(std::io::Error::other)?;
            store.make()?;
            let began = Instant::now();
            let mut emitted = self.run_check(current, context, &check.handler, event, options).await;
            evaluated.reports.append(&mut emitted.reports);
            if emitted.cancelled {
                evaluated.ended = Ended::Abandoned;
                return Ok(false);
            }
            let mut ran = RanCheck::of(check, began.elapsed());
            match emitted.checks.failed {
                Some(failed) => ran.fails(failed),
                None => ran.left(emitted.checks.runs.pop().map(|(_, run)| run)),
            }
            let failed = !ran.passed;
            match &mut result {
                Some(before) => before.and_then(ran),
                None => result = Some(ran),
            }
            if failed {
                break;
            }
        }
        let Some(mut ran) = result else { return Ok(true) };
        let id = subject.hook.id.as_str();
        let log = match ran.log.take() {
            Some(log) => log,
            None => {
                store.write_output(id, &ran.output)?;
                store.output(id)
            }
        };
        let end = RunEnd {
            id,
            name: &subject.hook.name,
            kind: HookKind::File,
            at: SystemTime::now(),
            exit_code: ran.exit_code,
            passed: ran.passed,
            output: &log,
        };
        let noted = store.update(|status: &mut Status| {
            status.record(&end);
            if ran.passed {
                status.remove_pending(id);
            } else {
                // It may have been removed meanwhile.
                status.add_pending([id]);
            }
        })?;
        evaluated.notes.extend(noted.set_aside.map(|aside| aside.to_string()));
        ran.log = Some(log);
        let passed = ran.passed;
        evaluated.ran.push(ran);
        Ok(passed)
    }
}

/// The right to run this session's checks, once no other process has it.
async fn turn(store: &Store) -> Result<Turn> {
    loop {
        match store.turn()? {
            Some(turn) => return Ok(turn),
            None => tokio::time::sleep(LOOK_AGAIN).await,
        }
    }
}

/// Returns what a person should know of how it was found out.
fn note(dirty: &Dirty) -> Option<String> {
    let cut = if dirty.cut { "; there are more files than are looked at" } else { "" };
    match &dirty.source {
        Source::WalkInstead(why) => {
            Some(format!("changed files were found by their times, not by git: {why}{cut}"))
        }
        _ if dirty.cut => Some("there are more files in the project than are looked at".to_owned()),
        _ => None,
    }
}

/// The hooks in their order, each with its dirty files.
fn subjects(current: &Current, dirty: &Dirty, new: &HashSet<&str>) -> Vec<Subject> {
    let names: Vec<String> = dirty.files.iter().map(|file| file.name.clone()).collect();
    let states: HashMap<&str, FileState> =
        dirty.files.iter().map(|File { name, state, .. }| (name.as_str(), *state)).collect();
    let mut subjects: Vec<Subject> = Vec::new();
    for handler in current.loaded.handlers(&FILES_CHANGED) {
        let own = handler.files_for(&names);
        let is_new = own.iter().any(|name| new.contains(name.as_str()));
        let of =
            |wanted| own.iter().filter(|name| states.get(name.as_str()) == Some(&wanted)).cloned().collect();
        let (files, gone, nameless) =
            (of(FileState::Present), of(FileState::Deleted), of(FileState::Unnameable));
        let check = Check { handler: Arc::clone(handler), files, gone, nameless, new: is_new };
        let hook = &handler.info().hook;
        match subjects.iter_mut().find(|subject| subject.hook == *hook) {
            Some(subject) => subject.checks.push(check),
            None => subjects.push(Subject { hook: hook.clone(), checks: vec![check] }),
        }
    }
    subjects
}

fn files(names: &[String]) -> Map<String, Value> {
    match json!({ "files": names }) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Patterns as they are in a matcher: `{path = "*.go"}`.
fn patterns(matcher: Option<&Value>) -> Vec<String> {
    match matcher.and_then(|matcher| matcher.get("path")) {
        Some(Value::String(pattern)) => vec![pattern.clone()],
        Some(Value::Array(patterns)) => {
            patterns.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

impl RanCheck {
    fn of(check: &Check, took: Duration) -> Self {
        let info = check.handler.info();
        let program = check.handler.executable();
        RanCheck {
            hook: info.hook.clone(),
            patterns: program
                .map_or_else(|| patterns(info.matcher.as_ref()), |program| program.patterns.clone()),
            product: program.map_or(Product::Snaphook, |program| program.product),
            notify: program.is_none_or(|program| program.notify),
            files: check.files.clone(),
            deleted: check.gone.clone(),
            nameless: check.nameless.clone(),
            passed: true,
            exit_code: 0,
            cause: None,
            output: String::new(),
            lines: 0,
            bytes: 0,
            log: None,
            took,
        }
    }

    /// A hook that did not load: its answer is not known.
    fn not_run(failed: FailedCheck) -> Self {
        let mut ran = RanCheck {
            hook: failed.handler.hook.clone(),
            patterns: Vec::new(),
            product: Product::Snaphook,
            notify: true,
            files: Vec::new(),
            deleted: Vec::new(),
            nameless: Vec::new(),
            passed: false,
            exit_code: 1,
            cause: None,
            output: String::new(),
            lines: 0,
            bytes: 0,
            log: None,
            took: Duration::ZERO,
        };
        ran.fails(failed);
        ran
    }

    fn fails(&mut self, failed: FailedCheck) {
        self.passed = false;
        self.cause = failed.cause;
        self.exit_code = if failed.cause == Some(Cause::Timeout) { 124 } else { 1 };
        self.set_output(failed.reason);
        self.left(failed.run.map(|run| *run));
    }

    /// Takes in what a program left.
    fn left(&mut self, run: Option<snaphook_core::ProgramRun>) {
        let Some(run) = run else { return };
        // A check that is broken in itself has a reason that its program knows nothing of.
        if self.cause.is_none() {
            self.output = run.output;
            (self.lines, self.bytes) = (run.lines, run.bytes);
        }
        if self.passed || run.exit_code != 0 {
            self.exit_code = run.exit_code;
        }
        self.log = run.file;
    }

    fn set_output(&mut self, text: String) {
        (self.lines, self.bytes) = (lines(&text), text.len() as u64);
        self.output = text;
    }

    /// Adds what a hook's next check came to: the last one says how it ended, all files are its own.
    fn and_then(&mut self, next: RanCheck) {
        let joined = |before: &mut Vec<String>, next: &[String]| {
            let mut all = std::mem::take(before);
            all.extend_from_slice(next);
            all.sort();
            all.dedup();
            all
        };
        let files = joined(&mut self.files, &next.files);
        let deleted = joined(&mut self.deleted, &next.deleted);
        let nameless = joined(&mut self.nameless, &next.nameless);
        let took = self.took + next.took;
        *self = RanCheck { files, deleted, nameless, took, ..next };
    }
}
