//! What scripts see, one file a module or an object. Here: what those files share, and the list of them.
//!
//! Each file has one list, `MEMBERS`: the names of its functions and how each is registered. What a test or a tool asks
//! for ([`members`]) is read from the same lists.

mod args;
mod glob;
mod json;
mod path;
mod record;
pub(crate) mod regex;
pub(crate) mod shell;
mod time;

use rhai::{EvalAltResult, Module, Shared};
use snaphook_core::nearest;

/// A name and how it comes into its module.
type Member = (&'static str, fn(&mut Module, &'static str));

const MODULES: &[(&str, &[Member])] = &[
    ("glob", glob::MEMBERS),
    ("json", json::MEMBERS),
    ("path", path::MEMBERS),
    ("regex", regex::MEMBERS),
    ("shell", shell::MEMBERS),
    ("time", time::MEMBERS),
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
    MODULES.iter().map(|(name, members)| (*name, make(members))).collect()
}

/// The objects above and those that their functions return, each with the names of its members.
pub(crate) fn members() -> Vec<(&'static str, Vec<&'static str>)> {
    let modules = MODULES.iter().map(|(name, members)| {
        let object = match *name {
            "glob" => "snaphook.glob",
            "json" => "snaphook.json",
            "path" => "snaphook.path",
            "regex" => "snaphook.regex",
            "shell" => "snaphook.shell",
            _ => "snaphook.time",
        };
        (object, members.iter().map(|(member, _)| *member).collect())
    });
    modules.collect()
}

/// Registers the methods and properties of the objects that the modules return.
pub(crate) fn types(library: &mut Module) {
    regex::types(library);
    shell::types(library);
}

/// The error for a name that an object does not have.
pub(crate) fn no_such(object: &str, key: &str, names: &[&'static str]) -> Box<EvalAltResult> {
    let hint = nearest(key, names.iter().copied()).map(|name| format!("; did you mean {object}.{name}?"));
    let list = names.join(", ");
    raise(format!("{object} has no `{key}`{} (it has {list})", hint.unwrap_or_default()))
}

/// Turns an error of the shared API into a script's, whose value is the text.
pub(crate) fn raise(error: impl std::fmt::Display) -> Box<EvalAltResult> {
    error.to_string().into()
}

/// Where work of the host is done that is not the script's to answer for: what is compiled and kept for all hooks.
/// Its memory belongs to no hook, so that one cannot fill another's account.
pub(crate) fn for_all_hooks<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(test)]
#[path = "bindings_tests.rs"]
mod tests;
