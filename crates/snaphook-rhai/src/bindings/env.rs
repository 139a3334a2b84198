//! `snaphook::env`: environment variables, as far as they are granted. Also while a script loads.

use rhai::{Dynamic, Module};

use crate::bindings::{Member, args, define};
use crate::meter::outside;
use crate::raise::{Raised, host};
use crate::vm_context::active;

pub(crate) const MEMBERS: &[Member] = &[("get", get)];

fn get(module: &mut Module, name: &'static str) {
    define(module, name, |name: Dynamic| value(&name, Dynamic::UNIT));
    define(module, name, |name: Dynamic, default: Dynamic| {
        if !default.is_unit() {
            let _text = args::text("snaphook::env::get", &default)?;
        }
        value(&name, default)
    });
}

fn value(name: &Dynamic, default: Dynamic) -> Result<Dynamic, Raised> {
    let name = args::text("snaphook::env::get", name)?;
    let active = active()?;
    let (vm, call) = (&active.vm, active.run.as_ref().map(|run| &run.call));
    let value = host(|| vm.services.env(&vm.hook, call, &name))?;
    let Some(value) = value else { return Ok(default) };
    let text = Dynamic::from(rhai::ImmutableString::from(value.as_str()));
    outside(|| drop(value));
    Ok(text)
}
