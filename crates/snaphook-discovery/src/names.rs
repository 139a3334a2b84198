//! Kinds of files in a hooks folder, by their names alone. Not here: their content.

use crate::candidate::Language;

/// The verdict on a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Name {
    /// A hook, when it is a regular file.
    Script(Language),
    /// A script that is hidden by a leading dot: not loaded, but worth a word.
    HiddenScript,
    /// Known not to be a hook: tests, type stubs, editor leftovers, dotfiles.
    Skip,
    /// Documentation or data, unless it is an executable hook.
    Data,
    /// Perhaps meant as a hook; holds the extension that was meant.
    NearMiss(&'static str),
    /// Anything else: perhaps an executable hook.
    Other,
}

/// The script extensions in the order in which suggestions prefer them.
const SCRIPT_EXTENSIONS: [&str; 3] = ["lua", "luau", "rhai"];

/// Left behind by editors, patch tools and merges.
const LEFTOVER_EXTENSIONS: [&str; 9] = ["bak", "orig", "swp", "swo", "swn", "tmp", "rej", "old", "save"];

/// Never a hook by themselves.
const DATA_EXTENSIONS: [&str; 13] =
    ["md", "markdown", "txt", "rst", "adoc", "json", "jsonc", "json5", "toml", "lock", "csv", "log", "html"];

/// Documents that come without an extension as well.
const DOCUMENTS: [&str; 7] =
    ["readme", "license", "licence", "copying", "notice", "changelog", "contributing"];

/// The language for an extension. Case does not matter: a gate that was copied from a file system which shouts its
/// names must not vanish.
pub(crate) fn language(extension: &str) -> Option<Language> {
    match extension.to_ascii_lowercase().as_str() {
        "lua" | "luau" => Some(Language::Lua),
        "rhai" => Some(Language::Rhai),
        _ => None,
    }
}

/// The name without its last extension, and that extension. A leading dot starts no extension.
pub(crate) fn split(name: &str) -> (&str, &str) {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, extension),
        _ => (name, ""),
    }
}

/// Returns whether a script's name says that it is a test (`x.test.lua`) or a type stub (`x.d.lua`).
pub(crate) fn is_test_or_stub(name: &str) -> bool {
    let (stem, extension) = split(name);
    let (base, kind) = split(stem);
    language(extension).is_some()
        && !base.is_empty()
        && (kind.eq_ignore_ascii_case("test") || kind.eq_ignore_ascii_case("d"))
}

/// Returns whether a script's name says that it is a test (`x.test.lua`).
pub fn is_test(name: &str) -> bool {
    let (stem, _) = split(name);
    is_test_or_stub(name) && split(stem).1.eq_ignore_ascii_case("test")
}

/// The language that a file is written in, by its name.
pub fn language_of(name: &str) -> Option<Language> {
    language(split(name).1)
}

/// Returns whether the name is that of a folder hook's entry script.
pub fn is_init(name: &str) -> bool {
    let (stem, extension) = split(name);
    stem.eq_ignore_ascii_case("init") && language(extension).is_some()
}

/// Judges a file name.
pub(crate) fn judge(name: &str) -> Name {
    let (stem, extension) = split(name);
    if name.starts_with('.') {
        let lock_file = name.starts_with(".#");
        let script = language(extension).is_some() && !is_test_or_stub(name);
        return if script && !lock_file { Name::HiddenScript } else { Name::Skip };
    }
    if name.ends_with('~') || (name.starts_with('#') && name.ends_with('#')) || is_test_or_stub(name) {
        return Name::Skip;
    }
    if let Some(language) = language(extension) {
        return Name::Script(language);
    }
    let extension = extension.to_ascii_lowercase();
    if LEFTOVER_EXTENSIONS.contains(&extension.as_str()) {
        return Name::Skip;
    }
    if let Some(meant) = near_miss(stem, &extension) {
        return Name::NearMiss(meant);
    }
    let first = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    if DATA_EXTENSIONS.contains(&extension.as_str())
        || (extension.is_empty() && DOCUMENTS.iter().any(|document| first.starts_with(document)))
    {
        return Name::Data;
    }
    Name::Other
}

/// `guard.lua.txt`, `guard.lau`, `guard.rai`.
fn near_miss(stem: &str, extension: &str) -> Option<&'static str> {
    let buried = stem.split('.').skip(1).map(str::to_ascii_lowercase).collect::<Vec<_>>();
    SCRIPT_EXTENSIONS.into_iter().find(|meant| {
        buried.iter().any(|part| part == meant)
            || (extension.len() > 2 && strsim::osa_distance(extension, meant) == 1)
    })
}
