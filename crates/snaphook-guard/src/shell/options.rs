//! Paths in options: behind the letters of a bundle, and the folder that `cp`, `mv`, `ln` and `install` are told. Not here: what is then
//! done with them (`shell`, `copy`).

use snaphook_shell::{Command, Word};

use super::spelling::name_of;

/// The longest bundle of letters before a value.
const MAX_LETTERS: usize = 24;

/// The folder that a copy is told: a word, or part of one.
pub(crate) enum Target<'a> {
    Word(&'a Word),
    Text(&'a str),
}

/// Returns each text that may be the value of a short option in a bundle: `/x` and `o/x` of `-so/x`. Which letters take one is not
/// known, so that every letter may.
pub(crate) fn glued(text: &str) -> impl Iterator<Item = &str> {
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    let bundle = letters.char_indices().take(MAX_LETTERS).take_while(|(_, c)| is_letter(*c));
    bundle
        .filter_map(move |(at, c)| letters.get(at + c.len_utf8()..))
        .filter(|value| value.contains(['/', '.', '~', '$']))
}

/// Returns whether it may be an option of one sign: curl has `-#` and `-:`.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '#' | ':')
}

/// Returns each folder that an option names as the target: `-t DIR`, `-vtDIR`, `--target-directory=DIR`, and shorter.
pub(crate) fn targets(command: &Command) -> Vec<Target<'_>> {
    let mut found = Vec::new();
    for (at, arg) in command.args.iter().enumerate() {
        let text = arg.text();
        let next = || command.args.get(at + 1).map(Target::Word);
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            if name.starts_with('t') && "target-directory".starts_with(name) {
                found.extend(value.map(Target::Text).or_else(next));
            }
        } else if let Some(letters) = text.strip_prefix('-') {
            let bundle =
                letters.char_indices().take(MAX_LETTERS).take_while(|(_, c)| c.is_ascii_alphanumeric());
            for (at, _) in bundle.filter(|(_, c)| *c == 't') {
                let value = letters.get(at + 1..).filter(|value| !value.is_empty());
                found.extend(value.map(Target::Text).or_else(next));
            }
        }
    }
    found
}

/// Returns whether a target is certain, so that the last operand is none: no letter before it takes a value.
pub(crate) fn has_certain_target(command: &Command) -> bool {
    command.args.iter().any(|arg| {
        let text = arg.text();
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
        let before = letters.split_once('t').map(|(before, _)| before);
        let long = text.split('=').next().unwrap_or_default();
        before.is_some_and(|before| before.chars().all(|c| "vfpraRLHPdulnxbTiDcC".contains(c)))
            || long.len() > 2 && "--target-directory".starts_with(long)
    })
}

/// Returns whether an option may name the target.
pub(crate) fn has_target(command: &Command) -> bool {
    !targets(command).is_empty()
}

/// Returns whether what unpacks is told a folder. `tar` takes its first word for options without a dash.
pub(crate) fn is_told_where(command: &Command) -> bool {
    let first = command.args.first().map(Word::prefix).filter(|first| !first.starts_with('-'));
    if name_of(command).ends_with("tar") && first.is_some_and(|first| first.contains('C')) {
        return true;
    }
    command.args.iter().any(|arg| {
        let text = arg.prefix();
        text.starts_with("--dir")
            || text.starts_with("--one")
            || (text.starts_with('-') && !text.starts_with("--") && text.contains(['C', 'd', 'D', 'o']))
    })
}

/// Returns what follows the letter of an option, or the text itself: `C/etc` is `/etc`.
pub(crate) fn after(text: &str) -> &str {
    match text.find(['/', '~']) {
        Some(at) if at <= 2 && text.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            text.get(at..).unwrap_or(text)
        }
        _ => text,
    }
}
