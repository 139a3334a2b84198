//! `snaphook.glob`: gitignore-style patterns over paths.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mlua::{Lua, LuaString, Table, Value};
use serde_json::Value as Json;
use snaphook_script::glob::Globs;

use crate::bindings::{members, raise};
use crate::bridge::Bridge;
use crate::raw::named_function;

/// The number of compiled lists of patterns that are kept. Scripts pass the same lists over and over.
const MAX_KEPT: usize = 64;

/// The members of the module.
pub(super) const NAMES: [&str; 1] = ["matches"];

/// Makes the module.
pub(crate) fn module(lua: &Lua, bridge: &Arc<Bridge>) -> mlua::Result<Table> {
    let bridge = Arc::clone(bridge);
    let kept: Mutex<HashMap<Vec<String>, Globs>> = Mutex::default();
    let matches =
        named_function(lua, c"snaphook.glob.matches", move |lua, (patterns, path): (Value, LuaString)| {
            let patterns = match bridge.to_json(lua, &patterns).map_err(raise)? {
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
            let path = path.to_str()?;
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(globs) = kept.get(&patterns) {
                return Ok(globs.is_match(&path));
            }
            let globs = Globs::new(patterns.iter().map(String::as_str)).map_err(raise)?;
            let found = globs.is_match(&path);
            if kept.len() >= MAX_KEPT {
                kept.clear();
            }
            kept.insert(patterns, globs);
            Ok(found)
        })?;
    members(lua, "snaphook.glob", NAMES.into_iter().zip([Value::Function(matches)]))
}
