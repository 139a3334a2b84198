//! All texts of a message, whatever it is: found where they are, and written back so that all else stays byte for byte. Not here:
//! who looks at them (`session::look`), which words are the protocol's own (`words`), how they are found (`scan`).

mod scan;
pub(crate) mod words;

use std::ops::Range;

use serde_json::{Value, json};
use snaphook::Unreadable;

use snaphook_mcp_transport::json::splice_all;
use snaphook_mcp_transport::message::Message;
use words::BINARY_WITHHELD;

/// Base64 that is no longer is a text as well: a key can be written so.
const MAX_TEXT_BASE64: usize = 256;

/// The texts of a message that are not the protocol's own words.
#[derive(Debug)]
pub(crate) struct Texts<'a> {
    message: &'a Message,
    text: &'a str,
    /// The place of each, with its quotes.
    places: Vec<TextSpan>,
    values: Vec<String>,
    binary: Vec<Binary>,
}

#[derive(Debug)]
struct TextSpan {
    at: Range<usize>,
    is_key: bool,
}

/// Something that is written in base64.
#[derive(Debug)]
struct Binary {
    mime_type: Option<String>,
    bytes: usize,
    form: Form,
}

/// The text as it is written there.
#[derive(Debug)]
enum Form {
    /// A block of content of its own: the whole object.
    Block(Range<usize>),
    /// The content of a resource: its key, its value, and the position of its type.
    Blob { key: Range<usize>, value: Range<usize>, mime_type: Option<Range<usize>> },
}

impl<'a> Texts<'a> {
    /// Reads a message. The values of it that are at `shown` are left out.
    ///
    /// # Errors
    /// No hook could look at it.
    pub(crate) fn read(message: &'a Message, shown: Vec<Range<usize>>) -> Result<Self, Unreadable> {
        let text = std::str::from_utf8(message.bytes()).map_err(|_| Unreadable::Text)?;
        scan::read(message, text, shown)
    }

    /// Returns whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.binary.is_empty()
    }

    /// The texts in order.
    pub(crate) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.values)
    }

    /// The parts in base64, as hooks see them.
    pub(crate) fn binary(&self) -> Vec<Value> {
        let shown = |binary: &Binary| {
            let mut shown = json!({"bytes": binary.bytes});
            if let Some(mime_type) = &binary.mime_type {
                shown["mime_type"] = mime_type.as_str().into();
            }
            shown
        };
        self.binary.iter().map(shown).collect()
    }

    /// The message with other texts in the place of those that were read.
    ///
    /// # Errors
    /// It would be no message any more, or one that can be read in two ways: two keys of an object became one.
    pub(crate) fn with(&self, before: &[Value], after: &[Value]) -> Result<Message, Unreadable> {
        let changed = self.places.iter().zip(before.iter().zip(after)).filter(|(_, (old, new))| old != new);
        let mut keys = false;
        let mut edits = Vec::new();
        for (place, (_, new)) in changed {
            keys |= place.is_key;
            edits.push((place.at.clone(), new.to_string()));
        }
        let message = self.edited(edits)?;
        if keys {
            Texts::read(&message, Vec::new())?;
        }
        Ok(message)
    }

    /// The message with a text in the place of all that is written in base64; `None` where nothing is.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn without_binary(&self) -> Result<Option<Message>, Unreadable> {
        if self.binary.is_empty() {
            return Ok(None);
        }
        let quoted = |text: &str| Value::from(text).to_string();
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        for binary in &self.binary {
            match &binary.form {
                Form::Block(object) => {
                    edits
                        .push((object.clone(), json!({"type": "text", "text": BINARY_WITHHELD}).to_string()));
                }
                Form::Blob { key, value, mime_type } => {
                    edits.push((key.clone(), quoted("text")));
                    edits.push((value.clone(), quoted(BINARY_WITHHELD)));
                    edits.extend(mime_type.clone().map(|at| (at, quoted("text/plain"))));
                }
            }
        }
        // One may be in another.
        edits.sort_by_key(|(at, _)| (at.start, std::cmp::Reverse(at.end)));
        let mut end = 0;
        edits.retain(|(at, _)| {
            let is_outer = at.start >= end;
            end = end.max(at.end);
            is_outer
        });
        self.edited(edits).map(Some)
    }

    fn edited(&self, edits: Vec<(Range<usize>, String)>) -> Result<Message, Unreadable> {
        let part = |(at, new): &'_ (Range<usize>, String)| Some((self.text.get(at.clone())?, new.clone()));
        let parts: Option<Vec<(&str, String)>> = edits.iter().map(part).collect();
        let parts = parts.ok_or(Unreadable::Form)?;
        let mut parts: Vec<(&str, &str)> = parts.iter().map(|(old, new)| (*old, new.as_str())).collect();
        Message::read(splice_all(self.message.bytes(), &mut parts)).map_err(|_| Unreadable::Form)
    }
}

#[cfg(test)]
mod tests;
