//! A JSON-RPC message: its bytes, and the part of its content that decides where it goes. Not here: what methods mean.
//!
//! What two readers could read differently is no message: a duplicate key, bytes that are not UTF-8, anything behind the
//! document. Otherwise a gate could judge one thing and a server do another.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use bytes::Bytes;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use snaphook_core::strict_json::Key;

use crate::json::{JsonError, same_folded};

/// The id of a request: a text or a number. Numbers that are one are equal, however they are written: a peer may write `1.0` back
/// as `1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(Box<str>);

impl Id {
    /// The id as JSON.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// The id that is there, if it is one. A progress token is written the same way.
    pub fn read(written: &RawValue) -> Option<Self> {
        id(written).ok().flatten()
    }

    /// Returns its text: a string without its quotes.
    pub fn plain(&self) -> Cow<'_, str> {
        let Some(quoted) = self.0.strip_prefix('"') else { return Cow::Borrowed(&self.0) };
        match quoted.strip_suffix('"').filter(|text| !text.contains('\\')) {
            Some(text) => Cow::Borrowed(text),
            None => serde_json::from_str::<String>(&self.0).map_or(Cow::Borrowed(&self.0), Cow::Owned),
        }
    }

    /// The id that a value is.
    pub fn of_value(value: &serde_json::Value) -> Option<Self> {
        let text = value.to_string();
        let written: &RawValue = serde_json::from_str(&text).ok()?;
        Id::read(written)
    }

    /// An id of our own.
    pub fn text(text: &str) -> Self {
        Id(serde_json::Value::from(text).to_string().into())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The kind of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageKind {
    /// Asks for an answer.
    Request {
        /// The id of the answer that is meant for it.
        id: Id,
        /// The method that is asked.
        method: Box<str>,
    },
    /// Tells something.
    Notification {
        /// The method of the notification.
        method: Box<str>,
    },
    /// Answers a request.
    Response {
        /// The request's id; `None` is `null`, for a request that could not be read.
        id: Option<Id>,
        /// True if it is an error of the protocol.
        is_error: bool,
    },
    /// Several messages in one, as the protocol of 2025-03-26 allows.
    Batch,
}

/// A message as it came, or one of our own. Without a line break. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Message {
    bytes: Bytes,
    kind: MessageKind,
    /// The place where the parameters, the result or the error are, of a message that was read.
    body: Option<Range<usize>>,
}

/// Bytes that are not a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct InvalidMessage {
    /// The reason.
    pub reason: InvalidReason,
    /// Its beginning, printable.
    pub begins: String,
    /// The id, where one could still be read: a request may be waiting for its answer.
    pub id: Option<Id>,
}

/// The reason why bytes are no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidReason {
    /// There are too many of them.
    #[error("it is longer than {max_bytes} bytes")]
    TooLong {
        /// The most that a message may have.
        max_bytes: usize,
    },
    /// They are not text.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// They are not JSON.
    #[error("it is not JSON: {0}")]
    NotJson(JsonError),
    /// They are JSON, but not an object of JSON-RPC, or one that two readers could read differently.
    #[error("it is not a JSON-RPC message: {0}")]
    NotJsonRpc(JsonError),
    /// A batch without messages.
    #[error("it is an empty batch")]
    EmptyBatch,
    /// `jsonrpc` is not "2.0".
    #[error("its `jsonrpc` is not \"2.0\"")]
    Version,
    /// The id is neither a string nor a number.
    #[error("its id is neither a string nor a number")]
    Id,
    /// A request whose id is null.
    #[error("its id is null")]
    NullId,
    /// It has not the keys of any message.
    #[error("it is neither a request nor a response")]
    Kind,
}

impl InvalidMessage {
    /// A message of which only the two ends are there. The id is found where it is before or behind what is long.
    pub fn too_long(head: &[u8], tail: &[u8], max_bytes: usize) -> Self {
        let id = first_id(head).or_else(|| last_id(tail));
        InvalidMessage { reason: InvalidReason::TooLong { max_bytes }, begins: begins(head), id }
    }
}

#[derive(Default)]
struct Head<'a> {
    jsonrpc: Option<Cow<'a, str>>,
    id: Option<&'a RawValue>,
    method: Option<Cow<'a, str>>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

const KEYS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

