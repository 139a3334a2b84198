//! Functions of the host's for scripts, and the memory limit around them.

use std::ffi::{CStr, c_int};

use mlua::ffi;
use mlua::{Function, Lua};

/// The VM's memory limit in bytes, kept with the VM for [`host_function`].
pub(crate) struct MemoryLimit(pub(crate) usize);

/// A function of the host's for scripts. mlua does some of its own bookkeeping outside of protected calls; to be refused
/// memory there would end the process, which no script may bring about. So while the host works in the VM there is no
/// limit, and a script that is over its limit gets into no host function. What a host function itself may build is
/// bounded by the function.
pub(crate) fn host_function<F, A, R>(lua: &Lua, function: F) -> mlua::Result<Function>
where
    F: Fn(&Lua, A) -> mlua::Result<R> + Send + 'static,
    A: mlua::FromLuaMulti,
    R: mlua::IntoLuaMulti,
{
    named_function(lua, c"host", function)
}

/// The same with the name that scripts call it by, for messages about its arguments: `error` finds it in the call stack.
pub(crate) fn named_function<F, A, R>(lua: &Lua, name: &'static CStr, function: F) -> mlua::Result<Function>
where
    F: Fn(&Lua, A) -> mlua::Result<R> + Send + 'static,
    A: mlua::FromLuaMulti,
    R: mlua::IntoLuaMulti,
{
    let function = lua.create_function(function)?;
    let limit = lua.app_data_ref::<MemoryLimit>().map_or(0, |limit| limit.0);
    // SAFETY: runs protected, the function at index 1; exactly the new one is left.
    unsafe {
        lua.exec_raw(function, |state| {
            ffi::lua_pushnumber(state, limit as f64);
            // Luau keeps the pointer, which is good for ever.
            ffi::lua_pushcclosurek(state, hosted, name.as_ptr(), 2, None);
        })
    }
}

/// Sets the limit again at the end, also when an error passes.
struct LimitGuard<'a> {
    lua: &'a Lua,
    limit: usize,
}

impl<'a> LimitGuard<'a> {
    fn begin(lua: &'a Lua, limit: usize) -> Self {
        // Fails only for a VM that mlua does not own.
        let _ = lua.set_memory_limit(0);
        LimitGuard { lua, limit }
    }
}

impl Drop for LimitGuard<'_> {
    fn drop(&mut self) {
        let _ = self.lua.set_memory_limit(self.limit);
    }
}

/// Called by scripts; the upvalues are the real function and the limit.
unsafe extern "C-unwind" fn hosted(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Luau calls this like any C function, with the arguments on the stack and room for twenty values. The `Lua`
    // belongs to the VM that is running. Errors unwind through this frame, whose one value is made for that.
    unsafe {
        let lua = Lua::get_or_init_from_ptr(state);
        let limit = ffi::lua_tonumber(state, ffi::lua_upvalueindex(2)) as usize;
        let unlimited = LimitGuard::begin(lua, limit);
        if limit > 0 && lua.used_memory() > limit {
            ffi::lua_pushstring(state, c"not enough memory".as_ptr());
            ffi::lua_error(state);
        }
        let arguments = ffi::lua_gettop(state);
        ffi::luaL_checkstack(state, 1, std::ptr::null());
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(1));
        ffi::lua_insert(state, 1);
        ffi::lua_call(state, arguments, ffi::LUA_MULTRET);
        drop(unlimited);
        ffi::lua_gettop(state)
    }
}

/// A function that sets the memory limit, for code that is about to run a script's. Without it scripts run unlimited.
pub(crate) fn limiter(lua: &Lua) -> mlua::Result<Function> {
    // The wrapper sets the limit when it ends; there is nothing else to do.
    host_function(lua, |_, ()| Ok(()))
}
