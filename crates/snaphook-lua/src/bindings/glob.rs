//! `snaphook.glob`: gitignore-style patterns over paths.

use std::sync::Arc;

use mlua::{Lua, LuaString, Table, Value};
use serde_json::Value as Json;
use snaphook_script::glob::Cache;

use crate::bindings::members;
use crate::ffi::named_function;
use crate::raise::raise;
use crate::vm_context::VmContext;

/// The members of the module.
pub(super) const NAMES: [&str; 1] = ["matches"];

/// Makes the module.
pub(crate) fn module(lua: &Lua, vm: &Arc<VmContext>) -> mlua::Result<Table> {
    let vm = Arc::clone(vm);
    let cache = Cache::default();
    let matches =
        named_function(lua, c"snaphook.glob.matches", move |lua, (patterns, path): (Value, LuaString)| {
            let patterns = match vm.to_json(lua, &patterns).map_err(raise)? {
                Json::String(one) => vec![one],
                Json::Array(several) => {
                    let text = |item: &Json| item.as_str().map(str::to_owned);
                    let texts: Option<Vec<_>> = several.iter().map(text).collect();
                    texts
                        .ok_or_else(|| raise("snaphook.glob.matches takes a pattern or a list of patterns"))?
                }
                // In Lua an empty list is an empty table.
                Json::Object(none) if none.is_empty() => Vec::new(),
                _ => return Err(raise("snaphook.glob.matches takes a pattern or a list of patterns")),
            };
            cache.is_match(&patterns, &path.to_str()?).map_err(raise)
        })?;
    members(lua, "snaphook.glob", NAMES.into_iter().zip([Value::Function(matches)]))
}
