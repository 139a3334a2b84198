//! `ctx.state` (for the session) and `ctx.store` (on disk): values by key, each hook its own. Values are copies: change
//! one and `set` it again.

use rhai::{Dynamic, Module};
use serde_json::Value as Json;
use snaphook_core::{Area, Keep};

use crate::bindings::{Args, indexer, method, no_such, raise, sealed, text_of};
use crate::bridge::{Raised, host, running};
use crate::meter::Foreign;
use crate::value;

/// The members of both.
pub(crate) const NAMES: &[&str] = &["get", "set", "delete", "keys"];

/// One of the two objects.
#[derive(Clone)]
pub(crate) struct Kept(pub(crate) Area);

impl Kept {
    /// How scripts call it.
    pub(crate) fn name(&self) -> &'static str {
        match self.0 {
            Area::State => "ctx.state",
            Area::Store => "ctx.store",
        }
    }
}

/// Puts the type into the module of globals.
pub(crate) fn register(globals: &mut Module) {
    globals.set_custom_type::<Kept>("ctx.state");
    indexer::<Kept>(globals, |this, name| Err(missing(this, name)), sealed);
    method::<Kept>(globals, "get", 1..=2, |args| {
        let found = run(args, Keep::Get)?;
        let found = found.get().unwrap_or(&Json::Null);
        let default = args.get(2).map(|value| (**value).clone());
        Ok(if found.is_null() { default.unwrap_or(Dynamic::UNIT) } else { value::from_json(found) })
    });
    method::<Kept>(globals, "set", 2..=2, |args| {
        let value = running()?.0.to_json(args.get(2).map(|value| &**value).unwrap_or(&Dynamic::UNIT))?;
        run(args, |key| Keep::Set(key, value.take().unwrap_or_default()))?;
        Ok(Dynamic::UNIT)
    });
    method::<Kept>(globals, "delete", 1..=1, |args| {
        run(args, |key| Keep::Set(key, Json::Null))?;
        Ok(Dynamic::UNIT)
    });
    method::<Kept>(globals, "keys", 0..=0, |args| {
        let keys = run(args, |_| Keep::Keys)?;
        Ok(keys.get().map_or(Dynamic::UNIT, value::from_json))
    });
}

fn missing(this: &Kept, name: &str) -> Raised {
    let object = this.name();
    match NAMES.contains(&name) {
        true => raise(format!("{object}.{name} is a function: call it, {object}.{name}(…)")),
        false => no_such(object, name, NAMES),
    }
}

fn run(args: &Args<'_>, operation: impl FnOnce(String) -> Keep) -> Result<Foreign<Json>, Raised> {
    let area = args.first().and_then(|this| this.read_lock::<Kept>().map(|this| this.0));
    let area = area.ok_or_else(|| raise("this is neither ctx.state nor ctx.store"))?;
    let key = match args.len() {
        1 => Default::default(),
        _ => text_of(&format!("{}.get, set and delete", Kept(area).name()), 1, args)?,
    };
    let (bridge, _) = running()?;
    let keep = || bridge.services.keep(&bridge.hook, area, operation(key.to_string()));
    host(|| keep().map_err(|error| error.0)).map(Foreign::new)
}
