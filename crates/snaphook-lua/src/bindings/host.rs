//! The host functions that the prelude needs, also for the one function that waits.

use std::sync::Arc;
use std::task::Poll;

use mlua::{Function, Lua, LuaString, Table, Value};
use snaphook_core::{ExecOutput, Level, ServiceError, ServiceReply};
use snaphook_script::exec::{RESULT_FIELDS, RESULT_NAME};

use crate::bindings::{http, record};
use crate::compile::run_prelude;
use crate::error;
use crate::ffi;
use crate::ffi::host_function;
use crate::hints;
use crate::lazy;
use crate::raise::raise;
use crate::vm_context::VmContext;

/// Runs the prelude; gives the function that makes waiting functions, and the one that calls handlers.
pub(crate) fn install(
    lua: &Lua,
    vm: &Arc<VmContext>,
    lazy_mark: Table,
) -> mlua::Result<(Function, Function)> {
    let host = lua.create_table()?;
    host.raw_set("pending", Value::LightUserData(Lua::poll_pending()))?;
    host.raw_set("lazy", lazy_mark)?;
    host.raw_set("find_plain", host_function(lua, find_plain)?)?;

    let for_memory = Arc::clone(vm);
    host.raw_set(
        "out_of_memory",
        host_function(lua, move |_, ()| {
            for_memory.note_out_of_memory();
            Ok(())
        })?,
    )?;
    let for_fill = Arc::clone(vm);
    host.raw_set(
        "fill",
        host_function(lua, move |lua, table: Table| lazy::fill(lua, &table, for_fill.metas))?,
    )?;
    let for_log = Arc::clone(vm);
    host.raw_set(
        "log",
        host_function(lua, move |lua, text: LuaString| for_log.log(lua, "print", Level::Info, &text))?,
    )?;

    host.raw_set("error_text", host_function(lua, |_, error: Value| Ok(error_text(&error)))?)?;

    host.raw_set("absent", host_function(lua, |_, name: LuaString| Ok(absent(&name.to_string_lossy())))?)?;

    // Whether the work behind a ticket is done, and what it came to. The prelude yields until it is.
    let for_collect = Arc::clone(vm);
    let collect = host_function(lua, move |lua, ticket: u64| match for_collect.run()?.collect(ticket) {
        Poll::Pending => Ok((false, Value::Nil)),
        Poll::Ready(reply) => Ok((true, to_lua(lua, &for_collect, reply.map_err(raise)?)?)),
    })?;
    host.raw_set("collect", collect)?;
    host.raw_set("guard_find", host_function(lua, guard_find)?)?;
    host.raw_set("limit_memory", ffi::limiter(lua)?)?;
    run_prelude(lua, host)
}

/// The message about a variable that is not there, or about a member of a library that hooks do not have.
fn absent(name: &str) -> String {
    let advice = hints::absent(name);
    match advice {
        Some(advice) if name.contains('.') => format!("{name} is not available to hooks: {advice}"),
        Some(advice) => format!("there is no variable \"{name}\" here: {advice}"),
        None => format!("there is no variable \"{name}\" here"),
    }
}

fn guard_find(lua: &Lua, (original, careful): (Function, Function)) -> mlua::Result<Function> {
    ffi::guard_find(lua, &original, &careful)
}

/// Returns what a script that catches a host function's error gets: text like that of its own errors.
fn error_text(error: &Value) -> String {
    let Value::Error(error) = error else { return "an error of the host".to_owned() };
    let error = error::read(error);
    match error.location {
        _ if error.is_memory => "not enough memory".to_owned(),
        Some(place) => format!("{place}: {}", error.message),
        None => error.message,
    }
}

fn to_lua(lua: &Lua, vm: &VmContext, reply: ServiceReply) -> mlua::Result<Value> {
    Ok(match reply {
        ServiceReply::Done | ServiceReply::Text(None) => Value::Nil,
        ServiceReply::Flag(flag) => Value::Boolean(flag),
        ServiceReply::Seconds(seconds) => Value::Number(seconds),
        ServiceReply::Text(Some(text)) => Value::String(lua.create_string(text)?),
        ServiceReply::Value(value) => vm.to_lua(lua, &value)?,
        ServiceReply::Web(response) => Value::Table(http::response(lua, response)?),
        ServiceReply::Process(output) => Value::Table(process(lua, output)?),
        ServiceReply::File(_) | ServiceReply::Ui(_) => return Err(raise(ServiceError::other_reply())),
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
    table.set_metatable(Some(record(lua, RESULT_NAME, RESULT_FIELDS)?))?;
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
