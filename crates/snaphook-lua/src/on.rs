//! `on(event, handler)` and `on(event, matcher, handler)`: the arguments of the call. Not here: what is registered
//! (`snaphook_script::kit`).

use std::sync::Arc;

use mlua::{Function, Lua, Value};
use snaphook_core::EventName;
use snaphook_script::kit::OnError;

use crate::ffi::{self, host_function};
use crate::raise::raise;
use crate::vm_context::{Registrations, VmContext};

/// The global `on`.
pub(crate) fn function(
    lua: &Lua,
    vm: &Arc<VmContext>,
    registrations: &Arc<Registrations>,
) -> mlua::Result<Function> {
    let (vm, registrations) = (Arc::clone(vm), Arc::clone(registrations));
    host_function(lua, move |lua, (a, b, c, d): (Value, Value, Value, Value)| {
        add(&registrations, &vm, lua, [a, b, c, d])
    })
}

fn add(registrations: &Registrations, vm: &VmContext, lua: &Lua, args: [Value; 4]) -> mlua::Result<()> {
    registrations.check_open().map_err(raise)?;
    // What was not given is nil at the end.
    let given = args.iter().rposition(|value| !value.is_nil()).map_or(0, |last| last + 1);
    let mut args: Vec<Value> = args.into_iter().take(given).collect();
    let Some(Value::Function(function)) = args.pop() else { return Err(raise(OnError::NoFunction)) };
    if args.is_empty() || args.len() > 2 {
        return Err(raise(OnError::Arguments));
    }
    let Value::String(name) = args.remove(0) else { return Err(raise(OnError::NoName)) };
    let event = EventName::parse(&name.to_str()?).map_err(raise)?;
    let matcher = args.pop().map(|value| vm.to_json(lua, &value)).transpose().map_err(raise)?;
    let (source, line) = place(lua, &function);
    let handler = registrations.prepare(event, matcher, source.as_deref(), line).map_err(raise)?;
    registrations.add(handler, ffi::pin(lua, function)?).map_err(raise)
}

/// The file and the line of a function.
fn place(lua: &Lua, function: &Function) -> (Option<String>, Option<u32>) {
    let info = function.info();
    // A function of the host or of Luau (`on("shutdown", print)`) has no location; the call of `on` has. Level 0 is
    // this function, 1 the wrapper around it, 2 the script.
    let (source, line) = match info.source.filter(|source| !source.starts_with('=')) {
        Some(source) => (Some(source), info.line_defined),
        None => lua
            .inspect_stack(2, |frame| {
                let source = frame.source().source.map(|source| source.into_owned());
                (source, frame.current_line())
            })
            .unwrap_or_default(),
    };
    let source = source.map(|source| source.trim_start_matches('@').to_owned());
    (source, line.and_then(|line| u32::try_from(line).ok()))
}
