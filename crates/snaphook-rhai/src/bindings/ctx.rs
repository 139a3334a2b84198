//! `ctx`: the second argument of every handler. What belongs to a call is looked up when it is touched.

use rhai::{Dynamic, Module};
use serde_json::Value as Json;
use snaphook_core::{Deliver, Level, Notation, ServiceTask};
use snaphook_script::ctx::{self, CtxValue, LIVE_MEMBERS, names};

use crate::bindings::kv::KvObject;
use crate::bindings::ui::Ui;
use crate::bindings::{args, exec, getter, indexer, kv, method, missing, ui};
use crate::meter::{Foreign, outside};
use crate::raise::{Raised, host, raise};
use crate::vm_context::{VmContext, count_text, running, wait};

/// The object. It is empty: the script that runs on the thread has the state.
#[derive(Clone)]
pub(crate) struct Ctx;

/// Puts the type, and those of its parts, into the module of globals.
pub(crate) fn register(globals: &mut Module) {
    globals.set_custom_type::<Ctx>("ctx");
    for name in names() {
        getter::<Ctx>(globals, name, |_, name| member(name));
    }
    indexer::<Ctx>(globals, |_, name| member(name));
    method::<Ctx>(globals, "send", 1..=2, |args| {
        let text = args::at("ctx.send", 1, args)?;
        count_text("ctx.send", text.len())?;
        let (vm, _) = running()?;
        let deliver = deliver(&vm, args.get(2).map(|value| &**value))?;
        outside(|| vm.services.send(&vm.hook, text.to_string(), deliver));
        Ok(Dynamic::UNIT)
    });
    method::<Ctx>(globals, "emit", 1..=2, |args| {
        let name = args::at("ctx.emit", 1, args)?;
        emit(&name, args.get(2).map(|value| &**value))
    });
    method::<Ctx>(globals, "log", 1..=2, |args| {
        let text = args::at("ctx.log", 1, args)?;
        let level = level(args::optional("ctx.log", 2, args)?.as_deref())?;
        running()?.0.log("ctx.log", level, &text)?;
        Ok(Dynamic::UNIT)
    });
    method::<Ctx>(globals, "exec", 1..=3, exec::run);
    exec::register(globals);
    ui::register(globals);
    kv::register(globals);
}

/// Returns what is read, not called.
///
/// # Errors
/// `ctx` has no such member, or it is a function.
fn member(name: &str) -> Result<Dynamic, Raised> {
    match name {
        "ui" => Ok(Dynamic::from(Ui)),
        "state" => Ok(Dynamic::from(KvObject::<false>)),
        "store" => Ok(Dynamic::from(KvObject::<true>)),
        live_one if LIVE_MEMBERS.contains(&live_one) => live(live_one),
        other => Err(missing("ctx", other, &names().collect::<Vec<_>>())),
    }
}

fn live(name: &str) -> Result<Dynamic, Raised> {
    let (vm, run) = running()?;
    let live = Foreign::new(outside(|| ctx::live(name, &vm.hook, &*vm.services, &run.call)));
    Ok(match live.get() {
        Some(CtxValue::Text(text)) => (&**text).into(),
        Some(CtxValue::Flag(flag)) => (*flag).into(),
        Some(CtxValue::Nothing) | None => Dynamic::UNIT,
    })
}

/// The level of this name; default: `info`.
///
/// # Errors
/// There is no such level.
pub(crate) fn level(name: Option<&str>) -> Result<Level, Raised> {
    host(|| ctx::level(name))
}

fn deliver(vm: &VmContext, options: Option<&Dynamic>) -> Result<Deliver, Raised> {
    let Some(options) = options.filter(|options| !options.is_unit()) else { return Ok(Deliver::default()) };
    let json = vm.to_json(options)?;
    match json.get() {
        Some(Json::Object(options)) => host(|| ctx::deliver(options)),
        _ => Err(raise("the options of ctx.send are a map, #{ deliver: \"now\" }")),
    }
}

fn emit(name: &str, fields: Option<&Dynamic>) -> Result<Dynamic, Raised> {
    let (vm, run) = running()?;
    let fields = fields.map(|value| vm.to_json(value)).transpose()?.and_then(Foreign::take);
    let fields = host(|| ctx::payload(fields, Notation::Rhai))?;
    wait(&run, || vm.services.begin(&vm.hook, &run.call, ServiceTask::Emit(name.into(), fields)))?;
    Ok(Dynamic::UNIT)
}
