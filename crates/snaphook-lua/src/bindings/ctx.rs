//! `ctx`: the second argument of every handler. One object a VM; what belongs to a call is looked up when it is touched.

use mlua::{Lua, LuaString, Table, Value};
use serde_json::Value as Json;
use snaphook_core::{Deliver, KvScope, Level, nearest};

use crate::bindings::{Parts, exec, key_text, kv, no_such, raise, sealed, ui};
use crate::bridge::{Bridge, Reply};
use crate::raw::{host_function, named_function};

/// The parts that are made once, on first touch.
const PARTS: &[&str] = &["exec", "ui", "send", "emit", "state", "store", "log"];
/// The parts that are looked up on each touch.
const LIVE: &[&str] =
    &["cwd", "project_root", "session_id", "session_path", "has_ui", "agent", "scope", "hook", "cancelled"];

/// Returns what it has, all in all.
pub(super) fn names() -> Vec<&'static str> {
    PARTS.iter().chain(LIVE).copied().collect()
}

/// Makes `ctx`.
pub(crate) fn object(lua: &Lua, parts: Parts) -> mlua::Result<Table> {
    let made = lua.create_table()?;
    let index = host_function(lua, move |lua, (_, key): (Value, Value)| {
        let known: Value = made.raw_get(&key)?;
        if !known.is_nil() {
            return Ok(known);
        }
        let key = key_text(&key);
        if LIVE.contains(&key.as_str()) {
            return live(lua, &parts.bridge, &key);
        }
        let Some(name) = PARTS.iter().find(|name| **name == key) else {
            return Err(no_such("ctx", &key, &names()));
        };
        let value = part(lua, &parts, name)?;
        made.raw_set(*name, &value)?;
        Ok(value)
    })?;
    sealed(lua, index)
}

fn live(lua: &Lua, bridge: &Bridge, key: &str) -> mlua::Result<Value> {
    let run = bridge.run()?;
    let session = &run.call.session;
    let text = |text: &str| lua.create_string(text).map(Value::String);
    match key {
        "cwd" => text(&session.cwd.to_string_lossy()),
        "project_root" => text(&session.project_root.to_string_lossy()),
        "session_id" => text(&session.id),
        "session_path" => session.path.as_deref().map_or(Ok(Value::Nil), text),
        "agent" => text(&session.agent),
        "scope" => text(bridge.hook.scope.as_str()),
        "hook" => text(&bridge.hook.id),
        "has_ui" => Ok(Value::Boolean(bridge.services.has_ui(&run.call))),
        _ => Ok(Value::Boolean(run.call.is_cancelled())),
    }
}

fn part(lua: &Lua, parts: &Parts, name: &str) -> mlua::Result<Value> {
    let bridge = &parts.bridge;
    Ok(match name {
        "exec" => Value::Function(exec::function(lua, parts)?),
        "ui" => Value::Table(ui::module(lua, parts)?),
        "state" => Value::Table(kv::module(lua, bridge, KvScope::State)?),
        "store" => Value::Table(kv::module(lua, bridge, KvScope::Store)?),
        "send" => {
            let bridge = bridge.clone();
            Value::Function(named_function(
                lua,
                c"ctx.send",
                move |lua, (text, options): (LuaString, Option<Table>)| {
                    bridge.say(lua, "ctx.send", text.as_bytes().len())?;
                    bridge.services.send(
                        &bridge.hook,
                        text.to_str()?.to_owned(),
                        deliver(lua, &bridge, options)?,
                    );
                    Ok(())
                },
            )?)
        }
        "emit" => {
            let bridge = bridge.clone();
            let start =
                named_function(lua, c"ctx.emit", move |lua, (name, fields): (LuaString, Option<Value>)| {
                    emit(lua, &bridge, &name.to_str()?, fields)
                })?;
            parts.waiting.call(start)?
        }
        _ => {
            let bridge = bridge.clone();
            Value::Function(named_function(
                lua,
                c"ctx.log",
                move |lua, (text, level): (LuaString, Option<LuaString>)| {
                    let level = level.map(|name| level_of(&name)).transpose()?.unwrap_or(Level::Info);
                    bridge.log(lua, "ctx.log", level, &text)
                },
            )?)
        }
    })
}

/// The level of this name.
///
/// # Errors
/// There is none.
pub(crate) fn level_of(name: &LuaString) -> mlua::Result<Level> {
    let name = name.to_string_lossy();
    Level::from_name(&name)
        .ok_or_else(|| raise(format!("the level is debug, info, warn or error, not \"{name}\"")))
}

fn deliver(lua: &Lua, bridge: &Bridge, options: Option<Table>) -> mlua::Result<Deliver> {
    let Some(options) = options else { return Ok(Deliver::default()) };
    let json = bridge.to_json(lua, &Value::Table(options)).map_err(raise)?;
    let Json::Object(map) = json else { return Ok(Deliver::default()) };
    let mut deliver = Deliver::default();
    for (key, value) in map {
        if key != "deliver" {
            let hint = nearest(&key, ["deliver"]).map(|_| "; did you mean `deliver`?").unwrap_or_default();
            return Err(raise(format!("ctx.send has no option `{key}`{hint}")));
        }
        let wrong = || raise(format!("`deliver` is \"now\", \"next_turn\" or \"follow_up\", not {value}"));
        deliver = value.as_str().and_then(Deliver::from_name).ok_or_else(wrong)?;
    }
    Ok(deliver)
}

fn emit(lua: &Lua, bridge: &Bridge, name: &str, fields: Option<Value>) -> mlua::Result<u64> {
    let fields = match fields.map(|value| bridge.to_json(lua, &value)).transpose().map_err(raise)? {
        None | Some(Json::Null) => serde_json::Map::new(),
        Some(Json::Object(map)) => map,
        Some(_) => return Err(raise("the payload of ctx.emit is a table with named fields")),
    };
    let run = bridge.run()?;
    let caused = bridge.services.emit(&bridge.hook, &run.call, name.into(), fields);
    run.begin(Box::pin(async move { caused.await.map(|()| Reply::Nothing) }))
}
