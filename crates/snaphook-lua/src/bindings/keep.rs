//! `ctx.state` (for the session) and `ctx.store` (on disk): values by key, each hook its own. Values are copies: change
//! one and `set` it again.

use std::ffi::CStr;
use std::sync::Arc;

use mlua::{Lua, LuaString, Table, Value};
use serde_json::Value as Json;
use snaphook_core::{Area, Keep};

use crate::bindings::{members, raise};
use crate::bridge::Bridge;
use crate::raw::{host_function, named_function};

/// The members of the two objects.
pub(super) const NAMES: [&str; 4] = ["get", "set", "delete", "keys"];

/// Makes one of the two objects.
pub(crate) fn module(lua: &Lua, bridge: &Arc<Bridge>, area: Area) -> mlua::Result<Table> {
    let keep =
        |[state, store]: [&'static CStr; 2],
         operation: fn(&Lua, &Bridge, Area, LuaString, Option<Value>) -> mlua::Result<Value>| {
            let bridge = Arc::clone(bridge);
            let name = match area {
                Area::State => state,
                Area::Store => store,
            };
            named_function(lua, name, move |lua, (key, value): (LuaString, Option<Value>)| {
                operation(lua, &bridge, area, key, value)
            })
            .map(Value::Function)
        };
    let get = keep([c"ctx.state.get", c"ctx.store.get"], |lua, bridge, area, key, default| {
        let found = run(bridge, area, Keep::Get(key.to_str()?.to_owned()))?;
        if found.is_null() { Ok(default.unwrap_or(Value::Nil)) } else { bridge.to_lua(lua, &found) }
    })?;
    let set = keep([c"ctx.state.set", c"ctx.store.set"], |lua, bridge, area, key, value| {
        let value = bridge.to_json(lua, &value.unwrap_or(Value::Nil)).map_err(raise)?;
        run(bridge, area, Keep::Set(key.to_str()?.to_owned(), value))?;
        Ok(Value::Nil)
    })?;
    let delete = keep([c"ctx.state.delete", c"ctx.store.delete"], |_, bridge, area, key, _| {
        run(bridge, area, Keep::Set(key.to_str()?.to_owned(), Json::Null))?;
        Ok(Value::Nil)
    })?;
    let for_keys = Arc::clone(bridge);
    let keys = host_function(lua, move |lua, ()| {
        let keys = run(&for_keys, area, Keep::Keys)?;
        for_keys.to_lua(lua, &keys)
    })?;
    let name = match area {
        Area::State => "ctx.state",
        Area::Store => "ctx.store",
    };
    members(lua, name, NAMES.into_iter().zip([get, set, delete, Value::Function(keys)]))
}

fn run(bridge: &Bridge, area: Area, operation: Keep) -> mlua::Result<Json> {
    bridge.services.keep(&bridge.hook, area, operation).map_err(raise)
}
