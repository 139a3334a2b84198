//! `ctx.exec(program, args, #{timeout, cwd, env, stdin})`: a process without a shell.

use rhai::{Dynamic, Map, Module};
use snaphook_core::{ExecOutput, Notation, ServiceError, ServiceReply};
use snaphook_script::exec::{self, RESULT_FIELDS, RESULT_NAME};

use crate::bindings::record::{self, Fields};
use crate::bindings::{Args, args};
use crate::meter::Foreign;
use crate::raise::{Raised, host, raise};
use crate::vm_context::{running, wait};

/// Runs the process; gives its [`Output`].
pub(crate) fn run(args: &mut Args<'_>) -> Result<Dynamic, Raised> {
    let program = args::at("ctx.exec", 1, args)?;
    let (vm, run) = running()?;
    let given = |at: usize| args.get(at).map(|value| &**value).filter(|value| !value.is_unit());
    let list = given(2).map(|value| vm.to_json(value)).transpose()?.and_then(Foreign::take);
    let options = given(3).map(|value| vm.to_json(value)).transpose()?.and_then(Foreign::take);
    let request = host(|| exec::request(program.to_string(), list, options, Notation::Rhai))?;
    let reply = wait(&run, || exec::run(&*vm.services, &vm.hook, &run.call, request, Notation::Rhai))?;
    match reply.get() {
        Some(ServiceReply::Process(output)) => Ok(Dynamic::from(Output::new(output))),
        _ => Err(raise(ServiceError::other_reply())),
    }
}

/// The way a process ended, as a script sees it. A misspelt field is an error: `()` would look like "was not killed".
#[derive(Clone)]
pub(crate) struct Output(Map);

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
        Output(record::fields::<Self>(values))
    }
}

impl Fields for Output {
    const NAME: &'static str = RESULT_NAME;
    const TYPE: &'static str = "exec_result";
    const NAMES: &'static [&'static str] = RESULT_FIELDS;

    fn map(&mut self) -> &mut Map {
        &mut self.0
    }
}

/// The result as a map, for its JSON form.
pub(crate) fn plain(value: &Dynamic) -> Option<Dynamic> {
    value.read_lock::<Output>().map(|output| output.0.clone().into())
}

/// Puts the type of the result into the module of globals.
pub(crate) fn register(globals: &mut Module) {
    record::register_fields::<Output>(globals);
}
