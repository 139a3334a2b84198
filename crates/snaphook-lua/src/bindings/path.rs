//! `snaphook.path`: paths as text, made from the table of `snaphook_script::path`.

use mlua::{Function, Lua, Table, Value, Variadic};
use snaphook_script::path::{FUNCTIONS, PathFunction, PathValue, Signature};

use crate::bindings::members;
use crate::ffi::named_function;

/// The members of the module.
pub(super) fn names() -> Vec<&'static str> {
    FUNCTIONS.iter().map(|function| function.name).collect()
}

/// Makes the module.
pub(crate) fn module(lua: &Lua) -> mlua::Result<Table> {
    let member = |function: &PathFunction| Ok((function.name, Value::Function(lua_function(lua, function)?)));
    members(lua, "snaphook.path", FUNCTIONS.iter().map(member).collect::<mlua::Result<Vec<_>>>()?)
}

fn lua_function(lua: &Lua, function: &PathFunction) -> mlua::Result<Function> {
    let name = function.full_name;
    match function.function {
        Signature::OneText(work) => {
            named_function(lua, name, move |lua, path: String| to_lua(lua, work(&path)))
        }
        Signature::TwoTexts(work) => {
            named_function(lua, name, move |lua, (first, second): (String, String)| {
                to_lua(lua, work(&first, &second))
            })
        }
        Signature::Joining(work) => named_function(lua, name, move |_, parts: Variadic<String>| {
            Ok(parts.iter().fold(String::new(), |whole, part| work(&whole, part)))
        }),
    }
}

fn to_lua(lua: &Lua, given: PathValue<'_>) -> mlua::Result<Value> {
    match given {
        PathValue::Text(text) => lua.create_string(&*text).map(Value::String),
        PathValue::Flag(flag) => Ok(Value::Boolean(flag)),
        PathValue::Nothing => Ok(Value::Nil),
    }
}
