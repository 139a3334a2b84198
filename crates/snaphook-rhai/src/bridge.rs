//! What the bindings of one hook share: the hook, the host's services, and which handler runs right now.
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
use snaphook_core::{HookRef, Level, Limits, PendingReply, Said, Script, ServiceReply, Services};
use snaphook_script::kit::{self, MAX_LOG_BYTES, VmSource};

use crate::meter::{self, Foreign, outside};
use crate::on::Registrations;
use crate::raw::{self, Stacks};
use crate::testing::Tests;
use crate::value;

/// The error that scripts get when a host function fails.
pub(crate) type Raised = Box<EvalAltResult>;

/// The state that the bindings of one hook share.
pub(crate) struct Bridge {
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
    spent: AtomicBool,
    /// The amount that the script says while no handler runs.
    said: Said,
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
    if !raw::can_wait() {
        return Err(raise("the script cannot wait here: only a handler can"));
    }
    run.count_wait().map_err(raise)?;
    let ticket = outside(|| run.begin(begin()));
    loop {
        raw::give_way();
        if let Poll::Ready(done) = outside(|| run.collect(ticket)) {
            return host(|| done).map(Foreign::new);
        }
    }
}

impl Bridge {
    pub(crate) fn new<S>(source: &VmSource<S>, stacks: &Arc<Stacks>, tests: Option<Arc<Tests>>) -> Self {
        let VmSource { script, services, limits, .. } = source;
        Bridge {
            hook: script.hook.clone(),
            services: Arc::clone(services),
            limits: limits.clone(),
            script: script.clone(),
            registrations: Registrations::new(script.hook.clone()),
            modules: Mutex::default(),
            stacks: Arc::clone(stacks),
            tests,
            spent: AtomicBool::new(false),
            said: Said::default(),
            unprinted: Mutex::default(),
        }
    }

    /// Writes a line to the log, cut where it is too long for one.
    ///
    /// # Errors
    /// The script has said too much.
    pub(crate) fn log(&self, what: &str, level: Level, text: &str) -> Result<(), Raised> {
        let line = text.get(..text.floor_char_boundary(MAX_LOG_BYTES)).unwrap_or(text);
        say(what, line.len())?;
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
    /// What JSON cannot hold.
    pub(crate) fn to_json(&self, value: &Dynamic) -> Result<Foreign<Json>, Raised> {
        host(|| value::to_json(value, self.limits.text)).map(Foreign::new)
    }
}

// ---- whose turn it is ----

/// The one who is at work on a thread.
#[derive(Clone)]
pub(crate) struct Here {
    pub(crate) bridge: Arc<Bridge>,
    /// None while a script loads.
    pub(crate) run: Option<Arc<Run>>,
}

thread_local! {
    static HERE: RefCell<Option<Here>> = const { RefCell::new(None) };
}

#[inline(never)]
fn replace(here: Option<Here>) -> Option<Here> {
    HERE.with(|place| place.replace(here))
}

/// Says whose turn it is on this thread, until the guard is dropped.
pub(crate) fn enter(here: Here) -> Entered {
    Entered(replace(Some(here)))
}

/// Ends the turn when it is dropped. Turns nest when a test of a hook runs the hook.
pub(crate) struct Entered(Option<Here>);

impl Drop for Entered {
    fn drop(&mut self) {
        let ended = replace(self.0.take());
        outside(|| drop(ended));
    }
}

/// Returns whose turn it is.
///
/// # Errors
/// Nobody's.
#[inline(never)]
pub(crate) fn here() -> Result<Here, Raised> {
    HERE.with(|place| place.borrow().clone()).ok_or_else(|| raise("no script runs here"))
}

/// The handler at work, and its hook.
///
/// # Errors
/// None is: the script loads.
pub(crate) fn running() -> Result<(Arc<Bridge>, Arc<Run>), Raised> {
    running_for("ctx")
}

/// The same for another part of the API that only handlers can use; `what` is its name.
///
/// # Errors
/// As for [`running`].
pub(crate) fn running_for(what: &str) -> Result<(Arc<Bridge>, Arc<Run>), Raised> {
    let Here { bridge, run } = here()?;
    let none = || raise(format!("{what} can be used only while a handler runs, not while the hook loads"));
    run.ok_or_else(none).map(|run| (bridge, run))
}

/// Counts text that the script hands to the host for others; `what` is the function that takes it. What the host keeps of it counts
/// for the script's memory.
///
/// # Errors
/// It is too long, or too much; no script can catch that its memory is used up.
pub(crate) fn say(what: &str, bytes: usize) -> Result<(), Raised> {
    let Here { bridge, run } = here()?;
    let said = host(|| run.as_ref().map_or(&bridge.said, |run| &run.said).add(what, bytes))?;
    if meter::holds(said) {
        Ok(())
    } else {
        Err(EvalAltResult::ErrorTerminated(Dynamic::UNIT, rhai::Position::NONE).into())
    }
}

/// Writes what `print` and `debug` print to the log.
pub(crate) fn print(level: Level, text: &str) {
    let Ok(Here { bridge, run }) = here() else { return };
    if let Err(error) = bridge.log("print", level, text) {
        run.as_ref().map_or(&bridge.unprinted, |run| &run.local).lock().get_or_insert(error);
    }
}

/// Fails where something could not be printed since the script was entered.
///
/// # Errors
/// Why not.
pub(crate) fn printed() -> Result<(), Raised> {
    let Here { bridge, run } = here()?;
    match run.as_ref().map_or(&bridge.unprinted, |run| &run.local).lock().take() {
        None => Ok(()),
        Some(error) => Err(error),
    }
}

/// Seconds since 1970, from the clock of the host that the script on this thread belongs to.
///
/// # Errors
/// No script runs on this thread.
pub(crate) fn now() -> Result<f64, Raised> {
    let bridge = here()?.bridge;
    Ok(bridge.services.now(&bridge.hook))
}

/// Does the host's own work for a script; see [`outside`]. The script gets the error's text, on its own account.
///
/// # Errors
/// Those of the work.
pub(crate) fn host<T, E: std::fmt::Display>(work: impl FnOnce() -> Result<T, E>) -> Result<T, Raised> {
    outside(work).map_err(|error| {
        let raised = raise(&error);
        outside(|| drop(error));
        raised
    })
}

/// An error that the script sees, at the line of the call.
pub(crate) fn raise(error: impl std::fmt::Display) -> Raised {
    EvalAltResult::ErrorRuntime(error.to_string().into(), rhai::Position::NONE).into()
}
