//! `snaphook.path`: paths as text.

use mlua::{Lua, Table, Value};
use snaphook_script::path;

use crate::bindings::members;
use crate::raw::host_function;

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
    members(
        lua,
        "snaphook.path",
        [
            ("basename", one(|path| path::basename(path).to_owned())?),
            ("dirname", one(|path| path::dirname(path).to_owned())?),
            ("extension", one(|path| path::extension(path).to_owned())?),
            ("normalize", one(path::normalize)?),
            ("join", Value::Function(join)),
            ("resolve", Value::Function(resolve)),
            ("relative", Value::Function(relative)),
            ("is_inside", Value::Function(is_inside)),
            ("is_absolute", Value::Function(is_absolute)),
        ],
    )
}
