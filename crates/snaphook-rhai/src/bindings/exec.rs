//! `ctx.exec(program, args, #{timeout, cwd, env, stdin})`: a process without a shell.

use std::collections::BTreeMap;
use std::time::Duration;

use rhai::{Dynamic, Module};
use serde_json::Value as Json;
use snaphook_core::{ExecOutput, ExecRequest, Notation, ServiceError, nearest};
use snaphook_script::exec;

use crate::bindings::{Args, args, getter, indexer, no_such, setter};
use crate::bridge::{Raised, Reply, host, raise, running};
use crate::meter::Foreign;

const OPTIONS: &[&str] = &["timeout", "cwd", "env", "stdin"];
const FIELDS: &[&str] = &["stdout", "stderr", "code", "signal", "timed_out", "truncated"];

/// Runs the process; gives its [`Output`].
pub(crate) fn run(args: &mut Args<'_>) -> Result<Dynamic, Raised> {
    let program = args::at("ctx.exec", 1, args)?;
    let (bridge, run) = running()?;
    let given = |at: usize| args.get(at).map(|value| &**value).filter(|value| !value.is_unit());
    let list = given(2).map(|value| bridge.to_json(value)).transpose()?.and_then(Foreign::take);
    let options = given(3).map(|value| bridge.to_json(value)).transpose()?.and_then(Foreign::take);
    let request = host(|| {
        let mut request = ExecRequest { program: program.to_string(), ..ExecRequest::default() };
        if let Some(list) = list {
            request.args = arguments(&list)?;
        }
        if let Some(options) = options {
            read(options, &mut request)?;
        }
        Ok(request)
    })?;
    let reply = run.wait(|| {
        let (program, has_arguments) = (request.program.clone(), !request.args.is_empty());
        let work = bridge.services.exec(&bridge.hook, &run.call, request);
        Box::pin(async move {
            let told = |error: ServiceError| {
                ServiceError(exec::failure(&program, has_arguments, &error.0, Notation::Rhai))
            };
            work.await.map(Reply::Process).map_err(told)
        })
    })?;
    match reply.get() {
        Some(Reply::Process(output)) => Ok(Dynamic::from(Output::new(output))),
        _ => Err(raise("the process came to nothing")),
    }
}

fn arguments(json: &Json) -> Result<Vec<String>, String> {
    let wrong = || "the arguments of ctx.exec are a list of texts, like [\"status\", \"--short\"]".to_owned();
    match json {
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

fn read(json: Json, request: &mut ExecRequest) -> Result<(), String> {
    let Json::Object(map) = json else {
        return Err("the options of ctx.exec are a map".to_owned());
    };
    for (key, value) in map {
        let wrong = |kind: &str| format!("the option `{key}` of ctx.exec is {kind}, not {value}");
        match key.as_str() {
            "timeout" => {
                let seconds = value.as_f64().filter(|seconds| *seconds > 0.0);
                let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                request.timeout = Some(timeout.ok_or_else(|| wrong("a number of seconds above 0"))?);
            }
            "cwd" => request.cwd = Some(value.as_str().ok_or_else(|| wrong("a path"))?.into()),
            "stdin" => request.stdin = Some(value.as_str().ok_or_else(|| wrong("text"))?.to_owned()),
            "env" => {
                let wrong = || wrong("a map of texts");
                let map = value.as_object().ok_or_else(wrong)?;
                let pairs = map.iter().map(|(name, value)| Some((name.clone(), word(value)?)));
                request.env = pairs.collect::<Option<BTreeMap<_, _>>>().ok_or_else(wrong)?;
            }
            other => {
                let hint = nearest(other, OPTIONS.iter().copied());
                let hint = hint.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
                return Err(format!("ctx.exec has no option `{other}`{hint}"));
            }
        }
    }
    Ok(())
}

/// The way a process ended, as a script sees it. A misspelt field is an error: `()` would look like "was not killed".
#[derive(Clone)]
pub(crate) struct Output(rhai::Map);

impl Output {
    fn new(output: &ExecOutput) -> Self {
        let number = |number: Option<i32>| number.map_or(Dynamic::UNIT, |number| i64::from(number).into());
        let values: [Dynamic; 6] = [
            output.stdout.as_str().into(),
            output.stderr.as_str().into(),
            number(output.code),
            number(output.signal),
            output.timed_out.into(),
            output.truncated.into(),
        ];
        Output(FIELDS.iter().map(|name| (*name).into()).zip(values).collect())
    }

    fn get(&mut self, name: &str) -> Result<Dynamic, Raised> {
        self.0.get(name).cloned().ok_or_else(|| no_such("the result of ctx.exec", name, FIELDS))
    }
}

/// The result as a map, for whoever wants JSON.
pub(crate) fn plain(value: &Dynamic) -> Option<Dynamic> {
    value.read_lock::<Output>().map(|output| output.0.clone().into())
}

/// Puts the type of the result into the module of globals.
pub(crate) fn register(globals: &mut Module) {
    globals.set_custom_type::<Output>("exec_result");
    for name in FIELDS {
        getter::<Output>(globals, name, Output::get);
    }
    indexer::<Output>(globals, Output::get);
    // `out.stdout.trim()` changes the text and sets it again.
    setter::<Output>(globals, |this, name, value| {
        let _known = this.get(name)?;
        this.0.insert(name.into(), value);
        Ok(())
    });
}
