//! `require`: the modules of a folder hook, and nothing else. They were read together with the hook; nothing is read
//! from disk here, so what was hashed is what runs (law 7).

use std::collections::BTreeMap;
use std::sync::Arc;

use mlua::{Function, Lua, Table, Value};
use snaphook_core::Script;
use snaphook_script::modules::{self, ModuleError};
use snaphook_script::path;

use crate::compile::{compile, limited};
use crate::ffi::named_function;
use crate::raise::raise;

/// The endings of a module's file.
const ENDINGS: &[&str] = &[".lua", ".luau", "/init.lua", "/init.luau"];

/// Stands in the table of loaded modules while one loads.
const LOADING: &str = "loading";

/// The global `require`.
pub(crate) fn function(lua: &Lua, script: &Script) -> mlua::Result<Function> {
    let files = Arc::clone(&script.modules);
    let folder = script.hook.file.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    let loaded = lua.create_table()?;
    named_function(lua, c"require", move |lua, name: String| {
        if files.is_empty() {
            let call = format!("require(\"{name}\")");
            return Err(raise(ModuleError::OneFile { call, main: "init.lua" }));
        }
        let caller =
            // Level 0 is this function, 1 the wrapper around it, 2 the script that asks.
            lua.inspect_stack(2, |frame| frame.source().source.map(|source| source.into_owned())).flatten();
        let caller = caller.unwrap_or_default();
        let asking = caller.trim_start_matches(['@', '=']);
        let plain = name.trim_end_matches(".luau").trim_end_matches(".lua");
        let wanted = modules::wanted(plain, asking, &folder, true);
        let call = || format!("require(\"{name}\")");
        let file = modules::find(&files, &wanted, ENDINGS, call, &name).map_err(raise)?;
        load(lua, &files, &loaded, &folder, &file)
    })
}

fn load(
    lua: &Lua,
    files: &BTreeMap<String, Arc<str>>,
    loaded: &Table,
    folder: &str,
    file: &str,
) -> mlua::Result<Value> {
    let known: Value = loaded.raw_get(file)?;
    match &known {
        Value::Nil => {}
        Value::LightUserData(_) => {
            return Err(raise(format!("{file} requires itself, perhaps through others")));
        }
        _ => return Ok(known),
    }
    let source = files.get(file).ok_or_else(|| raise(format!("no module {LOADING}")))?;
    loaded.raw_set(file, Value::NULL)?;
    let result = compile(lua, source, &path::join(folder, file))
        .and_then(|chunk| limited(lua, || chunk.call::<Value>(())));
    let value = match &result {
        Ok(Value::Nil) => Value::Boolean(true),
        Ok(value) => value.clone(),
        Err(_) => Value::Nil,
    };
    loaded.raw_set(file, &value)?;
    result.map(|_| value)
}
