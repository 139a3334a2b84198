//! The guarded names in a text, and those that its unknown words may mean: for commands that change something unknown. Not here: which
//! commands do (`shell`), words as paths (`path_pattern`).

use std::path::Path;

use snaphook_shell::Command;

use super::above;
use super::spelling::{name_of, squeezed};
use crate::guarded_files::{AGENT_FOLDERS, PROJECT_FOLDERS, REGISTERS};
use crate::path_pattern::Scope;
use crate::places::{Places, Touch};

/// The number of patterns of a text that are compared with what is guarded.
const MAX_PATTERNS: usize = 64;

/// Returns whether an unknown word may be what is guarded: the text has a pattern for it, or lists it for a loop.
pub(crate) fn may_mean(scope: &Scope<'_>, plain: &str, text: &str, commands: &[Command]) -> bool {
    let loops =
        commands.iter().any(|command| matches!(name_of(command).as_str(), "read" | "mapfile" | "readarray"))
            || ["in $(", "in `", "in \"$("].iter().any(|words| text.contains(words));
    if PROJECT_FOLDERS.iter().any(|name| names_folder(plain, name)) {
        return true;
    }
    if loops && commands.iter().any(|command| above::fed(scope, command).is_some()) {
        return true;
    }
    // A loop over all that is in a folder to which a `cd` led.
    if goes_over(text) {
        // `cd ..` at the end of a round leads out of a folder of the project, not above it.
        let is_round = |cwd: &Path| {
            scope.project.starts_with(cwd) && !["~", "home", "d /"].iter().any(|part| plain.contains(part))
        };
        let mut led = scope.cwds.iter().skip(1).flatten().filter(|cwd| !is_round(cwd));
        if led.any(|cwd| scope.places.look(scope.ways, cwd, cwd, Touch::Below, false).is_some()) {
            return true;
        }
    }
    let ends = |c: char| c.is_whitespace() || "\"';|&()<>`=".contains(c);
    // `*/` alone means what everybody sees.
    let certain = |c: char| c.is_alphanumeric() || c == '.';
    let is_pattern =
        |word: &&str| word.len() < 256 && word.contains(['*', '?', '[', '{']) && word.contains(certain);
    let patterns = text.split(ends).filter(is_pattern);
    patterns.take(MAX_PATTERNS).any(|word| scope.guard(&scope.read(word), Touch::Tree, false).is_some())
}

/// Returns whether a text goes over names that others list, or a pattern for all.
fn goes_over(text: &str) -> bool {
    let words = ["for", "while", "until", "xargs", "parallel", "select", "foreach"];
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| words.contains(&word))
}

/// Returns whether a text that was squeezed names what is guarded, put together of parts.
pub(crate) fn names_in_parts(squeezed_text: &str) -> bool {
    let register = |parts: &[&str]| {
        let text = squeezed(&parts.join("/"));
        text.len() >= 12 && squeezed_text.contains(&text)
    };
    REGISTERS.iter().any(|(parts, _)| parts.len() > 1 && register(parts))
        || ["configsnaphook", "statesnaphook", "snaphookhooks", "snaphookconfigtoml"]
            .iter()
            .any(|part| squeezed_text.contains(part))
}

/// Returns whether a text names a folder, and nothing in it.
fn names_folder(plain: &str, name: &str) -> bool {
    let ends =
        |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
    // `db.cursor()` is no folder, `$D.cursor` may be one.
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let begins = |text: &str| {
        let behind_variable = text.trim_end_matches(is_word).ends_with('$');
        behind_variable || !text.ends_with(|c: char| is_word(c) || matches!(c, ')' | ']'))
    };
    plain
        .match_indices(name)
        .any(|(at, _)| plain.get(..at).is_some_and(begins) && plain.get(at + name.len()..).is_some_and(ends))
}

/// Returns whether a text names what is guarded.
pub(crate) fn mentions(places: &Places, plain: &str) -> bool {
    let folder = |name: &&str| names_folder(plain, name);
    REGISTERS.iter().any(|(parts, _)| plain.contains(parts.join("/").trim_start_matches('*')))
        || AGENT_FOLDERS.iter().any(folder)
        || [
            "snaphook/hooks",
            "snaphook/config.toml",
            "snaphook/trust",
            "snaphook/audit",
            ".config/snaphook",
            "state/snaphook",
        ]
        .iter()
        .any(|part| plain.contains(part) && !plain.contains(&format!(".{part}")))
        || places
            .guarded
            .iter()
            .filter(|guarded| guarded.names.len() > 1)
            .any(|guarded| plain.contains(&format!("/{}", guarded.names.join("/"))))
}
