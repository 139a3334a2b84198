//! The state that the bindings of one hook share: the hook, the host's services, and the handler that runs right now.
//!
//! All hooks share one Rhai engine, so that a binding finds its hook by the thread it is called on: a turn says whose it
//! is when it begins. A handler that waits leaves the thread to others. What it waits for is kept in its [`Run`], outside
//! of its stack.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use parking_lot::Mutex;
use rhai::{Dynamic, EvalAltResult, Module, Shared};
use serde_json::Value as Json;
use snaphook_core::{HookRef, Level, Limits, PendingReply, Script, ServiceReply, Services, TextBudget};
use snaphook_script::kit::{self, MAX_LOG_BYTES, VmSource};

use crate::callback::Callback;
use crate::convert::{self, PlainForm};
use crate::ffi::{self, Stacks};
use crate::meter::{self, Foreign, outside};
use crate::raise::{Raised, host, raise};

/// The handlers that a script has registered so far.
pub(crate) type Registrations = kit::Registrations<Callback>;
/// The tests that a test script has registered, and what its functions call.
pub(crate) type Tests = kit::Tests<Callback, ()>;

/// The state that the bindings of one hook share.
pub(crate) struct VmContext {
    pub(crate) hook: HookRef,
    pub(crate) services: Arc<dyn Services>,
    pub(crate) limits: Limits,
    pub(crate) script: Script,
    pub(crate) registrations: Registrations,
    /// The modules that were imported; `None` stands for one that loads at the moment.
    pub(crate) modules: Mutex<HashMap<String, Option<Shared<Module>>>>,
    pub(crate) stacks: Arc<Stacks>,
    /// Of a script of tests.
    pub(crate) tests: Option<Arc<Tests>>,
    /// The objects of the host that are plain values in JSON.
    plain: &'static [PlainForm],
    spent: AtomicBool,
    /// The text that the script hands to the host while no handler runs.
    text_budget: TextBudget,
    unprinted: Mutex<Option<Raised>>,
}

/// One handler at work on one event, with the reason why `print` printed nothing. Rhai gives `print` no way to fail, so
/// the handler fails at its end.
pub(crate) type Run = kit::Run<Mutex<Option<Raised>>>;

/// Waits until the work is done. Called on a handler's own stack, which is suspended meanwhile. `begin` makes the work;
/// neither it nor what it comes to is on the script's account.
///
/// # Errors
/// The handler has waited too often; the work failed.
pub(crate) fn wait(run: &Run, begin: impl FnOnce() -> PendingReply) -> Result<Foreign<ServiceReply>, Raised> {
    if !ffi::can_wait() {
        return Err(raise("the script cannot wait here: only a handler can"));
    }
    run.count_wait().map_err(raise)?;
    let ticket = outside(|| run.begin(begin()));
    loop {
        ffi::yield_now();
        if let Poll::Ready(done) = outside(|| run.collect(ticket)) {
            return host(|| done).map(Foreign::new);
        }
    }
}

impl VmContext {
    pub(crate) fn new<S>(
        source: &VmSource<S>,
        stacks: &Arc<Stacks>,
        tests: Option<Arc<Tests>>,
        plain: &'static [PlainForm],
    ) -> Self {
        let VmSource { script, services, limits, .. } = source;
        VmContext {
            hook: script.hook.clone(),
            services: Arc::clone(services),
            limits: limits.clone(),
            script: script.clone(),
            registrations: Registrations::new(script.hook.clone()),
            modules: Mutex::default(),
            stacks: Arc::clone(stacks),
            tests,
            plain,
            spent: AtomicBool::new(false),
            text_budget: TextBudget::default(),
            unprinted: Mutex::default(),
        }
    }

    /// Writes a line to the log, cut where it is too long for one.
    ///
    /// # Errors
    /// The script has handed too much text to the host.
    pub(crate) fn log(&self, what: &str, level: Level, text: &str) -> Result<(), Raised> {
        let line = text.get(..text.floor_char_boundary(MAX_LOG_BYTES)).unwrap_or(text);
        count_text(what, line.len())?;
        outside(|| {
            let dots = if line.len() < text.len() { "…" } else { "" };
            self.services.log(&self.hook, level, &format!("{line}{dots}"));
        });
        Ok(())
    }

