//! The events of lines that the audit writes about itself. Not here: lines about events of the agent
//! (`line`), and the chain that both are in (`chain`).

use serde_json::{Map, Value};

/// The event of the line that begins a file after a full one.
pub(crate) const ROTATED: &str = "audit.rotated";
/// The event of the line behind a torn one.
pub(crate) const TORN: &str = "audit.torn";
/// The event of the line behind a damaged one.
pub(crate) const DAMAGED: &str = "audit.damaged";
/// The event of a head.
pub(crate) const HEAD: &str = "audit.head";
/// The event of the line that begins the heads after they became too long.
pub(crate) const SHORTENED: &str = "audit.heads_shortened";

/// Reads the fields of a line; `None` where it is no JSON object.
pub(crate) fn fields(line: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(line).ok()
}

/// Returns whether a line is about this event.
pub(crate) fn is(fields: &Map<String, Value>, event: &str) -> bool {
    fields.get("event").and_then(Value::as_str) == Some(event)
}
