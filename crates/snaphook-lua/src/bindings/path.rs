//! `snaphook.path`: paths as text.

use mlua::{Lua, Table, Value};
use snaphook_script::path;

use crate::bindings::members;
use crate::raw::host_function;

/// What the module has.
pub(super) const NAMES: [&str; 9] = [
    "basename",
    "dirname",
    "extension",
    "normalize",
    "join",
    "resolve",
    "relative",
    "is_inside",
    "is_absolute",
];

/// Makes the module.
pub(crate) fn module(lua: &Lua) -> mlua::Result<Table> {
    let one = |function: fn(&str) -> String| {
        host_function(lua, move |_, path: String| Ok(function(&path))).map(Value::Function)
    };
    let join = host_function(lua, |_, parts: mlua::Variadic<String>| {
        Ok(parts.iter().fold(String::new(), |whole, part| path::join(&whole, part)))
    })?;
    let resolve = host_function(lua, |_, (base, file): (String, String)| Ok(path::resolve(&base, &file)))?;
    let relative = host_function(lua, |_, (file, base): (String, String)| Ok(path::relative(&file, &base)))?;
    let is_inside =
        host_function(lua, |_, (file, folder): (String, String)| Ok(path::is_inside(&file, &folder)))?;
    let is_absolute = host_function(lua, |_, file: String| Ok(path::is_absolute(&file)))?;
    let of_one = [
        one(|path| path::basename(path).to_owned())?,
        one(|path| path::dirname(path).to_owned())?,
        one(|path| path::extension(path).to_owned())?,
        one(path::normalize)?,
    ];
    let others = [join, resolve, relative, is_inside, is_absolute].map(Value::Function);
    members(lua, "snaphook.path", NAMES.into_iter().zip(of_one.into_iter().chain(others)))
}
