//! The API as scripts see it, one file a global or a part of one. Everything but `on` is made when a script first touches it: most
//! hooks use little, and a VM has to load in a third of a millisecond.

mod ctx;
mod env;
mod exec;
mod fs;
mod glob;
mod host;
mod http;
mod json;
mod kv;
mod path;
mod regex;
mod require;
mod shell;
mod testing;
mod time;
mod ui;

pub(crate) use self::testing::object as test_object;

use std::sync::Arc;

use mlua::{Function, Lua, Table, Value};
use snaphook_core::Script;
use snaphook_core::testing::{EXPECT_MEMBERS, T_MEMBERS};
use snaphook_script::exec::RESULT_FIELDS;
use snaphook_script::http::RESPONSE_FIELDS;
use snaphook_script::kit::no_such;
use snaphook_script::{ctx as members_of_ctx, shell as fields};

use crate::ffi::host_function;
use crate::host_mark;
use crate::on;
use crate::raise::raise;
use crate::vm_context::{Role, VmContext};

/// Installs the globals and returns `ctx`, and the function that calls handlers. The VM is not sealed yet.
pub(crate) fn install(
    lua: &Lua,
    vm: &Arc<VmContext>,
    role: Role<'_>,
    script: &Script,
    lazy_mark: Table,
) -> mlua::Result<(Table, Function)> {
    let (waiting, call) = host::install(lua, vm, lazy_mark)?;
    let globals = lua.globals();
    match role {
        Role::Hook(registrations) => globals.raw_set("on", on::function(lua, vm, registrations)?)?,
        Role::Test(tests) => testing::install(lua, vm, tests)?,
    }
    globals.raw_set("require", require::function(lua, script)?)?;
    let context = BindingContext { vm: Arc::clone(vm), waiting };
    globals.raw_set("snaphook", object(lua, "snaphook", SNAPHOOK, context.clone(), snaphook_part)?)?;
    Ok((ctx::object(lua, context)?, call))
}

/// Every object that scripts reach and every kind of value that they get, with the names of its members: from the lists
/// that the bindings register. Objects have the names that scripts use (`ctx.ui`), kinds those of the stubs.
pub(crate) fn names() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("snaphook", SNAPHOOK.to_vec()),
        ("snaphook.env", env::NAMES.to_vec()),
        ("snaphook.fs", fs::NAMES.to_vec()),
        ("snaphook.glob", glob::NAMES.to_vec()),
        ("snaphook.http", http::NAMES.to_vec()),
        ("snaphook.json", json::NAMES.to_vec()),
        ("snaphook.path", path::names()),
        ("snaphook.regex", regex::NAMES.to_vec()),
        ("snaphook.shell", shell::NAMES.to_vec()),
        ("snaphook.time", time::NAMES.to_vec()),
        ("ctx", members_of_ctx::names().collect()),
        ("ctx.ui", ui::NAMES.to_vec()),
        ("ctx.state", kv::NAMES.to_vec()),
        ("ctx.store", kv::NAMES.to_vec()),
        ("t", T_MEMBERS.to_vec()),
        ("expect(…)", EXPECT_MEMBERS.to_vec()),
        ("ExecResult", RESULT_FIELDS.to_vec()),
        ("FileStat", fs::STAT.to_vec()),
        ("HttpResponse", RESPONSE_FIELDS.to_vec()),
        ("RegexMatch", regex::MATCH.to_vec()),
        ("Opaque", fields::OPAQUE.to_vec()),
        ("Redirect", fields::REDIRECT.to_vec()),
        ("ShellCommand", shell::command()),
        ("UnknownWord", fields::UNKNOWN.to_vec()),
    ]
}

/// The state that makes members of `snaphook` and `ctx`.
#[derive(Clone)]
pub(crate) struct BindingContext {
    pub(crate) vm: Arc<VmContext>,
    /// Makes a function that waits out of one that begins the work and gives a ticket.
    pub(crate) waiting: Function,
}

