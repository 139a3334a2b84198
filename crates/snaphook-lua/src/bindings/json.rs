//! `snaphook.json`: text to values and back. `null` stands for a JSON null; `array` marks a table as an array, so that an
//! empty one is `[]`.

use std::sync::Arc;

use mlua::{Lua, LuaString, Table, Value};
use snaphook_script::json;

use crate::bindings::{members, raise};
use crate::bridge::Bridge;
use crate::raw;
use crate::raw::named_function;

/// The members of the module.
pub(super) const NAMES: [&str; 4] = ["encode", "decode", "array", "null"];

/// Makes the module.
pub(crate) fn module(lua: &Lua, bridge: &Arc<Bridge>) -> mlua::Result<Table> {
    let for_encode = Arc::clone(bridge);
    let encode =
        named_function(lua, c"snaphook.json.encode", move |lua, (value, pretty): (Value, Option<bool>)| {
            let json = for_encode.to_json(lua, &value).map_err(raise)?;
            json::encode(&json, pretty == Some(true)).map_err(raise)
        })?;
    let for_decode = Arc::clone(bridge);
    let decode = named_function(lua, c"snaphook.json.decode", move |lua, text: LuaString| {
        let json = json::decode("snaphook.json.decode", &text.as_bytes()).map_err(raise)?;
        raw::push_json(lua, &json, for_decode.metas)
    })?;
    let metatable = bridge.array.clone();
    let array = named_function(lua, c"snaphook.json.array", move |_, table: Table| {
        table.set_metatable(Some(metatable.clone()))?;
        Ok(table)
    })?;
    let functions = [encode, decode, array].map(Value::Function);
    members(lua, "snaphook.json", NAMES.into_iter().zip(functions.into_iter().chain([Value::NULL])))
}
