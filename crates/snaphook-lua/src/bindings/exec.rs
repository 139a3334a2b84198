//! `ctx.exec(program, args, {timeout, cwd, env, stdin})`: a process without a shell.

use std::collections::BTreeMap;
use std::time::Duration;

use mlua::{Function, Lua, LuaString, Table, Value};
use serde_json::Value as Json;
use snaphook_core::{ExecRequest, Notation, ServiceError, nearest};
use snaphook_script::exec;

use crate::bindings::{Parts, raise};
use crate::bridge::Reply;
use crate::raw::named_function;

const OPTIONS: &[&str] = &["timeout", "cwd", "env", "stdin"];

/// Makes the function.
pub(crate) fn function(lua: &Lua, parts: &Parts) -> mlua::Result<Function> {
    let bridge = parts.bridge.clone();
    let start = named_function(
        lua,
        c"ctx.exec",
        move |lua, (program, args, options): (LuaString, Option<Table>, Option<Table>)| {
            let mut request = ExecRequest { program: program.to_str()?.to_owned(), ..ExecRequest::default() };
            if let Some(args) = args {
                request.args = arguments(bridge.to_json(lua, &Value::Table(args)).map_err(raise)?)?;
            }
            if let Some(options) = options {
                read(bridge.to_json(lua, &Value::Table(options)).map_err(raise)?, &mut request)?;
            }
            let run = bridge.run()?;
            let (program, has_arguments) = (request.program.clone(), !request.args.is_empty());
            let work = bridge.services.exec(&bridge.hook, &run.call, request);
            run.begin(Box::pin(async move {
                let told = |error: ServiceError| {
                    ServiceError(exec::failure(&program, has_arguments, &error.0, Notation::Lua))
                };
                work.await.map(Reply::Process).map_err(told)
            }))
        },
    )?;
    parts.waiting.call(start)
}

fn arguments(json: Json) -> mlua::Result<Vec<String>> {
    let wrong = || raise("the arguments of ctx.exec are a list of texts, like { \"status\", \"--short\" }");
    match json {
        Json::Object(map) if map.is_empty() => Ok(Vec::new()),
        Json::Array(items) => items.iter().map(|item| word(item).ok_or_else(wrong)).collect(),
        _ => Err(wrong()),
    }
}

fn word(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn read(json: Json, request: &mut ExecRequest) -> mlua::Result<()> {
    let Json::Object(map) = json else {
        return Err(raise("the options of ctx.exec are a table with named fields"));
    };
    for (key, value) in map {
        let wrong = |kind: &str| raise(format!("the option `{key}` of ctx.exec is {kind}, not {value}"));
        match key.as_str() {
            "timeout" => {
                let seconds = value.as_f64().filter(|seconds| *seconds > 0.0);
                let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                request.timeout = Some(timeout.ok_or_else(|| wrong("a number of seconds above 0"))?);
            }
            "cwd" => request.cwd = Some(value.as_str().ok_or_else(|| wrong("a path"))?.into()),
            "stdin" => request.stdin = Some(value.as_str().ok_or_else(|| wrong("text"))?.to_owned()),
            "env" => {
                let wrong = || wrong("a table of texts");
                let map = value.as_object().ok_or_else(wrong)?;
                let pairs = map.iter().map(|(name, value)| Some((name.clone(), word(value)?)));
                request.env = pairs.collect::<Option<BTreeMap<_, _>>>().ok_or_else(wrong)?;
            }
            other => {
                let hint = nearest(other, OPTIONS.iter().copied());
                let hint = hint.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
                return Err(raise(format!("ctx.exec has no option `{other}`{hint}")));
            }
        }
    }
    Ok(())
}
