//! `ctx.state` (for the session) and `ctx.store` (on disk): values by key, each hook its own. Values are copies: change
//! one and `set` it again.

use rhai::{Dynamic, Module};
use serde_json::Value as Json;
use snaphook_core::{KvOp, KvScope};

use crate::bindings::{Args, args, indexer, method, missing};
use crate::convert;
use crate::meter::Foreign;
use crate::raise::{Raised, host};
use crate::vm_context::running;

/// The members of both.
pub(crate) const NAMES: &[&str] = &["get", "set", "delete", "keys"];

/// One of the two objects.
#[derive(Clone)]
pub(crate) struct KvObject<const ON_DISK: bool>;

/// Returns the name that scripts call it by, and its scope.
const fn name_and_scope(on_disk: bool) -> (&'static str, KvScope) {
    if on_disk { ("ctx.store", KvScope::Store) } else { ("ctx.state", KvScope::State) }
}

/// Puts both types into the module of globals.
pub(crate) fn register(globals: &mut Module) {
    register_one::<false>(globals);
    register_one::<true>(globals);
}

fn register_one<const ON_DISK: bool>(globals: &mut Module) {
    globals.set_custom_type::<KvObject<ON_DISK>>(name_and_scope(ON_DISK).0);
    indexer::<KvObject<ON_DISK>>(globals, |_, name| Err(missing(name_and_scope(ON_DISK).0, name, NAMES)));
    method::<KvObject<ON_DISK>>(globals, "get", 1..=2, |args| {
        let found = run::<ON_DISK>(args, KvOp::Get)?;
        let found = found.get().unwrap_or(&Json::Null);
        let default = args.get(2).map(|value| (**value).clone());
        if found.is_null() { Ok(default.unwrap_or(Dynamic::UNIT)) } else { convert::from_json(found) }
    });
    method::<KvObject<ON_DISK>>(globals, "set", 2..=2, |args| {
        let value = running()?.0.to_json(args.get(2).map(|value| &**value).unwrap_or(&Dynamic::UNIT))?;
        run::<ON_DISK>(args, |key| KvOp::Set(key, value.take().unwrap_or_default()))?;
        Ok(Dynamic::UNIT)
    });
    method::<KvObject<ON_DISK>>(globals, "delete", 1..=1, |args| {
        run::<ON_DISK>(args, |key| KvOp::Set(key, Json::Null))?;
        Ok(Dynamic::UNIT)
    });
    method::<KvObject<ON_DISK>>(globals, "keys", 0..=0, |args| {
        let keys = run::<ON_DISK>(args, |_| KvOp::Keys)?;
        keys.get().map_or(Ok(Dynamic::UNIT), convert::from_json)
    });
}

fn run<const ON_DISK: bool>(
    args: &Args<'_>,
    operation: impl FnOnce(String) -> KvOp,
) -> Result<Foreign<Json>, Raised> {
    let (name, scope) = name_and_scope(ON_DISK);
    let key = match args.len() {
        1 => Default::default(),
        _ => args::at(&format!("{name}.get, set and delete"), 1, args)?,
    };
    let (vm, _) = running()?;
    let kv = || vm.services.kv(&vm.hook, scope, operation(key.to_string()));
    host(kv).map(Foreign::new)
}
