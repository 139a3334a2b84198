//! The calls and the end of an answer, read from the frames of a provider's protocol as they came. The client library gives a
//! text and tokens; of calls it loses some, doubles some, and glues some together, without an error. Not here: whether what was
//! read counts (`accept`).

mod anthropic;
mod chat;
mod gemini;
mod responses;

use serde_json::Value;

use super::{Arguments, RawCall, Stop};

/// The last frame of a stream of Chat Completions, which is no JSON.
const DONE: &str = "[DONE]";

/// A protocol of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's Chat Completions, and those who speak it.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Gemini's `generateContent`.
    Gemini,
}

/// The calls and the end of an answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sent {
    /// The calls, in order.
    pub calls: Vec<RawCall>,
    /// The reason why it ends; `None` where its end did not come.
    pub stop: Option<Stop>,
    /// A contradiction in what was sent.
    pub fault: Option<String>,
}

/// Reads the frames of one answer.
#[derive(Debug)]
pub struct Reader {
    protocol: Protocol,
    /// True if a frame could not be read: what it said is not known.
    unread: bool,
}

#[derive(Debug)]
enum Protocol {
    Anthropic(anthropic::Reader),
    Chat(chat::Reader),
    Responses(responses::Reader),
    Gemini(gemini::Reader),
}

impl Reader {
    /// A reader of this protocol.
    pub fn new(wire: Wire) -> Self {
        let protocol = match wire {
            Wire::Anthropic => Protocol::Anthropic(anthropic::Reader::default()),
            Wire::Chat => Protocol::Chat(chat::Reader::default()),
            Wire::Responses => Protocol::Responses(responses::Reader::default()),
            Wire::Gemini => Protocol::Gemini(gemini::Reader::default()),
        };
        Reader { protocol, unread: false }
    }

    /// Takes one frame: the data of one event.
    pub fn frame(&mut self, data: &str) {
        // A comment in the stream comes as a frame without anything.
        if matches!(data.trim(), "" | DONE) {
            return;
        }
        let Ok(frame) = serde_json::from_str::<Value>(data) else {
            self.unread = true;
            return;
        };
        match &mut self.protocol {
            Protocol::Anthropic(reader) => reader.frame(&frame),
            Protocol::Chat(reader) => reader.frame(&frame),
            Protocol::Responses(reader) => reader.frame(&frame),
            Protocol::Gemini(reader) => reader.frame(&frame),
        }
    }

    /// Takes an answer that came whole.
    pub fn whole(&mut self, body: &Value) {
        match &mut self.protocol {
            Protocol::Anthropic(reader) => reader.whole(body),
            Protocol::Chat(reader) => reader.whole(body),
            Protocol::Responses(reader) => reader.response(body),
            Protocol::Gemini(reader) => reader.frame(body),
        }
    }

    /// Returns what was sent.
    pub fn finish(self) -> Sent {
        let mut sent = match self.protocol {
            Protocol::Anthropic(reader) => reader.finish(),
            Protocol::Chat(reader) => reader.finish(),
            Protocol::Responses(reader) => reader.finish(),
            Protocol::Gemini(reader) => reader.finish(),
        };
        if self.unread {
            sent.fault.get_or_insert_with(|| "a frame of it is no JSON".to_owned());
        }
        sent
    }
}

/// A call as it comes in pieces.
#[derive(Debug, Clone, Default)]
struct Piece {
    id: Option<String>,
    name: String,
    text: String,
    value: Option<Value>,
}

impl Piece {
    /// Adds a piece of the input: JSON in text, as a rule; the whole of it where it is none.
    fn push(&mut self, arguments: Option<&Value>) {
        match arguments {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => self.text.push_str(text),
            Some(value) => self.value = Some(value.clone()),
        }
    }

    fn arguments(self) -> Arguments {
        match self.value {
            Some(value) if self.text.is_empty() => Arguments::Value(value),
            _ => Arguments::Text(self.text),
        }
    }

    fn call(self) -> RawCall {
        RawCall { name: self.name.clone(), arguments: self.arguments(), signatures: Vec::new() }
    }
}

/// A text of an object that is not empty.
fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
