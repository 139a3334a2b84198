//! Finding the module of a folder hook that a script asks for by name. Not here: loading it, which its engine does.

use std::collections::BTreeMap;
use std::sync::Arc;

use snaphook_core::nearest;

use crate::path;

/// The reason why there is no module of a name. `call` is what the script wrote: `require("x")`, `import "x"`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModuleError {
    /// The hook is one file.
    #[error(
        "{call}: only a folder hook (name/{main}) has modules; JSON, files, the web and regular expressions are in `snaphook`"
    )]
    OneFile {
        /// The script's call.
        call: String,
        /// The main file of a folder hook.
        main: &'static str,
    },
    /// The name leads to a file outside of the hook's folder.
    #[error("{call} leads out of the hook's own folder")]
    Outside {
        /// The script's call.
        call: String,
    },
    /// The hook's folder has no such file.
    #[error(
        "no module \"{name}\" in the hook's folder{} (it has {})",
        .nearest.as_ref().map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default(),
        .files.join(", ")
    )]
    Missing {
        /// The name as written.
        name: String,
        /// The module that is probably meant.
        nearest: Option<String>,
        /// The files that there are.
        files: Vec<String>,
    },
}

/// The path of a module in the hook's folder, without its ending: `lib/util`, or `./util` and `../util` as seen from the
/// file that asks. In a language whose names are `dotted`, `lib.util` is `lib/util`.
pub fn wanted(name: &str, asking: &str, folder: &str, dotted: bool) -> String {
    if name.starts_with("./") || name.starts_with("../") {
        let asking = path::relative(asking, folder).unwrap_or_default();
        path::resolve(path::dirname(&asking), name)
    } else if dotted && !name.contains('/') {
        name.replace('.', "/")
    } else {
        path::normalize(name)
    }
}

/// Finds the file of a module: `wanted` and one of the endings. `call` and `name` are for the error.
///
/// # Errors
/// The path leads out of the folder, or there is no such file.
pub fn find(
    modules: &BTreeMap<String, Arc<str>>,
    wanted: &str,
    endings: &[&str],
    call: impl FnOnce() -> String,
    name: &str,
) -> Result<String, ModuleError> {
    if wanted.starts_with("..") || path::is_absolute(wanted) {
        return Err(ModuleError::Outside { call: call() });
    }
    let mut candidates = endings.iter().map(|ending| format!("{wanted}{ending}"));
    if let Some(file) = candidates.find(|file| modules.contains_key(file)) {
        return Ok(file);
    }
    let files: Vec<String> = modules.keys().cloned().collect();
    let plain = files.iter().map(|name| name.rsplit_once('.').map_or(name.as_str(), |(plain, _)| plain));
    let nearest = nearest(wanted, plain).map(str::to_owned);
    Err(ModuleError::Missing { name: name.to_owned(), nearest, files })
}
