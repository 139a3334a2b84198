//! Asking a model: the port ([`Model`]), what comes back before it is believed ([`RawTurn`]), and the stage that decides whether
//! it counts ([`accept()`]). The client for real providers is `client`, behind the feature `drive`. Not here: the agent that is
//! made of it (`driver` of this module), and the session around that (`crate::driver`).
//!
//! A provider's stream may end early, lose calls, glue two together, or make millions of them. So a turn is accepted as a
//! whole, before any tool of it runs: it has a real end, a stop reason, and calls that can be told apart. What is not accepted is
//! asked for again; nothing of it ran.

pub mod accept;
#[cfg(feature = "drive")]
pub mod client;
mod compact;
pub mod driver;
pub mod provider;
pub mod retry;
pub mod system;
pub mod wire;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use snaphook_core::BoxFuture;

pub use accept::{Broken, Turn, TurnCall, accept};

use crate::message::{Continuation, Message};
use crate::tools::ToolSpec;
use crate::usage::Usage;

/// A model that can be asked.
pub trait Model: Send + Sync {
    /// The name, as `PROVIDER/NAME`.
    fn name(&self) -> &str;

    /// Asks for one answer. Pieces of text are given to `delta` as they come, where the request does not want the answer whole.
    /// Dropping the future ends the request.
    ///
    /// # Errors
    /// There is no answer, or the rest of it did not come. Nothing of it counts.
    fn ask<'a>(
        &'a self,
        request: &'a Request,
        delta: &'a (dyn Fn(&str) + Send + Sync),
    ) -> BoxFuture<'a, Result<RawTurn, AskError>>;
}

/// A request.
#[derive(Debug, Clone)]
pub struct Request {
    /// Another name of the provider's than the model's own, where a hook wants one.
    pub model: Option<String>,
    /// The system prompt.
    pub system: Option<String>,
    /// The conversation.
    pub messages: Vec<Arc<Message>>,
    /// The tools that the model may call.
    pub tools: Arc<[ToolSpec]>,
    /// The most tokens of the answer. Default: the provider's.
    pub max_output: Option<u32>,
    /// The sampling temperature. Default: the provider's.
    pub temperature: Option<f64>,
    /// True to get the answer whole: where nobody watches it come, there is less that can break.
    pub whole: bool,
}

/// An answer as the provider sent it, before it is accepted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawTurn {
    /// The text.
    pub text: String,
    /// The calls, in order.
    pub calls: Vec<RawCall>,
    /// The reason why it ends; `None` where its end did not come.
    pub stop: Option<Stop>,
    /// A contradiction in what was sent.
    pub fault: Option<String>,
    /// The tokens that it took.
    pub usage: Usage,
    /// The parts that the provider wants back.
    pub provider: Continuation,
}

/// A call as the provider sent it.
#[derive(Debug, Clone, PartialEq)]
pub struct RawCall {
    /// The name of the tool.
    pub name: String,
    /// The input.
    pub arguments: Arguments,
    /// The provider's signatures of the call.
    pub signatures: Vec<String>,
}

/// The input of a call as the provider sent it.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// JSON as text.
    Text(String),
    /// JSON.
    Value(Value),
}

/// The reason why an answer ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The model has said what it wanted to.
    End,
    /// It wants tools to run.
    Calls,
    /// The limit of tokens.
    MaxTokens,
    /// The provider holds the answer back.
    ContentFilter,
    /// Another one, in the provider's words.
    Other(String),
}

/// The reason why there is no answer. Reads after "the model cannot be asked: ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The provider refused the request; it would refuse it again.
    #[error("{status}: {message}{}", hint(*.status))]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The provider's words, without the key.
        message: String,
    },
    /// The provider cannot answer now.
    #[error("{status}: {message}")]
    Busy {
        /// The HTTP status.
        status: u16,
        /// The provider's words, without the key.
        message: String,
        /// The time after which it wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// The conversation is longer than the model can read.
    #[error("the conversation is too long for the model: {message}")]
    TooLong {
        /// The provider's words, without the key.
        message: String,
    },
    /// The provider cannot be reached, or the connection broke.
    #[error("{0}")]
    Connection(String),
    /// The answer is not what the protocol says.
    #[error("{0}")]
    Protocol(String),
    /// The answer is larger than is read.
    #[error("the answer has more than {0} bytes")]
    TooLarge(usize),
    /// The request cannot be made.
    #[error("{0}")]
    Request(String),
}

/// The remedy for a refusal.
fn hint(status: u16) -> &'static str {
    match status {
        401 | 403 => "; set the provider's key in the environment",
        404 => "; is the model's name right, and the address (`--base-url`)?",
        _ => "",
    }
}
