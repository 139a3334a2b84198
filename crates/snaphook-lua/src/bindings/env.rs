//! `snaphook.env`: environment variables, as far as they are granted. Also while a script loads.

use std::sync::Arc;

use mlua::{Lua, LuaString, Table, Value};

use crate::bindings::{members, raise};
use crate::bridge::Bridge;
use crate::raw::named_function;

/// The members of the module.
pub(super) const NAMES: [&str; 1] = ["get"];

/// Makes the module.
pub(crate) fn module(lua: &Lua, bridge: &Arc<Bridge>) -> mlua::Result<Table> {
    let bridge = Arc::clone(bridge);
    let get = named_function(
        lua,
        c"snaphook.env.get",
        move |lua, (name, default): (LuaString, Option<LuaString>)| {
            let call = bridge.call();
            let value = bridge.services.env(&bridge.hook, call.as_ref(), &name.to_str()?).map_err(raise)?;
            Ok(match value {
                Some(value) => Some(lua.create_string(value)?),
                None => default,
            })
        },
    )?;
    members(lua, "snaphook.env", NAMES.into_iter().zip([Value::Function(get)]))
}
