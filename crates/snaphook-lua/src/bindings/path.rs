//! `snaphook.path`: paths as text.

use std::ffi::CStr;

use mlua::{Lua, Table, Value};
use snaphook_script::path;

use crate::bindings::members;
use crate::raw::named_function;

/// The members of the module.
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
    let one = |name: &'static CStr, function: fn(&str) -> String| {
        named_function(lua, name, move |_, path: String| Ok(function(&path))).map(Value::Function)
    };
    let join = named_function(lua, c"snaphook.path.join", |_, parts: mlua::Variadic<String>| {
        Ok(parts.iter().fold(String::new(), |whole, part| path::join(&whole, part)))
    })?;
    let resolve = named_function(lua, c"snaphook.path.resolve", |_, (base, file): (String, String)| {
        Ok(path::resolve(&base, &file))
    })?;
    let relative = named_function(lua, c"snaphook.path.relative", |_, (file, base): (String, String)| {
        Ok(path::relative(&file, &base))
    })?;
    let is_inside =
        named_function(lua, c"snaphook.path.is_inside", |_, (file, folder): (String, String)| {
            Ok(path::is_inside(&file, &folder))
        })?;
    let is_absolute =
        named_function(lua, c"snaphook.path.is_absolute", |_, file: String| Ok(path::is_absolute(&file)))?;
    let of_one = [
        one(c"snaphook.path.basename", |path| path::basename(path).to_owned())?,
        one(c"snaphook.path.dirname", |path| path::dirname(path).to_owned())?,
        one(c"snaphook.path.extension", |path| path::extension(path).to_owned())?,
        one(c"snaphook.path.normalize", path::normalize)?,
    ];
    let others = [join, resolve, relative, is_inside, is_absolute].map(Value::Function);
    members(lua, "snaphook.path", NAMES.into_iter().zip(of_one.into_iter().chain(others)))
}
