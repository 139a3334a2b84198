//! A JSON-RPC message: its bytes, and of its content what says where it goes. Not here: what methods mean.
//!
//! What two readers could read differently is no message: a key that stands twice, bytes that are not UTF-8, anything behind the
//! document. Otherwise a gate could judge one thing and a server do another.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The id of a request: a text or a number, compared as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(Box<str>);

impl Id {
    /// The id as JSON.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// The id that stands there, if it is one. A progress token is written the same way.
    pub fn read(written: &RawValue) -> Option<Self> {
        id(written).ok().flatten()
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

/// What a message is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Asks for an answer.
    Request {
        /// Which answer is meant for it.
        id: Id,
        /// What is asked.
        method: Box<str>,
    },
    /// Tells something.
    Notification {
        /// What is told.
        method: Box<str>,
    },
    /// Answers a request.
    Response {
        /// The request's id; `None` is `null`, for a request that could not be read.
        id: Option<Id>,
        /// Whether it is an error of the protocol.
        is_error: bool,
    },
    /// Several messages in one, as the protocol of 2025-03-26 allows.
    Batch,
}

/// A message as it came, or one of our own. Without a line break. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Message {
    bytes: Bytes,
    kind: Kind,
}

/// Bytes that are no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unreadable {
    /// Why.
    pub reason: String,
    /// How it begins, printable.
    pub begins: String,
    /// The id, where one could still be read: a request may be waiting for its answer.
    pub id: Option<Id>,
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    jsonrpc: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "there")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "there")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "there")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "there")]
    error: Option<&'a RawValue>,
}

/// A value that is there, also `null`: `"id": null` is not the same as no id.
fn there<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// The bytes are no JSON-RPC 2.0 message, or one that can be read in two ways.
    pub fn read(bytes: impl Into<Bytes>) -> Result<Self, Unreadable> {
        let bytes = trimmed(bytes.into());
        let kind = kind(&bytes)?;
        Ok(Message { bytes, kind })
    }

    /// A request.
    pub fn request(id: &Id, method: &str, params: &serde_json::Value) -> Self {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{params}}}"#,
            serde_json::Value::from(method)
        );
        Message { bytes: text.into(), kind: Kind::Request { id: id.clone(), method: method.into() } }
    }

    /// A notification.
    pub fn notification(method: &str, params: &serde_json::Value) -> Self {
        let text =
            format!(r#"{{"jsonrpc":"2.0","method":{},"params":{params}}}"#, serde_json::Value::from(method));
        Message { bytes: text.into(), kind: Kind::Notification { method: method.into() } }
    }

    /// The answer to a request.
    pub fn result(id: &Id, result: &serde_json::Value) -> Self {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        Message { bytes: text.into(), kind: Kind::Response { id: Some(id.clone()), is_error: false } }
    }

    /// The error that answers a request; `None` where its id could not be read.
    pub fn error(id: Option<&Id>, code: i64, message: &str) -> Self {
        let written = id.map_or("null", Id::as_json);
        let message = serde_json::Value::from(message);
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":{written},"error":{{"code":{code},"message":{message}}}}}"#);
        Message { bytes: text.into(), kind: Kind::Response { id: id.cloned(), is_error: true } }
    }

    /// The bytes, without a line break at the end. One inside, which JSON allows between two tokens, is a space.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// What it is.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// What a request or notification brings, as it is written.
    pub fn params(&self) -> Option<&RawValue> {
        self.head()?.params
    }

    /// What a response says.
    pub fn result_text(&self) -> Option<&RawValue> {
        self.head()?.result
    }

    /// What went wrong, of a response.
    pub fn error_text(&self) -> Option<&RawValue> {
        self.head()?.error
    }

    /// The messages of a batch, in order; none of any other message.
    pub fn parts(&self) -> Vec<Result<Message, Unreadable>> {
        if self.kind != Kind::Batch {
            return Vec::new();
        }
        let parts = serde_json::from_slice::<Vec<&RawValue>>(&self.bytes).unwrap_or_default();
        parts.into_iter().map(|part| Message::read(self.bytes.slice_ref(part.get().as_bytes()))).collect()
    }

    fn head(&self) -> Option<Head<'_>> {
        serde_json::from_slice(&self.bytes).ok()
    }
}