    /// Remembers that the hook must be started afresh: it ran out of memory, or was left in the middle of something.
    pub(crate) fn give_up(&self) {
        self.spent.store(true, Ordering::Relaxed);
    }

    /// Returns whether it must.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Relaxed)
    }

    /// The JSON form of a script's value.
    ///
    /// # Errors
    /// A value that JSON cannot hold.
    pub(crate) fn to_json(&self, value: &Dynamic) -> Result<Foreign<Json>, Raised> {
        host(|| convert::to_json(value, self.limits.text, self.plain)).map(Foreign::new)
    }
}

// ---- the running script ----

/// The script that runs on a thread.
#[derive(Clone)]
pub(crate) struct ActiveScript {
    pub(crate) vm: Arc<VmContext>,
    /// `None` while a script loads.
    pub(crate) run: Option<Arc<Run>>,
}

thread_local! {
    static ACTIVE: RefCell<Option<ActiveScript>> = const { RefCell::new(None) };
}

#[inline(never)]
fn replace(script: Option<ActiveScript>) -> Option<ActiveScript> {
    ACTIVE.with(|place| place.replace(script))
}

/// Sets the script that runs on this thread, until the guard is dropped.
pub(crate) fn enter(script: ActiveScript) -> ActiveGuard {
    ActiveGuard(replace(Some(script)))
}

/// Ends the turn when it is dropped. Turns nest when a test of a hook runs the hook.
pub(crate) struct ActiveGuard(Option<ActiveScript>);

impl Drop for ActiveGuard {
    fn drop(&mut self) {
        let ended = replace(self.0.take());
        outside(|| drop(ended));
    }
}

/// Returns the script that runs on this thread.
///
/// # Errors
/// No script runs on this thread.
#[inline(never)]
pub(crate) fn active() -> Result<ActiveScript, Raised> {
    ACTIVE.with(|place| place.borrow().clone()).ok_or_else(|| raise("no script runs here"))
}

/// The handler at work, and its hook.
///
/// # Errors
/// No handler runs: the script loads.
pub(crate) fn running() -> Result<(Arc<VmContext>, Arc<Run>), Raised> {
    running_for("ctx")
}

/// The same for another part of the API that only handlers can use; `what` is its name.
///
/// # Errors
/// As for [`running`].
pub(crate) fn running_for(what: &str) -> Result<(Arc<VmContext>, Arc<Run>), Raised> {
    let ActiveScript { vm, run } = active()?;
    let none = || raise(format!("{what} can be used only while a handler runs, not while the hook loads"));
    run.ok_or_else(none).map(|run| (vm, run))
}

/// Counts text that the script hands to the host for others; `what` is the function that takes it. The host keeps it, so
/// it counts for the script's memory.
///
/// # Errors
/// It is too long, or too much; no script can catch that its memory is used up.
pub(crate) fn count_text(what: &str, bytes: usize) -> Result<(), Raised> {
    let ActiveScript { vm, run } = active()?;
    let total = host(|| run.as_ref().map_or(&vm.text_budget, |run| &run.text_budget).add(what, bytes))?;
    if meter::fits(total) {
        Ok(())
    } else {
        Err(EvalAltResult::ErrorTerminated(Dynamic::UNIT, rhai::Position::NONE).into())
    }
}

/// Writes what `print` and `debug` print to the log.
pub(crate) fn print(level: Level, text: &str) {
    let Ok(ActiveScript { vm, run }) = active() else { return };
    if let Err(error) = vm.log("print", level, text) {
        run.as_ref().map_or(&vm.unprinted, |run| &run.local).lock().get_or_insert(error);
    }
}

/// Fails where something could not be printed since the script was entered.
///
/// # Errors
/// The text could not be printed.
pub(crate) fn printed() -> Result<(), Raised> {
    let ActiveScript { vm, run } = active()?;
    match run.as_ref().map_or(&vm.unprinted, |run| &run.local).lock().take() {
        None => Ok(()),
        Some(error) => Err(error),
    }
}

/// Seconds since 1970, from the clock of the host that the script on this thread belongs to.
///
/// # Errors
/// No script runs on this thread.
pub(crate) fn now() -> Result<f64, Raised> {
    let vm = active()?.vm;
    Ok(vm.services.now(&vm.hook))
}
