//! `snaphook.path`: paths as text, made from the table of `snaphook_script::path`.

use mlua::{Function, Lua, Table, Value, Variadic};
use snaphook_script::path::{FUNCTIONS, Given, Work};

use crate::bindings::members;
use crate::ffi::named_function;

/// The members of the module.
pub(super) fn names() -> Vec<&'static str> {
    FUNCTIONS.iter().map(|function| function.name).collect()
}

/// Makes the module.
pub(crate) fn module(lua: &Lua) -> mlua::Result<Table> {
    let member = |function: &snaphook_script::path::Function| {
        Ok((function.name, Value::Function(made(lua, function)?)))
    };
    members(lua, "snaphook.path", FUNCTIONS.iter().map(member).collect::<mlua::Result<Vec<_>>>()?)
}

fn made(lua: &Lua, function: &snaphook_script::path::Function) -> mlua::Result<Function> {
    let name = function.full_name;
    match function.work {
        Work::One(work) => named_function(lua, name, move |lua, path: String| to_lua(lua, work(&path))),
        Work::Two(work) => named_function(lua, name, move |lua, (first, second): (String, String)| {
            to_lua(lua, work(&first, &second))
        }),
        Work::Fold(work) => named_function(lua, name, move |_, parts: Variadic<String>| {
            Ok(parts.iter().fold(String::new(), |whole, part| work(&whole, part)))
        }),
    }
}

fn to_lua(lua: &Lua, given: Given<'_>) -> mlua::Result<Value> {
    match given {
        Given::Text(text) => lua.create_string(&*text).map(Value::String),
        Given::Flag(flag) => Ok(Value::Boolean(flag)),
        Given::Nothing => Ok(Value::Nil),
    }
}