impl<'de: 'a, 'a> Deserialize<'de> for Head<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Head<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Head<'de>, A::Error> {
                // A value that is there, also `null`: `"id": null` is not the same as no id.
                fn put<T, E: de::Error>(place: &mut Option<T>, value: T, key: &'static str) -> Result<(), E> {
                    match place.replace(value) {
                        Some(_) => Err(E::duplicate_field(key)),
                        None => Ok(()),
                    }
                }
                let mut head = Head::default();
                while let Some(Key(key)) = map.next_key()? {
                    match &*key {
                        "jsonrpc" => put(&mut head.jsonrpc, map.next_value::<Key<'de>>()?.0, "jsonrpc")?,
                        "method" => put(&mut head.method, map.next_value::<Key<'de>>()?.0, "method")?,
                        "id" => put(&mut head.id, map.next_value()?, "id")?,
                        "params" => put(&mut head.params, map.next_value()?, "params")?,
                        "result" => put(&mut head.result, map.next_value()?, "result")?,
                        "error" => put(&mut head.error, map.next_value()?, "error")?,
                        other => {
                            // Some servers do not mind case, and would read another method than the one that was checked.
                            if let Some(known) = KEYS.iter().find(|known| same_folded(known, other)) {
                                let text = format_args!("a key is another spelling of `{known}`");
                                return Err(de::Error::custom(text));
                            }
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(head)
            }
        }
        deserializer.deserialize_map(Read)
    }
}

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// The bytes are no JSON-RPC 2.0 message, or one that can be read in two ways.
    pub fn read(bytes: impl Into<Bytes>) -> Result<Self, InvalidMessage> {
        let bytes = trimmed(bytes.into());
        let (kind, body) = kind(&bytes)?;
        Ok(Message { bytes, kind, body })
    }

    /// A message of our own.
    fn own(text: String, kind: MessageKind) -> Self {
        Message { bytes: text.into(), kind, body: None }
    }

    /// A request.
    pub fn request(id: &Id, method: &str, params: &serde_json::Value) -> Self {
        let name = serde_json::Value::from(method);
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{name},"params":{params}}}"#);
        Message::own(text, MessageKind::Request { id: id.clone(), method: method.into() })
    }

    /// A notification.
    pub fn notification(method: &str, params: &serde_json::Value) -> Self {
        let name = serde_json::Value::from(method);
        let text = format!(r#"{{"jsonrpc":"2.0","method":{name},"params":{params}}}"#);
        Message::own(text, MessageKind::Notification { method: method.into() })
    }

    /// The answer to a request.
    pub fn result(id: &Id, result: &serde_json::Value) -> Self {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        Message::own(text, MessageKind::Response { id: Some(id.clone()), is_error: false })
    }

    /// The error that answers a request; `None` where its id could not be read.
    pub fn error(id: Option<&Id>, code: i64, message: &str) -> Self {
        let written = id.map_or("null", Id::as_json);
        let message = serde_json::Value::from(message);
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":{written},"error":{{"code":{code},"message":{message}}}}}"#);
        Message::own(text, MessageKind::Response { id: id.cloned(), is_error: true })
    }

    /// The bytes, without a line break at the end. One inside, which JSON allows between two tokens, is a space.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns what it is.
    pub fn kind(&self) -> &MessageKind {
        &self.kind
    }

    /// The parameters, the result or the error, as it is written: of a message that was read, found without reading it again.
    pub fn body(&self) -> Option<&str> {
        match &self.body {
            Some(range) => std::str::from_utf8(self.bytes.get(range.clone())?).ok(),
            None => {
                let head = self.head()?;
                head.params.or(head.result).or(head.error).map(RawValue::get)
            }
        }
    }

    /// Returns what a request or notification brings, as it is written.
    pub fn params(&self) -> Option<&RawValue> {
        self.head()?.params
    }

    /// Returns what a response says.
    pub fn result_text(&self) -> Option<&RawValue> {
        self.head()?.result
    }

    /// Returns what went wrong, of a response.
    pub fn error_text(&self) -> Option<&RawValue> {
        self.head()?.error
    }

    /// The messages of a batch, in order; none of any other message.
    pub fn parts(&self) -> Vec<Result<Message, InvalidMessage>> {
        if self.kind != MessageKind::Batch {
            return Vec::new();
        }
        let parts = serde_json::from_slice::<Vec<&RawValue>>(&self.bytes).unwrap_or_default();
        parts.into_iter().map(|part| Message::read(self.bytes.slice_ref(part.get().as_bytes()))).collect()
    }

    fn head(&self) -> Option<Head<'_>> {
        serde_json::from_slice(&self.bytes).ok()
    }
}

