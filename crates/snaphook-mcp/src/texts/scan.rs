//! Finds the texts of a message that is known to be JSON: each string, and each key that is not the protocol's own. Not here: how
//! they are written back (`super`).

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use snaphook::{MAX_RESULT_DEPTH, MAX_RESULT_TEXT, MAX_RESULT_VALUES, Unreadable};

use crate::texts::words::{is_key, is_word};
use crate::texts::{Binary, Form, MAX_TEXT_BASE64, TextSpan, Texts};
use snaphook_mcp_transport::message::Message;

/// The message itself is one level.
const MAX_DEPTH: usize = MAX_RESULT_DEPTH + 2;

pub(super) fn read<'a>(
    message: &'a Message,
    text: &'a str,
    mut shown: Vec<Range<usize>>,
) -> Result<Texts<'a>, Unreadable> {
    shown.sort_by_key(|shown| shown.start);
    let mut scan =
        Scan { text, at: 0, shown, left: MAX_RESULT_VALUES, found: Vec::new(), binary: Vec::new() };
    scan.value(MAX_DEPTH, "", Level::Message)?;
    let Scan { found, binary, .. } = scan;
    let mut texts = Texts { message, text, places: Vec::new(), values: Vec::new(), binary };
    let mut bytes = 0;
    for (place, value) in found.into_iter().flatten() {
        bytes += value.len();
        if bytes > MAX_RESULT_TEXT {
            return Err(Unreadable::TooLarge);
        }
        texts.places.push(place);
        texts.values.push(value.into_owned());
    }
    Ok(texts)
}

/// The place of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Message,
    Inside,
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// The places that are passed over, in order.
    shown: Vec<Range<usize>>,
    /// The number of values that may still come.
    left: usize,
    /// `None` in the place of one that turned out to be written in base64.
    found: Vec<Option<(TextSpan, Cow<'a, str>)>>,
    binary: Vec<Binary>,
}

/// The facts about an object so far.
#[derive(Default)]
struct Object<'a> {
    kind: Option<Cow<'a, str>>,
    mime_type: Option<(Cow<'a, str>, Range<usize>)>,
    has_uri: bool,
    /// A text that may be base64: the key, where both are, and its place among the texts.
    held: Vec<(bool, Range<usize>, Range<usize>, usize)>,
}

