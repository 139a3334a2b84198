//! The hooks of `hooks-examples/`, inside the binary, so that `snaphook run` shows something wherever it is installed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use snaphook::{HookRef, Scope, Script};
use snaphook_discovery::front_matter::{self, FileKind};

macro_rules! bundled {
    ($($name:literal),* $(,)?) => {
        /// File name and text of each example, in the order in which they run.
        const EXAMPLES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../hooks-examples/", $name)))),*];
    };
}

bundled!(
    "git-context.lua",
    "git-guard.lua",
    "notify.lua",
    "permission-gate.lua",
    "protected-paths.lua",
    "redact-secrets.lua",
    "rewrite-command.lua",
    "test-on-change.lua",
);

/// The examples as hooks named for this run.
pub(crate) fn scripts() -> impl Iterator<Item = Script> {
    EXAMPLES.iter().map(|(file, text)| {
        let id = file.trim_end_matches(".lua");
        let named = front_matter::parse(text, FileKind::Lua).ok().flatten().and_then(|matter| matter.name);
        let shown = Path::new("hooks-examples").join(file);
        Script {
            hook: HookRef::new(id, named.as_deref().unwrap_or(id), Scope::Adhoc, shown),
            source: Arc::from(*text),
            modules: Arc::new(BTreeMap::new()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_bundled() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../hooks-examples");
        let names =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.ends_with(".lua")).collect();
        names.sort();
        let bundled: Vec<_> = EXAMPLES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(names, bundled);
    }
}
