//! Documents that do not read as a whole: the reason, and what is still known of one, so that a tool's output can be withheld in the form
//! that its agent takes. Not here: what is answered then (`service`, `standby`).
//!
//! What is left of a torn document is never judged and never shown: half of it may be missing.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use snaphook::Unreadable;
use snaphook::strict_json::Strict;

/// The depth to which the rest is looked into. Results are nearer to the top.
const DEEP: u8 = 12;

/// A document that cannot be read.
#[derive(Debug)]
pub struct Torn {
    /// The reason, without any of its content.
    pub reason: String,
    /// The same, as it counts for results.
    pub why: Unreadable,
    /// The rest of it; empty where that is nothing.
    pub rest: Map<String, Value>,
}

impl Torn {
    /// One of which nothing is left.
    pub fn whole(why: Unreadable, reason: impl Into<String>) -> Self {
        Torn { reason: reason.into(), why, rest: Map::new() }
    }
}

/// Reads a document that has to be an object.
pub fn object(text: &[u8]) -> Result<Map<String, Value>, Torn> {
    let error = match serde_json::from_slice(text) {
        Ok(Strict(Value::Object(map))) => return Ok(map),
        Ok(_) => return Err(Torn::whole(Unreadable::Form, "expected a JSON object")),
        Err(error) => error,
    };
    // It can be read, but not in one way only: the agent may take the other of two values.
    if serde_json::from_slice::<Value>(text).is_ok() {
        let place = format!("line {} column {}", error.line(), error.column());
        return Err(Torn::whole(Unreadable::Form, format!("a key occurs twice in one object ({place})")));
    }
    let repaired = repaired(text);
    let rest = match serde_json::from_str::<&RawValue>(&repaired).map(|raw| left(raw, DEEP)) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    };
    let why = match () {
        () if rest.is_empty() => Unreadable::Form,
        () if repaired.as_bytes() != text => Unreadable::Text,
        () => Unreadable::TooDeep,
    };
    // The place only: the parser's words may be those of the document.
    let place = format!("line {} column {}", error.line(), error.column());
    Err(Torn { reason: format!("it is not JSON that can be read ({place})"), why, rest })
}

/// The text with a replacement character for each byte that is no text, and for each half of a surrogate pair.
fn repaired(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let (keep, length) = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (true, 12),
            (Some(0xd800..=0xdfff), _) => (false, 6),
            (Some(_), _) => (true, 6),
            (None, _) => (true, 1 + escape.chars().nth(1).map_or(0, char::len_utf8)),
        };
        let (escape, behind) = escape.split_at(length);
        out.push_str(if keep { escape } else { "\\ufffd" });
        rest = behind;
    }
    out + rest
}

/// The number of the escape that is there.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| u16::from_str_radix(digits, 16).ok())
        .flatten()
}

/// Returns what is left of a value: null where it goes too deep, or where a part does not read.
fn left(raw: &RawValue, deep: u8) -> Value {
    let text = raw.get();
    let Some(deeper) = deep.checked_sub(1) else { return Value::Null };
    match text.as_bytes().first() {
        Some(b'{') => {
            let parts: BTreeMap<String, &RawValue> = serde_json::from_str(text).unwrap_or_default();
            Value::Object(parts.into_iter().map(|(name, part)| (name, left(part, deeper))).collect())
        }
        Some(b'[') => {
            let parts: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
            parts.into_iter().map(|part| left(part, deeper)).collect()
        }
        _ => serde_json::from_str(text).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_left_of_a_torn_document() {
        let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        let left_of_deep = (1..DEEP).fold(json!(null), |inner, _| json!([inner]));
        for (text, why, rest) in [
            (&br#"{"a":"cut \ud83d","b":1}"#[..], Unreadable::Text, json!({"a": "cut \u{fffd}", "b": 1})),
            (
                br#"{"a":"\ude00 \\ud83d \ud83d\ude00 \u0041"}"#,
                Unreadable::Text,
                json!({"a": "\u{fffd} \\ud83d 😀 A"}),
            ),
            (
                b"{\"a\":\"\xff\xfe\",\"b\":{\"c\":[true]}}",
                Unreadable::Text,
                json!({"a": "\u{fffd}\u{fffd}", "b": {"c": [true]}}),
            ),
            (deep.as_bytes(), Unreadable::TooDeep, json!({"a": left_of_deep})),
            (br#"{"a":1e999,"b":"c"}"#, Unreadable::TooDeep, json!({"a": null, "b": "c"})),
            (br#"{"a":"b"#, Unreadable::Form, json!({})),
            (b"[\"hunter2\"]", Unreadable::Form, json!({})),
            (br#"{"a":{"command":"rm x","command":"ls"}}"#, Unreadable::Form, json!({})),
            (br#"{"a":1,"\u0061":2}"#, Unreadable::Form, json!({})),
            (b"", Unreadable::Form, json!({})),
        ] {
            let torn = object(text).unwrap_err();
            assert_eq!(
                (torn.why, Value::Object(torn.rest)),
                (why, rest),
                "{}",
                String::from_utf8_lossy(text)
            );
        }
        assert!(object(br#"{"a":"\ud83d\ude00"}"#).is_ok());
    }

    #[test]
    fn the_reason_quotes_nothing() {
        for text in [&b"{\"a\": hunter2}"[..], b"hunter2", b"\"hunter2\"", b"{\"hunter2\": \"\\ud83d\"}"] {
            assert!(!object(text).unwrap_err().reason.contains("hunter2"));
        }
    }
}
