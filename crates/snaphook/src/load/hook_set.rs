//! The set of hooks that is in force: handlers by event, and everything that denies gated events. A reload makes a
//! new set; calls in flight keep theirs.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use snaphook_core::{
    Cause, Coverage, EventName, GateRun, Grants, Handler, HandlerInfo, HookRef, Lifecycle, Limits, Location,
    OnFailure, Problem, ReplyClass, Scope, Severity, Withheld,
};
use snaphook_discovery::Language;

use crate::dispatch::failed_check::FailedCheck;

/// A hook as `list` shows it.
#[derive(Clone)]
pub struct HookSummary {
    /// The hook.
    pub hook: HookRef,
    /// The purpose of it, in its author's words.
    pub description: Option<String>,
    /// The resolved path of its script; `None` for one that came from memory.
    pub path: Option<PathBuf>,
    /// The hash of everything that it runs; `None` for handlers written in Rust.
    pub content_hash: Option<Arc<str>>,
    /// Its language; `None` for handlers written in Rust.
    pub language: Option<Language>,
    /// The grants of it; nothing for handlers written in Rust, which need no grants.
    pub grants: Arc<Grants>,
    /// The treatment of results where its `tool_result` handlers fail.
    pub on_failure: OnFailure,
    /// Its handlers in the order of registration; empty where it did not load.
    pub handlers: Vec<HandlerInfo>,
    /// Its memory after loading, in bytes; 0 for handlers written in Rust.
    pub memory: usize,
    /// The lines of it that ran so far, where its engine counts them.
    pub coverage: Option<Coverage>,
    /// The limits that it runs under.
    pub limits: Limits,
    /// True if it loaded.
    pub loaded: bool,
}

impl std::fmt::Debug for HookSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let handlers = self.handlers.len();
        f.debug_struct("HookSummary")
            .field("hook", &self.hook)
            .field("handlers", &handlers)
            .finish_non_exhaustive()
    }
}

/// Something that denies every gated event (law 4).
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) hook: Option<HookRef>,
    pub(crate) location: Option<Location>,
    pub(crate) cause: Cause,
    pub(crate) text: String,
    /// The treatment of results; `None` where the hook's registration is not known.
    on_failure: Option<OnFailure>,
}

impl Failure {
    /// The denial that a problem is, if it is one. The one place that gives problems their causes.
    pub(crate) fn of(problem: &Problem, hook: Option<&HookRef>) -> Option<Failure> {
        (problem.severity == Severity::Error).then(|| Failure::from_problem(problem, hook))
    }

    /// The failed check that a problem is which is about checks of one event, with that event.
    pub(crate) fn of_check(problem: &Problem) -> Option<(Lifecycle, Failure)> {
        let event = problem.only.filter(|event| EventName::from(*event).class() == ReplyClass::Check)?;
        (problem.severity < Severity::Error).then(|| (event, Failure::from_problem(problem, None)))
    }

    fn from_problem(problem: &Problem, hook: Option<&HookRef>) -> Failure {
        Failure {
            hook: hook.cloned(),
            location: Some(Location { file: problem.file.clone(), line: problem.line }),
            cause: problem.cause.unwrap_or(Cause::Load),
            on_failure: problem.on_failure,
            text: match hook {
                _ if problem.cause.is_some() => problem.to_string(),
                Some(hook) => format!("the hook \"{}\" did not load: {problem}", hook.name),
                None => format!("a hook did not load: {problem}"),
            },
        }
    }
}

impl Failure {
    /// The failed check that it represents: it is not known which checks the hook would have registered.
    pub(crate) fn as_check(&self, event: EventName) -> FailedCheck {
        let place = self.location.clone();
        let file = place.as_ref().map(|place| place.file.clone());
        let unknown = || HookRef::new("host", "host", Scope::Managed, file.clone().unwrap_or_default());
        let handler = HandlerInfo {
            hook: self.hook.clone().unwrap_or_else(unknown),
            event,
            line: place.and_then(|place| place.line),
            file: file.clone(),
            matcher: None,
        };
        FailedCheck { handler, reason: self.text.clone(), cause: Some(self.cause), run: None }
    }
}

/// The number of denying hooks that are listed one by one: an agent reads the reasons, and a project may have thousands.
const MAX_TOLD: usize = 20;

/// The hooks in force.
#[derive(Default)]
pub(crate) struct HookSet {
    pub(crate) hooks: Vec<HookSummary>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) failures: Vec<Failure>,
    /// Checks of one event that are not there: they fail, and deny nothing else.
    pub(crate) lost_checks: Vec<(Lifecycle, Failure)>,
    /// By the event's place in its enum.
    lifecycle: Vec<Vec<Arc<dyn Handler>>>,
    bus: HashMap<Arc<str>, Vec<Arc<dyn Handler>>>,
    broken: Arc<Broken>,
    /// Hooks that withhold results where they fail.
    pub(crate) withholding: Vec<HookRef>,
}