fn kind(bytes: &[u8]) -> Result<Kind, Unreadable> {
    let unreadable = |reason: String| Unreadable { reason, begins: begins(bytes), id: None };
    let text = std::str::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?;
    if text.starts_with('[') {
        return match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(parts) if parts.is_empty() => Err(unreadable("it is an empty batch".to_owned())),
            Ok(_) => Ok(Kind::Batch),
            Err(error) => Err(unreadable(format!("it is not JSON: {error}"))),
        };
    }
    let head: Head<'_> = serde_json::from_str(text).map_err(|error| {
        let what = if error.is_data() { "it is no JSON-RPC message" } else { "it is not JSON" };
        Unreadable { id: id_of(text), ..unreadable(format!("{what}: {error}")) }
    })?;
    let id = head.id.map(id).transpose().map_err(|reason| unreadable(reason.to_owned()))?;
    let wrong = |reason: &str| Unreadable { id: id.clone().flatten(), ..unreadable(reason.to_owned()) };
    if head.jsonrpc.as_deref() != Some("2.0") {
        return Err(wrong("its `jsonrpc` is not \"2.0\""));
    }
    match (head.method, id.clone(), head.result.is_some(), head.error.is_some()) {
        (Some(method), Some(Some(id)), false, false) => Ok(Kind::Request { id, method: method.into() }),
        (Some(_), Some(None), false, false) => Err(wrong("its id is null")),
        (Some(method), None, false, false) => Ok(Kind::Notification { method: method.into() }),
        (None, Some(id), true, false) if id.is_some() => Ok(Kind::Response { id, is_error: false }),
        (None, Some(id), false, true) => Ok(Kind::Response { id, is_error: true }),
        _ => Err(wrong("it is neither a request nor an answer")),
    }
}

/// The id, `None` for `null`.
fn id(written: &RawValue) -> Result<Option<Id>, &'static str> {
    let text = written.get();
    match text.as_bytes().first() {
        Some(b'n') => Ok(None),
        // The same text has several spellings in JSON.
        Some(b'"') => match serde_json::from_str::<String>(text) {
            Ok(plain) => Ok(Some(Id::text(&plain))),
            Err(_) => Err("its id is no text"),
        },
        Some(b'-' | b'0'..=b'9') => Ok(Some(Id(text.into()))),
        _ => Err("its id is neither a text nor a number"),
    }
}

/// The id of a document that is none of ours, if it says one.
fn id_of(text: &str) -> Option<Id> {
    #[derive(Deserialize)]
    struct OnlyId {
        id: Box<RawValue>,
    }
    let only: OnlyId = serde_json::from_str(text).ok()?;
    id(&only.id).ok().flatten()
}

/// Without white space around it; a line break inside becomes a space, because a line is a message.
fn trimmed(bytes: Bytes) -> Bytes {
    let plain = bytes.trim_ascii();
    let plain = bytes.slice_ref(plain);
    if !plain.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
        return plain;
    }
    // Inside of texts JSON allows neither.
    plain.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect()
}

/// The first of it, printable.
fn begins(bytes: &[u8]) -> String {
    let first = bytes.get(..80).unwrap_or(bytes);
    String::from_utf8_lossy(first).chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(text: &str) -> Result<Kind, String> {
        Message::read(text.as_bytes().to_vec()).map(|message| message.kind).map_err(|error| error.reason)
    }

    #[test]
    fn messages_are_told_apart() {
        for (text, want) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, "Request 1 a"),
            (r#"{"jsonrpc":"2.0","id":"\u0061","method":"a","params":{}}"#, "Request \"a\" a"),
            (r#" {"jsonrpc":"2.0","method":"a"} "#, "Notification a"),
            (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "Response 1 false"),
            (r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, "Response - true"),
            (r#"[{"jsonrpc":"2.0","method":"a"}]"#, "Batch"),
            ("{\"jsonrpc\":\"2.0\",\n\"method\":\"a\"}", "Notification a"),
        ] {
            let got = match kind_of(text) {
                Ok(Kind::Request { id, method }) => format!("Request {id} {method}"),
                Ok(Kind::Notification { method }) => format!("Notification {method}"),
                Ok(Kind::Response { id, is_error }) => {
                    format!("Response {} {is_error}", id.map_or("-".to_owned(), |id| id.to_string()))
                }
                Ok(Kind::Batch) => "Batch".to_owned(),
                Err(reason) => reason,
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
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","result":1}"#, "neither a request nor an answer"),
            (r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#, "neither a request nor an answer"),
            (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, "its id is null"),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"a"}"#, "neither a text nor a number"),
            (r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, "is not \"2.0\""),
            (r#"{"id":1,"method":"a"}"#, "is not \"2.0\""),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a"} {}"#, "trailing characters"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a""#, "not JSON"),
            ("[]", "empty batch"),
            ("7", "no JSON-RPC message"),
            ("", "not JSON"),
        ] {
            let got = kind_of(text).err().unwrap_or_default();
            assert!(got.contains(want), "{text}: {got}");
        }
        let torn = Message::read(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}".to_vec()).unwrap_err();
        assert_eq!(torn.reason, "it is not UTF-8");
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
