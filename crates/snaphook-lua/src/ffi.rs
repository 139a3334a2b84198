//! The only module with `unsafe`, with its submodules: what mlua's safe API cannot do fast enough, or at all.
//!
//! - [`Interrupt`]: the cell in the VM's callback table that Luau looks at while a script computes.
//! - [`push_event`] and [`push_json`]: building tables with raw calls inside one protected call. With a memory limit mlua
//!   protects every single table and string creation, which made a small event four times as dear.
//! - `start`: the same for an event whose template is known, on the stack of the handler's own coroutine.
//! - `find`: a `string.find` that is Luau's own for short texts.
//!
//! - `hosted`: functions of the host that are never refused memory in the middle.
//!
//! Not here: any decision. Everything above this module is safe code.
#![expect(unsafe_code, reason = "the raw Lua API; each block says why it is sound")]

mod coroutine;
mod find;
mod hosted;
mod start;

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use mlua::ffi;
use mlua::{AnyUserData, Lua, Table};
use serde_json::Value as Json;
use snaphook_core::{Event, FieldValue};
use snaphook_script::value::MAX_DEPTH;

pub(crate) use self::coroutine::{Coroutine, Resumed};
pub(crate) use self::find::guard_find;
pub(crate) use self::hosted::{MemoryLimit, host_function, limiter, named_function};
pub(crate) use self::start::StartValues;
use crate::event_templates::{self, NAMES};
use crate::lazy::{self, LazyNode};

/// The error that a stopped script sees. The host does not rely on the text: it knows which script it stopped.
const STOPPED: &std::ffi::CStr = c"stopped: the CPU budget is used up";

/// The interrupt cell of one VM.
pub(crate) struct Interrupt(*const AtomicPtr<c_void>);

// SAFETY: the cell is in the VM's global state, which is heap memory that does not move. It is only written, and only
// through an atomic; `Alarm` stops writing (under its lock) before the VM is dropped.
unsafe impl Send for Interrupt {}

impl Interrupt {
    /// Finds the cell of a VM.
    pub(crate) fn of(lua: &Lua) -> Self {
        lua.exec_raw_lua(|raw| {
            // SAFETY: the state is alive while mlua holds its lock, and `lua_callbacks` never fails.
            let callbacks = unsafe { ffi::lua_callbacks(raw.state()) };
            // SAFETY: `callbacks` points into the live global state. A pointer-sized `Option<fn>` is laid out like a
            // pointer, `None` as null, so the cell can be written as an `AtomicPtr`.
            let cell = unsafe { &raw mut (*callbacks).interrupt };
            Interrupt(cell.cast::<AtomicPtr<c_void>>())
        })
    }

    /// Makes the VM raise an error at its next safe point, and at each one after it.
    pub(crate) fn fire(&self) {
        // SAFETY: see `Send`: the caller holds the alarm's lock, under which the VM is still alive.
        let cell = unsafe { &*self.0 };
        cell.store(stop as *mut c_void, Ordering::Release);
    }

    /// Lets the VM run again.
    pub(crate) fn clear(&self) {
        // SAFETY: as in `fire`.
        let cell = unsafe { &*self.0 };
        cell.store(std::ptr::null_mut(), Ordering::Release);
    }
}

/// Luau calls this at a safe point of a script that is overdue. `gc` is not negative inside the collector, where no
/// error may be raised.
unsafe extern "C-unwind" fn stop(state: *mut ffi::lua_State, gc: c_int) {
    if gc >= 0 {
        return;
    }
    // SAFETY: Luau calls this with a live state at a point where errors may be raised; no Rust value is alive here.
    unsafe {
        ffi::luaL_checkstack(state, 2, std::ptr::null());
        ffi::lua_pushstring(state, STOPPED.as_ptr());
        ffi::lua_error(state)
    }
}

/// A value kept in the VM's registry for raw pushes.
#[derive(Clone, Copy)]
pub(crate) struct Pin(c_int);

/// Keeps a table for as long as the VM lives.
pub(crate) fn pin(lua: &Lua, value: impl mlua::IntoLua) -> mlua::Result<Pin> {
    let mut pinned = 0;
    // SAFETY: `exec_raw` puts the one argument at the top of the stack and runs us protected.
    unsafe {
        lua.exec_raw::<()>(value, |state| {
            pinned = ffi::lua_ref(state, -1);
            ffi::lua_pop(state, 1);
        })?;
    }
    Ok(Pin(pinned))
}

/// A kept value, for safe code.
pub(crate) fn kept(lua: &Lua, Pin(pinned): Pin) -> mlua::Result<mlua::Value> {
    // SAFETY: runs protected; leaves exactly the kept value.
    unsafe {
        lua.exec_raw((), |state| {
            ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, pinned);
        })
    }
}

