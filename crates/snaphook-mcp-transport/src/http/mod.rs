//! Streamable HTTP on either side: [`client`] faces a server at an address, [`server`] faces clients that connect to us. Both
//! carry a [`Transport`](crate::Transport) and know messages only as far as the transport does: which request an answer, or a report of
//! progress, belongs to, and what the first exchange says of the protocol's version. What they carry stays the bytes that it was.

use std::time::Duration;

use http::HeaderName;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::message::{Id, Message, MessageKind};

pub mod client;
mod fields;
mod guard;
mod params;
pub mod server;
mod session;
mod sse;
mod stateless;
mod streams;

/// The length that a message may be. What is longer is refused, so that a peer cannot fill the memory.
pub const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// The code of a JSON-RPC error that says that HTTP failed. Of those that JSON-RPC leaves to implementations.
pub const TRANSPORT_ERROR: i64 = -32000;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// When an answer that is not there yet becomes a stream, so that the client knows that work goes on.
const WHOLE_ANSWER_TIMEOUT: Duration = Duration::from_secs(1);

/// The time that one side waits for the other where neither a person nor a tool has to do anything.
const PEER_TIMEOUT: Duration = Duration::from_secs(10);

/// The requests in a message: one, those of a batch, none.
fn requests(message: &Message) -> Vec<Id> {
    match message.kind() {
        MessageKind::Request { id, .. } => vec![id.clone()],
        MessageKind::Batch => message.parts().iter().flatten().flat_map(requests).collect(),
        _ => Vec::new(),
    }
}

/// The requests that a message answers.
fn answered(message: &Message) -> Vec<Id> {
    match message.kind() {
        MessageKind::Response { id: Some(id), .. } => vec![id.clone()],
        MessageKind::Batch => message.parts().iter().flatten().flat_map(answered).collect(),
        _ => Vec::new(),
    }
}

/// The protocol's version, as the answer to `initialize` says it.
fn version_in(answer: &Message) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Initialized {
        protocol_version: String,
    }
    let read: Initialized = serde_json::from_str(answer.result_text()?.get()).ok()?;
    Some(read.protocol_version)
}

/// One value of a message's parameters.
fn param(message: &Message, path: &[&str]) -> Option<Box<RawValue>> {
    let mut at: Box<RawValue> = message.params()?.to_owned();
    for key in path {
        let mut fields: std::collections::HashMap<String, Box<RawValue>> =
            serde_json::from_str(at.get()).ok()?;
        at = fields.remove(*key)?;
    }
    Some(at)
}

/// Returns whether a media type is meant, whatever its parameters.
fn is_type(value: Option<&http::HeaderValue>, wanted: &str) -> bool {
    let said = value.and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(wanted)
}
