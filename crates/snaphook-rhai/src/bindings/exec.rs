//! `ctx.exec(program, args, #{timeout, cwd, env, stdin})`: a process without a shell.

use rhai::{Dynamic, Module};
use snaphook_core::{ExecOutput, Notation, ServiceError};
use snaphook_script::exec;

use crate::bindings::{Args, args, getter, indexer, no_such, setter};
use crate::bridge::{Raised, Reply, host, raise, running};
use crate::meter::Foreign;

const FIELDS: &[&str] = &["stdout", "stderr", "code", "signal", "timed_out", "truncated"];

/// Runs the process; gives its [`Output`].
pub(crate) fn run(args: &mut Args<'_>) -> Result<Dynamic, Raised> {
    let program = args::at("ctx.exec", 1, args)?;
    let (bridge, run) = running()?;
    let given = |at: usize| args.get(at).map(|value| &**value).filter(|value| !value.is_unit());
    let list = given(2).map(|value| bridge.to_json(value)).transpose()?.and_then(Foreign::take);
    let options = given(3).map(|value| bridge.to_json(value)).transpose()?.and_then(Foreign::take);
    let request = host(|| exec::request(program.to_string(), list, options, Notation::Rhai))?;
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
