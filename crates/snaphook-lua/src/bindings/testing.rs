//! `test`, `t` and `expect`: what scripts of tests have. The members of the last two are core's lists.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mlua::{Function, Lua, LuaString, MultiValue, Table, Value};
use serde_json::Value as Json;
use snaphook_core::Location;
use snaphook_core::testing::{EXPECT_MEMBERS, T_MEMBERS};
use snaphook_script::testing::Registered;

use crate::bindings::members;
use crate::ffi::host_function;
use crate::raise::raise;
use crate::vm_context::{Tests, VmContext};

/// Installs `test` and `expect`.
pub(crate) fn install(lua: &Lua, vm: &Arc<VmContext>, tests: &Arc<Tests>) -> mlua::Result<()> {
    let globals = lua.globals();
    let registered = Arc::clone(tests);
    let register = host_function(lua, move |lua, (name, function): (Value, Value)| {
        let usage = "use test(\"what it does\", function(t) … end)";
        let Value::String(name) = name else {
            return Err(raise(format!("the first argument of test() is its name; {usage}")));
        };
        let Value::Function(function) = function else {
            return Err(raise(format!("the second argument of test() is a function; {usage}")));
        };
        let name = name.to_str()?.trim().to_owned();
        if name.is_empty() {
            return Err(raise(format!("the name of a test is empty; {usage}")));
        }
        registered.add(Registered { name, location: caller(lua), function }).map_err(raise)
    })?;
    globals.raw_set("test", register)?;
    let (vm, tests) = (Arc::clone(vm), Arc::clone(tests));
    let expect = host_function(lua, move |lua, subject: Value| {
        let subject = vm.to_json(lua, &subject).map_err(|text| raise(format!("expect(…): {text}")))?;
        expectations(lua, &vm, &tests, subject)
    })?;
    globals.raw_set("expect", expect)
}

/// Returns where the script is that calls us: level 0 is the host's function, 1 the wrapper around it.
fn caller(lua: &Lua) -> Location {
    let place = lua.inspect_stack(2, |frame| {
        let line = frame.current_line().and_then(|line| u32::try_from(line).ok());
        (frame.source().source.map(|source| source.into_owned()), line)
    });
    let (source, line) = place.unwrap_or_default();
    let chunk = source.unwrap_or_default();
    Location { file: PathBuf::from(chunk.trim_start_matches(['@', '='])), line }
}

fn expectations(lua: &Lua, vm: &Arc<VmContext>, tests: &Arc<Tests>, subject: Json) -> mlua::Result<Table> {
    let subject = Arc::new(subject);
    let function = |name: &'static str| {
        let (vm, tests, subject) = (Arc::clone(vm), Arc::clone(tests), Arc::clone(&subject));
        host_function(lua, move |lua, arguments: MultiValue| {
            let arguments = read(lua, &vm, "expect(…)", name, arguments)?;
            let check = || tests.bench.expect(&subject, name, arguments);
            match tests.clock.get() {
                Some(stopwatch) => stopwatch.pause(check),
                None => check(),
            }
            .map_err(mlua::Error::external)
        })
    };
    list(lua, "expect(…)", EXPECT_MEMBERS, function)
}

/// Makes the `t` of one test, which is of no use after it.
pub(crate) fn object(
    lua: &Lua,
    vm: &Arc<VmContext>,
    tests: &Arc<Tests>,
    live: &Arc<AtomicBool>,
) -> mlua::Result<Table> {
    let function = |name: &'static str| {
        let (vm, tests, live) = (Arc::clone(vm), Arc::clone(tests), Arc::clone(live));
        host_function(lua, move |lua, arguments: MultiValue| {
            if !live.load(Ordering::Relaxed) {
                return Err(raise(format!("t.{name}: the test that this t belongs to has ended")));
            }
            let arguments = read(lua, &vm, "t", name, arguments)?;
            let call = || tests.bench.call(name, arguments);
            let value = match tests.clock.get() {
                Some(stopwatch) => stopwatch.pause(call),
                None => call(),
            };
            vm.to_lua(lua, &value.map_err(mlua::Error::external)?)
        })
    };
    list(lua, "t", T_MEMBERS, function)
}

fn list(
    lua: &Lua,
    object: &'static str,
    names: &'static [&'static str],
    function: impl Fn(&'static str) -> mlua::Result<Function>,
) -> mlua::Result<Table> {
    let functions = names.iter().map(|name| Ok((*name, Value::Function(function(name)?))));
    members(lua, object, functions.collect::<mlua::Result<Vec<_>>>()?)
}

fn read(
    lua: &Lua,
    vm: &VmContext,
    object: &str,
    name: &str,
    arguments: MultiValue,
) -> mlua::Result<Vec<Json>> {
    let own = |value: &Value| value.as_table().is_some_and(|table| is_own(table, name));
    if arguments.front().is_some_and(own) {
        return Err(raise(format!("call {object}.{name} with a dot, not a colon")));
    }
    let one =
        |value: &Value| vm.to_json(lua, value).map_err(|text| raise(format!("{object}.{name}: {text}")));
    arguments.iter().map(one).collect()
}

/// Returns whether a table is the object itself, which a call with a colon passes.
fn is_own(table: &Table, name: &str) -> bool {
    let locked = table.metatable().and_then(|meta| meta.raw_get::<Option<LuaString>>("__metatable").ok());
    locked.flatten().is_some_and(|text| text == "locked")
        && matches!(table.raw_get::<Value>(name), Ok(Value::Function(_)))
}
