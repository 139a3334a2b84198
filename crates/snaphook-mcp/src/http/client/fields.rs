//! What the newest protocol wants in header fields: it has no sessions, so each request says for itself which version it is of,
//! and repeats what it asks for where programs in between can see it. Fields for single arguments, which a tool's schema may ask
//! for, are not among them: a server that insists on one answers with an error.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::http::{VERSION, param};
use crate::message::{Kind, Message};

/// The first version whose messages repeat themselves in header fields.
const FIRST: &str = "2026-07-28";

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The version that a message says it is of, if that is one without sessions.
pub(super) fn own_version(message: &Message) -> Option<String> {
    let Kind::Request { .. } = message.kind() else { return None };
    let version = text(message, &["_meta", "io.modelcontextprotocol/protocolVersion"])?;
    (version.as_str() >= FIRST).then_some(version)
}

/// Adds the fields of a message that is of such a version.
pub(super) fn add(fields: &mut HeaderMap, message: &Message) {
    let (Some(version), Kind::Request { method, .. }) = (own_version(message), message.kind()) else {
        return;
    };
    let named = match &**method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    };
    let name = named.and_then(|key| text(message, &[key]));
    for (field, value) in [(VERSION, Some(version)), (METHOD, Some(method.to_string())), (NAME, name)] {
        // What has to be wrapped to stand in a field is left out; the server says if that is not enough.
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            fields.insert(field, value);
        }
    }
}

fn text(message: &Message, path: &[&str]) -> Option<String> {
    serde_json::from_str(param(message, path)?.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_without_a_session_say_what_they_are_in_header_fields() {
        let call = |version: &str, method: &str, more: &str| {
            let meta = format!(r#"{{"io.modelcontextprotocol/protocolVersion":"{version}"}}"#);
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{meta}{more}}}}}"#)
        };
        for (text, want) in [
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
                "mcp-method=tools/call mcp-protocol-version=2026-07-28",
            ),
            (call("2025-11-25", "tools/call", r#","name":"echo""#), ""),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#.to_owned(), ""),
        ] {
            let mut fields = HeaderMap::new();
            add(&mut fields, &Message::read(text.clone().into_bytes()).unwrap());
            let mut got: Vec<String> =
                fields.iter().map(|(name, value)| format!("{name}={}", value.to_str().unwrap())).collect();
            got.sort();
            assert_eq!(got.join(" "), want, "{text}");
        }
    }
}
