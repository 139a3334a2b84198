//! What the bindings of one VM share: the hook, the host's services, and which handler runs right now.
//!
//! A handler that waits leaves the VM to others, so "right now" is set before each poll and cleared after it. What a
//! handler waits for is kept in its [`Run`], outside the VM: when the handler is dropped, the work it waits for is
//! dropped with it, also if a coroutine of the script's still refers to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::task::{Context, Poll};

use mlua::{Lua, LuaString, Table, Value};
use parking_lot::Mutex;
use serde_json::Value as Json;
use snaphook_core::{
    BoxFuture, CallContext, ExecOutput, HookRef, HttpResponse, Level, Limits, Said, ServiceError, Services,
};
use snaphook_script::value::ValueError;

use crate::convert::Reader;
use crate::raw::{self, Metatables};

/// The state that the bindings of one VM share.
pub(crate) struct Bridge {
    pub(crate) hook: HookRef,
    pub(crate) services: Arc<dyn Services>,
    pub(crate) limits: Limits,
    pub(crate) metas: Metatables,
    /// The metatable of arrays.
    pub(crate) array: Table,
    current: Mutex<Option<Arc<Run>>>,
    out_of_memory: AtomicBool,
    /// The amount that the script says while no handler runs.
    said: Said,
}

/// One handler at work on one event.
pub(crate) struct Run {
    pub(crate) call: Arc<CallContext>,
    waits: Mutex<BTreeMap<u64, Wait>>,
    /// The number of times that the script has begun to wait.
    begun: AtomicU32,
    said: Said,
}

/// The number of times that one handler may wait. Waiting costs no budget, so without this a loop around `ctx.exec`
/// would be endless.
const MAX_WAITS: u32 = 1000;

type Work = BoxFuture<'static, Result<Reply, ServiceError>>;

/// Something that the script waits for.
enum Wait {
    Going(Work),
    Done(Result<Reply, ServiceError>),
}

/// The reply that a script that waited gets.
pub(crate) enum Reply {
    Nothing,
    Flag(bool),
    Text(String),
    Process(ExecOutput),
    Web(HttpResponse),
}

impl Run {
    pub(crate) fn new(call: Arc<CallContext>) -> Arc<Self> {
        Arc::new(Run { call, waits: Mutex::default(), begun: AtomicU32::new(0), said: Said::default() })
    }

    /// Takes on work that the script waits for; gives the ticket.
    ///
    /// # Errors
    /// The handler has waited too often.
    pub(crate) fn begin(&self, work: Work) -> mlua::Result<u64> {
        // No other handler's, ever: a coroutine may outlive the handler that it waited in.
        static TICKETS: AtomicU64 = AtomicU64::new(0);
        if self.begun.fetch_add(1, Ordering::Relaxed) >= MAX_WAITS {
            let text = format!("a handler may wait for the host at most {MAX_WAITS} times for one event");
            return Err(mlua::Error::runtime(text));
        }
        let ticket = TICKETS.fetch_add(1, Ordering::Relaxed);
        self.waits.lock().insert(ticket, Wait::Going(work));
        Ok(ticket)
    }

    /// Returns whether the script waits for anything.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.waits.lock().is_empty()
    }

    /// Goes on with all work, outside the VM. Says whether some of it is done, so that the script can go on.
    pub(crate) fn drive(&self, context: &mut Context<'_>) -> bool {
        // Out of the map while it is polled: it may cause events whose handlers look here.
        let waits = std::mem::take(&mut *self.waits.lock());
        let mut some_done = false;
        let mut polled = BTreeMap::new();
        for (ticket, wait) in waits {
            let wait = match wait {
                Wait::Going(mut work) => match work.as_mut().poll(context) {
                    Poll::Pending => Wait::Going(work),
                    Poll::Ready(done) => Wait::Done(done),
                },
                done @ Wait::Done(_) => done,
            };
            some_done |= matches!(wait, Wait::Done(_));
            polled.insert(ticket, wait);
        }
        self.waits.lock().append(&mut polled);
        some_done
    }

    /// The outcome of the work behind a ticket, once it is there. Called inside the VM.
    pub(crate) fn collect(&self, ticket: u64) -> Poll<Result<Reply, ServiceError>> {
        let mut waits = self.waits.lock();
        match waits.remove(&ticket) {
            Some(Wait::Done(done)) => Poll::Ready(done),
            Some(going) => {
                waits.insert(ticket, going);
                Poll::Pending
            }
            None => Poll::Ready(Err(ServiceError("the call was cancelled".to_owned()))),
        }
    }

    /// Drops everything that is waited for.
    pub(crate) fn cancel(&self) {
        let waits = std::mem::take(&mut *self.waits.lock());
        drop(waits);
    }

    /// The same for whoever has it alone.
    pub(crate) fn cancel_now(&mut self) {
        let waits = self.waits.get_mut();
        if !waits.is_empty() {
            waits.clear();
        }
    }
}

