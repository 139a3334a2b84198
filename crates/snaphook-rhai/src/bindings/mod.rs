//! What scripts see, one file a module or an object; and how host functions are put into a module.
//!
//! Host functions take values of any type and look at them themselves: what Rhai says when it finds no function for some
//! types does not help an author.

pub(crate) mod ctx;
mod exec;
mod glob;
pub(crate) mod import;
mod json;
mod keep;
mod path;
mod regex;
mod shell;
mod time;
mod ui;

use std::any::TypeId;
use std::ops::RangeInclusive;
use std::sync::Arc;

use rhai::{
    Dynamic, FnNamespace, FuncRegistration, ImmutableString, Module, NativeCallContext, RhaiFunc, Shared, Variant,
};

use crate::bridge::{Raised, raise};
use crate::event;

/// The modules below `snaphook`, by name. They are the same for every hook.
pub(crate) fn modules() -> Vec<(&'static str, Shared<Module>)> {
    vec![
        ("glob", glob::module()),
        ("json", json::module()),
        ("path", path::module()),
        ("regex", regex::module()),
        ("shell", shell::module()),
        ("time", time::module()),
    ]
}

/// The module `snaphook`, with all others in it.
pub(crate) fn snaphook() -> Shared<Module> {
    let mut module = Module::new();
    module.set_id("snaphook");
    module.set_var("version", env!("CARGO_PKG_VERSION"));
    for (name, inner) in modules() {
        module.set_sub_module(name, inner);
    }
    module.build_index();
    module.into()
}

/// Every object of the API with the names of its members, from the lists that they are made from.
pub fn members() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut parts: Vec<&'static str> = modules().iter().map(|(name, _)| *name).collect();
    parts.push("version");
    vec![
        ("snaphook", parts),
        ("snaphook.glob", glob::NAMES.to_vec()),
        ("snaphook.json", json::NAMES.to_vec()),
        ("snaphook.path", path::NAMES.to_vec()),
        ("snaphook.regex", regex::NAMES.to_vec()),
        ("snaphook.shell", shell::NAMES.to_vec()),
        ("snaphook.time", time::NAMES.to_vec()),
        ("ctx", ctx::names().collect()),
        ("ctx.ui", ui::NAMES.to_vec()),
        ("ctx.state", keep::NAMES.to_vec()),
        ("ctx.store", keep::NAMES.to_vec()),
        ("event", event::METHODS.to_vec()),
    ]
}

// ---- putting functions into modules ----

/// The arguments of a host function; of a method, the object itself first.
pub(crate) type Args<'a> = [&'a mut Dynamic];

/// A host function.
pub(crate) type Function = fn(&mut Args<'_>) -> Result<Dynamic, Raised>;

/// Puts a function that takes so many arguments into a module.
pub(crate) fn function(module: &mut Module, name: &'static str, takes: RangeInclusive<usize>, work: Function) {
    for count in takes {
        put(module, name, vec![TypeId::of::<Dynamic>(); count], true, move |_, args| work(args));
    }
}

/// Puts a method of `T` into a module; `takes` does not count the object.
pub(crate) fn method<T: 'static>(
    module: &mut Module,
    name: &'static str,
    takes: RangeInclusive<usize>,
    work: Function,
) {
    for count in takes {
        let mut types = vec![TypeId::of::<Dynamic>(); count + 1];
        types[0] = TypeId::of::<T>();
        put(module, name, types, false, move |_, args| work(args));
    }
}

/// Puts any function into a module, in the global namespace.
pub(crate) fn put(
    module: &mut Module,
    name: &str,
    types: Vec<TypeId>,
    is_function: bool,
    work: impl Fn(&NativeCallContext<'_>, &mut Args<'_>) -> Result<Dynamic, Raised> + Send + Sync + 'static,
) {
    let work = move |context: Option<NativeCallContext<'_>>, args: &mut Args<'_>| {
        let context = context.ok_or_else(|| raise("a host function was called from nowhere"))?;
        work(&context, args)
    };
    let function = match is_function {
        true => RhaiFunc::Pure { func: Arc::new(work), has_context: true, is_pure: true, is_volatile: true },
        false => RhaiFunc::Method { func: Arc::new(work), has_context: true, is_pure: true, is_volatile: true },
    };
    FuncRegistration::new(name).with_namespace(FnNamespace::Global).set_into_module_raw(module, types, function);
}

/// Reads a property.
pub(crate) type Get<T> = fn(&mut T, &str) -> Result<Dynamic, Raised>;
/// Writes a property.
pub(crate) type Set<T> = fn(&mut T, &str, Dynamic) -> Result<(), Raised>;

/// Puts a property that Rhai finds at once into a module. Others go through [`indexer`].
pub(crate) fn getter<T: Variant + Clone>(module: &mut Module, name: &'static str, get: Get<T>) {
    module.set_getter_fn(name, move |this: &mut T| get(this, name));
}

/// Puts what happens with any other property into a module.
pub(crate) fn indexer<T: Variant + Clone>(module: &mut Module, get: Get<T>) {
    module.set_indexer_get_fn(move |this: &mut T, name: ImmutableString| get(this, &name));
}

/// Lets scripts set any property. An object without this is sealed: Rhai also sets a property after a method was called
/// on it, and only where there is no setter it does not matter.
pub(crate) fn setter<T: Variant + Clone>(module: &mut Module, set: Set<T>) {
    module.set_indexer_set_fn(move |this: &mut T, name: ImmutableString, value: Dynamic| set(this, &name, value));
}

// ---- reading arguments ----

/// The argument at this place, counted from 1 behind the object.
///
/// # Errors
/// It is no text.
pub(crate) fn text_of(function: &str, at: usize, args: &Args<'_>) -> Result<ImmutableString, Raised> {
    let value = args.get(at).map(|value| &**value).unwrap_or(&Dynamic::UNIT);
    value.as_immutable_string_ref().map(|text| text.clone()).map_err(|_| wrong(function, at, "a text", value))
}

/// The same for an argument that may be left out or `()`.
///
/// # Errors
/// It is something else.
pub(crate) fn optional_text(
    function: &str,
    at: usize,
    args: &Args<'_>,
) -> Result<Option<ImmutableString>, Raised> {
    match args.get(at) {
        Some(value) if !value.is_unit() => text_of(function, at, args).map(Some),
        _ => Ok(None),
    }
}

/// The error of an argument of another type.
pub(crate) fn wrong(function: &str, at: usize, wanted: &str, got: &Dynamic) -> Raised {
    raise(format!("argument {at} of {function} is {wanted}, not {}", kind(got)))
}

/// The type of a value as messages name it.
pub(crate) fn kind(value: &Dynamic) -> String {
    match value.type_name() {
        "()" => "()".to_owned(),
        "i64" | "f64" => "a number".to_owned(),
        "bool" => "true or false".to_owned(),
        "string" | "char" => "a text".to_owned(),
        "array" => "an array".to_owned(),
        "map" => "a map".to_owned(),
        "Fn" => "a function".to_owned(),
        other => format!("a {}", other.rsplit("::").next().unwrap_or(other)),
    }
}

/// The error of a name that an object does not have.
pub(crate) fn no_such(object: &str, name: &str, names: &[&str]) -> Raised {
    raise(no_such_text(object, name, names))
}

/// Its text.
pub(crate) fn no_such_text(object: &str, name: &str, names: &[&str]) -> String {
    let hint = snaphook_core::nearest(name, names.iter().copied());
    let hint = hint.map(|near| format!("; did you mean {object}.{near}?")).unwrap_or_default();
    format!("{object} has no `{name}`{hint} (it has {})", names.join(", "))
}