/// The parts of a VM that raw pushes need: kept names, and the metatables of what they build.
#[derive(Clone, Copy)]
pub(crate) struct Metatables {
    /// The names of fields.
    pub(crate) names: Names,
    /// Of every array, so that an empty one stays one.
    pub(crate) array: Pin,
    /// An empty array that cannot be changed.
    pub(crate) empty_array: Pin,
    /// The metatable of tables with parts that are not converted yet, to be copied; the first slot takes the node.
    pub(crate) lazy: Pin,
}

/// [`event_templates::NAMES`](crate::event_templates::NAMES) in one VM: to find a kept string is
/// cheaper than to hash its text again.
#[derive(Clone, Copy)]
pub(crate) struct Names([Pin; NAMES.len()]);

impl Names {
    /// Keeps the names in a VM.
    pub(crate) fn pin(lua: &Lua) -> mlua::Result<Self> {
        let mut pins = [Pin(0); NAMES.len()];
        // SAFETY: runs protected, with room for the few values that are pushed; each is popped again.
        unsafe {
            lua.exec_raw::<()>((), |state| {
                for (slot, name) in pins.iter_mut().zip(NAMES) {
                    push_text(state, name);
                    *slot = Pin(ffi::lua_ref(state, -1));
                    ffi::lua_pop(state, 1);
                }
            })?;
        }
        Ok(Names(pins))
    }
}

/// An event's fields, gathered once.
pub(crate) struct Fields<'a> {
    list: Vec<(&'a str, FieldValue<'a>)>,
    heavy: bool,
}

impl<'a> Fields<'a> {
    /// Gathers them.
    pub(crate) fn of(event: &'a Event) -> Self {
        let mut list = Vec::with_capacity(8);
        let mut heavy = false;
        event.visit(&mut |name, value| {
            heavy = heavy || lazy::is_heavy_field(&value);
            list.push((name, value));
        });
        Fields { list, heavy }
    }
}

/// Builds an event's table. `strict` is the metatable that turns a misspelt field into an error.
pub(crate) fn push_event(
    lua: &Lua,
    event: &Event,
    strict: Option<Pin>,
    metas: Metatables,
) -> mlua::Result<Table> {
    let fields = Fields::of(event);
    let name = event.name().as_str();
    if !fields.heavy {
        // SAFETY: runs protected; `fill_event` leaves exactly the new table on the stack.
        return unsafe {
            lua.exec_raw((), |state| {
                fill_event(state, name, &fields, metas);
                if let Some(strict) = strict {
                    set_pinned_metatable(state, strict);
                }
            })
        };
    }
    let node = lua.create_any_userdata(LazyNode::root(event.clone()))?;
    // SAFETY: as above; the node is the one argument and stays below the table.
    unsafe {
        lua.exec_raw(node, |state| {
            fill_event(state, name, &fields, metas);
            set_lazy_metatable(state, 1, metas);
            ffi::lua_remove(state, 1);
        })
    }
}

/// SAFETY: the caller runs protected, with room for two more values; the pin is a table.
unsafe fn push_copy(state: *mut ffi::lua_State, Pin(table): Pin) {
    // SAFETY: see above; the copy takes the place of the original.
    unsafe {
        ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, table);
        ffi::lua_clonetable(state, -1);
        ffi::lua_replace(state, -2);
    }
}

/// Builds the Lua form of a JSON value.
pub(crate) fn push_json(lua: &Lua, value: &Json, metas: Metatables) -> mlua::Result<mlua::Value> {
    // SAFETY: runs protected; `fill_json` leaves exactly one value on the stack.
    unsafe { lua.exec_raw((), |state| fill_json(state, value, metas, 0)) }
}

/// Builds the Lua form of a JSON map, its heavy parts left for later. `node` knows where they are.
pub(crate) fn push_lazy_map(
    lua: &Lua,
    map: &serde_json::Map<String, Json>,
    node: AnyUserData,
    metas: Metatables,
) -> mlua::Result<Table> {
    // SAFETY: as in `push_event`.
    unsafe {
        lua.exec_raw(node, |state| {
            ffi::luaL_checkstack(state, 8, std::ptr::null());
            ffi::lua_createtable(state, 0, map.len() as c_int);
            for (key, value) in map {
                if !lazy::is_heavy(value) {
                    push_text(state, key);
                    fill_json(state, value, metas, 1);
                    ffi::lua_rawset(state, -3);
                }
            }
            set_lazy_metatable(state, 1, metas);
            ffi::lua_remove(state, 1);
        })
    }
}

