//! `snaphook.http.get(url, {headers, timeout})` and `snaphook.http.post(url, body, {headers, timeout})`.

use std::sync::Arc;

use mlua::{Lua, LuaString, Table, Value};
use snaphook_core::{HttpResponse, ServiceTask};
use snaphook_script::http::{self, RESPONSE_FIELDS, RESPONSE_NAME};

use crate::bindings::{BindingContext, members, record};
use crate::ffi::named_function;
use crate::raise::raise;
use crate::vm_context::{VmContext, begin};

/// The members of the module.
pub(super) const NAMES: [&str; 2] = ["get", "post"];

/// Makes the module.
pub(crate) fn module(lua: &Lua, context: &BindingContext) -> mlua::Result<Table> {
    let vm = Arc::clone(&context.vm);
    let get =
        named_function(lua, c"snaphook.http.get", move |lua, (url, options): (LuaString, Option<Table>)| {
            ask(lua, &vm, "snaphook.http.get", &url, None, options)
        })?;
    let vm = Arc::clone(&context.vm);
    let post = named_function(
        lua,
        c"snaphook.http.post",
        move |lua, (url, body, options): (LuaString, LuaString, Option<Table>)| {
            ask(lua, &vm, "snaphook.http.post", &url, Some(body.to_str()?.to_owned()), options)
        },
    )?;
    let functions = [get, post].map(|start| context.waiting.call(start).map(Value::Function));
    let [get, post] = functions;
    members(lua, "snaphook.http", NAMES.into_iter().zip([get?, post?]))
}

fn ask(
    lua: &Lua,
    vm: &VmContext,
    function: &str,
    url: &LuaString,
    body: Option<String>,
    options: Option<Table>,
) -> mlua::Result<u64> {
    let options = options.map(|options| vm.to_json(lua, &Value::Table(options)));
    let options = options.transpose().map_err(raise)?;
    let request = http::request(function, url.to_str()?.to_owned(), body, options).map_err(raise)?;
    let run = vm.run_for("snaphook.http")?;
    begin(&run, vm.services.begin(&vm.hook, &run.call, ServiceTask::Http(request)))
}

/// The table of an answer.
pub(crate) fn response(lua: &Lua, response: HttpResponse) -> mlua::Result<Table> {
    let HttpResponse { status, headers, body, url } = response;
    let table = lua.create_table()?;
    table.raw_set("status", status)?;
    table.raw_set("headers", lua.create_table_from(headers)?)?;
    table.raw_set("body", body)?;
    table.raw_set("url", url)?;
    table.set_metatable(Some(record(lua, RESPONSE_NAME, RESPONSE_FIELDS)?))?;
    Ok(table)
}
