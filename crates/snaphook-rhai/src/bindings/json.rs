//! `snaphook::json`: text to values and back. `null` is `()`. Arrays and maps differ by nature here, so `array` gives
//! back what it gets; it is there because Lua needs it.

use rhai::{Dynamic, EvalAltResult, Module};
use snaphook_script::json;

use crate::bindings::{Member, args, define};
use crate::convert;
use crate::natives::limits;
use crate::plain;
use crate::raise::raise;

pub(crate) const MEMBERS: &[Member] =
    &[("encode", encode), ("decode", decode), ("array", array), ("null", null)];

fn encode(module: &mut Module, name: &'static str) {
    define(module, name, |value: Dynamic| to_text(&value, false));
    define(module, name, |value: Dynamic, pretty: Dynamic| {
        // Absent is false, as everywhere.
        let pretty = if pretty.is_unit() { Ok(false) } else { pretty.as_bool() };
        let pretty =
            pretty.map_err(|_| raise("snaphook::json::encode takes a boolean as its second argument"))?;
        to_text(&value, pretty)
    });
}

fn to_text(value: &Dynamic, pretty: bool) -> Result<String, Box<EvalAltResult>> {
    let json = convert::to_json(value, limits::TEXT, plain::FORMS).map_err(raise)?;
    let text = json::encode(&json, pretty).map_err(raise)?;
    limits::text("snaphook::json::encode", text.len())?;
    Ok(text)
}

fn decode(module: &mut Module, name: &'static str) {
    define(module, name, |text: Dynamic| {
        let text = args::text("snaphook::json::decode", &text)?;
        let json = json::decode("snaphook::json::decode", text.as_bytes()).map_err(raise)?;
        convert::from_json(&json)
    });
}

fn array(module: &mut Module, name: &'static str) {
    define(module, name, |value: Dynamic| {
        if value.is_array() {
            Ok(value)
        } else {
            Err(args::wrong("snaphook::json::array", "an array", &value))
        }
    });
}

fn null(module: &mut Module, name: &'static str) {
    module.set_var(name, Dynamic::UNIT);
}
