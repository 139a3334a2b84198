//! OpenAI's Responses: items that begin, grow and end, then `response.completed` with all of them once more.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Piece, Sent, text};
use crate::model::Stop;

#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Calls by their place in the output.
    calls: BTreeMap<u64, Piece>,
    stop: Option<Stop>,
    fault: Option<String>,
}

impl Reader {
    pub(super) fn frame(&mut self, frame: &Value) {
        let place = frame.get("output_index").and_then(Value::as_u64).unwrap_or_default();
        match text(frame, "type").unwrap_or_default() {
            "response.output_item.added" => {
                if let Some(call) = frame.get("item").and_then(piece)
                    && self.calls.insert(place, call).is_some()
                {
                    self.fault("two calls in one place");
                }
            }
            "response.function_call_arguments.delta" => match self.calls.get_mut(&place) {
                Some(call) => call.push(frame.get("delta")),
                None => self.fault("input of a call that did not begin"),
            },
            "response.output_item.done" => {
                if let Some(call) = frame.get("item").and_then(piece) {
                    self.calls.insert(place, call);
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let began = std::mem::take(&mut self.calls);
                self.response(frame.get("response").unwrap_or(&Value::Null));
                // The last word counts; one that says less than what came before has lost something.
                if self.calls.is_empty() {
                    self.calls = began;
                } else if !began.is_empty() && !same(&began, &self.calls) {
                    self.fault("the calls at its end are not those that came");
                }
            }
            _ => {}
        }
    }

    /// A whole response.
    pub(super) fn response(&mut self, response: &Value) {
        let output = response.get("output").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        self.calls = output
            .iter()
            .enumerate()
            .filter_map(|(place, item)| Some((place as u64, piece(item)?)))
            .collect();
        let why = response.get("incomplete_details").and_then(|details| text(details, "reason"));
        self.stop = match (text(response, "status"), why) {
            (Some("completed"), _) if self.calls.is_empty() => Some(Stop::End),
            (Some("completed"), _) => Some(Stop::Calls),
            (Some("incomplete"), Some("content_filter")) => Some(Stop::ContentFilter),
            (Some("incomplete"), _) => Some(Stop::MaxTokens),
            (Some(other), _) => {
                let error = response.get("error").and_then(|error| text(error, "message"));
                Some(Stop::Other(error.unwrap_or(other).to_owned()))
            }
            (None, _) => None,
        };
    }

    fn fault(&mut self, fault: &str) {
        self.fault.get_or_insert_with(|| fault.to_owned());
    }

    pub(super) fn finish(self) -> Sent {
        let calls = self.calls.into_values().map(Piece::call).collect();
        Sent { calls, stop: self.stop, fault: self.fault }
    }
}

fn same(one: &BTreeMap<u64, Piece>, other: &BTreeMap<u64, Piece>) -> bool {
    one.len() == other.len() && one.values().zip(other.values()).all(|(one, other)| one.name == other.name)
}

fn piece(item: &Value) -> Option<Piece> {
    if text(item, "type") != Some("function_call") {
        return None;
    }
    let mut piece = Piece {
        id: text(item, "call_id").map(str::to_owned),
        name: text(item, "name").unwrap_or_default().to_owned(),
        ..Piece::default()
    };
    piece.push(item.get("arguments"));
    Some(piece)
}
