//! The hooks of `hooks-examples/`, inside the binary, so that `snaphook run` shows something wherever it is installed.

use std::path::Path;
use std::sync::Arc;

use snaphook::{HookRef, Language, Scope, Script};
use snaphook_discovery::front_matter::{self, FileKind};

macro_rules! bundled {
    ($($first:literal $(with $($module:literal)+)?),* $(,)?) => {
        &[$((file!($first), &[$($(file!($module)),+)?])),*]
    };
}

macro_rules! file {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../hooks-examples/", $path)))
    };
}

type File = (&'static str, &'static str);
/// Path and text of an example, with those of its modules.
type Example = (File, &'static [File]);

/// In the order in which they run, and so in the other language.
const LUA: &[Example] = bundled!(
    "lua/git-context.lua",
    "lua/git-guard/init.lua"
        with "lua/git-guard/command.lua" "lua/git-guard/losses.lua" "lua/git-guard/refuse.lua" "lua/git-guard/rules.lua",
    "lua/notify.lua",
    "lua/permission-gate.lua",
    "lua/protected-paths/init.lua" with "lua/protected-paths/names.lua",
    "lua/redact-secrets.lua",
    "lua/rewrite-command.lua",
    "lua/test-on-change.lua",
);

const RHAI: &[Example] = bundled!(
    "rhai/git-context.rhai",
    "rhai/git-guard/init.rhai"
        with "rhai/git-guard/command.rhai" "rhai/git-guard/losses.rhai" "rhai/git-guard/refuse.rhai" "rhai/git-guard/rules.rhai",
    "rhai/notify.rhai",
    "rhai/permission-gate.rhai",
    "rhai/protected-paths/init.rhai" with "rhai/protected-paths/names.rhai",
    "rhai/redact-secrets.rhai",
    "rhai/rewrite-command.rhai",
    "rhai/test-on-change.rhai",
);

fn bundled(language: Language) -> (&'static [Example], &'static str, FileKind) {
    match language {
        Language::Lua => (LUA, "lua", FileKind::Lua),
        Language::Rhai => (RHAI, "rhai", FileKind::Rhai),
        Language::Executable | Language::Lifecycle => (&[], "sh", FileKind::Executable),
    }
}

/// The examples in a language as hooks named for this run.
pub(crate) fn scripts(language: Language) -> impl Iterator<Item = Script> {
    let (examples, folder, kind) = bundled(language);
    examples.iter().map(move |((file, text), modules)| {
        let inside = file.split_once('/').map_or(*file, |(_, inside)| inside);
        let id = inside.trim_end_matches(folder).trim_end_matches('.').trim_end_matches("/init");
        let matter = front_matter::parse(text, kind).ok().flatten().unwrap_or_default();
        let shown = Path::new("hooks-examples").join(file);
        let of_folder = |path: &'static str| path.splitn(3, '/').last().unwrap_or(path).to_owned();
        Script {
            hook: HookRef::new(id, matter.name.as_deref().unwrap_or(id), Scope::Adhoc, shown),
            source: Arc::from(*text),
            modules: Arc::new(
                modules.iter().map(|(path, text)| (of_folder(path), Arc::from(*text))).collect(),
            ),
            grants: Arc::new(matter.grants),
            path: None,
            executable: None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scripts of a folder and of those in it; tests are none.
    fn files(folder: &Path, shown: &str, extension: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{shown}/{}", entry.file_name().into_string().unwrap());
            if entry.path().is_dir() {
                files(&entry.path(), &name, extension, found);
            } else if name.ends_with(extension) && !name.ends_with(&format!(".test{extension}")) {
                found.push(name);
            }
        }
    }

    #[test]
    fn every_example_is_bundled() {
        for language in [Language::Lua, Language::Rhai] {
            let (examples, name, _) = bundled(language);
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hooks-examples").join(name);
            let mut there = Vec::new();
            files(&folder, name, &format!(".{name}"), &mut there);
            there.sort();
            let mut bundled: Vec<_> = examples
                .iter()
                .flat_map(|(first, modules)| std::iter::once(first).chain(*modules))
                .map(|(path, _)| (*path).to_owned())
                .collect();
            bundled.sort();
            assert_eq!(there, bundled);
            assert!(scripts(language).all(|script| script.hook.name == script.hook.id));
        }
    }

    #[test]
    fn both_languages_have_the_same_examples() {
        let names = |language| -> Vec<_> {
            scripts(language).map(|script| (script.hook.id.to_string(), script.modules.len())).collect()
        };
        assert_eq!(names(Language::Lua), names(Language::Rhai));
        let guard = scripts(Language::Rhai).find(|script| !script.modules.is_empty()).unwrap();
        assert_eq!(
            guard.modules.keys().collect::<Vec<_>>(),
            ["command.rhai", "losses.rhai", "refuse.rhai", "rules.rhai"]
        );
    }
}
