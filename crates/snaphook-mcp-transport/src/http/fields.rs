//! Header fields of the newest protocol: it has no sessions, so each request names the version that it is of,
//! and repeats what it asks for where programs in between can see it. Both sides are here: `add` for what we send, `check` for
//! what is sent to us. Not here: fields for single arguments, which a tool's schema may ask for (`params`).
//!
//! The rules are those of the protocol's page on Streamable HTTP, "Request Metadata"; where it leaves something open, what the
//! protocol's SDKs do is named.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::{VERSION, param};
use crate::STATELESS_VERSION;
use crate::message::{Message, MessageKind};

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The key in `_meta` that each request has to have.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// The protocol's codes: something is missing, header fields say something else than the message, and a version that is not known.
const INVALID_PARAMS: i64 = -32602;
const HEADER_MISMATCH: i64 = -32020;
const UNSUPPORTED_VERSION: i64 = -32022;

/// The beginning and the end of a value that was wrapped to be in a field.
const WRAPPED: (&str, &str) = ("=?base64?", "?=");

/// The version that a message says it is of, if that is one without sessions.
pub(super) fn own_version(message: &Message) -> Option<String> {
    let MessageKind::Request { .. } = message.kind() else { return None };
    let version = text(message, &["_meta", VERSION_KEY])?;
    (version.as_str() >= STATELESS_VERSION).then_some(version)
}

/// Adds the fields of a message that is of such a version.
pub(super) fn add(fields: &mut HeaderMap, message: &Message) {
    let (Some(version), MessageKind::Request { method, .. }) = (own_version(message), message.kind()) else {
        return;
    };
    let name = named(method).and_then(|key| text(message, &[key]));
    let name = name.as_deref().map(wrapped).map(Cow::into_owned);
    for (field, value) in [(VERSION, Some(version)), (METHOD, Some(method.to_string())), (NAME, name)] {
        // A version or a method that a field cannot carry is invalid; the server says so.
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            fields.insert(field, value);
        }
    }
}

/// The parameter that the name of a request is.
fn named(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}

/// The reason why a request of such a version is not taken, as an error of the protocol. Its status is always 400.
#[derive(Debug, PartialEq)]
pub(super) struct HeaderError {
    pub(super) code: i64,
    pub(super) text: String,
    pub(super) data: Option<Value>,
}

/// Holds the fields against the request of such a version that they came with.
pub(super) fn check(fields: &HeaderMap, message: &Message) -> Result<(), HeaderError> {
    let MessageKind::Request { method, .. } = message.kind() else { return Ok(()) };
    let capabilities = param(message, &["_meta", CAPABILITIES_KEY]);
    let (Some(version), Some(_)) = (text(message, &["_meta", VERSION_KEY]), capabilities) else {
        let text = format!("`_meta` has to say `{VERSION_KEY}` and `{CAPABILITIES_KEY}`");
        return Err(HeaderError { code: INVALID_PARAMS, text, data: None });
    };
    let said = |field: &HeaderName| only(fields, field);
    if said(&VERSION)? != Some(&*version) {
        return Err(mismatch(&VERSION, "what the request says in `_meta`"));
    }
    if said(&METHOD)? != Some(method) {
        return Err(mismatch(&METHOD, "the request's method"));
    }
    let name = said(&NAME)?;
    if let Some(key) = named(method)
        && let Some(value) = text(message, &[key])
    {
        // The protocol asks for it of these three. Of tasks only the TypeScript SDK does, and of subscriptions none.
        let is_needed = matches!(&**method, "tools/call" | "prompts/get" | "resources/read");
        if name.map_or(is_needed, |name| !means(name, &value)) {
            return Err(mismatch(&NAME, &format!("the request's `{key}`")));
        }
    }
    // Behind the fields, as in the SDKs: a contradiction is reported before an unknown version.
    if version != STATELESS_VERSION {
        return Err(HeaderError {
            code: UNSUPPORTED_VERSION,
            text: "the protocol version is not known here".to_owned(),
            data: Some(json!({ "supported": [STATELESS_VERSION], "requested": version })),
        });
    }
    Ok(())
}

