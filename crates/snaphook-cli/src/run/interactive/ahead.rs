//! Keys that a person presses while the agent works: nothing is shown of it, and it is kept for the next prompt. Not here: reading keys.

/// The most that is kept, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Keys that came early.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    text: Vec<u8>,
    in_escape: Escape,
}

/// The part of an escape sequence, as of an arrow key, that was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    No,
    Begun,
    Inside,
}

impl Ahead {
    /// Takes keys as the terminal gives them.
    pub(super) fn take(&mut self, keys: &[u8]) {
        for key in keys {
            match (self.in_escape, *key) {
                (Escape::No, 0x1b) => self.in_escape = Escape::Begun,
                (Escape::Begun, b'[' | b'O') => self.in_escape = Escape::Inside,
                (Escape::Begun, _) | (Escape::Inside, 0x40..=0x7e) => self.in_escape = Escape::No,
                (Escape::Inside, _) => {}
                (Escape::No, 0x7f | 0x08) => self.rub_out(),
                (Escape::No, 0x15) => {
                    let from = self.text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                    self.text.truncate(from);
                }
                // Enter alone says nothing.
                (Escape::No, b'\r' | b'\n') if self.text.trim_ascii().is_empty() => self.text.clear(),
                (Escape::No, b'\r' | b'\n') if self.text.len() < MAX_BYTES => self.text.push(b'\n'),
                (Escape::No, b'\t' | b' '..) if self.text.len() < MAX_BYTES => self.text.push(*key),
                (Escape::No, _) => {}
            }
        }
    }

    /// Returns whether there is a whole line.
    pub(super) fn has_line(&self) -> bool {
        self.text.contains(&b'\n')
    }

    /// Takes the whole lines, as one prompt; a command of the session stays one.
    pub(super) fn line(&mut self) -> Option<String> {
        let first = self.text.iter().position(|byte| *byte == b'\n')?;
        let is_command = self.text.starts_with(b"/");
        let end = match self.text.iter().rposition(|byte| *byte == b'\n') {
            Some(last) if !is_command => last,
            _ => first,
        };
        let rest = self.text.split_off(end + 1);
        let line = std::mem::replace(&mut self.text, rest);
        Some(String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned())
    }

    /// Takes what is no whole line yet.
    pub(super) fn rest(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.text)).into_owned()
    }

    /// Takes the last character back, but no whole line.
    fn rub_out(&mut self) {
        while let Some(last) = self.text.pop_if(|byte| *byte != b'\n') {
            if !(0x80..0xc0).contains(&last) {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_kept_as_a_line_editor_would_have_them() {
        for (keys, line, rest) in [
            ("one\r", Some("one"), ""),
            ("one\ntwo", Some("one"), "two"),
            ("one\ntwo\nthree", Some("one\ntwo"), "three"),
            ("/show 1\n/show 2\n", Some("/show 1"), "/show 2\n"),
            ("ab\u{7f}c", None, "ac"),
            ("aä\u{7f}c", None, "ac"),
            ("\u{7f}\u{7f}a", None, "a"),
            ("one\n\u{7f}\u{7f}two\u{15}three", Some("one"), "three"),
            ("a\u{1b}[A\u{1b}[1;5Cb\u{1b}OPc\u{1b}xd\u{3}\u{4}", None, "abcd"),
            ("", None, ""),
            ("\n\r  \n", None, ""),
            ("\none\n\n", Some("one"), ""),
        ] {
            let mut ahead = Ahead::default();
            ahead.take(keys.as_bytes());
            assert_eq!(ahead.has_line(), line.is_some(), "{keys:?}");
            assert_eq!(ahead.line().as_deref(), line, "{keys:?}");
            assert_eq!(ahead.rest(), rest, "{keys:?}");
            // One byte after the other is the same.
            let mut slowly = Ahead::default();
            keys.bytes().for_each(|key| slowly.take(&[key]));
            assert_eq!((slowly.line().as_deref(), slowly.rest().as_str()), (line, rest), "{keys:?}");
        }
    }
}
