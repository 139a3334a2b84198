//! `ctx.ui`: asking and telling the person. Where nobody can be asked, questions get no answer and
//! notices go to the log (law 6).

use std::ffi::CStr;

use mlua::{Lua, LuaString, Table, Value};
use snaphook_core::{Notice, UiRequest};
use snaphook_script::ui;

use crate::bindings::ctx::level_of;
use crate::bindings::{BindingContext, members};
use crate::ffi::named_function;
use crate::raise::raise;
use crate::vm_context::begin;

/// The members of the object.
pub(super) const NAMES: [&str; 6] = ["select", "confirm", "input", "editor", "notify", "set_status"];

/// Makes the object.
pub(crate) fn module(lua: &Lua, context: &BindingContext) -> mlua::Result<Table> {
    let confirm =
        ask(lua, context, c"ctx.ui.confirm", |(title, message): (LuaString, Option<LuaString>)| {
            Ok(UiRequest::Confirm { title: text(&title)?, message: message.as_ref().map(text).transpose()? })
        })?;
    let select = ask(lua, context, c"ctx.ui.select", |(title, options): (LuaString, Vec<String>)| {
        if options.is_empty() {
            return Err(raise("ctx.ui.select needs at least one option"));
        }
        Ok(UiRequest::Select { title: text(&title)?, options })
    })?;
    let input = ask(lua, context, c"ctx.ui.input", |(title, initial): (LuaString, Option<LuaString>)| {
        Ok(UiRequest::Input { title: text(&title)?, initial: initial.as_ref().map(text).transpose()? })
    })?;
    let editor = ask(lua, context, c"ctx.ui.editor", |(title, initial): (LuaString, Option<LuaString>)| {
        Ok(UiRequest::Editor { title: text(&title)?, initial: initial.as_ref().map(text).transpose()? })
    })?;
    let vm = context.vm.clone();
    let notify = named_function(
        lua,
        c"ctx.ui.notify",
        move |lua, (message, level): (LuaString, Option<LuaString>)| {
            let level = level_of(level.as_ref())?;
            vm.count_text(lua, "ctx.ui.notify", message.as_bytes().len())?;
            vm.services.notify(&vm.hook, Notice::Message { text: text(&message)?, level });
            Ok(())
        },
    )?;
    let vm = context.vm.clone();
    let set_status = named_function(
        lua,
        c"ctx.ui.set_status",
        move |lua, (key, line): (LuaString, Option<LuaString>)| {
            let bytes = key.as_bytes().len() + line.as_ref().map_or(0, |line| line.as_bytes().len());
            vm.count_text(lua, "ctx.ui.set_status", bytes)?;
            let line = line.as_ref().map(text).transpose()?;
            vm.services.notify(&vm.hook, Notice::Status { key: text(&key)?, text: line });
            Ok(())
        },
    )?;
    let functions = [select, confirm, input, editor, Value::Function(notify), Value::Function(set_status)];
    members(lua, "ctx.ui", NAMES.into_iter().zip(functions))
}

fn text(value: &LuaString) -> mlua::Result<String> {
    Ok(value.to_str()?.to_owned())
}

fn ask<A: mlua::FromLuaMulti + 'static>(
    lua: &Lua,
    context: &BindingContext,
    name: &'static CStr,
    read: fn(A) -> mlua::Result<UiRequest>,
) -> mlua::Result<Value> {
    let vm = context.vm.clone();
    let what = name.to_str().unwrap_or_default();
    let start = named_function(lua, name, move |lua, args: A| {
        let request = read(args)?;
        vm.count_text(lua, what, request.text_len())?;
        let run = vm.run()?;
        begin(&run, ui::ask(&*vm.services, &vm.hook, &run.call, request))
    })?;
    context.waiting.call(start)
}
