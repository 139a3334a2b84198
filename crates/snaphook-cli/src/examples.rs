//! The hooks of `hooks-examples/`, inside the binary, so that `snaphook run` shows something wherever it is installed,
//! and `snaphook add` has something to add.

use std::path::Path;
use std::sync::Arc;

use snaphook::{HookRef, Language, Scope, Script};
use snaphook_discovery::front_matter::{self, FileKind};

macro_rules! bundled {
    ($($first:literal tested $test:literal $(with $($module:literal)+)?),* $(,)?) => {
        &[$(Example { hook: file!($first), test: file!($test), modules: &[$($(file!($module)),+)?] }),*]
    };
}

macro_rules! file {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../hooks-examples/", $path)))
    };
}

/// Path and text.
type File = (&'static str, &'static str);

/// A hook with what it requires, and its test.
pub(crate) struct Example {
    hook: File,
    test: File,
    modules: &'static [File],
}

/// In the order in which they run, and so in the other language.
const LUA: &[Example] = bundled!(
    "lua/git-context.lua" tested "lua/git-context.test.lua",
    "lua/git-guard/init.lua" tested "lua/git-guard/init.test.lua"
        with "lua/git-guard/command.lua" "lua/git-guard/elsewhere.lua" "lua/git-guard/losses.lua"
            "lua/git-guard/push.lua" "lua/git-guard/refuse.lua" "lua/git-guard/rules.lua" "lua/git-guard/tools.lua",
    "lua/notify.lua" tested "lua/notify.test.lua",
    "lua/permission-gate/init.lua" tested "lua/permission-gate/init.test.lua"
        with "lua/permission-gate/code.lua" "lua/permission-gate/folders.lua" "lua/permission-gate/removals.lua"
            "lua/permission-gate/services.lua" "lua/permission-gate/words.lua",
    "lua/protected-paths/init.lua" tested "lua/protected-paths/init.test.lua" with "lua/protected-paths/names.lua",
    "lua/redact-secrets.lua" tested "lua/redact-secrets.test.lua",
    "lua/rewrite-command.lua" tested "lua/rewrite-command.test.lua",
    "lua/test-on-change.lua" tested "lua/test-on-change.test.lua",
);

const RHAI: &[Example] = bundled!(
    "rhai/git-context.rhai" tested "rhai/git-context.test.rhai",
    "rhai/git-guard/init.rhai" tested "rhai/git-guard/init.test.rhai"
        with "rhai/git-guard/command.rhai" "rhai/git-guard/elsewhere.rhai" "rhai/git-guard/losses.rhai"
            "rhai/git-guard/push.rhai" "rhai/git-guard/refuse.rhai" "rhai/git-guard/rules.rhai" "rhai/git-guard/tools.rhai",
    "rhai/notify.rhai" tested "rhai/notify.test.rhai",
    "rhai/permission-gate/init.rhai" tested "rhai/permission-gate/init.test.rhai"
        with "rhai/permission-gate/code.rhai" "rhai/permission-gate/folders.rhai" "rhai/permission-gate/removals.rhai"
            "rhai/permission-gate/services.rhai" "rhai/permission-gate/words.rhai",
    "rhai/protected-paths/init.rhai" tested "rhai/protected-paths/init.test.rhai" with "rhai/protected-paths/names.rhai",
    "rhai/redact-secrets.rhai" tested "rhai/redact-secrets.test.rhai",
    "rhai/rewrite-command.rhai" tested "rhai/rewrite-command.test.rhai",
    "rhai/test-on-change.rhai" tested "rhai/test-on-change.test.rhai",
);

impl Example {
    /// Its name, which is its id as well.
    pub(crate) fn name(&self) -> &'static str {
        let inside = inside(self.hook.0);
        inside.split(['/', '.']).next().unwrap_or(inside)
    }

    /// The hook itself: its path in a folder of hooks, and its text.
    pub(crate) fn hook(&self) -> File {
        (inside(self.hook.0), self.hook.1)
    }

    /// Its test.
    pub(crate) fn test(&self) -> File {
        (inside(self.test.0), self.test.1)
    }

    /// Returns what it requires.
    pub(crate) fn modules(&self) -> impl Iterator<Item = File> {
        self.modules.iter().map(|(path, text)| (inside(path), *text))
    }

    /// Returns what its front matter says that it does.
    pub(crate) fn description(&self, language: Language) -> String {
        let (_, _, kind) = bundled(language);
        let matter = front_matter::parse(self.hook.1, kind).ok().flatten();
        matter.and_then(|matter| matter.description).unwrap_or_default()
    }
}

/// A path without the folder of its language.
fn inside(path: &'static str) -> &'static str {
    path.split_once('/').map_or(path, |(_, inside)| inside)
}

/// The examples in a language.
pub(crate) fn all(language: Language) -> &'static [Example] {
    bundled(language).0
}

fn bundled(language: Language) -> (&'static [Example], &'static str, FileKind) {
    match language {
        Language::Lua => (LUA, "lua", FileKind::Lua),
        Language::Rhai => (RHAI, "rhai", FileKind::Rhai),
        Language::Executable | Language::Lifecycle | Language::McpServer => (&[], "sh", FileKind::Executable),
    }
}

/// The examples in a language as hooks named for this run.
pub(crate) fn scripts(language: Language) -> impl Iterator<Item = Script> {
    let (examples, _, kind) = bundled(language);
    examples.iter().map(move |example| {
        let Example { hook: (file, text), modules, .. } = example;
        let id = example.name();
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

    /// The scripts of a folder and of those in it, with their tests.
    fn files(folder: &Path, shown: &str, extension: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{shown}/{}", entry.file_name().into_string().unwrap());
            if entry.path().is_dir() {
                files(&entry.path(), &name, extension, found);
            } else if name.ends_with(extension) {
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
                .flat_map(|one| [&one.hook, &one.test].into_iter().chain(one.modules))
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
            [
                "command.rhai",
                "elsewhere.rhai",
                "losses.rhai",
                "push.rhai",
                "refuse.rhai",
                "rules.rhai",
                "tools.rhai"
            ]
        );
    }
}