const SNAPHOOK: &[&str] = &["env", "fs", "glob", "http", "json", "path", "regex", "shell", "time", "version"];

fn snaphook_part(lua: &Lua, context: &BindingContext, name: &str) -> mlua::Result<Value> {
    let vm = &context.vm;
    match name {
        "env" => env::module(lua, vm),
        "fs" => fs::module(lua, vm),
        "glob" => glob::module(lua, vm),
        "http" => http::module(lua, context),
        "json" => json::module(lua, vm),
        "path" => path::module(lua),
        "regex" => regex::module(lua, vm),
        "shell" => shell::module(lua, vm),
        "time" => time::module(lua, vm),
        _ => return Ok(Value::String(lua.create_string(env!("CARGO_PKG_VERSION"))?)),
    }
    .map(Value::Table)
}

/// A read-only object whose parts are made on first touch. A name that it does not have is an error, never a silent `nil`.
pub(crate) fn object(
    lua: &Lua,
    name: &'static str,
    names: &'static [&'static str],
    context: BindingContext,
    make: fn(&Lua, &BindingContext, &str) -> mlua::Result<Value>,
) -> mlua::Result<Table> {
    let made = lua.create_table()?;
    let index = host_function(lua, move |lua, (_, key): (Value, Value)| {
        let known: Value = made.raw_get(&key)?;
        if !known.is_nil() {
            return Ok(known);
        }
        let key = key_text(&key);
        let Some(part) = names.iter().find(|part| **part == key) else {
            return Err(raise(no_such(name, &key, names)));
        };
        let value = make(lua, &context, part)?;
        made.raw_set(*part, &value)?;
        Ok(value)
    })?;
    sealed(lua, index)
}

/// An empty read-only table with this `__index`.
pub(crate) fn sealed(lua: &Lua, index: Function) -> mlua::Result<Table> {
    let object = lua.create_table()?;
    object.set_metatable(Some(metatable(lua, index)?))?;
    object.set_readonly(true);
    Ok(object)
}

/// A read-only table of functions, whose other names are errors.
pub(crate) fn members(
    lua: &Lua,
    name: &'static str,
    list: impl IntoIterator<Item = (&'static str, Value)>,
) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let mut names = Vec::new();
    for (member, value) in list {
        names.push(member);
        table.raw_set(member, value)?;
    }
    let index = host_function(lua, move |_, (_, key): (Value, Value)| {
        Err::<Value, _>(raise(no_such(name, &key_text(&key), &names)))
    })?;
    table.set_metatable(Some(metatable(lua, index)?))?;
    table.set_readonly(true);
    Ok(table)
}

/// The metatable of a table with these fields: one that is there and empty is `nil`, another name is an error.
pub(crate) fn record(lua: &Lua, what: &'static str, names: &'static [&'static str]) -> mlua::Result<Table> {
    let index = host_function(lua, move |_, (_, key): (Value, Value)| match &key {
        Value::String(name) if !names.iter().any(|known| *name == **known) => {
            Err(raise(no_such(what, &name.to_string_lossy(), names)))
        }
        _ => Ok(Value::Nil),
    })?;
    metatable(lua, index)
}

/// A read-only metatable of the host with this `__index`.
fn metatable(lua: &Lua, index: Function) -> mlua::Result<Table> {
    let metatable = host_mark::metatable(lua)?;
    metatable.raw_set("__index", index)?;
    metatable.set_readonly(true);
    Ok(metatable)
}

/// A list made item by item, so that the host never holds a reference to each of them at the same time.
pub(crate) fn sequence<T: mlua::IntoLua>(
    lua: &Lua,
    items: impl Iterator<Item = mlua::Result<T>>,
) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    for item in items {
        table.raw_push(item?)?;
    }
    Ok(table)
}

/// A key as messages show it. Not by `tostring`: that could run a script's code in the middle of the host's.
pub(crate) fn key_text(key: &Value) -> String {
    match key {
        Value::String(text) => text.to_string_lossy(),
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        other => other.type_name().to_owned(),
    }
}
