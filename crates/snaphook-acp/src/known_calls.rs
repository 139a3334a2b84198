//! The tool calls that an agent told the editor about: a permission request may leave out what was said before. Not here:
//! reading the request (`permission`).

use std::collections::VecDeque;

use serde_json::{Map, Value};

/// The number of calls of a session that are kept in mind.
const MAX_CALLS: usize = 1000;

/// The bytes of all calls of a session that are kept in mind.
const MAX_CALL_BYTES: usize = 64 << 20;

/// What is kept of a call.
const KEPT_FIELDS: [&str; 7] = ["title", "name", "kind", "rawInput", "locations", "content", "_meta"];

/// The calls of one session, oldest first.
#[derive(Debug, Default)]
pub(crate) struct KnownCalls {
    calls: VecDeque<KnownCall>,
    bytes: usize,
}

#[derive(Debug)]
struct KnownCall {
    id: String,
    fields: Map<String, Value>,
    bytes: usize,
}

impl KnownCalls {
    /// Takes in the `update` of a `session/update` of so many bytes.
    pub(crate) fn note(&mut self, update: &Value, bytes: usize) {
        let text = |key: &str| update.get(key).and_then(Value::as_str);
        let kind = text("sessionUpdate").unwrap_or_default();
        let (true, Some(id)) = (matches!(kind, "tool_call" | "tool_call_update"), text("toolCallId")) else {
            return;
        };
        let before = self.take(id);
        if matches!(text("status"), Some("completed" | "failed")) {
            return;
        }
        let (mut fields, before) = before.map(|call| (call.fields, call.bytes)).unwrap_or_default();
        for key in KEPT_FIELDS {
            if let Some(value) = update.get(key).filter(|value| !value.is_null()) {
                fields.insert(key.to_owned(), value.clone());
            }
        }
        let bytes = before.saturating_add(bytes);
        self.bytes += bytes;
        self.calls.push_back(KnownCall { id: id.to_owned(), fields, bytes });
        while self.calls.len() > MAX_CALLS || self.bytes > MAX_CALL_BYTES {
            let Some(oldest) = self.calls.pop_front() else { return };
            self.bytes -= oldest.bytes;
        }
    }

    /// Returns what is known of a call.
    pub(crate) fn of(&self, id: &str) -> Option<&Map<String, Value>> {
        self.calls.iter().rev().find(|call| call.id == id).map(|call| &call.fields)
    }

    fn take(&mut self, id: &str) -> Option<KnownCall> {
        let at = self.calls.iter().position(|call| call.id == id)?;
        let call = self.calls.remove(at)?;
        self.bytes -= call.bytes;
        Some(call)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn updates_of_a_call_are_put_together() {
        let mut known = KnownCalls::default();
        known.note(
            &json!({"sessionUpdate": "tool_call", "toolCallId": "1", "title": "T", "kind": "execute"}),
            10,
        );
        known.note(&json!({"sessionUpdate": "agent_message_chunk", "toolCallId": "1", "title": "no"}), 10);
        known.note(
            &json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "title": null, "rawInput": {"command": "ls"}}),
            10,
        );
        assert_eq!(
            Value::Object(known.of("1").unwrap().clone()),
            json!({"title": "T", "kind": "execute", "rawInput": {"command": "ls"}})
        );
        known.note(
            &json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed"}),
            10,
        );
        assert!(known.of("1").is_none());
        assert_eq!(known.bytes, 0);
    }

    #[test]
    fn only_so_much_is_kept() {
        let mut known = KnownCalls::default();
        for number in 0..MAX_CALLS + 2 {
            known.note(&json!({"sessionUpdate": "tool_call", "toolCallId": number.to_string()}), 1);
        }
        assert_eq!((known.calls.len(), known.bytes), (MAX_CALLS, MAX_CALLS));
        assert!(known.of("1").is_none() && known.of("2").is_some());
        known.note(&json!({"sessionUpdate": "tool_call", "toolCallId": "big"}), MAX_CALL_BYTES + 1);
        assert_eq!((known.calls.len(), known.bytes), (0, 0));
    }
}
