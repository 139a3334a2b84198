//! Showing paths and keys in messages: a file name from a project must not steer a terminal. Not here: which characters
//! would (`snaphook_core::printable`), and which prefix of a path is cut (`Directories::shown`).

use std::path::{Path, PathBuf};

use snaphook_core::{is_printable, printable};

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
