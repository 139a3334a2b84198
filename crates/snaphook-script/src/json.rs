//! `snaphook.json`: text to JSON and back. Not here: JSON to the values of a language, which its engine does.

use serde_json::Value;

/// The longest text that is decoded, in bytes: on its way it takes up to fifty times as much of the host's memory, which
/// the script's own limit does not count.
const MAX_JSON_BYTES: usize = 4 << 20;

/// The reason why a text is not decoded, or a value not encoded.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// The text is too long; the function that refuses it.
    #[error("{0} takes at most {mib} MiB of text", mib = MAX_JSON_BYTES >> 20)]
    TooLong(&'static str),
    /// The text is not JSON.
    #[error("not JSON: {0}")]
    NotJson(serde_json::Error),
    /// The value cannot be written.
    #[error("{0}")]
    NotWritten(serde_json::Error),
}

/// Decodes a text; `function` is what messages call it.
///
/// # Errors
/// The text is too long, or not JSON.
pub fn decode(function: &'static str, text: &[u8]) -> Result<Value, JsonError> {
    if text.len() > MAX_JSON_BYTES {
        return Err(JsonError::TooLong(function));
    }
    serde_json::from_slice(text).map_err(JsonError::NotJson)
}

/// Encodes a value, on one line or indented.
///
/// # Errors
/// It cannot be written.
pub fn encode(value: &Value, pretty: bool) -> Result<String, JsonError> {
    let text = if pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
    text.map_err(JsonError::NotWritten)
}
