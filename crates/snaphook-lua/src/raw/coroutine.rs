//! The coroutine that a handler runs in. mlua's own way to run one asynchronously costs five times a plain call; here
//! waiting is a loop in the prelude that yields, so a coroutine only has to be resumed, and can be used again.

use std::ffi::c_int;

use mlua::ffi;
use mlua::{Error, Lua, LuaString, Value};

use super::Pin;

/// A coroutine, kept for as long as its VM lives. Touched only by whoever is inside the VM.
pub(crate) struct Coroutine {
    state: *mut ffi::lua_State,
    /// Whether something is left on it: a handler that failed, or was dropped while it waited.
    used: bool,
}

// SAFETY: the pointer is only followed under mlua's lock of the VM, by `start` and `go_on`.
unsafe impl Send for Coroutine {}

/// What a coroutine is started with.
pub(crate) enum Argument<'a> {
    /// Something kept in the VM.
    Kept(Pin),
    /// Something just made.
    Made(&'a Value),
    /// Nothing.
    Nil,
}

/// Where a coroutine has come to.
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
        Ok(Coroutine { state, used: false })
    }

    /// Calls a function in it.
    ///
    /// # Errors
    /// No memory. What the function gets wrong is [`Resumed::Failed`].
    pub(crate) fn start(
        &mut self,
        lua: &Lua,
        function: Pin,
        arguments: [Argument<'_>; 3],
    ) -> mlua::Result<Resumed> {
        let state = self.state;
        // What was just made moves over under protection; it goes below the rest and is put in its place there.
        let made = arguments.iter().find_map(|argument| match argument {
            Argument::Made(value) => Some(*value),
            Argument::Kept(_) | Argument::Nil => None,
        });
        if std::mem::replace(&mut self.used, true) {
            // SAFETY: the coroutine is alive (see `new`) and not running: it is only resumed here.
            lua.exec_raw_lua(|_| unsafe { ffi::lua_resetthread(state) });
        }
        if let Some(made) = made {
            // SAFETY: runs protected; the one argument moves over, both belong to the same VM.
            unsafe { lua.exec_raw::<()>(made, |main| ffi::lua_xmove(main, state, 1))? };
        }
        // One stay under mlua's lock for all of it: this is the path of every gate.
        let (status, nothing) = lua.exec_raw_lua(|raw| {
            // SAFETY: the coroutine holds at most the value made, and has room for twenty. Errors stay inside `lua_resume`,
            // which tells them by its status.
            unsafe {
                ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, function.0);
                for argument in &arguments {
                    match argument {
                        Argument::Kept(Pin(kept)) => {
                            ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, *kept);
                        }
                        Argument::Made(_) => ffi::lua_pushvalue(state, 1),
                        Argument::Nil => ffi::lua_pushnil(state),
                    }
                }
                if made.is_some() {
                    ffi::lua_remove(state, 1);
                }
                let status = ffi::lua_resume_(state, raw.state(), 3);
                let nothing = status == ffi::LUA_OK && ffi::lua_gettop(state) == 0;
                (status, nothing)
            }
        });
        if nothing {
            self.used = false;
            return Ok(Resumed::Returned(0, Value::Nil));
        }
        self.came_to(lua, status)
    }

    /// Goes on after it yielded.
    ///
    /// # Errors
    /// As [`Coroutine::start`].
    pub(crate) fn go_on(&mut self, lua: &Lua) -> mlua::Result<Resumed> {
        let state = self.state;
        // SAFETY: the coroutine is alive and waits for nothing but to be gone on with.
        let status = lua.exec_raw_lua(|raw| unsafe { ffi::lua_resume_(state, raw.state(), 0) });
        self.came_to(lua, status)
    }

    fn came_to(&mut self, lua: &Lua, status: c_int) -> mlua::Result<Resumed> {
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
        let state = self.state;
        // SAFETY: the coroutine has ended and holds its results; looking at them changes nothing.
        let (count, nothing) = lua.exec_raw_lua(|_| unsafe {
            let count = ffi::lua_gettop(state);
            (count, count == 0 || ffi::lua_type(state, 1) == ffi::LUA_TNIL)
        });
        let value = match nothing {
            true => Value::Nil,
            // SAFETY: runs protected; the copy is the one value that is left.
            false => unsafe { lua.exec_raw::<Value>((), |main| ffi::lua_xpush(state, main, 1))? },
        };
        // SAFETY: as above. With nothing on it the coroutine can be started again.
        lua.exec_raw_lua(|_| unsafe { ffi::lua_settop(state, 0) });
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
            other => Error::runtime(format!("{}\n{}", told_by(&other), frames.to_string_lossy())),
        }))
    }
}

/// What a thrown value that is no text says: the `message` of a table, else its type. Not by `tostring`: that could run
/// code of the script's.
fn told_by(error: &Value) -> String {
    match error.as_table().map(|table| table.raw_get::<Value>("message")) {
        Some(Ok(Value::String(text))) => text.to_string_lossy(),
        _ => error.type_name().to_owned(),
    }
}
