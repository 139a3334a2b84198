//! OpenAI Chat Completions. The headers and errors of OpenAI are here, too, for `openai_responses`.

use serde_json::{Value, json};

use super::{Answer, Content, Format, Traits, pieces};
use crate::model::fault::LineEnd;
use crate::model::frame::{Data, Frame, Notation};
use crate::model::script::{Call, Stop, Usage};

/// A time of creation that is the same in every run.
pub(super) const CREATED: u64 = 1_760_000_000;

pub(super) struct Chat;

impl Format for Chat {
    fn stream(&self, answer: &Answer<'_>) -> Vec<Frame> {
        let calls: Vec<Value> =
            answer.contents.iter().filter_map(|content| opening(answer, content)).collect();
        let mut deltas = Vec::new();
        let mut first = json!({ "role": "assistant", "content": "", "refusal": null });
        // The provider puts a call that is alone into the first chunk.
        let alone = answer.contents.len() == 1 && calls.len() == 1;
        if alone {
            first = json!({ "role": "assistant", "content": null, "tool_calls": calls, "refusal": null });
        } else if matches!(answer.contents.first(), Some(Content::Call(..))) {
            first = json!({ "role": "assistant", "content": null });
        }
        deltas.push(first);
        for content in &answer.contents {
            match content {
                Content::Text(text) => deltas.extend(pieces(text).map(|text| json!({ "content": text }))),
                Content::Call(call, number) => {
                    if !alone {
                        deltas.push(json!({ "tool_calls": [calls.get(*number)] }));
                    }
                    deltas.extend(call.deltas().into_iter().map(|arguments| {
                        json!({ "tool_calls": [{ "index": number, "function": { "arguments": arguments } }] })
                    }));
                }
            }
        }
        let choice = |delta: Value, finish: Value| json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }]);
        let mut frames: Vec<Frame> =
            deltas.into_iter().map(|delta| chunk(answer, choice(delta, Value::Null), None)).collect();
        frames.push(chunk(answer, choice(json!({}), finish_reason(&answer.stop)), None));
        if let Some(used) = answer.usage.filter(|_| answer.include_usage) {
            frames.push(chunk(answer, json!([]), Some(used)));
        }
        frames.push(Frame { event: None, data: Data::Text("[DONE]") });
        frames
    }

    fn whole(&self, answer: &Answer<'_>) -> Value {
        let (mut text, mut calls) = (None, Vec::new());
        for content in &answer.contents {
            match content {
                Content::Text(more) => *text.get_or_insert_with(String::new) += more,
                Content::Call(call, number) => calls.push(function(answer, call, *number, call.text())),
            }
        }
        let mut message = json!({ "role": "assistant", "content": text });
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        message["refusal"] = Value::Null;
        message["annotations"] = json!([]);
        let mut whole = json!({
            "id": answer.id("chatcmpl-"),
            "object": "chat.completion",
            "created": CREATED,
            "model": answer.model,
            "choices": [{
                "index": 0,
                "message": message,
                "logprobs": null,
                "finish_reason": finish_reason(&answer.stop),
            }],
        });
        if let Some(used) = answer.usage {
            whole["usage"] = usage(used);
        }
        whole["service_tier"] = "default".into();
        whole["system_fingerprint"] = "fp_0000000000".into();
        whole
    }

    fn error(&self, status: u16, message: &str, _: usize) -> Value {
        error(status, message)
    }

    fn error_frame(&self, _: &Answer<'_>, _: &[Frame], status: u16, message: &str) -> Frame {
        Frame::unnamed(error(status, message))
    }

    fn headers(&self, number: usize) -> Vec<(&'static str, String)> {
        headers(number)
    }

    fn traits(&self) -> Traits {
        Traits {
            stream_type: "text/event-stream; charset=utf-8",
            whole_type: "application/json",
            stream_notation: Notation::Compact,
            whole_notation: Notation::Pretty,
            line_end: LineEnd::Lf,
            indices: &["/choices/*/delta/tool_calls/*/index"],
            ids: &["/choices/*/delta/tool_calls/*/id", "/choices/*/message/tool_calls/*/id"],
        }
    }
}

pub(super) fn headers(number: usize) -> Vec<(&'static str, String)> {
    vec![
        ("openai-processing-ms", "1".to_owned()),
        ("openai-version", "2020-10-01".to_owned()),
        ("x-request-id", format!("req_{number:04}")),
    ]
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let (kind, code) = match status {
        401 => ("invalid_request_error", Some("invalid_api_key")),
        404 => ("invalid_request_error", Some("model_not_found")),
        429 => ("requests", Some("rate_limit_exceeded")),
        400..=499 => ("invalid_request_error", None),
        _ => ("server_error", None),
    };
    json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
}

/// The first piece of a call in a stream: all but its arguments, which follow.
fn opening(answer: &Answer<'_>, content: &Content<'_>) -> Option<Value> {
    let Content::Call(call, number) = content else { return None };
    let mut opening = json!({ "index": number });
    if let (Some(fields), Value::Object(function)) =
        (opening.as_object_mut(), function(answer, call, *number, "".into()))
    {
        fields.extend(function);
    }
    Some(opening)
}

fn function(answer: &Answer<'_>, call: &Call, number: usize, arguments: Value) -> Value {
    json!({
        "id": answer.call_id("call_", call, number),
        "type": "function",
        "function": { "name": call.name, "arguments": arguments },
    })
}

/// A chunk. Each has the field `usage` if usage was asked for.
fn chunk(answer: &Answer<'_>, choices: Value, used: Option<Usage>) -> Frame {
    let mut chunk = json!({
        "id": answer.id("chatcmpl-"),
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": answer.model,
        "service_tier": "default",
        "system_fingerprint": "fp_0000000000",
        "choices": choices,
    });
    if answer.include_usage {
        chunk["usage"] = used.map_or(Value::Null, usage);
    }
    Frame::unnamed(chunk)
}

fn finish_reason(stop: &Stop) -> Value {
    match stop {
        Stop::End => "stop".into(),
        Stop::Calls => "tool_calls".into(),
        Stop::TokenLimit => "length".into(),
        Stop::ContentFilter => "content_filter".into(),
        Stop::Missing => Value::Null,
        Stop::Other(reason) => reason.as_str().into(),
    }
}

fn usage(used: Usage) -> Value {
    json!({
        "prompt_tokens": used.input,
        "completion_tokens": used.output,
        "total_tokens": used.input + used.output,
        "prompt_tokens_details": { "cached_tokens": used.cached, "audio_tokens": 0 },
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    })
}
