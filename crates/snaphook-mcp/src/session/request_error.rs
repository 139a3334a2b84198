//! The reasons why a gated request of the client cannot be read. Not here: what is answered then.

use snaphook_mcp_transport::json::JsonError;
use snaphook_mcp_transport::message::InvalidMessage;

/// The reason why a request cannot be read, or not be written as it should be. The text is about the request.
#[derive(Debug, thiserror::Error)]
pub(super) enum RequestError {
    /// There are no parameters.
    #[error("it has no parameters")]
    NoParameters,
    /// A key is not there, or has another type.
    #[error("it has no `{0}`, or one that is not a string")]
    NoKey(&'static str),
    /// A key is written so that only some servers read it.
    #[error("`{0}` is not how the protocol spells it")]
    Spelling(String),
    /// The arguments have another type.
    #[error("`arguments` is not an object")]
    Arguments,
    /// Two arguments differ in case only.
    #[error("some servers take the arguments `{one}` and `{other}` for one")]
    SameArgument {
        /// The first.
        one: String,
        /// The second.
        other: String,
    },
    /// The parameters are not read as JSON.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The message that it would be cannot be read.
    #[error(transparent)]
    Message(#[from] InvalidMessage),
}
