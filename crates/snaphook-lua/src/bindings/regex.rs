//! `snaphook.regex`: regular expressions in linear time.

use std::sync::Arc;

use mlua::{Lua, LuaString, Table, Value};
use snaphook_script::regex::{self, Cache, Match};

use crate::bindings::{members, record, sequence};
use crate::ffi::named_function;
use crate::raise::raise;
use crate::vm_context::VmContext;

/// The default number of matches that `find_all` gives.
const DEFAULT_MATCHES: usize = 1000;

/// The members of the module.
pub(super) const NAMES: [&str; 5] = ["matches", "find", "find_all", "replace", "escape"];
/// The fields of a match.
pub(super) const MATCH: &[&str] = &["text", "groups", "names"];

/// Makes the module.
pub(crate) fn module(lua: &Lua, vm: &Arc<VmContext>) -> mlua::Result<Table> {
    let cache = Arc::new(Cache::default());
    let most = vm.limits.text;
    let fields = record(lua, "a match", MATCH)?;
    let metatables = MatchMetatables { fields, array: vm.array.clone() };
    let kept = Arc::clone(&cache);
    let matches =
        named_function(lua, c"snaphook.regex.matches", move |_, (pattern, text): (LuaString, LuaString)| {
            kept.matches(&pattern.to_str()?, &text.to_str()?).map_err(raise)
        })?;
    let kept = Arc::clone(&cache);
    let of_match = metatables.clone();
    let find =
        named_function(lua, c"snaphook.regex.find", move |lua, (pattern, text): (LuaString, LuaString)| {
            let found = kept.find(&pattern.to_str()?, &text.to_str()?).map_err(raise)?;
            found.map(|found| to_lua(lua, found, &of_match)).transpose()
        })?;
    let kept = Arc::clone(&cache);
    let find_all = named_function(
        lua,
        c"snaphook.regex.find_all",
        move |lua, (pattern, text, limit): (LuaString, LuaString, Option<usize>)| {
            let limit = limit.unwrap_or(DEFAULT_MATCHES);
            let found = kept.find_all(&pattern.to_str()?, &text.to_str()?, limit).map_err(raise)?;
            sequence(lua, found.into_iter().map(|found| to_lua(lua, found, &metatables)))
        },
    )?;
    let kept = Arc::clone(&cache);
    let replace = named_function(
        lua,
        c"snaphook.regex.replace",
        move |_, (pattern, text, by): (LuaString, LuaString, LuaString)| {
            kept.replace(&pattern.to_str()?, &text.to_str()?, &by.to_str()?, most).map_err(raise)
        },
    )?;
    let escape = named_function(lua, c"snaphook.regex.escape", |_, text: LuaString| {
        Ok(regex::escape(&text.to_str()?))
    })?;
    let functions = [matches, find, find_all, replace, escape].map(Value::Function);
    members(lua, "snaphook.regex", NAMES.into_iter().zip(functions))
}

/// The metatables of a match and of its list of groups, which is `[]` in JSON when it is empty.
#[derive(Clone)]
struct MatchMetatables {
    fields: Table,
    array: Table,
}

/// `{text, groups, names}`; a group that took no part is `false`, so that the list has no gaps.
fn to_lua(lua: &Lua, found: Match, metatables: &MatchMetatables) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("text", found.text)?;
    let groups = lua.create_table()?;
    for group in found.groups {
        match group {
            Some(text) => groups.raw_push(text)?,
            None => groups.raw_push(false)?,
        }
    }
    groups.set_metatable(Some(metatables.array.clone()))?;
    table.raw_set("groups", groups)?;
    table.raw_set("names", lua.create_table_from(found.names)?)?;
    table.set_metatable(Some(metatables.fields.clone()))?;
    Ok(table)
}
