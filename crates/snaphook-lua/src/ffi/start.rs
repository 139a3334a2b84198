//! Starts a handler in its coroutine with an event whose template is known: the table is made on the coroutine's own stack, out
//! of copies and of names that lie there already. Not here: how a coroutine goes on and ends (`coroutine`), and events
//! without a template, which are made under protection first.
//!
//! Nothing here is called protected, which would cost as much as a fifth of the table; so nothing here may raise an error.
//! Of what the raw API can refuse there is, in these calls,
//!
//! - memory: a turn begins without a limit, which is set where the script's code begins to run; and where the system has none mlua's allocator ends the process,
//!   as Rust's own does;
//! - a text of more than a gigabyte, or a value that nests too deeply: a template has neither, because what is larger than
//!   [`crate::lazy`] converts at once is left for later, and a long list of paths has no template (`event_templates::Fields::gather`);
//! - the depth of the stack: it is a coroutine with nothing on it, and less than a hundred slots are needed of a million;
//! - a read-only table, or an invalid key: the tables are fresh copies, the keys texts.

use std::ffi::c_int;

use mlua::{Lua, Value, ffi};
use serde_json::{Map, Value as Json};
use snaphook_core::FieldValue;

use super::coroutine::{Coroutine, Resumed};
use super::{Metatables, Pin, fill_field, fill_json, push_text, set_lazy_metatable};
use crate::event_templates::{self, InputTemplate, NAMES, TemplatedEvent};

/// The values that all handlers of a VM are started with.
#[derive(Clone, Copy)]
pub(crate) struct StartValues {
    /// The second argument.
    pub(crate) ctx: Pin,
    /// The metatables that tables are made of.
    pub(crate) metas: Metatables,
    /// The VM's memory limit in bytes, set when the script's code begins to run.
    pub(crate) limit: usize,
}

/// The stack slot of `ctx`, at the bottom of each coroutine.
pub(super) const CTX_SLOT: c_int = 1;
/// The names that most events set, above it.
const STACK_NAMES: [usize; 5] = [
    event_templates::ID,
    event_templates::INPUT,
    event_templates::COMMAND,
    event_templates::PATHS,
    event_templates::CONTENT,
];
/// The number of values at the bottom of the stack.
pub(super) const STACK_BASE: c_int = 1 + STACK_NAMES.len() as c_int;

/// The stack slot of each of [`NAMES`]; 0 if it is not on the stack.
const STACK_SLOTS: [c_int; NAMES.len()] = {
    let mut places = [0; NAMES.len()];
    let mut at = 0;
    while at < STACK_NAMES.len() {
        places[STACK_NAMES[at]] = CTX_SLOT + 1 + at as c_int;
        at += 1;
    }
    places
};

/// Lays out what is always needed, on an empty stack.
///
/// SAFETY: the caller runs protected; the pins are of the coroutine's VM.
pub(super) unsafe fn lay_out(state: *mut ffi::lua_State, ctx: Pin, metas: &Metatables) {
    // SAFETY: see above.
    unsafe {
        ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, ctx.0);
        for name in STACK_NAMES {
            ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, metas.names.0[name].0);
        }
    }
}

