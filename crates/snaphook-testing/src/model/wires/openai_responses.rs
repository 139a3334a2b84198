//! OpenAI Responses.

use serde_json::{Value, json};

use super::openai_chat::{self, CREATED};
use super::{Answer, Content, Format, Traits, pieces};
use crate::model::fault::LineEnd;
use crate::model::frame::{Data, Frame, Notation};
use crate::model::script::{Stop, Usage};

pub(super) struct Responses;

impl Format for Responses {
    fn stream(&self, answer: &Answer<'_>) -> Vec<Frame> {
        let begun = response(answer, Status::in_progress(), Vec::new(), None);
        let mut events = Events::default();
        events.push("response.created", json!({ "response": begun }));
        events.push("response.in_progress", json!({ "response": begun }));
        for (index, content) in answer.contents.iter().enumerate() {
            let done = item(answer, index, content);
            let mut begun = done.clone();
            begun["status"] = "in_progress".into();
            match content {
                Content::Text(text) => {
                    begun["content"] = json!([]);
                    events
                        .push("response.output_item.added", json!({ "output_index": index, "item": begun }));
                    events.text(&done["id"], index, text);
                }
                Content::Call(call, _) => {
                    begun["arguments"] = "".into();
                    events
                        .push("response.output_item.added", json!({ "output_index": index, "item": begun }));
                    for delta in call.deltas() {
                        let data = json!({ "item_id": done["id"], "output_index": index, "delta": delta });
                        events.push("response.function_call_arguments.delta", data);
                    }
                    let data = json!({
                        "item_id": done["id"],
                        "output_index": index,
                        "name": call.name,
                        "arguments": done["arguments"],
                    });
                    events.push("response.function_call_arguments.done", data);
                }
            }
            events.push("response.output_item.done", json!({ "output_index": index, "item": done }));
        }
        let status = Status::of(&answer.stop);
        events.push(status.event, json!({ "response": self.whole(answer) }));
        events.0
    }

    fn whole(&self, answer: &Answer<'_>) -> Value {
        let items = answer.contents.iter().enumerate().map(|(index, content)| item(answer, index, content));
        response(answer, Status::of(&answer.stop), items.collect(), answer.usage)
    }

    fn error(&self, status: u16, message: &str, _: usize) -> Value {
        openai_chat::error(status, message)
    }

    fn error_frame(&self, answer: &Answer<'_>, before: &[Frame], status: u16, message: &str) -> Frame {
        let code = if status == 429 { "rate_limit_exceeded" } else { "server_error" };
        let mut failed = response(answer, Status::failed(), Vec::new(), None);
        failed["error"] = json!({ "code": code, "message": message });
        let number = before.iter().filter(|frame| matches!(frame.data, Data::Json(_))).count();
        event("response.failed", number, json!({ "response": failed }))
    }

    fn headers(&self, number: usize) -> Vec<(&'static str, String)> {
        openai_chat::headers(number)
    }

    fn traits(&self) -> Traits {
        Traits {
            stream_type: "text/event-stream; charset=utf-8",
            whole_type: "application/json",
            stream_notation: Notation::Compact,
            whole_notation: Notation::Pretty,
            line_end: LineEnd::Lf,
            indices: &["/output_index"],
            ids: &["/item/call_id", "/response/output/*/call_id", "/output/*/call_id"],
        }
    }
}

/// The events so far. Each has its number in the stream.
#[derive(Default)]
struct Events(Vec<Frame>);

impl Events {
    fn push(&mut self, name: &'static str, data: Value) {
        self.0.push(event(name, self.0.len(), data));
    }

    /// The one part of a message.
    fn text(&mut self, item: &Value, index: usize, text: &str) {
        let place =
            |more: Value| with(json!({ "item_id": item, "output_index": index, "content_index": 0 }), more);
        let part =
            |text: &str| json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": text });
        self.push("response.content_part.added", place(json!({ "part": part("") })));
        for delta in pieces(text) {
            self.push("response.output_text.delta", place(json!({ "delta": delta, "logprobs": [] })));
        }
        self.push("response.output_text.done", place(json!({ "text": text, "logprobs": [] })));
        self.push("response.content_part.done", place(json!({ "part": part(text) })));
    }
}

fn event(name: &'static str, number: usize, data: Value) -> Frame {
    Frame::named(name, with(json!({ "type": name, "sequence_number": number }), data))
}

/// Adds the fields of the second object to the first.
fn with(mut first: Value, second: Value) -> Value {
    if let (Some(fields), Value::Object(more)) = (first.as_object_mut(), second) {
        fields.extend(more);
    }
    first
}

/// The end of a response.
struct Status {
    event: &'static str,
    status: Value,
    /// The reason why it is incomplete.
    reason: Option<String>,
}

impl Status {
    fn in_progress() -> Self {
        Status { event: "response.in_progress", status: "in_progress".into(), reason: None }
    }

    fn failed() -> Self {
        Status { event: "response.failed", status: "failed".into(), reason: None }
    }

    fn of(stop: &Stop) -> Self {
        let incomplete = |reason: &str| Status {
            event: "response.incomplete",
            status: "incomplete".into(),
            reason: Some(reason.to_owned()),
        };
        let completed = |status: Value| Status { event: "response.completed", status, reason: None };
        match stop {
            Stop::End | Stop::Calls => completed("completed".into()),
            Stop::TokenLimit => incomplete("max_output_tokens"),
            Stop::ContentFilter => incomplete("content_filter"),
            Stop::Missing => completed(Value::Null),
            Stop::Other(reason) => incomplete(reason),
        }
    }
}

/// An item of the output, when it is done. The last one of an incomplete response is not complete, either.
fn item(answer: &Answer<'_>, index: usize, content: &Content<'_>) -> Value {
    let is_last = index + 1 == answer.contents.len();
    let status =
        if is_last && Status::of(&answer.stop).reason.is_some() { "incomplete" } else { "completed" };
    match content {
        Content::Text(text) => json!({
            "id": answer.part_id("msg_", index),
            "type": "message",
            "status": status,
            "content": [{ "type": "output_text", "annotations": [], "logprobs": [], "text": text }],
            "role": "assistant",
        }),
        Content::Call(call, number) => json!({
            "id": answer.part_id("fc_", index),
            "type": "function_call",
            "status": status,
            "arguments": call.text(),
            "call_id": answer.call_id("call_", call, *number),
            "name": call.name,
        }),
    }
}

fn response(answer: &Answer<'_>, status: Status, output: Vec<Value>, used: Option<Usage>) -> Value {
    json!({
        "id": answer.id("resp_"),
        "object": "response",
        "created_at": CREATED,
        "status": status.status,
        "background": false,
        "error": null,
        "incomplete_details": status.reason.map(|reason| json!({ "reason": reason })),
        "instructions": null,
        "max_output_tokens": null,
        "max_tool_calls": null,
        "model": answer.model,
        "output": output,
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": { "effort": null, "summary": null },
        "store": true,
        "temperature": 1.0,
        "text": { "format": { "type": "text" } },
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": used.map(usage),
        "user": null,
        "metadata": {},
    })
}

fn usage(used: Usage) -> Value {
    json!({
        "input_tokens": used.input,
        "input_tokens_details": { "cached_tokens": used.cached },
        "output_tokens": used.output,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": used.input + used.output,
    })
}
