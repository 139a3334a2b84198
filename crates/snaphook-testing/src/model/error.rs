//! The reasons why a scripted model does not start or cannot answer. Not here: the errors that a script asks for.

use std::io;

use super::fault::Fault;
use super::wires::Wire;

/// The reason why there is no scripted model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The system gives no port on loopback.
    #[error("failed to listen on 127.0.0.1: {0}")]
    Listen(#[from] io::Error),
    /// The script is not JSON, or not a list of exchanges.
    #[error("invalid script: {0}")]
    Script(#[from] serde_json::Error),
}

/// The reason why a request is answered with a 500 that is not in the script.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AnswerError {
    /// There were more requests than exchanges.
    #[error("the script is used up: it has {exchanges} exchanges, and this is request {request}")]
    UsedUp {
        /// The number of exchanges.
        exchanges: usize,
        /// The number of the request, from 1.
        request: usize,
    },
    /// A fault has no effect.
    #[error("the fault {fault:?} changes nothing here ({wire:?}, {frames} frames)")]
    NoEffect {
        /// The fault.
        fault: Fault,
        /// The wire.
        wire: Wire,
        /// The number of frames that the answer has.
        frames: usize,
    },
    /// The script has a header field or a status that HTTP does not have.
    #[error("the script's answer is not HTTP: {0}")]
    Http(#[from] http::Error),
}
