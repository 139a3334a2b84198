//! The coroutine that a handler runs in. mlua's own way to run one asynchronously costs five times a plain call; here
//! waiting is a loop in the prelude that yields, so a coroutine only has to be resumed, and can be used again.

use std::ffi::c_int;

use mlua::ffi;
use mlua::{Error, Lua, LuaString, Value};

use super::start::{CTX_SLOT, STACK_BASE, lay_out};
use super::{Metatables, Pin};

/// A coroutine, kept for as long as its VM lives. Touched only inside the VM.
pub(crate) struct Coroutine {
    pub(super) state: *mut ffi::lua_State,
    /// True if it cannot be started as it is: it is new, a handler failed in it, or was dropped while it waited.
    pub(super) used: bool,
    /// The number of values that lie below the function, and then below its results.
    pub(super) below: c_int,
}

// SAFETY: the pointer is only followed under mlua's lock of the VM, by `start` and `go_on`.
unsafe impl Send for Coroutine {}

/// The place that a coroutine has come to.
pub(crate) enum Resumed {
    /// It yielded.
    Waits,
    /// It returned so many values; the first of them.
    Returned(usize, Value),
    /// It failed.
    Failed(Error),
}

impl Coroutine {
    /// Makes one.
    ///
    /// # Errors
    /// No memory.
    pub(crate) fn new(lua: &Lua) -> mlua::Result<Self> {
        let mut state = std::ptr::null_mut();
        // SAFETY: runs protected; the new coroutine is kept in the registry, so it does not go before the VM does.
        unsafe {
            lua.exec_raw::<()>((), |main| {
                state = ffi::lua_newthread(main);
                ffi::lua_ref(main, -1);
                ffi::lua_pop(main, 1);
            })?;
        }
        Ok(Coroutine { state, used: true, below: 0 })
    }

    /// Makes sure that it holds what [`lay_out`] lays out, and this value above it.
    pub(super) fn begin(
        &mut self,
        lua: &Lua,
        ctx: Pin,
        metas: &Metatables,
        value: Option<&Value>,
    ) -> mlua::Result<()> {
        let state = self.state;
        if std::mem::replace(&mut self.used, true) {
            // SAFETY: runs protected. The coroutine is alive (see `new`) and not running: it is only resumed here.
            unsafe {
                lua.exec_raw::<()>((), |_| {
                    ffi::lua_resetthread(state);
                    lay_out(state, ctx, metas);
                })?;
            }
        }
        if let Some(value) = value {
            // SAFETY: runs protected; the one argument moves over, both belong to the same VM.
            unsafe { lua.exec_raw::<()>(value, |main| ffi::lua_xmove(main, state, 1))? };
        }
        Ok(())
    }

    /// Calls `caller` in it with the handler, an event that is made already, and `ctx`.
    ///
    /// # Errors
    /// As [`Coroutine::start`].
    pub(crate) fn start_with(
        &mut self,
        lua: &Lua,
        caller: Pin,
        handler: Pin,
        event: &Value,
        ctx: Pin,
        metas: Metatables,
    ) -> mlua::Result<Resumed> {
        self.begin(lua, ctx, &metas, Some(event))?;
        let state = self.state;
        self.below = STACK_BASE + 1;
        let status = lua.exec_raw_lua(|raw| {
            // SAFETY: the coroutine holds what was laid out and the event, and has room for some more. Errors stay inside
            // `lua_resume`, which tells them by its status.
            unsafe {
                ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, caller.0);
                ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, handler.0);
                ffi::lua_pushvalue(state, STACK_BASE + 1);
                ffi::lua_pushvalue(state, CTX_SLOT);
                ffi::lua_resume_(state, raw.state(), 3)
            }
        });
        self.read_status(lua, status)
    }

    /// Goes on after it yielded.
    ///
    /// # Errors
    /// As [`Coroutine::start`].
    pub(crate) fn go_on(&mut self, lua: &Lua) -> mlua::Result<Resumed> {
        let state = self.state;
        // SAFETY: the coroutine is alive and waits for nothing but to be gone on with.
        let status = lua.exec_raw_lua(|raw| unsafe { ffi::lua_resume_(state, raw.state(), 0) });
        self.read_status(lua, status)
    }

    pub(super) fn read_status(&mut self, lua: &Lua, status: c_int) -> mlua::Result<Resumed> {
        let state = self.state;
        match status {
            ffi::LUA_OK => self.returned(lua),
            ffi::LUA_YIELD => {
                // SAFETY: the coroutine has yielded; what it yielded is of no interest.
                lua.exec_raw_lua(|_| unsafe { ffi::lua_settop(state, 0) });
                Ok(Resumed::Waits)
            }
            status => self.failed(lua, status),
        }
    }

    fn returned(&mut self, lua: &Lua) -> mlua::Result<Resumed> {
        let (state, first) = (self.state, self.below + 1);
        // SAFETY: the coroutine has ended and holds its results above what lay below; looking at them changes nothing.
        let (count, nothing) = lua.exec_raw_lua(|_| unsafe {
            let count = ffi::lua_gettop(state) + 1 - first;
            (count, count == 0 || ffi::lua_type(state, first) == ffi::LUA_TNIL)
        });
        let value = if nothing {
            Value::Nil
        } else {
            // SAFETY: runs protected; the copy is the one value that is left.
            unsafe { lua.exec_raw::<Value>((), |main| ffi::lua_xpush(state, main, first))? }
        };
        // SAFETY: as above. With only what was laid out on it the coroutine can be started again.
        lua.exec_raw_lua(|_| unsafe { ffi::lua_settop(state, STACK_BASE) });
        self.used = false;
        Ok(Resumed::Returned(usize::try_from(count).unwrap_or_default(), value))
    }

    fn failed(&mut self, lua: &Lua, status: c_int) -> mlua::Result<Resumed> {
        let state = self.state;
        // SAFETY: runs protected; the frames of the failed coroutine are there until it is reset.
        let frames: LuaString =
            unsafe { lua.exec_raw((), |main| ffi::luaL_traceback(main, state, std::ptr::null(), 0))? };
        // SAFETY: runs protected; the error is the topmost value of the failed coroutine and moves over.
        let error: Value = unsafe { lua.exec_raw((), |main| ffi::lua_xmove(state, main, 1))? };
        Ok(Resumed::Failed(match error {
            Value::Error(error) => *error,
            Value::String(text) if status == ffi::LUA_ERRMEM => Error::MemoryError(text.to_string_lossy()),
            Value::String(text) => {
                Error::runtime(format!("{}\n{}", text.to_string_lossy(), frames.to_string_lossy()))
            }
            other => Error::runtime(format!("{}\n{}", thrown_message(&other), frames.to_string_lossy())),
        }))
    }
}

/// Returns what a thrown value that is no text says: the `message` of a table, else its type. Not by `tostring`: that
/// could run code of the script's.
fn thrown_message(error: &Value) -> String {
    match error.as_table().map(|table| table.raw_get::<Value>("message")) {
        Some(Ok(Value::String(text))) => text.to_string_lossy(),
        _ => error.type_name().to_owned(),
    }
}
