//! `snaphook::path`: paths as text, made from the table of `snaphook_script::path`.

use rhai::{Dynamic, EvalAltResult, ImmutableString, Module};
use snaphook_script::path::{FUNCTIONS, PathValue, Signature};

use crate::bindings::{Member, args, define};
use crate::raise::raise;

pub(crate) const MEMBERS: &[Member] = &{
    let register: fn(&mut Module, &'static str) = register;
    let mut members = [("", register); FUNCTIONS.len()];
    let mut at = 0;
    while at < members.len() {
        members[at].0 = FUNCTIONS[at].name;
        at += 1;
    }
    members
};

fn register(module: &mut Module, name: &'static str) {
    for function in FUNCTIONS.iter().filter(|function| function.name == name) {
        match function.function {
            Signature::OneText(work) => {
                define(module, name, move |path: Dynamic| Ok(to_rhai(&work(&text(name, &path)?))));
            }
            Signature::TwoTexts(work) => define(module, name, move |first: Dynamic, second: Dynamic| {
                Ok(to_rhai(&work(&text(name, &first)?, &text(name, &second)?)))
            }),
            Signature::Joining(work) => fold(module, name, work),
        }
    }
}

fn to_rhai(given: &PathValue<'_>) -> Dynamic {
    match given {
        PathValue::Text(text) => (&**text).into(),
        PathValue::Flag(flag) => (*flag).into(),
        PathValue::Nothing => Dynamic::UNIT,
    }
}

fn text(name: &str, value: &Dynamic) -> Result<ImmutableString, Box<EvalAltResult>> {
    args::path(&format!("snaphook::path::{name}"), value)
}

/// Functions have a fixed number of arguments in Rhai: up to eight parts, or one array of them.
fn fold(module: &mut Module, name: &'static str, work: fn(&str, &str) -> String) {
    type Part = Dynamic;
    let joined = move |parts: &[Part]| joined(name, work, parts);
    define(module, name, move |parts: Part| match args::items(&parts) {
        Some(parts) => joined(&parts),
        None => joined(&[parts]),
    });
    define(module, name, move |a: Part, b: Part| joined(&[a, b]));
    define(module, name, move |a: Part, b: Part, c: Part| joined(&[a, b, c]));
    define(module, name, move |a: Part, b: Part, c: Part, d: Part| joined(&[a, b, c, d]));
    define(module, name, move |a: Part, b: Part, c: Part, d: Part, e: Part| joined(&[a, b, c, d, e]));
    define(module, name, move |a: Part, b: Part, c: Part, d: Part, e: Part, f: Part| {
        joined(&[a, b, c, d, e, f])
    });
    define(module, name, move |a: Part, b: Part, c: Part, d: Part, e: Part, f: Part, g: Part| {
        joined(&[a, b, c, d, e, f, g])
    });
    define(module, name, move |a: Part, b: Part, c: Part, d: Part, e: Part, f: Part, g: Part, h: Part| {
        joined(&[a, b, c, d, e, f, g, h])
    });
}

/// The number of parts that a path is joined of at most.
const MAX_PARTS: usize = 1000;

fn joined(
    name: &str,
    work: fn(&str, &str) -> String,
    parts: &[Dynamic],
) -> Result<String, Box<EvalAltResult>> {
    if parts.len() > MAX_PARTS {
        return Err(raise(format!("snaphook::path::{name} takes at most {MAX_PARTS} parts")));
    }
    let mut whole = String::new();
    for part in parts {
        whole = work(&whole, &text(name, part)?);
    }
    Ok(whole)
}
