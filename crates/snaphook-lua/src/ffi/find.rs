//! A `string.find` that is Luau's own for short texts, without a frame of a shim's around it.

use std::ffi::c_int;
use std::sync::OnceLock;

use mlua::ffi;
use mlua::{Function, Lua};

/// Luau's own `string.find`, the same function in every VM of the process.
static FIND: OnceLock<ffi::lua_CFunction> = OnceLock::new();

/// A text up to this length cannot keep anybody busy, so Luau's own `string.find` may have it.
const MAX_NATIVE_BYTES: c_int = 4096;

/// A `string.find` that leaves short texts to Luau's own (`original`) and all else to `careful`.
///
/// # Errors
/// The original is no function of Luau's own; no memory.
pub(crate) fn guard_find(lua: &Lua, original: &Function, careful: &Function) -> mlua::Result<Function> {
    // SAFETY: runs protected, the two functions at the indices 1 and 2; exactly the new function is left.
    let made: Option<Function> = unsafe {
        lua.exec_raw((original, careful), |state| {
            match ffi::lua_tocfunction(state, 1) {
                Some(original) => {
                    FIND.get_or_init(|| original);
                    ffi::lua_pushcclosurek(state, find, c"find".as_ptr(), 1, None);
                }
                None => ffi::lua_pushnil(state),
            }
            ffi::lua_replace(state, 1);
            ffi::lua_settop(state, 1);
        })?
    };
    made.ok_or_else(|| mlua::Error::runtime("string.find is not the one that was expected"))
}

/// Called by scripts; the one upvalue is the careful function.
unsafe extern "C-unwind" fn find(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Luau calls this like any C function, with the arguments on the stack and room for some more. The original
    // is a C function of Luau's library that needs no upvalues: called from here it finds what it would find if the
    // script had called it. Errors of both unwind through this frame, where nothing needs dropping.
    unsafe {
        // What has a length and is no text is refused by both alike; what has none may be no value at all.
        let length = ffi::lua_objlen_(state, 1);
        if length <= MAX_NATIVE_BYTES
            && (length > 0 || ffi::lua_type(state, 1) == ffi::LUA_TSTRING)
            && let Some(original) = FIND.get()
        {
            return original(state);
        }
        let arguments = ffi::lua_gettop(state);
        ffi::luaL_checkstack(state, 1, std::ptr::null());
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(1));
        ffi::lua_insert(state, 1);
        ffi::lua_call(state, arguments, ffi::LUA_MULTRET);
        ffi::lua_gettop(state)
    }
}