/// Returns whether a message was sent as one of such a version, whatever it says itself: a notification says nothing.
pub(super) fn names_stateless_version(fields: &HeaderMap) -> bool {
    matches!(only(fields, &VERSION), Ok(Some(STATELESS_VERSION)))
}

/// Returns the value of a field. One that is given twice may be read in two ways.
pub(super) fn only<'a>(fields: &'a HeaderMap, field: &HeaderName) -> Result<Option<&'a str>, HeaderError> {
    let mut values = fields.get_all(field).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let wrong = |what: &str| HeaderError {
        code: HEADER_MISMATCH,
        text: format!("the header field {field} {what}"),
        data: None,
    };
    match (value.to_str(), values.next()) {
        (Ok(value), None) => Ok(Some(value)),
        (Err(_), None) => Err(wrong("cannot be read")),
        (_, Some(_)) => Err(wrong("occurs twice")),
    }
}

pub(super) fn mismatch(field: &HeaderName, what: &str) -> HeaderError {
    HeaderError {
        code: HEADER_MISMATCH,
        text: format!("the header field {field} has to be {what}"),
        data: None,
    }
}

/// A value in the form of a field: characters that a field may not have are wrapped, and so is a value that would be taken for wrapped.
pub(super) fn wrapped(value: &str) -> Cow<'_, str> {
    let is_plain = value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_plain && value.trim_ascii() == value && inside(value).is_none() {
        return Cow::Borrowed(value);
    }
    Cow::Owned(format!("{}{}{}", WRAPPED.0, STANDARD.encode(value), WRAPPED.1))
}

/// Returns whether a field means a value, wrapped or not. There is one way to wrap it, so nothing has to be unwrapped.
pub(super) fn means(field: &str, value: &str) -> bool {
    match inside(field) {
        Some(payload) => payload == STANDARD.encode(value),
        None => field == value,
    }
}

fn inside(field: &str) -> Option<&str> {
    field.strip_prefix(WRAPPED.0)?.strip_suffix(WRAPPED.1)
}

