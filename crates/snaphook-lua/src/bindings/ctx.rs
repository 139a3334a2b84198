//! `ctx`: the second argument of every handler. One object a VM; what belongs to a call is looked up when it is touched.

use mlua::{Lua, LuaString, Table, Value};
use serde_json::Value as Json;
use snaphook_core::{Deliver, KvScope, Level, Notation, ServiceTask};
use snaphook_script::ctx::{self, CtxValue, FIXED_MEMBERS, LIVE_MEMBERS};
use snaphook_script::kit::no_such;

use crate::bindings::{BindingContext, exec, key_text, kv, sealed, ui};
use crate::ffi::{host_function, named_function};
use crate::raise::raise;
use crate::vm_context::{VmContext, begin};

/// Makes `ctx`.
pub(crate) fn object(lua: &Lua, context: BindingContext) -> mlua::Result<Table> {
    let made = lua.create_table()?;
    let index = host_function(lua, move |lua, (_, key): (Value, Value)| {
        let known: Value = made.raw_get(&key)?;
        if !known.is_nil() {
            return Ok(known);
        }
        let key = key_text(&key);
        if LIVE_MEMBERS.contains(&key.as_str()) {
            return live(lua, &context.vm, &key);
        }
        let Some(name) = FIXED_MEMBERS.iter().find(|name| **name == key) else {
            return Err(raise(no_such("ctx", &key, &ctx::names().collect::<Vec<_>>())));
        };
        let value = part(lua, &context, name)?;
        made.raw_set(*name, &value)?;
        Ok(value)
    })?;
    sealed(lua, index)
}

fn live(lua: &Lua, vm: &VmContext, key: &str) -> mlua::Result<Value> {
    let run = vm.run()?;
    match ctx::live(key, &vm.hook, &*vm.services, &run.call) {
        CtxValue::Text(text) => lua.create_string(&*text).map(Value::String),
        CtxValue::Flag(flag) => Ok(Value::Boolean(flag)),
        CtxValue::Nothing => Ok(Value::Nil),
    }
}

fn part(lua: &Lua, context: &BindingContext, name: &str) -> mlua::Result<Value> {
    let vm = &context.vm;
    Ok(match name {
        "exec" => Value::Function(exec::function(lua, context)?),
        "ui" => Value::Table(ui::module(lua, context)?),
        "state" => Value::Table(kv::module(lua, vm, KvScope::State)?),
        "store" => Value::Table(kv::module(lua, vm, KvScope::Store)?),
        "send" => {
            let vm = vm.clone();
            Value::Function(named_function(
                lua,
                c"ctx.send",
                move |lua, (text, options): (LuaString, Option<Table>)| {
                    vm.count_text(lua, "ctx.send", text.as_bytes().len())?;
                    vm.services.send(&vm.hook, text.to_str()?.to_owned(), deliver(lua, &vm, options)?);
                    Ok(())
                },
            )?)
        }
        "emit" => {
            let vm = vm.clone();
            let start =
                named_function(lua, c"ctx.emit", move |lua, (name, fields): (LuaString, Option<Value>)| {
                    emit(lua, &vm, &name.to_str()?, fields)
                })?;
            context.waiting.call(start)?
        }
        _ => {
            let vm = vm.clone();
            Value::Function(named_function(
                lua,
                c"ctx.log",
                move |lua, (text, level): (LuaString, Option<LuaString>)| {
                    let level = level_of(level.as_ref())?;
                    vm.log(lua, "ctx.log", level, &text)
                },
            )?)
        }
    })
}

/// The level of this name; default: `info`.
///
/// # Errors
/// There is no such level.
pub(crate) fn level_of(name: Option<&LuaString>) -> mlua::Result<Level> {
    ctx::level(name.map(LuaString::to_string_lossy).as_deref()).map_err(raise)
}

fn deliver(lua: &Lua, vm: &VmContext, options: Option<Table>) -> mlua::Result<Deliver> {
    let Some(options) = options else { return Ok(Deliver::default()) };
    match vm.to_json(lua, &Value::Table(options)).map_err(raise)? {
        Json::Object(options) => ctx::deliver(&options).map_err(raise),
        _ => Ok(Deliver::default()),
    }
}

fn emit(lua: &Lua, vm: &VmContext, name: &str, fields: Option<Value>) -> mlua::Result<u64> {
    let fields = fields.map(|value| vm.to_json(lua, &value)).transpose().map_err(raise)?;
    let fields = ctx::payload(fields, Notation::Lua).map_err(raise)?;
    let run = vm.run()?;
    begin(&run, vm.services.begin(&vm.hook, &run.call, ServiceTask::Emit(name.into(), fields)))
}
