//! `snaphook.fs`: files, as far as they are granted. Also while a script loads.

use std::ffi::CStr;
use std::sync::Arc;

use mlua::{Function, Lua, LuaString, Table, Value};
use snaphook_core::{FileOperation, FileReply, FileRequest};

use crate::bindings::{members, record, sequence};
use crate::ffi::named_function;
use crate::raise::raise;
use crate::vm_context::VmContext;

/// The members of the module.
pub(super) const NAMES: [&str; 8] =
    ["read", "exists", "stat", "list", "write", "append", "remove", "make_dir"];
/// The fields of [`FileStat`](snaphook_core::FileStat).
pub(super) const STAT: &[&str] = &["kind", "size", "modified"];

/// The metatables of what `stat` gives, and of a list, which is `[]` in JSON when it is empty.
#[derive(Clone)]
struct StatMetatables {
    stat: Table,
    array: Table,
}

/// Makes the module.
pub(crate) fn module(lua: &Lua, vm: &Arc<VmContext>) -> mlua::Result<Table> {
    let stat_fields = record(lua, "what snaphook.fs.stat gives", STAT)?;
    let metatables = StatMetatables { stat: stat_fields, array: vm.array.clone() };
    let of_path = |name: &'static CStr,
                   operation: FileOperation,
                   to_lua: fn(&Lua, FileReply, &StatMetatables) -> mlua::Result<Value>| {
        let (vm, metatables) = (Arc::clone(vm), metatables.clone());
        named_function(lua, name, move |lua, path: LuaString| {
            to_lua(lua, ask(&vm, &path, operation.clone())?, &metatables)
        })
    };
    let nothing = |_: &Lua, _: FileReply, _: &StatMetatables| Ok(Value::Nil);
    let with_text = |name: &'static CStr, operation: fn(String) -> FileOperation| -> mlua::Result<Function> {
        let vm = Arc::clone(vm);
        named_function(lua, name, move |_, (path, text): (LuaString, LuaString)| {
            let text = text.to_str().map_err(|_| raise("snaphook.fs writes text, and this is not UTF-8"))?;
            ask(&vm, &path, operation(text.to_owned())).map(|_| ())
        })
    };
    let functions = [
        of_path(c"snaphook.fs.read", FileOperation::Read, |lua, reply, _| match reply {
            FileReply::Text(text) => lua.create_string(text).map(Value::String),
            _ => Ok(Value::Nil),
        })?,
        of_path(c"snaphook.fs.exists", FileOperation::Stat, |_, reply, _| {
            Ok(Value::Boolean(matches!(reply, FileReply::Stat(Some(_)))))
        })?,
        of_path(c"snaphook.fs.stat", FileOperation::Stat, stat)?,
        of_path(c"snaphook.fs.list", FileOperation::List, names)?,
        with_text(c"snaphook.fs.write", FileOperation::Write)?,
        with_text(c"snaphook.fs.append", FileOperation::Append)?,
        of_path(c"snaphook.fs.remove", FileOperation::Remove, nothing)?,
        of_path(c"snaphook.fs.make_dir", FileOperation::MakeDir, nothing)?,
    ];
    members(lua, "snaphook.fs", NAMES.into_iter().zip(functions.map(Value::Function)))
}

fn ask(vm: &VmContext, path: &LuaString, operation: FileOperation) -> mlua::Result<FileReply> {
    let path =
        path.to_str().map_err(|_| raise("snaphook.fs takes paths that are text, and this is not UTF-8"))?;
    let request = FileRequest { path: path.to_owned(), operation };
    vm.services.file(&vm.hook, vm.call().as_ref(), request).map_err(raise)
}

fn names(lua: &Lua, reply: FileReply, metatables: &StatMetatables) -> mlua::Result<Value> {
    let FileReply::Names(names) = reply else { return Ok(Value::Nil) };
    let table = sequence(lua, names.into_iter().map(Ok))?;
    table.set_metatable(Some(metatables.array.clone()))?;
    Ok(Value::Table(table))
}

fn stat(lua: &Lua, reply: FileReply, metatables: &StatMetatables) -> mlua::Result<Value> {
    let FileReply::Stat(Some(stat)) = reply else { return Ok(Value::Nil) };
    let table = lua.create_table()?;
    table.raw_set("kind", stat.kind)?;
    table.raw_set("size", stat.size)?;
    table.raw_set("modified", stat.modified)?;
    table.set_metatable(Some(metatables.stat.clone()))?;
    Ok(Value::Table(table))
}
