//! The hooks of `hooks-examples/`, inside the binary, so that `snaphook run` shows something wherever it is installed.

use std::path::Path;
use std::sync::Arc;

use snaphook::{HookRef, Scope, Script};
use snaphook_discovery::front_matter::{self, FileKind};

macro_rules! bundled {
    ($($first:literal $(with $($module:literal)+)?),* $(,)?) => {
        /// Path and text of each example, with those of its modules, in the order in which they run.
        const EXAMPLES: &[(File, &[File])] = &[$((file!($first), &[$($(file!($module)),+)?])),*];
    };
}

macro_rules! file {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../hooks-examples/", $path)))
    };
}

type File = (&'static str, &'static str);

bundled!(
    "git-context.lua",
    "git-guard/init.lua" with "git-guard/command.lua",
    "notify.lua",
    "permission-gate.lua",
    "protected-paths/init.lua" with "protected-paths/names.lua",
    "redact-secrets.lua",
    "rewrite-command.lua",
    "test-on-change.lua",
);

/// The examples as hooks named for this run.
pub(crate) fn scripts() -> impl Iterator<Item = Script> {
    EXAMPLES.iter().map(|((file, text), modules)| {
        let id = file.trim_end_matches(".lua").trim_end_matches("/init");
        let named = front_matter::parse(text, FileKind::Lua).ok().flatten().and_then(|matter| matter.name);
        let shown = Path::new("hooks-examples").join(file);
        let inside = |path: &'static str| path.split_once('/').map_or(path, |(_, inside)| inside).to_owned();
        Script {
            hook: HookRef::new(id, named.as_deref().unwrap_or(id), Scope::Adhoc, shown),
            source: Arc::from(*text),
            modules: Arc::new(modules.iter().map(|(path, text)| (inside(path), Arc::from(*text))).collect()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_bundled() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../hooks-examples");
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            match std::fs::read_dir(entry.path()) {
                Ok(inside) => files.extend(
                    inside.map(|file| format!("{name}/{}", file.unwrap().file_name().into_string().unwrap())),
                ),
                Err(_) => files.push(name),
            }
        }
        files.retain(|name| name.ends_with(".lua"));
        files.sort();
        let mut bundled: Vec<_> = EXAMPLES
            .iter()
            .flat_map(|(first, modules)| std::iter::once(first).chain(*modules))
            .map(|(path, _)| (*path).to_owned())
            .collect();
        bundled.sort();
        assert_eq!(files, bundled);
        assert!(scripts().all(|script| script.hook.name == script.hook.id));
    }
}
