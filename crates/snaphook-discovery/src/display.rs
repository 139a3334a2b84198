//! How paths and foreign text are shown: a file name or a key from a project must not steer a terminal.
//! Not here: which prefix of a path is cut (`Directories::shown`).

use std::path::{Path, PathBuf};

/// Control characters and the marks that reverse or hide text.
pub(crate) fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether there is nothing in it to be written as an escape.
fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.chars().any(is_unprintable)
}

/// The text with every control character and bidirectional mark written as an escape (`\u{1b}`).
pub fn printable(text: &str) -> String {
    if is_printable(text) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_unprintable(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// [`printable`], cut to what fits a message.
pub(crate) fn quoted(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    let mut shown = printable(text);
    if let Some((end, _)) = shown.char_indices().nth(MAX_CHARS) {
        shown.truncate(end);
        shown.push('…');
    }
    shown
}

/// A path that is safe to print: control characters as escapes, bytes that are not UTF-8 as `\u{fffd}`.
pub fn display_path(path: &Path) -> PathBuf {
    match path.to_str() {
        Some(text) if is_printable(text) => path.to_owned(),
        _ => PathBuf::from(printable(&path.to_string_lossy())),
    }
}