impl Bridge {
    pub(crate) fn new(
        hook: HookRef,
        services: Arc<dyn Services>,
        limits: Limits,
        metas: Metatables,
        array: Table,
    ) -> Self {
        Bridge {
            hook,
            services,
            limits,
            metas,
            array,
            current: Mutex::default(),
            out_of_memory: AtomicBool::new(false),
            said: Said::default(),
        }
    }

    /// Says whose turn it is; gives whose it was. Polls nest when a handler causes an event that its own hook answers.
    pub(crate) fn enter(&self, run: Option<Arc<Run>>) -> Option<Arc<Run>> {
        std::mem::replace(&mut *self.current.lock(), run)
    }

    /// The handler at work.
    ///
    /// # Errors
    /// None is: the script loads.
    pub(crate) fn run(&self) -> mlua::Result<Arc<Run>> {
        self.run_for("ctx")
    }

    /// The same for another part of the API that only handlers can use; `what` is its name.
    ///
    /// # Errors
    /// As for [`Bridge::run`].
    pub(crate) fn run_for(&self, what: &str) -> mlua::Result<Arc<Run>> {
        let none = || {
            let text = format!("{what} can be used only while a handler runs, not while the hook loads");
            mlua::Error::runtime(text)
        };
        self.current.lock().clone().ok_or_else(none)
    }

    /// The surroundings of the event that is handled; none while the script loads.
    pub(crate) fn call(&self) -> Option<Arc<CallContext>> {
        self.current.lock().as_ref().map(|run| Arc::clone(&run.call))
    }

    /// Counts text that the script hands to the host for others; `what` is the function that takes it. What the host keeps of it
    /// counts for the script's memory.
    ///
    /// # Errors
    /// It is too long, or too much.
    pub(crate) fn say(&self, lua: &Lua, what: &str, bytes: usize) -> mlua::Result<()> {
        let run = self.current.lock().clone();
        let said = run.as_ref().map_or(&self.said, |run| &run.said).add(what, bytes);
        let said = said.map_err(|error| mlua::Error::runtime(error.0))?;
        if lua.used_memory().saturating_add(said) > self.limits.memory {
            self.note_out_of_memory();
            return Err(mlua::Error::MemoryError("not enough memory".to_owned()));
        }
        Ok(())
    }

    /// Writes a line to the log, cut where it is too long for one.
    ///
    /// # Errors
    /// The script has said too much.
    pub(crate) fn log(&self, lua: &Lua, what: &str, level: Level, text: &LuaString) -> mlua::Result<()> {
        const MAX_LOG_BYTES: usize = 16 << 10;
        let bytes = text.as_bytes();
        let kept = &bytes[..bytes.len().min(MAX_LOG_BYTES)];
        self.say(lua, what, kept.len())?;
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
    /// What JSON cannot hold, and a table with a metatable of the script's.
    pub(crate) fn answer_to_json(&self, lua: &Lua, value: &Value) -> Result<Json, ValueError> {
        Reader::of_answer(lua, self.metas, &self.array, self.limits.text).read(value)
    }

    /// The JSON form of a script's value.
    ///
    /// # Errors
    /// What JSON cannot hold.
    pub(crate) fn to_json(&self, lua: &Lua, value: &Value) -> Result<Json, ValueError> {
        Reader::new(lua, self.metas, &self.array, self.limits.text).read(value)
    }

    /// The script's form of a JSON value.
    pub(crate) fn to_lua(&self, lua: &Lua, value: &Json) -> mlua::Result<Value> {
        match value {
            Json::Null => Ok(Value::Nil),
            value => raw::push_json(lua, value, self.metas),
        }
    }
}
