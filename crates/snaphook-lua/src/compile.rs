//! Compiles a text to a function; runs functions within the memory limit. Not here: which ones run (`vm`,
//! `bindings/require`).

use mlua::chunk::ChunkMode;
use mlua::{Function, Lua, Table};

use crate::coverage;
use crate::ffi::MemoryLimit;

/// Compiles a text chunk. Bytecode from a script is never accepted: corrupt bytecode can crash the process.
pub(crate) fn compile(lua: &Lua, source: &str, name: &str) -> mlua::Result<Function> {
    let function = lua.load(source).set_name(format!("@{name}")).set_mode(ChunkMode::Text).into_function()?;
    coverage::note(lua, name, &function);
    Ok(function)
}

/// Runs the prelude.
pub(crate) fn run_prelude(lua: &Lua, host: Table) -> mlua::Result<(Function, Function)> {
    // Bytecode can do anything to the process: this was made by the compiler of this very VM (`build.rs`), from our own text.
    const BYTECODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/prelude.bytecode"));
    lua.load(BYTECODE).set_name("=snaphook").set_mode(ChunkMode::Binary).call(host)
}

/// Runs a script's code from the host's.
pub(crate) fn limited<T>(lua: &Lua, work: impl FnOnce() -> mlua::Result<T>) -> mlua::Result<T> {
    let limit = lua.app_data_ref::<MemoryLimit>().map_or(0, |limit| limit.0);
    lua.set_memory_limit(limit)?;
    let done = work();
    lua.set_memory_limit(0)?;
    done
}