fn text(message: &Message, path: &[&str]) -> Option<String> {
    serde_json::from_str(param(message, path)?.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(version: &str, method: &str, more: &str) -> Message {
        let meta = format!(r#"{{"{VERSION_KEY}":"{version}","{CAPABILITIES_KEY}":{{}}}}"#);
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{meta}{more}}}}}"#);
        Message::read(text.into_bytes()).unwrap()
    }

    #[test]
    fn messages_without_a_session_say_what_they_are_in_header_fields() {
        let old = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#;
        for (message, want) in [
            (
                call("2026-07-28", "tools/call", r#","name":"echo""#),
                "mcp-method=tools/call mcp-name=echo mcp-protocol-version=2026-07-28",
            ),
            (
                call("2027-01-01", "resources/read", r#","uri":"a:b""#),
                "mcp-method=resources/read mcp-name=a:b mcp-protocol-version=2027-01-01",
            ),
            (
                call("2026-07-28", "server/discover", ""),
                "mcp-method=server/discover mcp-protocol-version=2026-07-28",
            ),
            (
                call("2026-07-28", "tools/call", r#","name":"a\nb""#),
                "mcp-method=tools/call mcp-name==?base64?YQpi?= mcp-protocol-version=2026-07-28",
            ),
            (call("2025-11-25", "tools/call", r#","name":"echo""#), ""),
            (Message::read(old.to_vec()).unwrap(), ""),
        ] {
            let mut fields = HeaderMap::new();
            add(&mut fields, &message);
            let mut got: Vec<String> =
                fields.iter().map(|(name, value)| format!("{name}={}", value.to_str().unwrap())).collect();
            got.sort();
            assert_eq!(got.join(" "), want, "{message:?}");
        }
    }

    #[test]
    fn what_may_not_stand_in_a_field_is_wrapped() {
        // The payloads are those of RFC 4648 and of the protocol's SDKs.
        for (value, field) in [
            ("echo", "echo"),
            ("", ""),
            ("a b", "a b"),
            (" a", "=?base64?IGE=?="),
            ("é", "=?base64?w6k=?="),
            ("=?base64?Zm9v?=", "=?base64?PT9iYXNlNjQ/Wm05dj89?="),
            ("foobar\n", "=?base64?Zm9vYmFyCg==?="),
            ("日本語 🎉", "=?base64?5pel5pys6KqeIPCfjok=?="),
        ] {
            assert_eq!(wrapped(value), field, "{value}");
            assert!(means(field, value), "{value}");
        }
        for (field, value) in [
            ("=?base64?w6k?=", "é"),
            ("=?base64?w6l=?=", "é"),
            ("=?base64?Zm9v?=", "=?base64?Zm9v?="),
            ("A", "a"),
        ] {
            assert!(!means(field, value), "{field}");
        }
    }

    #[test]
    fn fields_have_to_say_what_the_request_says() {
        let v = ("mcp-protocol-version", "2026-07-28");
        let m = |method: &'static str| ("mcp-method", method);
        let n = |name: &'static str| ("mcp-name", name);
        let echo = r#","name":"echo""#;
        for (fields, version, method, more, want) in [
            (&[v, m("tools/list")][..], "2026-07-28", "tools/list", "", 0),
            (&[v, m("tools/call"), n("echo")], "2026-07-28", "tools/call", echo, 0),
            (&[v, m("tools/call"), n("=?base64?ZWNobw==?=")], "2026-07-28", "tools/call", echo, 0),
            (&[v, m("tools/call")], "2026-07-28", "tools/call", echo, HEADER_MISMATCH),
            (&[v, m("tools/call"), n("other")], "2026-07-28", "tools/call", echo, HEADER_MISMATCH),
            (&[v, m("tools/call"), n("Echo")], "2026-07-28", "tools/call", echo, HEADER_MISMATCH),
            (&[v, m("tools/call"), n("echo"), n("echo")], "2026-07-28", "tools/call", echo, HEADER_MISMATCH),
            // What is wrong with these the gate says.
            (&[v, m("tools/call")], "2026-07-28", "tools/call", "", 0),
            (&[v, m("tools/call"), n("x")], "2026-07-28", "tools/call", r#","name":7"#, 0),
            (&[v, m("resources/read"), n("a:b")], "2026-07-28", "resources/read", r#","uri":"a:b""#, 0),
            (&[v, m("resources/read")], "2026-07-28", "resources/read", r#","uri":"a:b""#, HEADER_MISMATCH),
            (&[v, m("prompts/get"), n("p")], "2026-07-28", "prompts/get", r#","name":"q""#, HEADER_MISMATCH),
            (&[v, m("tasks/get")], "2026-07-28", "tasks/get", r#","taskId":"t""#, 0),
            (&[v, m("tasks/get"), n("u")], "2026-07-28", "tasks/get", r#","taskId":"t""#, HEADER_MISMATCH),
            (&[v, m("a"), n("whatever")], "2026-07-28", "a", "", 0),
            (&[v], "2026-07-28", "a", "", HEADER_MISMATCH),
            (&[v, m("A")], "2026-07-28", "a", "", HEADER_MISMATCH),
            (&[m("a")], "2026-07-28", "a", "", HEADER_MISMATCH),
            (&[v, v, m("a")], "2026-07-28", "a", "", HEADER_MISMATCH),
            (&[("mcp-protocol-version", "2025-11-25"), m("a")], "2026-07-28", "a", "", HEADER_MISMATCH),
            (&[v, m("a")], "2031-01-01", "a", "", HEADER_MISMATCH),
            (&[("mcp-protocol-version", "2031-01-01"), m("a")], "2031-01-01", "a", "", UNSUPPORTED_VERSION),
        ] {
            let mut map = HeaderMap::new();
            for (name, value) in fields {
                map.append(*name, HeaderValue::from_static(value));
            }
            let message = call(version, method, more);
            let got = check(&map, &message);
            assert_eq!(
                got.as_ref().err().map_or(0, |wrong| wrong.code),
                want,
                "{fields:?} {message:?}: {got:?}"
            );
            if let Err(HeaderError { code: UNSUPPORTED_VERSION, data, .. }) = got {
                assert_eq!(data, Some(json!({ "supported": ["2026-07-28"], "requested": version })));
            }
        }
    }
}
