//! `snaphook.env`: environment variables, as far as they are granted. Also while a script loads.

use std::sync::Arc;

use mlua::{Lua, LuaString, Table, Value};

use crate::bindings::members;
use crate::ffi::named_function;
use crate::raise::raise;
use crate::vm_context::VmContext;

/// The members of the module.
pub(super) const NAMES: [&str; 1] = ["get"];

/// Makes the module.
pub(crate) fn module(lua: &Lua, vm: &Arc<VmContext>) -> mlua::Result<Table> {
    let vm = Arc::clone(vm);
    let get = named_function(
        lua,
        c"snaphook.env.get",
        move |lua, (name, default): (LuaString, Option<LuaString>)| {
            let call = vm.call();
            let value = vm.services.env(&vm.hook, call.as_ref(), &name.to_str()?).map_err(raise)?;
            Ok(match value {
                Some(value) => Some(lua.create_string(value)?),
                None => default,
            })
        },
    )?;
    members(lua, "snaphook.env", NAMES.into_iter().zip([Value::Function(get)]))
}
