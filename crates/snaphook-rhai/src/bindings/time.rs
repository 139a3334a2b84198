//! `snaphook::time`: the host's clock, and times as text.

use rhai::{Dynamic, Module};
use snaphook_script::time;

use crate::bindings::{Member, args, define};
use crate::raise::raise;
use crate::vm_context;

pub(crate) const MEMBERS: &[Member] = &[("now", now), ("iso", iso), ("parse", parse)];

fn now(module: &mut Module, name: &'static str) {
    define(module, name, vm_context::now);
}

fn iso(module: &mut Module, name: &'static str) {
    define(module, name, || time::iso(vm_context::now()?).map_err(raise));
    define(module, name, |seconds: Dynamic| {
        let seconds = if seconds.is_unit() {
            vm_context::now()?
        } else {
            number(&seconds)
                .ok_or_else(|| args::wrong("snaphook::time::iso", "a number of seconds", &seconds))?
        };
        time::iso(seconds).map_err(raise)
    });
}

#[expect(
    clippy::cast_precision_loss,
    reason = "seconds that are not exact in a double are no time that can be written"
)]
fn number(value: &Dynamic) -> Option<f64> {
    value.as_float().ok().or_else(|| value.as_int().ok().map(|whole| whole as f64))
}

/// The longest text that is read as a time, in bytes.
const MAX_TIME_BYTES: usize = 256;

fn parse(module: &mut Module, name: &'static str) {
    define(module, name, |text: Dynamic| {
        let text = args::text("snaphook::time::parse", &text)?;
        if text.len() > MAX_TIME_BYTES {
            return Err(raise("the text is too long to be a time like 2026-01-31T12:00:00Z"));
        }
        time::parse(&text).map_err(raise)
    });
}
