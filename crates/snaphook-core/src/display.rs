//! Foreign text for a person and for a log: it must not steer a terminal, look like another line, or be read in
//! another order than it is. The one place for it. Not here: how paths are cut for messages (`snaphook-discovery`), and how long a
//! text may be (`text_budget`).

use crate::requests::{Notice, UiRequest};

/// Returns whether a character steers instead of showing: control characters, line and paragraph separators, the
/// marks that turn the direction of writing, and those that show nothing. The two joiners are not among them: scripts
/// and emoji need them.
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns whether there is nothing in it to be written as an escape.
pub fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.chars().any(is_unprintable)
}

/// The text on one line, with every character that [`is_unprintable`] as an escape (`\n`, `\u{1b}`).
///
/// ```
/// assert_eq!(snaphook_core::printable("fine\r\nerror: \u{202e}enif"), "fine\\r\\nerror: \\u{202e}enif");
/// ```
pub fn printable(text: &str) -> String {
    escaped(text, |_| false)
}

/// The same for a text that may have several lines. A CR before the end of a line is part of that end.
pub fn printable_lines(text: &str) -> String {
    if text.contains("\r\n") {
        escaped(&text.replace("\r\n", "\n"), |c| c == '\n')
    } else {
        escaped(text, |c| c == '\n')
    }
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> String {
    if is_printable(text) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_unprintable(c) && !stays(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

impl UiRequest {
    /// The question as it may be shown. What a person edits in an editor stays as it is: it comes back.
    #[must_use]
    pub fn printable(self) -> Self {
        let title = |title: String| printable(&title);
        match self {
            UiRequest::Confirm { title: asked, message } => UiRequest::Confirm {
                title: title(asked),
                message: message.map(|message| printable_lines(&message)),
            },
            UiRequest::Select { title: asked, options } => UiRequest::Select {
                title: title(asked),
                options: options.iter().map(|option| printable(option)).collect(),
            },
            UiRequest::Input { title: asked, initial } => {
                UiRequest::Input { title: title(asked), initial: initial.map(|text| printable(&text)) }
            }
            UiRequest::Editor { title: asked, initial } => UiRequest::Editor { title: title(asked), initial },
        }
    }
}

impl Notice {
    /// The notice as it may be shown: on one line.
    #[must_use]
    pub fn printable(self) -> Self {
        match self {
            Notice::Message { text, level } => Notice::Message { text: printable(&text), level },
            Notice::Status { key, text } => {
                Notice::Status { key: printable(&key), text: text.map(|text| printable(&text)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_is_an_escape_and_all_else_stays() {
        for (text, line) in [
            ("plain", "plain"),
            ("a\nb\r\nc", "a\\nb\\r\\nc"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("\u{85}\u{2028}\u{2029}", "\\u{85}\\u{2028}\\u{2029}"),
            ("\u{202e}\u{2066}\u{200f}\u{61c}", "\\u{202e}\\u{2066}\\u{200f}\\u{61c}"),
            ("\u{200b}\u{feff}\u{e0041}\u{ad}", "\\u{200b}\\u{feff}\\u{e0041}\\u{ad}"),
            ("añ 漢 \u{1f468}\u{200d}\u{1f469}", "añ 漢 \u{1f468}\u{200d}\u{1f469}"),
        ] {
            assert_eq!(printable(text), line);
            assert_eq!(printable(&printable(text)), line);
        }
        assert_eq!(printable_lines("a\r\nb\rc\n\u{202e}"), "a\nb\\rc\n\\u{202e}");
    }
}