impl Coroutine {
    /// Calls a handler in it. `node` is where the parts are that are left for later.
    ///
    /// # Errors
    /// No memory. What the function gets wrong is [`Resumed::Failed`].
    pub(crate) fn start(
        &mut self,
        lua: &Lua,
        handler: Pin,
        event: &TemplatedEvent<'_>,
        node: Option<&Value>,
        kept: StartValues,
    ) -> mlua::Result<Resumed> {
        debug_assert!(matches!(lua.set_memory_limit(0), Ok(0)), "a turn begins without a limit");
        self.begin(lua, kept.ctx, &kept.metas, node)?;
        let state = self.state;
        let mut next = STACK_BASE + c_int::from(node.is_some());
        let mut place = || {
            next += 1;
            next
        };
        // One stay under mlua's lock for all of it: this is the path of every gate.
        let (status, nothing) = lua.exec_raw_lua(|raw| {
            // SAFETY: the coroutine holds what was laid out, and the node above it. Why nothing is raised stands above; errors
            // of the handler stay inside `lua_resume`, which tells them by its status.
            unsafe {
                // A portable field is often a text of the input as well: it becomes one Lua string.
                let text = event.shared_text();
                let shared = SharedText {
                    text,
                    at: text.map_or(0, |text| {
                        push_text(state, text);
                        place()
                    }),
                };
                let input = event.input.map(|template| {
                    ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, template.table.0);
                    (template, place())
                });
                ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, event.template.0);
                let template = place();
                self.below = template;
                ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, handler.0);
                let _ = place();
                ffi::lua_clonetable(state, template);
                fill(state, event, place(), input, &shared, &kept.metas);
                if node.is_some() {
                    set_lazy_metatable(state, STACK_BASE + 1, kept.metas);
                }
                ffi::lua_pushvalue(state, CTX_SLOT);
                // From here the script is at work. The end of the turn takes the limit off again.
                let _ = lua.set_memory_limit(kept.limit);
                let status = ffi::lua_resume_(state, raw.state(), 2);
                let nothing = status == ffi::LUA_OK && ffi::lua_gettop(state) == template;
                if nothing {
                    ffi::lua_settop(state, STACK_BASE);
                }
                (status, nothing)
            }
        });
        if nothing {
            self.used = false;
            return Ok(Resumed::Returned(0, Value::Nil));
        }
        self.read_status(lua, status)
    }
}

/// Sets the event's own fields. `table` is the place of its table, which is at the top.
///
/// SAFETY: as for the whole module; `input` is the place of the table to copy for the input.
unsafe fn fill(
    state: *mut ffi::lua_State,
    event: &TemplatedEvent<'_>,
    table: c_int,
    input: Option<(&InputTemplate, c_int)>,
    shared: &SharedText<'_>,
    metas: &Metatables,
) {
    // SAFETY: see above; the pins live as long as the VM, and each push is matched by the set that takes it.
    unsafe {
        for (index, value) in event.own_fields() {
            let index = *index;
            match STACK_SLOTS[index] {
                0 => {
                    ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, metas.names.0[index].0);
                }
                place => ffi::lua_pushvalue(state, place),
            }
            match (value, input) {
                (FieldValue::Json(Json::Object(map)), Some((template, original)))
                    if index == event_templates::INPUT =>
                {
                    ffi::lua_clonetable(state, original);
                    fill_input(state, map, template, shared, metas);
                }
                (FieldValue::Text(text), _) => push_shared(state, text, shared),
                (value, _) => fill_field(state, value, *metas),
            }
            ffi::lua_rawset(state, table);
        }
    }
}

/// SAFETY: as for the whole module, with the input's table at the top.
unsafe fn fill_input(
    state: *mut ffi::lua_State,
    map: &Map<String, Json>,
    template: &InputTemplate,
    shared: &SharedText<'_>,
    metas: &Metatables,
) {
    // SAFETY: see above; the template's keys are the map's, in its order.
    unsafe {
        for ((_, Pin(key)), value) in template.keys.iter().zip(map.values()) {
            ffi::lua_rawgeti_(state, ffi::LUA_REGISTRYINDEX, *key);
            match value {
                Json::String(text) => push_shared(state, text, shared),
                value => fill_json(state, value, *metas, 2),
            }
            ffi::lua_rawset(state, -3);
        }
    }
}

/// A text that is on the stack already.
struct SharedText<'a> {
    text: Option<&'a str>,
    at: c_int,
}

/// SAFETY: as for the whole module, with the shared text at its place.
unsafe fn push_shared(state: *mut ffi::lua_State, text: &str, shared: &SharedText<'_>) {
    // SAFETY: see above.
    unsafe {
        match shared.text {
            Some(other) if std::ptr::eq(text, other) => ffi::lua_pushvalue(state, shared.at),
            _ => push_text(state, text),
        }
    }
}
