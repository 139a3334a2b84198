//! `snaphook.json`: text to values and back. `null` stands for a JSON null; `array` marks a table as an array, so that an
//! empty one is `[]`.

use std::sync::Arc;

use mlua::{Lua, LuaString, Table, Value};
use snaphook_script::json;

use crate::bindings::members;
use crate::ffi;
use crate::ffi::named_function;
use crate::raise::raise;
use crate::vm_context::VmContext;

/// The members of the module.
pub(super) const NAMES: [&str; 4] = ["encode", "decode", "array", "null"];

/// Makes the module.
pub(crate) fn module(lua: &Lua, vm: &Arc<VmContext>) -> mlua::Result<Table> {
    let for_encode = Arc::clone(vm);
    let encode =
        named_function(lua, c"snaphook.json.encode", move |lua, (value, pretty): (Value, Option<bool>)| {
            let json = for_encode.to_json(lua, &value).map_err(raise)?;
            json::encode(&json, pretty == Some(true)).map_err(raise)
        })?;
    let for_decode = Arc::clone(vm);
    let decode = named_function(lua, c"snaphook.json.decode", move |lua, text: LuaString| {
        let json = json::decode("snaphook.json.decode", &text.as_bytes()).map_err(raise)?;
        ffi::push_json(lua, &json, for_decode.metas)
    })?;
    let metatable = vm.array.clone();
    let array = named_function(lua, c"snaphook.json.array", move |_, table: Table| {
        table.set_metatable(Some(metatable.clone()))?;
        Ok(table)
    })?;
    let functions = [encode, decode, array].map(Value::Function);
    members(lua, "snaphook.json", NAMES.into_iter().zip(functions.into_iter().chain([Value::NULL])))
}