/// Hooks that could not be stopped. Their handlers do not run again in this set.
#[derive(Default)]
struct Broken {
    hooks: Mutex<Vec<HookRef>>,
    any: AtomicBool,
}

impl HookSet {
    /// Returns why checks of this event fail without being run: a hook is not there that may have been one.
    pub(crate) fn lost_check(&self, event: &EventName) -> Option<&Failure> {
        let lost = self.lost_checks.iter().find(|(of, _)| EventName::from(*of) == *event);
        self.failures.first().or(lost.map(|(_, failure)| failure))
    }

    /// Adds a handler behind all others of its event.
    pub(crate) fn add(&mut self, handler: Arc<dyn Handler>) {
        match handler.info().event.clone() {
            EventName::Lifecycle(event) => {
                if self.lifecycle.is_empty() {
                    self.lifecycle.resize_with(Lifecycle::ALL.len(), Vec::new);
                }
                if let Some(handlers) = self.lifecycle.get_mut(event as usize) {
                    handlers.push(handler);
                }
            }
            EventName::Bus(name) => self.bus.entry(name).or_default().push(handler),
        }
    }

    /// Returns whether a failure of this hook's `tool_result` handlers withholds the result.
    pub(crate) fn withholds(&self, hook: &HookRef) -> bool {
        self.withholding.contains(hook)
    }

    /// Returns whether anything may become of a tool's result.
    pub(crate) fn looks_at_results(&self) -> bool {
        let handled = !self.handlers(&EventName::Lifecycle(Lifecycle::ToolResult)).is_empty();
        handled || self.withheld().is_some()
    }

    /// Returns why no result is shown at all: a hook that has to check results is not there, or one of which nothing
    /// is known.
    pub(crate) fn withheld(&self) -> Option<Withheld> {
        let missing = |failure: &&Failure| failure.on_failure != Some(OnFailure::Keep);
        let failure = self.failures.iter().find(missing)?;
        Some(Withheld::Hook(failure.hook.clone(), failure.cause))
    }

    /// A set with this one handler, for a run that is about it alone. Hooks out of service are so in both.
    pub(crate) fn only(&self, handler: &Arc<dyn Handler>) -> HookSet {
        let mut one = HookSet { broken: Arc::clone(&self.broken), ..HookSet::default() };
        one.add(Arc::clone(handler));
        one
    }

    /// The handlers of an event, in the order in which they run.
    pub(crate) fn handlers(&self, name: &EventName) -> &[Arc<dyn Handler>] {
        let handlers = match name {
            EventName::Lifecycle(event) => self.lifecycle.get(*event as usize),
            EventName::Bus(name) => self.bus.get(name),
        };
        handlers.map(Vec::as_slice).unwrap_or_default()
    }

    /// The hash of a hook's content, where it has one.
    pub(crate) fn content_hash(&self, hook: &HookRef) -> Option<Arc<str>> {
        self.hooks.iter().find(|summary| summary.hook == *hook)?.content_hash.clone()
    }

    /// Returns whether every gated event is denied, whatever its handlers say.
    pub(crate) fn denies(&self) -> bool {
        !self.failures.is_empty() || self.has_broken()
    }

    /// Folds in what denies every gated event.
    pub(crate) fn deny(&self, run: &mut GateRun) {
        let (told, rest) = self.failures.split_at(self.failures.len().min(MAX_TOLD));
        for failure in told {
            run.deny(failure.hook.clone(), failure.location.clone(), failure.cause, failure.text.clone());
        }
        if let Some(first) = rest.first() {
            let count = rest.len();
            let text = format!("{count} more hooks did not load or may not run: `snaphook list` shows them");
            run.deny(None, None, first.cause, text);
        }
        if self.has_broken() {
            for hook in self.broken.hooks.lock().iter() {
                run.deny(Some(hook.clone()), None, Cause::Stuck, broken_text(hook));
            }
        }
    }

    /// Takes a hook out of service that could not be stopped, until the hooks are loaded anew.
    pub(crate) fn break_hook(&self, hook: &HookRef) {
        let mut broken = self.broken.hooks.lock();
        if !broken.contains(hook) {
            broken.push(hook.clone());
        }
        self.broken.any.store(true, Ordering::Release);
    }

    /// Returns whether the hook is out of service.
    pub(crate) fn is_broken(&self, hook: &HookRef) -> bool {
        self.has_broken() && self.broken.hooks.lock().contains(hook)
    }

    fn has_broken(&self) -> bool {
        self.broken.any.load(Ordering::Acquire)
    }
}

/// Returns why nothing passes while a hook is out of service.
pub(crate) fn broken_text(hook: &HookRef) -> String {
    format!(
        "the hook \"{}\" could not be stopped earlier and is out of service until hooks are reloaded",
        hook.name
    )
}
