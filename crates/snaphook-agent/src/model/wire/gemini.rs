//! Gemini's `generateContent`: whole calls, in parts of any frame; the finish reason is the end.

use serde_json::Value;

use super::{Sent, text};
use crate::model::{Arguments, RawCall, Stop};

#[derive(Debug, Default)]
pub(super) struct Reader {
    calls: Vec<RawCall>,
    stop: Option<Stop>,
}

impl Reader {
    pub(super) fn frame(&mut self, frame: &Value) {
        if let Some(reason) = frame.get("promptFeedback").and_then(|feedback| text(feedback, "blockReason")) {
            self.stop = Some(filtered(reason).unwrap_or(Stop::ContentFilter));
        }
        let Some(candidate) = frame.get("candidates").and_then(|candidates| candidates.get(0)) else {
            return;
        };
        let parts = candidate.get("content").and_then(|content| content.get("parts"));
        for part in parts.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default() {
            let Some(call) = part.get("functionCall") else { continue };
            self.calls.push(RawCall {
                name: text(call, "name").unwrap_or_default().to_owned(),
                arguments: Arguments::Value(call.get("args").cloned().unwrap_or_default()),
                signatures: text(part, "thoughtSignature").map(str::to_owned).into_iter().collect(),
            });
        }
        if let Some(reason) = text(candidate, "finishReason") {
            self.stop = Some(match reason {
                "STOP" => Stop::End,
                // Some that speak this protocol end calls so.
                "FUNCTION_CALL" => Stop::Calls,
                "MAX_TOKENS" => Stop::MaxTokens,
                other => filtered(other).unwrap_or_else(|| Stop::Other(other.to_owned())),
            });
        }
    }

    pub(super) fn finish(self) -> Sent {
        Sent { calls: self.calls, stop: self.stop, fault: None }
    }
}

/// The reasons for which an answer is held back.
fn filtered(reason: &str) -> Option<Stop> {
    let reasons =
        ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY"];
    reasons.contains(&reason).then_some(Stop::ContentFilter)
}
