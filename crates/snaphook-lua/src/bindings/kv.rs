//! `ctx.state` (for the session) and `ctx.store` (on disk): values by key, each hook its own. Values are copies: change
//! one and `set` it again.

use std::ffi::CStr;
use std::sync::Arc;

use mlua::{Lua, LuaString, Table, Value};
use serde_json::Value as Json;
use snaphook_core::{KvOp, KvScope};

use crate::bindings::members;
use crate::ffi::{host_function, named_function};
use crate::raise::raise;
use crate::vm_context::VmContext;

/// The members of the two objects.
pub(super) const NAMES: [&str; 4] = ["get", "set", "delete", "keys"];

/// Makes one of the two objects.
pub(crate) fn module(lua: &Lua, vm: &Arc<VmContext>, scope: KvScope) -> mlua::Result<Table> {
    let function =
        |[state, store]: [&'static CStr; 2],
         operation: fn(&Lua, &VmContext, KvScope, LuaString, Option<Value>) -> mlua::Result<Value>| {
            let vm = Arc::clone(vm);
            let name = match scope {
                KvScope::State => state,
                KvScope::Store => store,
            };
            named_function(lua, name, move |lua, (key, value): (LuaString, Option<Value>)| {
                operation(lua, &vm, scope, key, value)
            })
            .map(Value::Function)
        };
    let get = function([c"ctx.state.get", c"ctx.store.get"], |lua, vm, scope, key, default| {
        let found = run(vm, scope, KvOp::Get(key.to_str()?.to_owned()))?;
        if found.is_null() { Ok(default.unwrap_or(Value::Nil)) } else { vm.to_lua(lua, &found) }
    })?;
    let set = function([c"ctx.state.set", c"ctx.store.set"], |lua, vm, scope, key, value| {
        let value = vm.to_json(lua, &value.unwrap_or(Value::Nil)).map_err(raise)?;
        run(vm, scope, KvOp::Set(key.to_str()?.to_owned(), value))?;
        Ok(Value::Nil)
    })?;
    let delete = function([c"ctx.state.delete", c"ctx.store.delete"], |_, vm, scope, key, _| {
        run(vm, scope, KvOp::Set(key.to_str()?.to_owned(), Json::Null))?;
        Ok(Value::Nil)
    })?;
    let for_keys = Arc::clone(vm);
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

fn run(vm: &VmContext, scope: KvScope, operation: KvOp) -> mlua::Result<Json> {
    vm.services.kv(&vm.hook, scope, operation).map_err(raise)
}
