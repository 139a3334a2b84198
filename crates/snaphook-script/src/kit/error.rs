//! The facts about a script's error, as the host wants them: what happened, where in the user's own file, and the calls
//! that led there. Not here: reading the errors of a language (`error` of each engine).

use std::path::Path;

use snaphook_core::{Cause, HandlerError, Location, Problem};

/// The longest message of a script's that is kept, in bytes.
pub const MAX_TEXT_BYTES: usize = 4096;
/// The number of frames of a call stack that are kept.
const MAX_FRAMES: usize = 20;

/// The facts that were read from a script's error.
#[derive(Debug)]
pub struct ScriptError {
    /// The message: one line.
    pub message: String,
    /// The place in the user's own file.
    pub location: Option<Location>,
    /// The calls that led there, one a line.
    pub traceback: Option<String>,
    /// True if the script was refused memory.
    pub is_memory: bool,
}

impl ScriptError {
    /// Converts it to a handler's failure.
    pub fn into_handler_error(self, cause: Cause) -> HandlerError {
        let cause = if self.is_memory { Cause::Memory } else { cause };
        HandlerError { cause, message: self.message, location: self.location, traceback: self.traceback }
    }

    /// Converts it to what keeps a hook from loading; `file` is the hook's own.
    pub fn into_problem(self, file: &Path) -> Problem {
        let (file, line) = match self.location {
            Some(location) => (location.file, location.line),
            None => (file.to_owned(), None),
        };
        Problem { line, ..Problem::error(file, self.message) }
    }
}

/// Cuts a message. A script decides how long its messages are; a log must not suffer from it.
pub fn bounded(mut message: String) -> String {
    if message.len() > MAX_TEXT_BYTES {
        message.truncate(message.floor_char_boundary(MAX_TEXT_BYTES));
        message.push('…');
    }
    message
}

/// Joins the frames of a call stack, the first of them if there are many.
pub fn call_stack<Frame: AsRef<str>>(frames: impl IntoIterator<Item = Frame>) -> String {
    let mut frames = frames.into_iter();
    let mut shown = String::new();
    for frame in frames.by_ref().take(MAX_FRAMES) {
        if !shown.is_empty() {
            shown.push('\n');
        }
        shown.push_str(frame.as_ref());
    }
    match frames.count() {
        0 => shown,
        more => format!("{shown}\n… ({more} more)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_and_stacks_are_cut() {
        assert_eq!(bounded("short".to_owned()), "short");
        let cut = bounded("ü".repeat(MAX_TEXT_BYTES));
        assert_eq!(cut, format!("{}…", "ü".repeat(MAX_TEXT_BYTES / 2)));
        assert_eq!(call_stack(["a:1", "a:2"]), "a:1\na:2");
        let all = call_stack((0..MAX_FRAMES + 3).map(|line| format!("a:{line}")));
        assert!(all.starts_with("a:0\n") && all.ends_with("\na:19\n… (3 more)"), "{all}");
    }
}
