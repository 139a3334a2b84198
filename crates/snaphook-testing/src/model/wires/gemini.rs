//! Gemini's `generateContent` and `streamGenerateContent`.

use serde_json::{Value, json};

use super::{Answer, Content, Format, Traits, pieces};
use crate::model::fault::LineEnd;
use crate::model::frame::{Frame, Notation};
use crate::model::script::Stop;

pub(super) struct Gemini;

impl Format for Gemini {
    /// Each piece of text and each call is in a frame of its own. The last one has the stop reason.
    fn stream(&self, answer: &Answer<'_>) -> Vec<Frame> {
        let mut frames: Vec<Vec<Value>> = Vec::new();
        for content in &answer.contents {
            match content {
                Content::Text(text) => frames.extend(pieces(text).map(|text| vec![json!({ "text": text })])),
                call => frames.push(vec![part(answer, call)]),
            }
        }
        if frames.is_empty() {
            frames.push(Vec::new());
        }
        let last = frames.len() - 1;
        let frame = |(at, parts)| Frame::unnamed(response(answer, parts, at == last));
        frames.into_iter().enumerate().map(frame).collect()
    }

    fn whole(&self, answer: &Answer<'_>) -> Value {
        let parts = answer.contents.iter().map(|content| part(answer, content)).collect();
        response(answer, parts, true)
    }

    fn error(&self, status: u16, message: &str, _: usize) -> Value {
        let name = match status {
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            429 => "RESOURCE_EXHAUSTED",
            400..=499 => "INVALID_ARGUMENT",
            503 | 529 => "UNAVAILABLE",
            504 => "DEADLINE_EXCEEDED",
            _ => "INTERNAL",
        };
        json!({ "error": { "code": status, "message": message, "status": name } })
    }

    fn error_frame(&self, answer: &Answer<'_>, _: &[Frame], status: u16, message: &str) -> Frame {
        // The provider writes it as it is, outside of events.
        Frame::raw(Notation::Pretty.text(&self.error(status, message, answer.number)))
    }

    fn headers(&self, _: usize) -> Vec<(&'static str, String)> {
        vec![("vary", "Origin, X-Origin, Referer".to_owned())]
    }

    fn traits(&self) -> Traits {
        Traits {
            stream_type: "text/event-stream",
            whole_type: "application/json; charset=UTF-8",
            stream_notation: Notation::Colons,
            whole_notation: Notation::Pretty,
            line_end: LineEnd::Crlf,
            indices: &[],
            ids: &["/candidates/*/content/parts/*/functionCall/id"],
        }
    }
}

fn part(answer: &Answer<'_>, content: &Content<'_>) -> Value {
    match content {
        Content::Text(text) => json!({ "text": text }),
        Content::Call(call, number) => json!({
            "functionCall": {
                "name": call.name,
                "args": call.arguments,
                "id": answer.call_id("call_", call, *number),
            },
        }),
    }
}

/// A response: all of a whole answer, or one frame of a stream.
fn response(answer: &Answer<'_>, parts: Vec<Value>, ends: bool) -> Value {
    let mut content = json!({});
    if !parts.is_empty() {
        content["parts"] = parts.into();
    }
    content["role"] = "model".into();
    let mut candidate = json!({ "content": content });
    let reason = match &answer.stop {
        Stop::End | Stop::Calls => Some("STOP"),
        Stop::TokenLimit => Some("MAX_TOKENS"),
        Stop::ContentFilter => Some("SAFETY"),
        Stop::Missing => None,
        Stop::Other(reason) => Some(reason.as_str()),
    };
    if let Some(reason) = reason.filter(|_| ends) {
        candidate["finishReason"] = reason.into();
    }
    candidate["index"] = 0.into();
    let mut response = json!({ "candidates": [candidate] });
    if let Some(used) = answer.usage {
        let output = if ends { used.output } else { used.output.min(1) };
        let mut usage = json!({
            "promptTokenCount": used.input,
            "candidatesTokenCount": output,
            "totalTokenCount": used.input + output,
        });
        if used.cached > 0 {
            usage["cachedContentTokenCount"] = used.cached.into();
        }
        usage["promptTokensDetails"] = json!([{ "modality": "TEXT", "tokenCount": used.input }]);
        response["usageMetadata"] = usage;
    }
    response["modelVersion"] = answer.model.into();
    response["responseId"] = answer.id("resp").into();
    response
}
