//! The message to the agent about a failed check, in the seed's words.

use std::fmt::Write as _;
use std::path::Path;

use snaphook_discovery::printable;

use super::RanCheck;
use crate::dispatch::emit::MAX_CONTINUATIONS;

/// The most lines of output that are shown in the message.
pub const INLINE_LINES: u64 = 200;

/// The most bytes of output that are shown in the message.
pub const INLINE_BYTES: u64 = 5120;

/// The most files that are named, as Discobot has it.
const MAX_FILES: usize = 20;

/// The most text of file names: a message is to be read.
const MAX_NAME_BYTES: usize = 4000;

impl RanCheck {
    /// Returns the message for the agent, numbered from 1 since the person's last prompt. `home` is
    /// shown as `~`.
    pub fn message(&self, attempt: u32, home: Option<&Path>) -> String {
        let mut text = format!("[{} Hook Failed] \"{}\"", self.product.title(), self.hook.name);
        if !self.patterns.is_empty() {
            let _ = write!(text, " (pattern: {})", self.patterns.join(", "));
        }
        text.push_str("\n\n");
        let names = self.names();
        if !names.is_empty() {
            let _ = writeln!(text, "Files: {names}");
        }
        let _ = writeln!(text, "Exit code: {}\n", self.exit_code);
        let attempt = format!("(Attempt {attempt}/{MAX_CONTINUATIONS})");
        match self.log.as_deref().filter(|_| self.lines > INLINE_LINES || self.bytes > INLINE_BYTES) {
            Some(log) => {
                let log = home_relative(log, home);
                let _ = write!(
                    text,
                    "Output is large ({} lines). Full output saved to:\n  {log}\n\nPlease read the file to see the full \
                     output and address the issues. {attempt}",
                    self.lines
                );
            }
            None => {
                let output = match self.output.trim_end_matches(['\n', '\r']) {
                    "" => "(no output)",
                    output => output,
                };
                let _ = write!(
                    text,
                    "Output:\n{output}\n\nPlease fix the issues and ensure the hook passes. {attempt}"
                );
            }
        }
        text
    }

    fn names(&self) -> String {
        let mut text = String::new();
        let deleted = self.deleted.iter().map(|name| format!("{name} (deleted)"));
        let nameless = self.nameless.iter().map(|name| format!("{name} (a name that is not UTF-8)"));
        let names: Vec<_> = self.files.iter().cloned().chain(deleted).chain(nameless).collect();
        for (at, name) in names.iter().enumerate() {
            if at == MAX_FILES || text.len() + name.len() > MAX_NAME_BYTES {
                let comma = if text.is_empty() { "" } else { ", and " };
                let _ = write!(text, "{comma}{} more", names.len() - at);
                break;
            }
            if !text.is_empty() {
                text.push_str(", ");
            }
            // A name may have line ends in it, and words behind them that the agent would take for ours.
            text.push_str(&printable(name));
        }
        text
    }
}

/// A path as people write it.
fn home_relative(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(inside) => format!("~/{}", inside.display()),
        None => path.display().to_string(),
    }
}

/// Returns how many lines a text has.
pub(super) fn lines(text: &str) -> u64 {
    text.lines().count() as u64
}
