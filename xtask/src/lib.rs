//! The verbs of those who change Snaphook, as a library: the tests of the workspace use it, too. Nothing that is shipped depends
//! on it.
//!
//! | module | what |
//! |---|---|
//! | `script_api` | the script API as data, from the stubs beside the Lua bindings and core's table; declarations and reference |
//! | `generate` | the committed files that are made from it |
//! | `dist` | the program as it is shipped, with its completions and manual pages |
//! | `run` | running cargo and the command |
//!
//! Not here: reading the command line, and printing (`main.rs`).

use std::path::Path;

pub mod dist;
pub mod generate;
pub mod run;
pub mod script_api;

/// The root of the repository.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}
