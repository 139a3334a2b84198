//! What the prelude needs from the host, and the one function that waits.

use std::future::poll_fn;
use std::sync::Arc;

use mlua::{Function, Lua, LuaString, Table, Value};
use snaphook_core::{ExecOutput, Level};

use crate::bindings::{raise, record};
use crate::bridge::{Bridge, Reply};
use crate::error::ScriptError;
use crate::lazy;
use crate::vm::run_prelude;

/// Runs the prelude; gives the function that makes waiting functions.
pub(crate) fn install(lua: &Lua, bridge: &Arc<Bridge>) -> mlua::Result<Function> {
    let host = lua.create_table()?;
    host.raw_set("pending", Value::LightUserData(Lua::poll_pending()))?;
    host.raw_set("lazy", lua.named_registry_value::<Table>("snaphook.lazy")?)?;
    host.raw_set("find_plain", lua.create_function(find_plain)?)?;

    let for_memory = Arc::clone(bridge);
    host.raw_set(
        "out_of_memory",
        lua.create_function(move |_, ()| {
            for_memory.note_out_of_memory();
            Ok(())
        })?,
    )?;
    let for_fill = Arc::clone(bridge);
    host.raw_set(
        "fill",
        lua.create_function(move |lua, table: Table| lazy::fill(lua, &table, for_fill.metas))?,
    )?;
    let for_log = Arc::clone(bridge);
    host.raw_set(
        "log",
        lua.create_function(move |_, text: LuaString| {
            for_log.log(Level::Info, &text);
            Ok(())
        })?,
    )?;

    host.raw_set("error_text", lua.create_function(|_, error: Value| Ok(error_text(&error)))?)?;

    let for_await = Arc::clone(bridge);
    let wait = lua.create_async_function(move |lua, ticket: u32| {
        let run = for_await.run();
        async move {
            let run = run?;
            let reply = poll_fn(|_| run.collect(ticket)).await.map_err(raise)?;
            to_lua(&lua, reply)
        }
    })?;
    host.raw_set("await", wait)?;
    run_prelude(lua, host)
}

/// What a script that catches a host function's error gets: text like that of its own errors.
fn error_text(error: &Value) -> String {
    let Value::Error(error) = error else { return "an error of the host".to_owned() };
    let error = ScriptError::read(error);
    match error.location {
        _ if error.is_memory => "not enough memory".to_owned(),
        Some(place) => format!("{place}: {}", error.message),
        None => error.message,
    }
}

fn to_lua(lua: &Lua, reply: Reply) -> mlua::Result<Value> {
    Ok(match reply {
        Reply::Nothing => Value::Nil,
        Reply::Flag(flag) => Value::Boolean(flag),
        Reply::Text(text) => Value::String(lua.create_string(text)?),
        Reply::Process(output) => Value::Table(process(lua, output)?),
    })
}

fn process(lua: &Lua, output: ExecOutput) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("stdout", output.stdout)?;
    table.raw_set("stderr", output.stderr)?;
    table.raw_set("code", output.code)?;
    table.raw_set("signal", output.signal)?;
    table.raw_set("timed_out", output.timed_out)?;
    table.raw_set("truncated", output.truncated)?;
    let fields = &["stdout", "stderr", "code", "signal", "timed_out", "truncated"];
    table.set_metatable(Some(record(lua, "the result of ctx.exec", fields)?))?;
    Ok(table)
}

/// `string.find` without patterns. Luau's own goes through the text in steps that cannot be stopped and that take the
/// product of both lengths; this one takes their sum.
fn find_plain(
    _: &Lua,
    (text, wanted, init): (LuaString, LuaString, Option<i64>),
) -> mlua::Result<(Option<usize>, Option<usize>)> {
    let (text, wanted) = (text.as_bytes(), wanted.as_bytes());
    let from = match init.unwrap_or(1) {
        0 => 0,
        init if init > 0 => usize::try_from(init - 1).unwrap_or(usize::MAX),
        init => text.len().saturating_sub(usize::try_from(init.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    let Some(rest) = text.get(from..) else { return Ok((None, None)) };
    let found = memchr::memmem::find(rest, &wanted);
    Ok(match found {
        Some(at) => (Some(from + at + 1), Some(from + at + wanted.len())),
        None => (None, None),
    })
}