impl<'a> Scan<'a> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Passes over a string, and says where it is, and what it means.
    fn string(&mut self) -> Result<(Range<usize>, Cow<'a, str>), Unreadable> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        let mut escaped = false;
        loop {
            let rest = bytes.get(end..).ok_or(Unreadable::Form)?;
            end += memchr::memchr2(b'"', b'\\', rest).ok_or(Unreadable::Form)?;
            if bytes.get(end) == Some(&b'"') {
                break;
            }
            escaped = true;
            end += 2;
        }
        self.at = end + 1;
        let at = start..self.at;
        let written = self.text.get(at.clone()).ok_or(Unreadable::Form)?;
        let meant = match self.text.get(start + 1..end) {
            Some(plain) if !escaped => Cow::Borrowed(plain),
            _ => Cow::Owned(serde_json::from_str::<String>(written).map_err(|_| Unreadable::Text)?),
        };
        Ok((at, meant))
    }

    fn put(&mut self, at: Range<usize>, is_key: bool, text: Cow<'a, str>) {
        self.found.push(Some((TextSpan { at, is_key }, text)));
    }

    /// Returns whether a value that hooks were shown begins here: it is passed over.
    fn was_shown(&mut self) -> bool {
        let Ok(index) = self.shown.binary_search_by_key(&self.at, |shown| shown.start) else { return false };
        self.at = self.shown.get(index).map_or(self.at, |shown| shown.end);
        true
    }

    /// Passes over a value that is no string in an object.
    fn value(&mut self, deep: usize, key: &str, level: Level) -> Result<(), Unreadable> {
        self.space();
        if self.was_shown() {
            return Ok(());
        }
        self.left = self.left.checked_sub(1).ok_or(Unreadable::TooMany)?;
        match self.byte() {
            Some(b'"') => {
                let (at, text) = self.string()?;
                if !is_word(key, &text) {
                    self.put(at, false, text);
                }
                Ok(())
            }
            Some(b'{') => self.object(deep.checked_sub(1).ok_or(Unreadable::TooDeep)?, level),
            Some(b'[') => self.list(deep.checked_sub(1).ok_or(Unreadable::TooDeep)?, key),
            _ => {
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n');
                let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
                self.at += rest.iter().position(ends).unwrap_or(rest.len());
                Ok(())
            }
        }
    }

    fn list(&mut self, deep: usize, key: &str) -> Result<(), Unreadable> {
        self.at += 1;
        loop {
            self.space();
            match self.byte() {
                Some(b']') => break self.at += 1,
                Some(b',') => self.at += 1,
                Some(_) => self.value(deep, key, Level::Inside)?,
                None => return Err(Unreadable::Form),
            }
        }
        Ok(())
    }

    fn object(&mut self, deep: usize, level: Level) -> Result<(), Unreadable> {
        let start = self.at;
        self.at += 1;
        let mut keys = HashSet::new();
        let mut object = Object::default();
        loop {
            self.space();
            match self.byte() {
                Some(b'}') => break self.at += 1,
                Some(b',') => self.at += 1,
                Some(b'"') => {
                    let (at, key) = self.string()?;
                    self.entry(deep, level, &mut object, (at, &key))?;
                    if !keys.insert(key) {
                        return Err(Unreadable::Form);
                    }
                }
                _ => return Err(Unreadable::Form),
            }
        }
        self.note_binary(object, start..self.at);
        Ok(())
    }

    fn entry(
        &mut self,
        deep: usize,
        level: Level,
        object: &mut Object<'a>,
        (key_at, key): (Range<usize>, &Cow<'a, str>),
    ) -> Result<(), Unreadable> {
        self.space();
        if self.byte() != Some(b':') {
            return Err(Unreadable::Form);
        }
        self.at += 1;
        self.space();
        if !is_key(key) {
            self.put(key_at.clone(), true, key.clone());
        }
        let is_frame = level == Level::Message && matches!(&**key, "jsonrpc" | "id");
        if self.byte() != Some(b'"') {
            return self.value(deep, key, Level::Inside);
        }
        if self.was_shown() {
            return Ok(());
        }
        self.left = self.left.checked_sub(1).ok_or(Unreadable::TooMany)?;
        let (at, text) = self.string()?;
        match &**key {
            "type" => object.kind = Some(text.clone()),
            "mimeType" => object.mime_type = Some((text.clone(), at.clone())),
            "uri" => object.has_uri = true,
            "data" | "blob" => {
                object.held.push((key == "blob", key_at, at.clone(), self.found.len()));
            }
            _ => {}
        }
        if !is_frame && !is_word(key, &text) {
            self.put(at, false, text);
        }
        Ok(())
    }

    /// Notes what of an object is written in base64, now that all of it is known.
    fn note_binary(&mut self, object: Object<'a>, whole: Range<usize>) {
        let Object { kind, mime_type, has_uri, held } = object;
        let is_block = matches!(kind.as_deref(), Some("image" | "audio"));
        for (is_blob, key, value, index) in held {
            if !(if is_blob { has_uri } else { is_block }) {
                continue;
            }
            let Some(Some((_, text))) = self.found.get(index) else { continue };
            let Some(bytes) = decoded_size(text) else { continue };
            let form = if is_blob {
                Form::Blob { key, value, mime_type: mime_type.as_ref().map(|(_, at)| at.clone()) }
            } else {
                Form::Block(whole.clone())
            };
            let is_long = text.len() > MAX_TEXT_BASE64;
            let mime_type = mime_type.as_ref().map(|(text, _)| text.to_string());
            self.binary.push(Binary { mime_type, bytes, form });
            if let Some(found) = self.found.get_mut(index).filter(|_| is_long) {
                *found = None;
            }
        }
    }
}

/// Counts the bytes that a base64 text decodes to; `None` where it is not base64.
fn decoded_size(text: &str) -> Option<usize> {
    let plain = text.trim_end_matches('=');
    let padding = text.len() - plain.len();
    let is_base64 = plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    (is_base64 && padding <= 2 && !text.is_empty() && text.len().is_multiple_of(4))
        .then(|| text.len() / 4 * 3 - padding)
}
