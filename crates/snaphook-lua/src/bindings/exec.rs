//! `ctx.exec(program, args, {timeout, cwd, env, stdin})`: a process without a shell.

use mlua::{Function, Lua, LuaString, Table, Value};
use snaphook_core::Notation;
use snaphook_script::exec;

use crate::bindings::BindingContext;
use crate::ffi::named_function;
use crate::raise::raise;
use crate::vm_context::begin;

/// Makes the function.
pub(crate) fn function(lua: &Lua, context: &BindingContext) -> mlua::Result<Function> {
    let vm = context.vm.clone();
    let start = named_function(
        lua,
        c"ctx.exec",
        move |lua, (program, args, options): (LuaString, Option<Table>, Option<Table>)| {
            let json = |table: Table| vm.to_json(lua, &Value::Table(table)).map_err(raise);
            let (args, options) = (args.map(json).transpose()?, options.map(json).transpose()?);
            let request =
                exec::request(program.to_str()?.to_owned(), args, options, Notation::Lua).map_err(raise)?;
            let run = vm.run()?;
            begin(&run, exec::run(&*vm.services, &vm.hook, &run.call, request, Notation::Lua))
        },
    )?;
    context.waiting.call(start)
}