fn kind(bytes: &[u8]) -> Result<(MessageKind, Option<Range<usize>>), InvalidMessage> {
    let invalid = |reason| InvalidMessage { reason, begins: begins(bytes), id: None };
    // The bytes around the id need not be text for it to be found.
    let text = std::str::from_utf8(bytes)
        .map_err(|_| InvalidMessage { id: first_id(bytes), ..invalid(InvalidReason::NotUtf8) })?;
    if text.starts_with('[') {
        return match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(parts) if parts.is_empty() => Err(invalid(InvalidReason::EmptyBatch)),
            Ok(_) => Ok((MessageKind::Batch, None)),
            Err(error) => Err(invalid(InvalidReason::NotJson(error.into()))),
        };
    }
    let head: Head<'_> = serde_json::from_str(text).map_err(|error| {
        let reason = if error.is_data() { InvalidReason::NotJsonRpc } else { InvalidReason::NotJson };
        InvalidMessage { id: id_of(text), ..invalid(reason(error.into())) }
    })?;
    let id = head.id.map(id).transpose().map_err(invalid)?;
    let wrong = |reason| InvalidMessage { id: id.clone().flatten(), ..invalid(reason) };
    if head.jsonrpc.as_deref() != Some("2.0") {
        return Err(wrong(InvalidReason::Version));
    }
    let body = head.params.or(head.result).or(head.error).map(|body| {
        let start = body.get().as_ptr() as usize - text.as_ptr() as usize;
        start..start + body.get().len()
    });
    let has_params = head.params.is_some();
    let kind = match (head.method, id.clone(), head.result.is_some(), head.error.is_some()) {
        (Some(method), Some(Some(id)), false, false) => MessageKind::Request { id, method: method.into() },
        (Some(_), Some(None), false, false) => return Err(wrong(InvalidReason::NullId)),
        (Some(method), None, false, false) => MessageKind::Notification { method: method.into() },
        (None, Some(id), true, false) if id.is_some() && !has_params => {
            MessageKind::Response { id, is_error: false }
        }
        (None, Some(id), false, true) if !has_params => MessageKind::Response { id, is_error: true },
        _ => return Err(wrong(InvalidReason::Kind)),
    };
    Ok((kind, body))
}

/// The id, `None` for `null`.
fn id(written: &RawValue) -> Result<Option<Id>, InvalidReason> {
    let text = written.get();
    match text.as_bytes().first() {
        Some(b'n') => Ok(None),
        // The same text has several spellings in JSON.
        Some(b'"') => match serde_json::from_str::<String>(text) {
            Ok(plain) => Ok(Some(Id::text(&plain))),
            Err(_) => Err(InvalidReason::Id),
        },
        Some(b'-' | b'0'..=b'9') => Ok(Some(Id(whole(text).unwrap_or_else(|| text.into())))),
        _ => Err(InvalidReason::Id),
    }
}

/// A whole number as it is written mostly, where it is written as something else.
pub(crate) fn whole(text: &str) -> Option<Box<str>> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    // Up to here there is one float for each whole number.
    let is_one = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
    is_one.then(|| format!("{:.0}", number + 0.0).into())
}

/// The id of a document that is not a valid message, if it has one.
fn id_of(text: &str) -> Option<Id> {
    #[derive(serde::Deserialize)]
    struct OnlyId {
        id: Box<RawValue>,
    }
    let only: OnlyId = serde_json::from_str(text).ok()?;
    id(&only.id).ok().flatten()
}

/// The id among the first keys of a document that ends somewhere.
fn first_id(head: &[u8]) -> Option<Id> {
    struct Look<'a>(&'a mut Option<Box<RawValue>>);
    impl<'de> Visitor<'de> for Look<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(Key(key)) = map.next_key()? {
                if key == "id" {
                    *self.0 = Some(map.next_value()?);
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(())
        }
    }
    let mut found = None;
    // It ends in the middle; what counts is what was found until then.
    let _ = serde_json::Deserializer::from_slice(head).deserialize_map(Look(&mut found));
    id(&found?).ok().flatten()
}

/// The id among the last keys of a document of which only the end is there.
fn last_id(tail: &[u8]) -> Option<Id> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Last {
        id: Box<RawValue>,
        #[serde(rename = "jsonrpc")]
        _version: Option<IgnoredAny>,
    }
    let starts = |name: &[u8]| memchr::memmem::rfind(tail, name);
    let at = starts(b"\"id\"")?;
    let at = starts(b"\"jsonrpc\"").map_or(at, |other| at.min(other));
    for at in [at, starts(b"\"id\"")?] {
        let text = [b"{", tail.get(at..)?].concat();
        if let Ok(last) = serde_json::from_slice::<Last>(&text) {
            return id(&last.id).ok().flatten();
        }
    }
    None
}

