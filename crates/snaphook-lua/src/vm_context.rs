//! The state that the bindings of one VM share: the hook, the host's services, and the handler that runs right now.
//!
//! A handler that waits leaves the VM to others, so "right now" is set before each poll and cleared after it. What a
//! handler waits for is kept in its [`Run`], outside the VM.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mlua::{Function, Lua, LuaString, Table, Value};
use parking_lot::Mutex;
use serde_json::Value as Json;
use snaphook_core::{CallContext, HookRef, Level, Limits, PendingReply, Services, TextBudget};
use snaphook_script::kit::{self, MAX_LOG_BYTES};
use snaphook_script::value::ValueError;

use crate::convert::Reader;
use crate::ffi::{self, Metatables, Pin};
use crate::raise::raise;
use crate::stopwatch::StopwatchSlot;

/// The handlers that a script has registered so far; their functions are kept in the VM.
pub(crate) type Registrations = kit::Registrations<Pin>;
/// The tests that a test script has registered, and what its functions call.
pub(crate) type Tests = kit::Tests<Function, StopwatchSlot>;

/// The purpose of a VM.
#[derive(Clone, Copy)]
pub(crate) enum Role<'a> {
    /// A hook, which registers handlers.
    Hook(&'a Arc<Registrations>),
    /// A script of tests.
    Test(&'a Arc<Tests>),
}

/// The state that the bindings of one VM share.
pub(crate) struct VmContext {
    pub(crate) hook: HookRef,
    pub(crate) services: Arc<dyn Services>,
    pub(crate) limits: Limits,
    pub(crate) metas: Metatables,
    /// The metatable of arrays.
    pub(crate) array: Table,
    current: Mutex<Option<Arc<Run>>>,
    out_of_memory: AtomicBool,
    /// The text that the script hands to the host while no handler runs.
    text_budget: TextBudget,
}

/// One handler at work on one event.
pub(crate) type Run = kit::Run;

/// Takes on work that the script waits for; gives the ticket.
///
/// # Errors
/// The handler has waited too often.
pub(crate) fn begin(run: &Run, work: PendingReply) -> mlua::Result<u64> {
    run.count_wait().map_err(raise)?;
    Ok(run.begin(work))
}

impl VmContext {
    pub(crate) fn new(
        hook: HookRef,
        services: Arc<dyn Services>,
        limits: Limits,
        metas: Metatables,
        array: Table,
    ) -> Self {
        VmContext {
            hook,
            services,
            limits,
            metas,
            array,
            current: Mutex::default(),
            out_of_memory: AtomicBool::new(false),
            text_budget: TextBudget::default(),
        }
    }

    /// Sets the running handler; returns the one before. Polls nest when a handler causes an event that its own hook answers.
    pub(crate) fn enter(&self, run: Option<Arc<Run>>) -> Option<Arc<Run>> {
        std::mem::replace(&mut *self.current.lock(), run)
    }

    /// The handler at work.
    ///
    /// # Errors
    /// No handler runs: the script loads.
    pub(crate) fn run(&self) -> mlua::Result<Arc<Run>> {
        self.run_for("ctx")
    }

    /// The same for another part of the API that only handlers can use; `what` is its name.
    ///
    /// # Errors
    /// As for [`VmContext::run`].
    pub(crate) fn run_for(&self, what: &str) -> mlua::Result<Arc<Run>> {
        let none =
            || raise(format!("{what} can be used only while a handler runs, not while the hook loads"));
        self.current.lock().clone().ok_or_else(none)
    }

    /// The surroundings of the event that is handled; none while the script loads.
    pub(crate) fn call(&self) -> Option<Arc<CallContext>> {
        self.current.lock().as_ref().map(|run| Arc::clone(&run.call))
    }

    /// Counts text that the script hands to the host for others; `what` is the function that takes it. The host keeps it,
    /// so it counts for the script's memory.
    ///
    /// # Errors
    /// It is too long, or too much.
    pub(crate) fn count_text(&self, lua: &Lua, what: &str, bytes: usize) -> mlua::Result<()> {
        let run = self.current.lock().clone();
        let total = run.as_ref().map_or(&self.text_budget, |run| &run.text_budget).add(what, bytes);
        let total = total.map_err(raise)?;
        if lua.used_memory().saturating_add(total) > self.limits.memory {
            self.note_out_of_memory();
            return Err(mlua::Error::MemoryError("not enough memory".to_owned()));
        }
        Ok(())
    }

    /// Writes a line to the log, cut where it is too long for one.
    ///
    /// # Errors
    /// The script has handed too much text to the host.
    pub(crate) fn log(&self, lua: &Lua, what: &str, level: Level, text: &LuaString) -> mlua::Result<()> {
        let bytes = text.as_bytes();
        let kept = &bytes[..bytes.len().min(MAX_LOG_BYTES)];
        self.count_text(lua, what, kept.len())?;
        let dots = if bytes.len() > MAX_LOG_BYTES { "…" } else { "" };
        self.services.log(&self.hook, level, &format!("{}{dots}", String::from_utf8_lossy(kept)));
        Ok(())
    }

    /// Remembers that the script was refused memory.
    pub(crate) fn note_out_of_memory(&self) {
        self.out_of_memory.store(true, Ordering::Relaxed);
    }

    /// Returns whether the script was ever refused memory.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        self.out_of_memory.load(Ordering::Relaxed)
    }

    /// The JSON form of what a handler answers.
    ///
    /// # Errors
    /// A value that JSON cannot hold, and a table with a metatable of the script's.
    pub(crate) fn answer_to_json(&self, lua: &Lua, value: &Value) -> Result<Json, ValueError> {
        Reader::of_answer(lua, self.metas, &self.array, self.limits.text).read(value)
    }

    /// The JSON form of a script's value.
    ///
    /// # Errors
    /// A value that JSON cannot hold.
    pub(crate) fn to_json(&self, lua: &Lua, value: &Value) -> Result<Json, ValueError> {
        Reader::new(lua, self.metas, &self.array, self.limits.text).read(value)
    }

    /// The script's form of a JSON value.
    pub(crate) fn to_lua(&self, lua: &Lua, value: &Json) -> mlua::Result<Value> {
        match value {
            Json::Null => Ok(Value::Nil),
            value => ffi::push_json(lua, value, self.metas),
        }
    }
}
