//! A tool's call that passed its gate, and what is kept of it until its result comes. Not here: what is done with the result
//! (`call`).

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use snaphook::ToolCall;

use crate::session::input_required::RequestTurn;

/// A call that is at the server.
#[derive(Debug)]
pub(super) struct ForwardedCall {
    /// As it runs.
    pub(super) call: ToolCall,
    /// As the client sent it.
    pub(super) original_input: Arc<Value>,
    /// The texts of hooks to the model about it.
    pub(super) context: Vec<String>,
    /// True if a hook could change its result.
    pub(super) rewrites: bool,
    /// The request, where its client can be asked while hooks look at the result, and what it asks for.
    pub(super) asks: Option<(RequestTurn, Value)>,
    /// True if its result has to say of which kind it is.
    pub(super) wants_kind: bool,
    pub(super) began: Instant,
}
