//! The API as scripts see it, one file a module or an object; how host functions are put into a module; the list of them all.
//!
//! Each file has one list of the names of its members, from which it registers them. What a test or a tool asks for
//! ([`members`]) is read from the same lists. Host functions take values of any type and look at them themselves: what
//! Rhai says when it finds no function for some types does not help an author.

pub(crate) mod args;
pub(crate) mod ctx;
mod env;
pub(crate) mod exec;
pub(crate) mod fs;
mod glob;
pub(crate) mod http;
pub(crate) mod import;
mod json;
mod kv;
mod path;
mod record;
pub(crate) mod regex;
pub(crate) mod shell;
pub(crate) mod testing;
mod time;
mod ui;

use std::any::TypeId;
use std::ops::RangeInclusive;
use std::sync::Arc;

use rhai::{
    Dynamic, FnNamespace, FuncRegistration, ImmutableString, Module, NativeCallContext, Position, RhaiFunc,
    Shared, Variant,
};
use snaphook_script::ctx as members_of_ctx;
use snaphook_script::kit::{is_function, no_such};

use crate::meter::outside;
use crate::raise::{Raised, raise};

/// A name and how it comes into its module.
type Member = (&'static str, fn(&mut Module, &'static str));

const MODULES: &[(&str, &str, &[Member])] = &[
    ("env", "snaphook.env", env::MEMBERS),
    ("fs", "snaphook.fs", fs::MEMBERS),
    ("glob", "snaphook.glob", glob::MEMBERS),
    ("http", "snaphook.http", http::MEMBERS),
    ("json", "snaphook.json", json::MEMBERS),
    ("path", "snaphook.path", path::MEMBERS),
    ("regex", "snaphook.regex", regex::MEMBERS),
    ("shell", "snaphook.shell", shell::MEMBERS),
    ("time", "snaphook.time", time::MEMBERS),
];

/// The modules below `snaphook`, by name. They keep nothing of a hook, so all hooks share them.
pub(crate) fn modules() -> Vec<(&'static str, Shared<Module>)> {
    let make = |members: &[Member]| {
        let mut module = Module::new();
        for (name, register) in members {
            register(&mut module, name);
        }
        module.build_index();
        Shared::new(module)
    };
    MODULES.iter().map(|(name, _, members)| (*name, make(members))).collect()
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
    let mut parts: Vec<&'static str> = MODULES.iter().map(|(name, ..)| *name).collect();
    parts.push("version");
    let modules = MODULES.iter().map(|(_, object, members)| {
        let names = members.iter().map(|(name, _)| *name);
        (*object, names.collect())
    });
    let objects = [
        ("ctx", members_of_ctx::names().collect()),
        ("ctx.ui", ui::NAMES.to_vec()),
        ("ctx.state", kv::NAMES.to_vec()),
        ("ctx.store", kv::NAMES.to_vec()),
        ("t", snaphook_core::testing::T_MEMBERS.to_vec()),
        ("expect(…)", snaphook_core::testing::EXPECT_MEMBERS.to_vec()),
    ];
    [("snaphook", parts)].into_iter().chain(modules).chain(objects).collect()
}

/// Registers the methods and properties of the objects that the modules return.
pub(crate) fn types(library: &mut Module) {
    fs::types(library);
    http::types(library);
    regex::types(library);
    shell::types(library);
}

/// The message about a method that an object which the modules return does not have; `this` is its type's name.
pub(crate) fn no_method(this: &str, name: &str) -> Option<String> {
    regex::no_method(this, name).or_else(|| shell::no_method(this, name))
}

// ---- putting functions into modules ----

/// The arguments of a host function; of a method, the object itself first.
pub(crate) type Args<'a> = [&'a mut Dynamic];

/// A host function.
pub(crate) type Function = fn(&mut Args<'_>) -> Result<Dynamic, Raised>;

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
    let function = if is_function {
        RhaiFunc::Pure { func: Arc::new(work), has_context: true, is_pure: true, is_volatile: true }
    } else {
        RhaiFunc::Method { func: Arc::new(work), has_context: true, is_pure: true, is_volatile: true }
    };
    FuncRegistration::new(name)
        .with_namespace(FnNamespace::Global)
        .set_into_module_raw(module, types, function);
}

