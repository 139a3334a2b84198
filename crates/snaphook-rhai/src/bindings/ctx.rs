//! `ctx`: the second argument of every handler. What belongs to a call is looked up when it is touched.

use rhai::{Dynamic, Module};
use serde_json::Value as Json;
use snaphook_core::{Deliver, Level, nearest};

use crate::bindings::kv::KvObject;
use crate::bindings::ui::Ui;
use crate::bindings::{args, exec, getter, indexer, kv, method, no_such, ui};
use crate::bridge::{Bridge, Raised, Reply, host, raise, running, say};
use crate::meter::{Foreign, outside};

/// The members that have a type of their own, or are functions.
const PARTS: &[&str] = &["exec", "ui", "send", "emit", "state", "store", "log"];
/// The parts that are looked up on each touch.
const LIVE: &[&str] =
    &["cwd", "project_root", "session_id", "session_path", "has_ui", "agent", "scope", "hook", "cancelled"];

/// The object. There is nothing in it: whose it is stands in the turn.
#[derive(Clone)]
pub(crate) struct Ctx;

/// Its members.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    PARTS.iter().chain(LIVE).copied()
}

/// Puts the type, and those of its parts, into the module of globals.
pub(crate) fn register(globals: &mut Module) {
    globals.set_custom_type::<Ctx>("ctx");
    for name in names() {
        getter::<Ctx>(globals, name, |_, name| member(name));
    }
    indexer::<Ctx>(globals, |_, name| member(name));
    method::<Ctx>(globals, "send", 1..=2, |args| {
        let text = args::at("ctx.send", 1, args)?;
        say("ctx.send", text.len())?;
        let (bridge, _) = running()?;
        let deliver = deliver(&bridge, args.get(2).map(|value| &**value))?;
        outside(|| bridge.services.send(&bridge.hook, text.to_string(), deliver));
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
        live_one if LIVE.contains(&live_one) => live(live_one),
        part if PARTS.contains(&part) => {
            Err(raise(format!("ctx.{part} is a function: call it, ctx.{part}(…)")))
        }
        other => Err(no_such("ctx", other, &names().collect::<Vec<_>>())),
    }
}

fn live(name: &str) -> Result<Dynamic, Raised> {
    let (bridge, run) = running()?;
    let session = &run.call.session;
    Ok(match name {
        "cwd" => session.cwd.to_string_lossy().as_ref().into(),
        "project_root" => session.project_root.to_string_lossy().as_ref().into(),
        "session_id" => session.id.as_str().into(),
        "session_path" => session.path.as_deref().map_or(Dynamic::UNIT, Into::into),
        "agent" => session.agent.as_str().into(),
        "scope" => bridge.hook.scope.as_str().into(),
        "hook" => bridge.hook.id.as_str().into(),
        "has_ui" => outside(|| bridge.services.has_ui(&run.call)).into(),
        _ => run.call.is_cancelled().into(),
    })
}

/// The level of this name; `info` where none is given.
///
/// # Errors
/// There is none of this name.
pub(crate) fn level(name: Option<&str>) -> Result<Level, Raised> {
    let Some(name) = name else { return Ok(Level::Info) };
    Level::from_name(name)
        .ok_or_else(|| raise(format!("the level is debug, info, warn or error, not \"{name}\"")))
}

fn deliver(bridge: &Bridge, options: Option<&Dynamic>) -> Result<Deliver, Raised> {
    let Some(options) = options.filter(|options| !options.is_unit()) else { return Ok(Deliver::default()) };
    let json = bridge.to_json(options)?;
    let Some(Json::Object(map)) = json.get() else {
        return Err(raise("the options of ctx.send are a map, #{ deliver: \"now\" }"));
    };
    let mut deliver = Deliver::default();
    for (key, value) in map {
        if key != "deliver" {
            let hint = nearest(key, ["deliver"]).map(|_| "; did you mean `deliver`?").unwrap_or_default();
            return Err(raise(format!("ctx.send has no option `{key}`{hint}")));
        }
        let wrong = || raise(format!("`deliver` is \"now\", \"next_turn\" or \"follow_up\", not {value}"));
        deliver = value.as_str().and_then(Deliver::from_name).ok_or_else(wrong)?;
    }
    Ok(deliver)
}

fn emit(name: &str, fields: Option<&Dynamic>) -> Result<Dynamic, Raised> {
    let (bridge, run) = running()?;
    let fields = fields.map(|value| bridge.to_json(value)).transpose()?.and_then(Foreign::take);
    let fields = host(|| match fields {
        None | Some(Json::Null) => Ok(serde_json::Map::new()),
        Some(Json::Object(map)) => Ok(map),
        Some(_) => Err("the payload of ctx.emit is a map"),
    })?;
    run.wait(|| {
        let caused = bridge.services.emit(&bridge.hook, &run.call, name.into(), fields);
        Box::pin(async move { caused.await.map(|()| Reply::Nothing) })
    })?;
    Ok(Dynamic::UNIT)
}
