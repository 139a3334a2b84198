//! The wires: how an answer looks in each provider's API, streamed and whole, before any fault. A wire is one file that makes
//! frames of an [`Answer`]. Not here: faults (`mutate`), bytes of frames (`frame`).

mod anthropic;
mod gemini;
mod openai_chat;
mod openai_responses;

use http::{Method, Uri};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault::LineEnd;
use super::frame::{Frame, Notation};
use super::script::{ArgumentsForm, Call, Exchange, Part, Stop, Usage};

/// The API of a model provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// Anthropic Messages: `POST …/messages`.
    Anthropic,
    /// OpenAI Chat Completions: `POST …/chat/completions`.
    #[serde(rename = "openai_chat")]
    OpenAiChat,
    /// OpenAI Responses: `POST …/responses`.
    #[serde(rename = "openai_responses")]
    OpenAiResponses,
    /// Gemini: `POST …/models/NAME:generateContent` and `…:streamGenerateContent?alt=sse`.
    Gemini,
}

impl Wire {
    /// All wires.
    pub const ALL: [Wire; 4] = [Wire::Anthropic, Wire::OpenAiChat, Wire::OpenAiResponses, Wire::Gemini];

    /// Returns the version in the provider's base URL.
    pub(super) fn version(self) -> &'static str {
        match self {
            Wire::Gemini => "/v1beta",
            _ => "/v1",
        }
    }

    pub(super) fn format(self) -> &'static dyn Format {
        match self {
            Wire::Anthropic => &anthropic::Messages,
            Wire::OpenAiChat => &openai_chat::Chat,
            Wire::OpenAiResponses => &openai_responses::Responses,
            Wire::Gemini => &gemini::Gemini,
        }
    }
}

/// The request, as far as it decides about the form of the answer.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) wire: Wire,
    pub(super) streamed: bool,
    /// The stream is one JSON array instead of events. Only Gemini has that.
    pub(super) array: bool,
    pub(super) model: String,
    /// The stream ends with the usage. Only Chat Completions leaves that to the client.
    pub(super) include_usage: bool,
}

impl Asked {
    /// Reads a request; none if it is not to a wire.
    pub(super) fn read(method: &Method, uri: &Uri, body: &[u8]) -> Option<Self> {
        if method != Method::POST {
            return None;
        }
        let path = uri.path().trim_end_matches('/');
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let of_body = |wire| Asked {
            wire,
            streamed: body["stream"] == true,
            array: false,
            model: body["model"].as_str().unwrap_or("model").to_owned(),
            include_usage: body["stream_options"]["include_usage"] == true,
        };
        if path.ends_with("/chat/completions") {
            return Some(of_body(Wire::OpenAiChat));
        }
        match path.rsplit('/').next()? {
            "messages" => Some(of_body(Wire::Anthropic)),
            "responses" => Some(of_body(Wire::OpenAiResponses)),
            last => {
                let (model, verb) = last.rsplit_once(':')?;
                let streamed = match verb {
                    "generateContent" => false,
                    "streamGenerateContent" => true,
                    _ => return None,
                };
                let events = uri.query().is_some_and(|query| query.split('&').any(|pair| pair == "alt=sse"));
                let (model, array) = (model.to_owned(), streamed && !events);
                Some(Asked { wire: Wire::Gemini, streamed, array, model, include_usage: true })
            }
        }
    }
}

/// An answer, before it has the form of a wire.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    /// The number of the request, from 1, which ids are made of.
    pub(super) number: usize,
    pub(super) model: &'a str,
    pub(super) contents: Vec<Content<'a>>,
    pub(super) stop: Stop,
    pub(super) usage: Option<Usage>,
    pub(super) include_usage: bool,
}

/// A part of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Content<'a> {
    Text(&'a str),
    /// A call, and its number among the calls, from 0.
    Call(&'a Call, usize),
}

impl<'a> Answer<'a> {
    pub(super) fn new(asked: &'a Asked, exchange: &'a Exchange, number: usize) -> Self {
        let mut calls = 0..;
        let content = |part: &'a Part| match part {
            Part::Text(text) => Content::Text(text),
            Part::Call(call) => Content::Call(call, calls.next().unwrap_or_default()),
        };
        Answer {
            number,
            model: &asked.model,
            contents: exchange.parts.iter().map(content).collect(),
            stop: exchange.stop_sent(),
            usage: exchange.usage,
            include_usage: asked.include_usage,
        }
    }

    /// Returns an id of this answer.
    pub(super) fn id(&self, prefix: &str) -> String {
        format!("{prefix}{:04}", self.number)
    }

    /// Returns an id of one part of this answer.
    pub(super) fn part_id(&self, prefix: &str, part: usize) -> String {
        format!("{prefix}{:04}{:02}", self.number, part + 1)
    }

    /// Returns the id of a call: its own, or one that is made for it.
    pub(super) fn call_id(&self, prefix: &str, call: &Call, number: usize) -> String {
        call.id.clone().unwrap_or_else(|| self.part_id(prefix, number))
    }
}

/// The form of a provider's API.
pub(super) trait Format: Sync {
    /// The frames of a stream.
    fn stream(&self, answer: &Answer<'_>) -> Vec<Frame>;

    /// The body of a whole answer.
    fn whole(&self, answer: &Answer<'_>) -> Value;

    /// The body of an error. The number is that of the request, from 1.
    fn error(&self, status: u16, message: &str, number: usize) -> Value;

    /// The frame of an error in a stream, after these frames.
    fn error_frame(&self, answer: &Answer<'_>, before: &[Frame], status: u16, message: &str) -> Frame;

    /// Header fields of all answers.
    fn headers(&self, number: usize) -> Vec<(&'static str, String)>;

    /// What is special about how the provider writes.
    fn traits(&self) -> Traits;
}

/// How a provider writes, as data.
#[derive(Debug, Clone, Copy)]
pub(super) struct Traits {
    /// The content type of a stream.
    pub(super) stream_type: &'static str,
    /// The content type of whole answers and errors.
    pub(super) whole_type: &'static str,
    pub(super) stream_notation: Notation,
    pub(super) whole_notation: Notation,
    pub(super) line_end: LineEnd,
    /// The places of the `index` of contents in frames; `*` is any element of a list.
    pub(super) indices: &'static [&'static str],
    /// The places of the ids of calls in frames and whole answers.
    pub(super) ids: &'static [&'static str],
}

impl Call {
    /// Returns the arguments for a field that is a text.
    fn text(&self) -> Value {
        match self.form {
            ArgumentsForm::Usual => Value::String(self.arguments.to_string()),
            ArgumentsForm::Text | ArgumentsForm::Value => self.arguments.clone(),
        }
    }

    /// Returns the arguments in pieces, for a stream of texts.
    fn deltas(&self) -> Vec<Value> {
        match self.text() {
            Value::String(text) => pieces(&text).map(Value::from).collect(),
            value => vec![value],
        }
    }
}

/// The pieces in which a text is streamed: at most sixteen, of at least eight characters.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    const MAX_PIECES: usize = 16;
    const MIN_CHARS: usize = 8;
    let size = text.chars().count().div_ceil(MAX_PIECES).max(MIN_CHARS);
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
