//! OpenAI's Chat Completions: pieces of calls by index, then a finish reason. Many servers speak it in their own way: calls
//! without an index, all with the same one, counted from 1, input that is no text.

use serde_json::Value;

use super::{Piece, Sent, text};
use crate::model::Stop;

#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Calls in the order in which they began, with their index.
    calls: Vec<(Option<u64>, Piece)>,
    stop: Option<Stop>,
    fault: Option<String>,
}

impl Reader {
    pub(super) fn frame(&mut self, frame: &Value) {
        // One answer is asked for.
        let Some(choice) = frame.get("choices").and_then(|choices| choices.get(0)) else { return };
        let delta = choice.get("delta").unwrap_or(&Value::Null);
        self.calls(delta.get("tool_calls"));
        self.stop = text(choice, "finish_reason").map(stop).or(self.stop.take());
    }

    pub(super) fn whole(&mut self, body: &Value) {
        let Some(choice) = body.get("choices").and_then(|choices| choices.get(0)) else { return };
        let calls = choice.get("message").and_then(|message| message.get("tool_calls"));
        for call in calls.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default() {
            self.calls.push((None, piece(call)));
        }
        self.stop = text(choice, "finish_reason").map(stop);
    }

    fn calls(&mut self, calls: Option<&Value>) {
        for part in calls.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default() {
            let index = part.get("index").and_then(Value::as_u64);
            let (id, name) = (text(part, "id"), part.get("function").and_then(|of| text(of, "name")));
            // A new id is a new call, whatever its index says; without any index a name is.
            let known = self.calls.iter_mut().rev().find(|(known, call)| match (index, id) {
                (_, Some(id)) if call.id.is_some() => call.id.as_deref() == Some(id) && *known == index,
                (None, _) => name.is_none(),
                (Some(_), _) => *known == index,
            });
            match known {
                None if name.is_none() && id.is_none() => self.fault("input of a call that did not begin"),
                None => self.calls.push((index, piece(part))),
                Some((_, call)) => {
                    // Some repeat the name with each piece.
                    let differs = name.is_some_and(|name| !call.name.is_empty() && call.name != name);
                    if call.name.is_empty() {
                        call.name = name.unwrap_or_default().to_owned();
                    }
                    call.id = call.id.take().or(id.map(str::to_owned));
                    call.push(part.get("function").and_then(|of| of.get("arguments")));
                    if differs {
                        self.fault("two calls of one index");
                    }
                }
            }
        }
    }

    fn fault(&mut self, fault: &str) {
        self.fault.get_or_insert_with(|| fault.to_owned());
    }

    pub(super) fn finish(self) -> Sent {
        let calls = self.calls.into_iter().map(|(_, call)| call.call()).collect();
        Sent { calls, stop: self.stop, fault: self.fault }
    }
}

fn piece(call: &Value) -> Piece {
    let function = call.get("function").unwrap_or(&Value::Null);
    let mut piece = Piece {
        id: text(call, "id").map(str::to_owned),
        name: text(function, "name").unwrap_or_default().to_owned(),
        ..Piece::default()
    };
    piece.push(function.get("arguments"));
    piece
}

fn stop(reason: &str) -> Stop {
    match reason {
        "stop" | "eos" | "end_turn" => Stop::End,
        "tool_calls" | "function_call" | "tool_use" => Stop::Calls,
        "length" | "max_tokens" | "model_length" => Stop::MaxTokens,
        "content_filter" => Stop::ContentFilter,
        other => Stop::Other(other.to_owned()),
    }
}
