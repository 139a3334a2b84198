//! Shells: the text behind `-c` is read, a file is opaque, and what a shell reads from its input is never known: other
//! commands may take bytes of it.

use super::{Call, Dialect, Item, Opaque, OpaqueKind, Reader, Res, emit, text};
use crate::Word;
use crate::programs::words;

/// The task that a shell is given.
enum Task {
    /// The word at this index is a text.
    Text(usize),
    /// The word at this index is a file.
    File(usize),
    /// Nothing but options that print.
    Nothing,
    /// Its input, or what cannot be told.
    Unclear,
}

/// Returns whether these words are a shell with a known text behind `-c`.
pub(super) fn takes_text(words: &[Item]) -> bool {
    match task(words) {
        Task::Text(at) => words.get(at).is_some_and(|item| item.word.known().is_some()),
        _ => false,
    }
}

pub(super) fn run(reader: &mut Reader<'_, '_>, call: Call, name: &str, dialect: Option<Dialect>) -> Res<()> {
    let Some(dialect) = dialect else { return emit(reader, call, true, None) };
    match task(&call.words) {
        Task::Text(at) => match call.words.get(at).map(|item| &item.word) {
            Some(Word::Known(script)) => {
                let script = script.clone();
                // `bash -a` exports what its text assigns
                let options = call.words.get(1..at).unwrap_or_default().iter();
                let exports = |text: &str| {
                    text == "allexport"
                        || text.starts_with('-') && !text.starts_with("--") && text.contains('a')
                };
                if options.filter_map(|item| item.word.known()).any(exports) {
                    reader.out.export_all();
                }
                text(reader, &call, name, &script, dialect)?;
                if call.redirects.is_empty() {
                    return Ok(());
                }
                super::bare(reader, Vec::new(), call.redirects, call.via, call.source)
            }
            _ => emit(reader, call, true, None),
        },
        Task::File(at) => {
            let Some(file) = call.words.get(at).map(|item| item.word.clone()) else {
                return emit(reader, call, true, None);
            };
            let opaque = Opaque {
                kind: OpaqueKind::File,
                language: Some("shell"),
                code: None,
                file: Some(file),
                written: false,
            };
            emit(reader, call, false, Some(opaque))
        }
        Task::Nothing => emit(reader, call, false, None),
        Task::Unclear => emit(reader, call, true, None),
    }
}

/// Returns whether a path leads to input or to a descriptor.
pub(super) fn is_device(path: &str) -> bool {
    path == "-"
        || path.starts_with("/dev/")
        || path.starts_with("/proc/")
        || path.contains("/..") && path.starts_with('/')
}

fn task(words: &[Item]) -> Task {
    let mut at = 1;
    let mut command = false;
    while let Some(item) = words.get(at) {
        let Word::Known(text) = &item.word else {
            let certain = item.word.prefix().chars().next().is_some_and(|c| !matches!(c, '-' | '+'));
            let single = !item.word.many() && certain && !item.process && !is_device(item.word.prefix());
            return if single && !command { Task::File(at) } else { Task::Unclear };
        };
        match text.as_str() {
            "--" => {
                at += 1;
                break;
            }
            "--version" | "--help" if words.len() == 2 => return Task::Nothing,
            "--norc" | "--noprofile" | "--login" => at += 1,
            "-o" | "+o" => {
                let setting = words.get(at + 1).and_then(|item| item.word.known()).unwrap_or_default();
                if !SETTINGS.contains(&setting) {
                    return Task::Unclear;
                }
                at += 2;
            }
            _ if text.starts_with('-') && text.len() > 1 => {
                for letter in text.chars().skip(1) {
                    match letter {
                        'c' => command = true,
                        _ if "euxvflaCET".contains(letter) => {}
                        'o' if text.ends_with('o') => {
                            let setting =
                                words.get(at + 1).and_then(|item| item.word.known()).unwrap_or_default();
                            if !SETTINGS.contains(&setting) {
                                return Task::Unclear;
                            }
                            at += 1;
                        }
                        _ => return Task::Unclear,
                    }
                }
                at += 1;
            }
            _ if text.starts_with('+') => return Task::Unclear,
            _ => break,
        }
    }
    match words.get(at).map(|item| &item.word) {
        Some(_) if command => Task::Text(at),
        Some(Word::Known(path)) if !path.is_empty() && !is_device(path) => Task::File(at),
        _ => Task::Unclear,
    }
}

/// Settings that change nothing about how a text is read, for `set -o` and `bash -o`.
pub(super) const SETTINGS: &[&str] = words!(
    "errexit nounset pipefail xtrace verbose noglob allexport errtrace functrace noclobber notify hashall emacs vi"
);
