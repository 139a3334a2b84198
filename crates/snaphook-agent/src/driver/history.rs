//! The conversation as it grows: what a model would be sent, and the transcript of the run.

use serde_json::{Value, json};
use snaphook_core::ToolCall;

/// The messages so far, as `context` and `model_request` handlers see them: objects with `role` (`user`,
/// `assistant`, `tool`) and `content`; `calls` beside what the assistant said, `call_id` and `is_error` of a tool's
/// result, `from` of what a hook said.
#[derive(Debug, Default, Clone)]
pub(super) struct History(Vec<Value>);

impl History {
    pub(super) fn user(&mut self, text: &str) {
        self.0.push(json!({ "role": "user", "content": text }));
    }

    pub(super) fn hook(&mut self, hook: &str, text: &str) {
        self.0.push(json!({ "role": "user", "content": text, "from": hook }));
    }

    pub(super) fn assistant<'a>(&mut self, text: Option<&str>, calls: impl Iterator<Item = &'a ToolCall>) {
        let calls: Vec<_> =
            calls.map(|call| json!({ "id": *call.id, "tool": *call.tool, "input": *call.input })).collect();
        let mut message = json!({ "role": "assistant", "content": text.unwrap_or_default() });
        if !calls.is_empty() {
            message["calls"] = calls.into();
        }
        self.0.push(message);
    }

    pub(super) fn tool(&mut self, id: &str, content: &str, is_error: bool) {
        self.0.push(json!({ "role": "tool", "call_id": id, "content": content, "is_error": is_error }));
    }

    pub(super) fn messages(&self) -> &[Value] {
        &self.0
    }
}