/// SAFETY: the caller runs protected, with the lazy node at the index and the table at the top.
unsafe fn set_lazy_metatable(state: *mut ffi::lua_State, node: c_int, metas: Metatables) {
    // SAFETY: see above; every push is matched by the set that takes it.
    unsafe {
        ffi::luaL_checkstack(state, 4, std::ptr::null());
        push_copy(state, metas.lazy);
        ffi::lua_pushvalue(state, node);
        ffi::lua_rawseti(state, -2, 1);
        ffi::lua_setmetatable(state, -2);
    }
}

/// SAFETY: the caller runs protected. Leaves the event's table on the stack, without its heavy fields.
unsafe fn fill_event(state: *mut ffi::lua_State, name: &str, fields: &Fields<'_>, metas: Metatables) {
    // SAFETY: see above. Errors unwind through this frame, where nothing needs dropping.
    unsafe {
        ffi::luaL_checkstack(state, 8, std::ptr::null());
        ffi::lua_createtable(state, 0, fields.list.len() as c_int + 1);
        push_name(state, "name", metas);
        push_text(state, name);
        ffi::lua_rawset(state, -3);
        for (name, value) in &fields.list {
            if fields.heavy && lazy::is_heavy_field(value) {
                continue;
            }
            push_name(state, name, metas);
            fill_field(state, value, metas);
            ffi::lua_rawset(state, -3);
        }
    }
}

/// SAFETY: the caller runs protected, with room for one more value.
unsafe fn push_name(state: *mut ffi::lua_State, name: &str, metas: Metatables) {
    // SAFETY: see above; the pins live as long as the VM.
    unsafe {
        match event_templates::name_index(name) {
            Some(index) => {
                ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, metas.names.0[index].0);
            }
            None => push_text(state, name),
        }
    }
}

/// SAFETY: the caller runs protected, with room on the stack. Leaves one value on it.
unsafe fn fill_field(state: *mut ffi::lua_State, value: &FieldValue<'_>, metas: Metatables) {
    // SAFETY: see above.
    unsafe {
        match value {
            FieldValue::Text(text) => push_text(state, text),
            FieldValue::Bool(flag) => ffi::lua_pushboolean(state, c_int::from(*flag)),
            FieldValue::Json(value) => fill_json(state, value, metas, 1),
            FieldValue::Texts(texts) => {
                ffi::lua_createtable(state, texts.len() as c_int, 0);
                for (index, text) in texts.iter().enumerate() {
                    push_text(state, text);
                    ffi::lua_rawseti(state, -2, index as ffi::lua_Integer + 1);
                }
                set_pinned_metatable(state, metas.array);
                // Changing a list that the host made out of the input would change nothing.
                ffi::lua_setreadonly(state, -1, 1);
            }
        }
    }
}

/// SAFETY: the caller runs protected. Leaves one value on the stack.
unsafe fn fill_json(state: *mut ffi::lua_State, value: &Json, metas: Metatables, depth: usize) {
    // SAFETY: see above; `luaL_checkstack` makes room for each level.
    unsafe {
        if depth > MAX_DEPTH {
            ffi::lua_pushstring(state, c"the value is nested too deeply".as_ptr());
            ffi::lua_error(state);
        }
        ffi::luaL_checkstack(state, 6, std::ptr::null());
        match value {
            // A light userdata of null is how mlua and its users know a JSON null.
            Json::Null => ffi::lua_pushlightuserdata(state, std::ptr::null_mut()),
            Json::Bool(flag) => ffi::lua_pushboolean(state, c_int::from(*flag)),
            Json::Number(number) => ffi::lua_pushnumber(state, number.as_f64().unwrap_or(f64::NAN)),
            Json::String(text) => push_text(state, text),
            Json::Array(items) => {
                ffi::lua_createtable(state, items.len() as c_int, 0);
                for (index, item) in items.iter().enumerate() {
                    fill_json(state, item, metas, depth + 1);
                    ffi::lua_rawseti(state, -2, index as ffi::lua_Integer + 1);
                }
                set_pinned_metatable(state, metas.array);
            }
            Json::Object(map) => {
                ffi::lua_createtable(state, 0, map.len() as c_int);
                for (key, item) in map {
                    push_text(state, key);
                    fill_json(state, item, metas, depth + 1);
                    ffi::lua_rawset(state, -3);
                }
            }
        }
    }
}

/// SAFETY: the caller runs protected, with a table at the top and room for one more value.
unsafe fn set_pinned_metatable(state: *mut ffi::lua_State, Pin(metatable): Pin) {
    // SAFETY: see above.
    unsafe {
        ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, metatable);
        ffi::lua_setmetatable(state, -2);
    }
}

/// SAFETY: the caller runs protected, with room for one more value.
unsafe fn push_text(state: *mut ffi::lua_State, text: &str) {
    // SAFETY: pointer and length come from one string; Lua copies it.
    unsafe { ffi::lua_pushlstring_(state, text.as_ptr().cast::<c_char>(), text.len()) }
}
