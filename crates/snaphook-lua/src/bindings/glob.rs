//! `snaphook.glob`: gitignore-style patterns over paths.

use std::sync::Arc;

use mlua::{Lua, LuaString, Table, Value};
use serde_json::Value as Json;
use snaphook_script::glob::Globs;

use crate::bindings::{members, raise};
use crate::bridge::Bridge;

/// Makes the module.
pub(crate) fn module(lua: &Lua, bridge: &Arc<Bridge>) -> mlua::Result<Table> {
    let bridge = Arc::clone(bridge);
    let matches = lua.create_function(move |lua, (patterns, path): (Value, LuaString)| {
        let patterns = match bridge.to_json(lua, &patterns).map_err(raise)? {
            Json::String(one) => vec![one],
            Json::Array(several) => {
                let text = |item: &Json| item.as_str().map(str::to_owned);
                let texts: Option<Vec<_>> = several.iter().map(text).collect();
                texts.ok_or_else(|| raise("snaphook.glob.matches takes a pattern or a list of patterns"))?
            }
            _ => return Err(raise("snaphook.glob.matches takes a pattern or a list of patterns")),
        };
        let globs = Globs::new(patterns.iter().map(String::as_str)).map_err(raise)?;
        Ok(globs.is_match(&path.to_str()?))
    })?;
    members(lua, "snaphook.glob", [("matches", Value::Function(matches))])
}
