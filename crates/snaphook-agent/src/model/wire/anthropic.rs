//! Anthropic's Messages: blocks that begin, grow and end, then `message_delta` with the stop reason, then `message_stop`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Piece, Sent, text};
use crate::model::Stop;

#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Blocks of calls by their index.
    open: BTreeMap<u64, Piece>,
    done: Vec<Piece>,
    stop: Option<Stop>,
    ended: bool,
    fault: Option<String>,
}

impl Reader {
    pub(super) fn frame(&mut self, frame: &Value) {
        let index = || frame.get("index").and_then(Value::as_u64);
        match text(frame, "type").unwrap_or_default() {
            "content_block_start" => {
                let Some(block) =
                    frame.get("content_block").filter(|block| text(block, "type") == Some("tool_use"))
                else {
                    return;
                };
                let Some(index) = index() else { return self.fault("a block without an index") };
                if self.open.insert(index, piece(block)).is_some() {
                    self.fault("two blocks of one index at once");
                }
            }
            "content_block_delta" => {
                let delta = frame.get("delta");
                let Some(part) = delta.filter(|delta| text(delta, "type") == Some("input_json_delta")) else {
                    return;
                };
                match index().and_then(|index| self.open.get_mut(&index)) {
                    Some(call) => call.push(part.get("partial_json")),
                    None => self.fault("input of a call that did not begin"),
                }
            }
            "content_block_stop" => {
                if let Some(call) = index().and_then(|index| self.open.remove(&index)) {
                    self.done.push(call);
                }
            }
            "message_delta" => {
                let reason = frame.get("delta").and_then(|delta| text(delta, "stop_reason"));
                self.stop = reason.map(stop).or(self.stop.take());
            }
            "message_stop" => self.ended = true,
            _ => {}
        }
    }

    pub(super) fn whole(&mut self, body: &Value) {
        let blocks = body.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        self.done =
            blocks.iter().filter(|block| text(block, "type") == Some("tool_use")).map(piece).collect();
        self.stop = text(body, "stop_reason").map(stop);
        self.ended = true;
    }

    fn fault(&mut self, fault: &str) {
        self.fault.get_or_insert_with(|| fault.to_owned());
    }

    pub(super) fn finish(mut self) -> Sent {
        if !self.open.is_empty() && !matches!(self.stop, Some(Stop::MaxTokens | Stop::ContentFilter)) {
            self.fault("a call that did not end");
        }
        let calls = self.done.into_iter().map(Piece::call).collect();
        Sent { calls, stop: self.stop.filter(|_| self.ended), fault: self.fault }
    }
}

fn piece(block: &Value) -> Piece {
    let input = block.get("input").filter(|input| input.as_object().is_none_or(|input| !input.is_empty()));
    Piece {
        id: text(block, "id").map(str::to_owned),
        name: text(block, "name").unwrap_or_default().to_owned(),
        text: String::new(),
        value: input.filter(|input| !input.is_null()).cloned(),
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "end_turn" | "stop_sequence" | "pause_turn" => Stop::End,
        "tool_use" => Stop::Calls,
        "max_tokens" | "model_context_window_exceeded" => Stop::MaxTokens,
        "refusal" => Stop::ContentFilter,
        other => Stop::Other(other.to_owned()),
    }
}
