//! `snaphook.time`: the host's clock, and times as text.

use std::sync::Arc;

use mlua::{Lua, Table, Value};
use snaphook_script::time;

use crate::bindings::members;
use crate::ffi::named_function;
use crate::raise::raise;
use crate::vm_context::VmContext;

/// The members of the module.
pub(super) const NAMES: [&str; 3] = ["now", "iso", "parse"];

/// Makes the module.
pub(crate) fn module(lua: &Lua, vm: &Arc<VmContext>) -> mlua::Result<Table> {
    let clock = Arc::clone(vm);
    let now = named_function(lua, c"snaphook.time.now", move |_, ()| Ok(clock.services.now(&clock.hook)))?;
    let clock = Arc::clone(vm);
    let iso = named_function(lua, c"snaphook.time.iso", move |_, seconds: Option<f64>| {
        time::iso(seconds.unwrap_or_else(|| clock.services.now(&clock.hook))).map_err(raise)
    })?;
    let parse =
        named_function(lua, c"snaphook.time.parse", |_, text: String| time::parse(&text).map_err(raise))?;
    members(lua, "snaphook.time", NAMES.into_iter().zip([now, iso, parse].map(Value::Function)))
}