/// Without white space around it; a line break inside becomes a space, because a line is a message.
fn trimmed(bytes: Bytes) -> Bytes {
    let plain = bytes.trim_ascii();
    let plain = bytes.slice_ref(plain);
    if memchr::memchr2(b'\n', b'\r', &plain).is_none() {
        return plain;
    }
    // Inside of texts JSON allows neither.
    plain.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect()
}

/// The first of it, printable.
fn begins(bytes: &[u8]) -> String {
    let first = bytes.get(..80).unwrap_or(bytes);
    snaphook_core::printable(&String::from_utf8_lossy(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(text: &str) -> Result<MessageKind, InvalidMessage> {
        Message::read(text.as_bytes().to_vec()).map(|message| message.kind.clone())
    }

    #[test]
    fn messages_are_told_apart() {
        for (text, want) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, "Request 1 a"),
            (r#"{"jsonrpc":"2.0","id":"\u0061","method":"a","params":{}}"#, "Request \"a\" a"),
            (r#" {"jsonrpc":"2.0","method":"a"} "#, "Notification a"),
            (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "Response 1 false"),
            (r#"{"jsonrpc":"2.0","id":1.0,"result":1}"#, "Response 1 false"),
            (r#"{"jsonrpc":"2.0","id":-0,"result":1}"#, "Response 0 false"),
            (r#"{"jsonrpc":"2.0","id":1.5,"result":1}"#, "Response 1.5 false"),
            (
                r#"{"jsonrpc":"2.0","id":12345678901234567890,"result":1}"#,
                "Response 12345678901234567890 false",
            ),
            (r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, "Response - true"),
            (r#"[{"jsonrpc":"2.0","method":"a"}]"#, "Batch"),
            ("{\"jsonrpc\":\"2.0\",\n\"method\":\"a\"}", "Notification a"),
        ] {
            let got = match kind_of(text) {
                Ok(MessageKind::Request { id, method }) => format!("Request {id} {method}"),
                Ok(MessageKind::Notification { method }) => format!("Notification {method}"),
                Ok(MessageKind::Response { id, is_error }) => {
                    format!("Response {} {is_error}", id.map_or("-".to_owned(), |id| id.to_string()))
                }
                Ok(MessageKind::Batch) => "Batch".to_owned(),
                Err(reason) => reason.to_string(),
            };
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_no_message() {
        for (text, want) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#, "duplicate field"),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"b"}"#, "duplicate field"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{},"params":[]}"#, "duplicate field"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","result":1}"#, "neither a request nor a response"),
            (r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#, "neither a request nor a response"),
            (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, "its id is null"),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"a"}"#, "neither a string nor a number"),
            (r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, "is not \"2.0\""),
            (r#"{"id":1,"method":"a"}"#, "is not \"2.0\""),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","Method":"b"}"#, "another spelling"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","param\u017f":{}}"#, "another spelling"),
            (r#"{"jsonrpc":"2.0","id":1,"params":{},"result":1}"#, "neither a request nor a response"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a"} {}"#, "trailing characters"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a""#, "not JSON"),
            ("[]", "empty batch"),
            ("7", "not a JSON-RPC message"),
            ("", "not JSON"),
        ] {
            let got = kind_of(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(got.contains(want), "{text}: {got}");
        }
        let torn = Message::read(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}".to_vec()).unwrap_err();
        assert_eq!(torn.reason, InvalidReason::NotUtf8);
    }

    #[test]
    fn a_message_keeps_its_bytes() {
        let text = r#"{ "jsonrpc":"2.0", "id":1.0, "method":"a", "params":{"b":1e2,"_meta":{"é":"\u00e9"}}, "x":[] }"#;
        let message = Message::read(text.as_bytes().to_vec()).unwrap();
        assert_eq!(message.bytes(), text.as_bytes());
        assert_eq!(message.params().unwrap().get(), r#"{"b":1e2,"_meta":{"é":"\u00e9"}}"#);
        let batch = Message::read(format!("[{text},3]").into_bytes()).unwrap();
        let parts = batch.parts();
        assert_eq!(parts[0].as_ref().unwrap().bytes(), text.as_bytes());
        assert!(parts[1].is_err());
    }
}
