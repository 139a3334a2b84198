//! `ctx.state` (for the session) and `ctx.store` (on disk): values by key, each hook its own. Values are copies: change
//! one and `set` it again.

use std::ffi::CStr;
use std::sync::Arc;

use mlua::{Lua, LuaString, Table, Value};
use serde_json::Value as Json;
use snaphook_core::{KvOp, KvScope};

use crate::bindings::{members, raise};
use crate::bridge::Bridge;
use crate::raw::{host_function, named_function};

/// The members of the two objects.
pub(super) const NAMES: [&str; 4] = ["get", "set", "delete", "keys"];

/// Makes one of the two objects.
pub(crate) fn module(lua: &Lua, bridge: &Arc<Bridge>, scope: KvScope) -> mlua::Result<Table> {
    let function =
        |[state, store]: [&'static CStr; 2],
         operation: fn(&Lua, &Bridge, KvScope, LuaString, Option<Value>) -> mlua::Result<Value>| {
            let bridge = Arc::clone(bridge);
            let name = match scope {
                KvScope::State => state,
                KvScope::Store => store,
            };
            named_function(lua, name, move |lua, (key, value): (LuaString, Option<Value>)| {
                operation(lua, &bridge, scope, key, value)
            })
            .map(Value::Function)
        };
    let get = function([c"ctx.state.get", c"ctx.store.get"], |lua, bridge, scope, key, default| {
        let found = run(bridge, scope, KvOp::Get(key.to_str()?.to_owned()))?;
        if found.is_null() { Ok(default.unwrap_or(Value::Nil)) } else { bridge.to_lua(lua, &found) }
    })?;
    let set = function([c"ctx.state.set", c"ctx.store.set"], |lua, bridge, scope, key, value| {
        let value = bridge.to_json(lua, &value.unwrap_or(Value::Nil)).map_err(raise)?;
        run(bridge, scope, KvOp::Set(key.to_str()?.to_owned(), value))?;
        Ok(Value::Nil)
    })?;
    let delete = function([c"ctx.state.delete", c"ctx.store.delete"], |_, bridge, scope, key, _| {
        run(bridge, scope, KvOp::Set(key.to_str()?.to_owned(), Json::Null))?;
        Ok(Value::Nil)
    })?;
    let for_keys = Arc::clone(bridge);
    let keys = host_function(lua, move |lua, ()| {
        let keys = run(&for_keys, scope, KvOp::Keys)?;
        for_keys.to_lua(lua, &keys)
    })?;
    let name = match scope {
        KvScope::State => "ctx.state",
        KvScope::Store => "ctx.store",
    };
    members(lua, name, NAMES.into_iter().zip([get, set, delete, Value::Function(keys)]))
}

fn run(bridge: &Bridge, scope: KvScope, operation: KvOp) -> mlua::Result<Json> {
    bridge.services.kv(&bridge.hook, scope, operation).map_err(raise)
}
