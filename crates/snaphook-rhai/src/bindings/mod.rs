//! What scripts see, one file a module or an object.

mod glob;
mod json;
mod path;
mod regex;
mod shell;
mod time;

use rhai::{Module, Shared};

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
