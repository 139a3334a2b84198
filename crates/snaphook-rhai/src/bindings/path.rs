//! `snaphook::path`: paths as text.

use rhai::{Dynamic, EvalAltResult, ImmutableString, Module};
use snaphook_script::path;

use crate::bindings::{Member, args, define, raise};

pub(crate) const MEMBERS: &[Member] = &[
    ("basename", |module, name| one(module, name, |path| path::basename(path).into())),
    ("dirname", |module, name| one(module, name, |path| path::dirname(path).into())),
    ("extension", |module, name| one(module, name, |path| path::extension(path).into())),
    ("normalize", |module, name| one(module, name, |path| path::normalize(path).into())),
    ("join", join),
    ("resolve", |module, name| two(module, name, |base, path| path::resolve(base, path).into())),
    ("relative", |module, name| {
        two(module, name, |path, base| path::relative(path, base).map_or(Dynamic::UNIT, Into::into))
    }),
    ("is_inside", |module, name| two(module, name, |path, folder| path::is_inside(path, folder).into())),
    ("is_absolute", |module, name| one(module, name, |path| path::is_absolute(path).into())),
];

fn one(module: &mut Module, name: &'static str, function: fn(&str) -> Dynamic) {
    define(module, name, move |path: Dynamic| Ok(function(&text(name, &path)?)));
}

fn two(module: &mut Module, name: &'static str, function: fn(&str, &str) -> Dynamic) {
    define(module, name, move |first: Dynamic, second: Dynamic| {
        Ok(function(&text(name, &first)?, &text(name, &second)?))
    });
}

fn text(name: &str, value: &Dynamic) -> Result<ImmutableString, Box<EvalAltResult>> {
    args::path(&format!("snaphook::path::{name}"), value)
}

/// Functions have a fixed number of arguments in Rhai: up to eight parts, or one array of them.
fn join(module: &mut Module, name: &'static str) {
    type Part = Dynamic;
    define(module, name, |parts: Part| match args::items(&parts) {
        Some(parts) => joined(&parts),
        None => joined(&[parts]),
    });
    define(module, name, |a: Part, b: Part| joined(&[a, b]));
    define(module, name, |a: Part, b: Part, c: Part| joined(&[a, b, c]));
    define(module, name, |a: Part, b: Part, c: Part, d: Part| joined(&[a, b, c, d]));
    define(module, name, |a: Part, b: Part, c: Part, d: Part, e: Part| joined(&[a, b, c, d, e]));
    define(module, name, |a: Part, b: Part, c: Part, d: Part, e: Part, f: Part| joined(&[a, b, c, d, e, f]));
    define(module, name, |a: Part, b: Part, c: Part, d: Part, e: Part, f: Part, g: Part| {
        joined(&[a, b, c, d, e, f, g])
    });
    define(module, name, |a: Part, b: Part, c: Part, d: Part, e: Part, f: Part, g: Part, h: Part| {
        joined(&[a, b, c, d, e, f, g, h])
    });
}

/// The number of parts that a path is joined of at most.
const PARTS: usize = 1000;

fn joined(parts: &[Dynamic]) -> Result<String, Box<EvalAltResult>> {
    if parts.len() > PARTS {
        return Err(raise(format!("snaphook::path::join takes at most {PARTS} parts")));
    }
    let mut whole = String::new();
    for part in parts {
        whole = path::join(&whole, &text("join", part)?);
    }
    Ok(whole)
}
