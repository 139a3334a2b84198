//! The mark on metatables that the host makes, for objects and records that scripts get. Scripts cannot reach those metatables
//! (`__metatable` hides them) and cannot make the mark, which is an address in the host.

use std::ffi::c_void;

use mlua::{LightUserData, Lua, Table, Value};

static MARK: u8 = 0;

fn mark() -> Value {
    let address: *const u8 = &raw const MARK;
    Value::LightUserData(LightUserData(address.cast_mut().cast::<c_void>()))
}

/// A new metatable with the mark, which scripts cannot reach.
///
/// # Errors
/// No memory.
pub(crate) fn metatable(lua: &Lua) -> mlua::Result<Table> {
    let metatable = lua.create_table_with_capacity(0, 3)?;
    metatable.raw_set("__metatable", "locked")?;
    metatable.raw_set(mark(), true)?;
    Ok(metatable)
}

/// Returns whether a metatable is one of those.
pub(crate) fn is_marked(metatable: &Table) -> bool {
    metatable.raw_get::<bool>(mark()).unwrap_or_default()
}
