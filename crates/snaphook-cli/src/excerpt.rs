//! The line of a file that a problem is about, with a mark under it.

use std::path::{Path, PathBuf};

use snaphook_discovery::{Directories, printable};
use snaphook_state::plain_fs;

use crate::print::Paint;

/// The largest file that is looked into, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The longest part of a line that is shown, in characters.
const MAX_CHARS: usize = 120;

/// Returns the line with its number and a mark under it; `None` where the file cannot be read any more.
pub(crate) fn excerpt(paint: Paint, file: &Path, line: u32, directories: &Directories) -> Option<String> {
    let text = plain_fs::read(&path(file, directories)?, MAX_BYTES).ok()?;
    let text = String::from_utf8(text).ok()?;
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    let shown = printable(&text.lines().nth(index)?.trim_end().replace('\t', "    "));
    let shown: String = shown.chars().take(MAX_CHARS).collect();
    let start = shown.find(|c: char| !c.is_whitespace())?;
    let mark = "^".repeat(shown[start..].chars().count());
    let number = line.to_string();
    let (gutter, bar) = (" ".repeat(number.len()), paint.dim("|"));
    Some(format!(
        "  {gutter} {bar}\n  {} {bar} {shown}\n  {gutter} {bar} {}{}\n",
        paint.dim(&number),
        " ".repeat(start),
        paint.red(&mark)
    ))
}

/// Returns the file behind a path as people see it: `~` is the home folder, and what is relative is in the project.
fn path(shown: &Path, directories: &Directories) -> Option<PathBuf> {
    if let Ok(inside) = shown.strip_prefix("~") {
        return Some(directories.home.as_ref()?.join(inside));
    }
    Some(directories.project_root.join(shown))
}
