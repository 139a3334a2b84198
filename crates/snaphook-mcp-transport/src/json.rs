//! Objects of the protocol whose values stay text, and messages of which a part is replaced: all else keeps its bytes. Not here:
//! values that are read whole (`snaphook-mcp`).

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use snaphook_core::strict_json::{Key, duplicate_key};

/// The most keys that an object of the protocol itself may have. Few have ten.
const MAX_KEYS: usize = 1000;

/// The entries of an object in order, their values as they are written. A duplicate key is an error.
#[derive(Debug, Default)]
pub struct Fields<'a>(pub Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// Reads an object.
    ///
    /// # Errors
    /// The text is no JSON object, or has a key twice.
    pub fn read(text: &'a str) -> Result<Self, JsonError> {
        Ok(serde_json::from_str(text)?)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// The value of a key, where it is text.
    pub fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        text_of(self.get(key)?)
    }

    /// A key that a reader who does not mind case takes for one of these, but that is none of them.
    pub fn look_alike(&self, known: &[&str]) -> Option<&str> {
        let alike = |name: &str| known.iter().any(|known| *known != name && same_folded(known, name));
        self.0.iter().map(|(name, _)| &**name).find(|name| !known.contains(name) && alike(name))
    }
}

/// The text that a JSON string means.
pub fn text_of(value: &RawValue) -> Option<Cow<'_, str>> {
    let text = value.get();
    if !text.starts_with('"') {
        return None;
    }
    // Nothing escaped: it is there already.
    match text.get(1..text.len() - 1) {
        Some(plain) if !plain.contains('\\') => Some(Cow::Borrowed(plain)),
        _ => serde_json::from_str::<String>(text).ok().map(Cow::Owned),
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields: Vec<(Cow<'de, str>, &'de RawValue)> = Vec::new();
                while let Some(Key(key)) = map.next_key()? {
                    if fields.iter().any(|(known, _)| *known == key) {
                        return Err(duplicate_key(&key));
                    }
                    if fields.len() >= MAX_KEYS {
                        return Err(de::Error::custom("an object of the protocol has too many keys"));
                    }
                    fields.push((key, map.next_value()?));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Read)
    }
}

/// A document that cannot be read. Its text has no word of the document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// A value has another type than expected.
    #[error("unexpected type at line {line} column {column}")]
    Type {
        /// The line, from one.
        line: usize,
        /// The column, from one.
        column: usize,
    },
    /// The document is not JSON, or an object has a key twice.
    #[error("{0}")]
    Syntax(String),
}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        let text = error.to_string();
        // The text of these repeats the value.
        if text.starts_with("invalid type") || text.starts_with("invalid value") {
            JsonError::Type { line: error.line(), column: error.column() }
        } else {
            JsonError::Syntax(text)
        }
    }
}

/// The bytes with something else in the place of a part of them. `part` has to be a slice of `whole`.
pub fn splice(whole: &Bytes, part: &str, with: &str) -> Bytes {
    splice_all(whole, &mut [(part, with)])
}

/// The same with several parts, none of which may lie in another.
pub fn splice_all(whole: &Bytes, parts: &mut [(&str, &str)]) -> Bytes {
    parts.sort_by_key(|(part, _)| part.as_ptr() as usize);
    let mut pieces = Vec::with_capacity(2 * parts.len() + 1);
    let mut done = 0;
    for (part, with) in parts.iter() {
        let start = whole.slice_ref(part.as_bytes()).as_ptr() as usize - whole.as_ptr() as usize;
        pieces.extend([whole.slice(done..start), Bytes::copy_from_slice(with.as_bytes())]);
        done = start + part.len();
    }
    pieces.push(whole.slice(done..));
    pieces.concat().into()
}

/// Returns whether a reader that does not mind case (Go's, for one) takes two keys for one.
pub fn same_folded(one: &str, other: &str) -> bool {
    folded(one).eq(folded(other))
}

/// The letters of a text, as a reader compares them that does not mind case.
pub fn folded(text: &str) -> impl Iterator<Item = char> {
    // U+017F and U+212A are the two letters that fold to ASCII from outside of it.
    text.chars().flat_map(char::to_lowercase).map(|c| if c == '\u{17f}' { 's' } else { c })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_replaced_and_the_rest_stays() {
        let whole = Bytes::from_static(br#"{"a": 1 ,"b":{"c":2}}"#);
        let text = std::str::from_utf8(&whole).unwrap();
        let part = Fields::read(text).unwrap().get("b").unwrap();
        assert_eq!(splice(&whole, part.get(), "[]"), r#"{"a": 1 ,"b":[]}"#);
        let first = Fields::read(text).unwrap().get("a").unwrap();
        for mut parts in
            [[(part.get(), "[]"), (first.get(), "12")], [(first.get(), "12"), (part.get(), "[]")]]
        {
            assert_eq!(splice_all(&whole, &mut parts), r#"{"a": 12 ,"b":[]}"#);
        }
    }
}
