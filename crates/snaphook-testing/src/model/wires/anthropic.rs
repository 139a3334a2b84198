//! Anthropic Messages.

use serde_json::{Value, json};

use super::{Answer, Content, Format, Traits, pieces};
use crate::model::fault::LineEnd;
use crate::model::frame::{Data, Frame, Notation};
use crate::model::script::{Stop, Usage};

pub(super) struct Messages;

impl Format for Messages {
    fn stream(&self, answer: &Answer<'_>) -> Vec<Frame> {
        let mut frames =
            vec![event(json!({ "type": "message_start", "message": message(answer, Vec::new(), None) }))];
        for (index, content) in answer.contents.iter().enumerate() {
            let (block, deltas): (Value, Vec<Value>) = match content {
                Content::Text(text) => (
                    json!({ "type": "text", "text": "" }),
                    pieces(text).map(|text| json!({ "type": "text_delta", "text": text })).collect(),
                ),
                Content::Call(call, number) => {
                    let id = answer.call_id("toolu_", call, *number);
                    let delta =
                        |partial: Value| json!({ "type": "input_json_delta", "partial_json": partial });
                    let deltas = std::iter::once(Value::from("")).chain(call.deltas()).map(delta);
                    (
                        json!({ "type": "tool_use", "id": id, "name": call.name, "input": {}, "caller": { "type": "direct" } }),
                        deltas.collect(),
                    )
                }
            };
            frames.push(event(
                json!({ "type": "content_block_start", "index": index, "content_block": block }),
            ));
            if index == 0 {
                // It is not written like the others.
                frames.push(Frame { event: Some("ping"), data: Data::Text(r#"{"type": "ping"}"#) });
            }
            for delta in deltas {
                frames.push(event(json!({ "type": "content_block_delta", "index": index, "delta": delta })));
            }
            frames.push(event(json!({ "type": "content_block_stop", "index": index })));
        }
        let mut end = json!({
            "type": "message_delta",
            "delta": { "stop_reason": stop_reason(&answer.stop), "stop_sequence": null },
        });
        if let Some(used) = answer.usage {
            end["usage"] = usage(used, used.output);
        }
        frames.extend([event(end), event(json!({ "type": "message_stop" }))]);
        frames
    }

    fn whole(&self, answer: &Answer<'_>) -> Value {
        let block = |content: &Content<'_>| match content {
            Content::Text(text) => json!({ "type": "text", "text": text }),
            Content::Call(call, number) => json!({
                "type": "tool_use",
                "id": answer.call_id("toolu_", call, *number),
                "name": call.name,
                "input": call.arguments,
                "caller": { "type": "direct" },
            }),
        };
        message(answer, answer.contents.iter().map(block).collect(), Some(&answer.stop))
    }

    fn error(&self, status: u16, message: &str, number: usize) -> Value {
        let kind = match status {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            400..=499 => "invalid_request_error",
            504 => "timeout_error",
            529 => "overloaded_error",
            _ => "api_error",
        };
        json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": request_id(number) })
    }

    fn error_frame(&self, answer: &Answer<'_>, _: &[Frame], status: u16, message: &str) -> Frame {
        event(self.error(status, message, answer.number))
    }

    fn headers(&self, number: usize) -> Vec<(&'static str, String)> {
        vec![("request-id", request_id(number))]
    }

    fn traits(&self) -> Traits {
        Traits {
            stream_type: "text/event-stream; charset=utf-8",
            whole_type: "application/json",
            stream_notation: Notation::Compact,
            whole_notation: Notation::Compact,
            line_end: LineEnd::Lf,
            indices: &["/index"],
            ids: &["/content_block/id", "/content/*/id"],
        }
    }
}

/// Each event is named by its type.
fn event(data: Value) -> Frame {
    let name = match data["type"].as_str() {
        Some("message_start") => "message_start",
        Some("content_block_start") => "content_block_start",
        Some("content_block_delta") => "content_block_delta",
        Some("content_block_stop") => "content_block_stop",
        Some("message_delta") => "message_delta",
        Some("message_stop") => "message_stop",
        _ => "error",
    };
    Frame::named(name, data)
}

/// The message. At the start of a stream it has neither content nor a stop reason.
fn message(answer: &Answer<'_>, content: Vec<Value>, stop: Option<&Stop>) -> Value {
    let mut message = json!({
        "model": answer.model,
        "id": answer.id("msg_"),
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": stop.map_or(Value::Null, stop_reason),
        "stop_sequence": null,
    });
    if let Some(used) = answer.usage {
        let mut usage = usage(used, if stop.is_some() { used.output } else { used.output.min(1) });
        usage["service_tier"] = "standard".into();
        message["usage"] = usage;
    }
    message
}

fn stop_reason(stop: &Stop) -> Value {
    match stop {
        Stop::End => "end_turn".into(),
        Stop::Calls => "tool_use".into(),
        Stop::TokenLimit => "max_tokens".into(),
        Stop::ContentFilter => "refusal".into(),
        Stop::Missing => Value::Null,
        Stop::Other(reason) => reason.as_str().into(),
    }
}

/// The tokens that were cached are not among those of the input.
fn usage(used: Usage, output: u64) -> Value {
    json!({
        "input_tokens": used.input.saturating_sub(used.cached),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": used.cached,
        "output_tokens": output,
    })
}

fn request_id(number: usize) -> String {
    format!("req_{number:04}")
}