/// A function of the host that takes so many values and looks at them itself.
pub(crate) trait Defined<Marker> {
    /// The number that it takes.
    const TAKES: usize;

    /// Calls it.
    ///
    /// # Errors
    /// Its own.
    fn call(&self, args: &mut Args<'_>) -> Result<Dynamic, Raised>;
}

macro_rules! defined {
    ($takes:literal: $($value:ident)*) => {
        impl<Gives: Variant + Clone, Work: Fn($(defined!(@ $value)),*) -> Result<Gives, Raised>>
            Defined<($(defined!(@ $value),)*)> for Work
        {
            const TAKES: usize = $takes;

            fn call(&self, args: &mut Args<'_>) -> Result<Dynamic, Raised> {
                let mut _values = args.iter_mut().map(|value| std::mem::take(*value));
                $(let $value = _values.next().unwrap_or_default();)*
                self($($value),*).map(Dynamic::from)
            }
        }
    };
    (@ $value:ident) => { Dynamic };
}

defined!(0:);
defined!(1: a);
defined!(2: a b);
defined!(3: a b c);
defined!(4: a b c d);
defined!(5: a b c d e);
defined!(6: a b c d e f);
defined!(7: a b c d e f g);
defined!(8: a b c d e f g h);

/// Puts a function into a module below `snaphook`. Its errors get the place of the call, which Rhai does not give to
/// functions that are called by a path.
pub(crate) fn define<Marker, Work: Defined<Marker> + Send + Sync + 'static>(
    module: &mut Module,
    name: &'static str,
    work: Work,
) {
    let work = move |context: Option<NativeCallContext<'_>>, args: &mut Args<'_>| {
        let place = context.map_or(Position::NONE, |context| context.call_position());
        work.call(args).map_err(|mut error| {
            if error.position().is_none() {
                error.set_position(place);
            }
            error
        })
    };
    let function =
        RhaiFunc::Pure { func: Arc::new(work), has_context: true, is_pure: true, is_volatile: true };
    let types = vec![TypeId::of::<Dynamic>(); Work::TAKES];
    FuncRegistration::new(name)
        .with_namespace(FnNamespace::Internal)
        .set_into_module_raw(module, types, function);
}

/// Reads a property.
pub(crate) type Getter<T> = fn(&mut T, &str) -> Result<Dynamic, Raised>;
/// Writes a property.
pub(crate) type Setter<T> = fn(&mut T, &str, Dynamic) -> Result<(), Raised>;

/// Puts a property that Rhai finds at once into a module. Others go through [`indexer`].
pub(crate) fn getter<T: Variant + Clone>(module: &mut Module, name: &'static str, get: Getter<T>) {
    module.set_getter_fn(name, move |this: &mut T| get(this, name));
}

/// Puts what happens with any other property into a module.
pub(crate) fn indexer<T: Variant + Clone>(module: &mut Module, get: Getter<T>) {
    module.set_indexer_get_fn(move |this: &mut T, name: ImmutableString| get(this, &name));
}

/// Lets scripts set any property. An object without this is sealed: Rhai also sets a property after a method was called
/// on it, and only where there is no setter it does not matter.
pub(crate) fn setter<T: Variant + Clone>(module: &mut Module, set: Setter<T>) {
    module.set_indexer_set_fn(move |this: &mut T, name: ImmutableString, value: Dynamic| {
        set(this, &name, value)
    });
}

/// The error for a name that is no property of an object: a function is called, and another is not there.
pub(crate) fn missing(object: &str, name: &str, names: &[&str]) -> Raised {
    if names.contains(&name) { raise(is_function(object, name)) } else { raise(no_such(object, name, names)) }
}

// ---- what is kept for all hooks ----

/// Does work that touches what is compiled and kept for all hooks. The memory of that belongs to no hook, so that one
/// cannot fill another's account; the script gets a copy of the outcome, which is on its own.
///
/// # Errors
/// Those of the work.
pub(crate) fn for_all_hooks<T: Clone, E: std::fmt::Display>(
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, Raised> {
    let made = outside(work);
    let copy = match &made {
        Ok(made) => Ok(made.clone()),
        Err(error) => Err(raise(error)),
    };
    outside(|| drop(made));
    copy
}

#[cfg(test)]
#[path = "bindings_tests.rs"]
mod tests;
