//! The wires: how an answer looks in each provider's API, streamed and whole, before any fault. A wire is one file that makes
//! frames from an [`Answer`]. Not here: faults (`mutate`), bytes of frames (`frame`).

mod anthropic;
mod gemini;
mod openai_chat;
mod openai_responses;

use http::{Method, Uri};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::frame::Frame;
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
    pub(crate) fn version(self) -> &'static str {
        match self {
            Wire::Gemini => "/v1beta",
            _ => "/v1",
        }
    }
}
