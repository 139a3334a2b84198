//! The reading and writing of `rmcp` on our own transports: they end the whole group of a program, bound each message, and refuse what can
//! be read in two ways. Not here: the session on it (`connection`).
//!
//! Answers reach the session as they came. The SDK's own reading of them would take an answer for another kind's, and lose what it does
//! not know; only the answer to `initialize` is its business.

use std::collections::VecDeque;

use rmcp::RoleClient;
use rmcp::model::{
    CustomResult, ErrorCode, ErrorData, JsonRpcError, JsonRpcMessage, JsonRpcResponse, JsonRpcVersion2_0,
    RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::TxJsonRpcMessage;
use serde_json::Value;
use snaphook_mcp_transport::{Id, Incoming, Message, MessageKind, Transport};
use tokio::sync::mpsc;

/// The code of an answer that could not be read.
const UNREADABLE: i32 = -32700;

/// The code that answers a request which could not be read.
const INVALID_REQUEST: i64 = -32600;

/// A transport of ours as the SDK has it.
pub(super) struct Bridge {
    incoming: mpsc::Receiver<Incoming>,
    /// `None` once it is closed.
    outgoing: Option<mpsc::Sender<Message>>,
    /// The parts of a batch that wait.
    waiting: VecDeque<Incoming>,
    /// The id of `initialize`.
    first: Option<String>,
}

/// A message that could not be sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum BridgeError {
    /// The server is gone.
    #[error("the server is gone")]
    Gone,
    /// It cannot be written.
    #[error("the message cannot be written: {0}")]
    Write(String),
}

impl Bridge {
    pub(super) fn new(transport: Transport) -> Self {
        let Transport { incoming, outgoing } = transport;
        Bridge { incoming, outgoing: Some(outgoing), waiting: VecDeque::new(), first: None }
    }

    /// A message as the SDK takes it; `None` for what is passed over.
    fn taken(&mut self, incoming: Incoming) -> Option<ServerJsonRpcMessage> {
        let message = match incoming {
            Incoming::Message(message) => message,
            Incoming::Invalid(invalid) => {
                tracing::debug!(target: "snaphook::mcp", "a server's output is not a message: {invalid}: {}", invalid.begins);
                return Some(error(invalid.id.as_ref()?, &format!("the answer cannot be read: {invalid}")));
            }
        };
        match message.kind() {
            MessageKind::Batch => {
                let parts = message.parts().into_iter();
                self.waiting.extend(parts.map(|part| match part {
                    Ok(part) => Incoming::Message(part),
                    Err(invalid) => Incoming::Invalid(invalid),
                }));
                None
            }
            MessageKind::Response { id: Some(id), is_error: false }
                if self.first.as_deref() != Some(id.as_json()) =>
            {
                match message.body().map(serde_json::from_str::<Value>) {
                    Some(Ok(result)) => Some(JsonRpcMessage::Response(JsonRpcResponse {
                        jsonrpc: JsonRpcVersion2_0,
                        id: request_id(id)?,
                        result: ServerResult::CustomResult(CustomResult::new(result)),
                    })),
                    _ => Some(error(id, "the answer cannot be read")),
                }
            }
            kind => match serde_json::from_slice(message.bytes()) {
                Ok(message) => Some(message),
                Err(why) => {
                    tracing::debug!(target: "snaphook::mcp", "a server's message is passed over: {why}");
                    match kind {
                        MessageKind::Response { id: Some(id), .. } => {
                            Some(error(id, &format!("the answer cannot be read: {why}")))
                        }
                        MessageKind::Request { id, .. } => {
                            let answer =
                                Message::error(Some(id), INVALID_REQUEST, "the request cannot be read");
                            // A server that asks faster than it reads gets no answer.
                            let _ = self.outgoing.as_ref().map(|outgoing| outgoing.try_send(answer));
                            None
                        }
                        _ => None,
                    }
                }
            },
        }
    }
}

fn request_id(id: &Id) -> Option<RequestId> {
    serde_json::from_str(id.as_json()).ok()
}

fn error(id: &Id, text: &str) -> ServerJsonRpcMessage {
    let error = ErrorData::new(ErrorCode(UNREADABLE), text.to_owned(), None);
    JsonRpcMessage::Error(JsonRpcError::new(request_id(id), error))
}

impl rmcp::transport::Transport<RoleClient> for Bridge {
    type Error = BridgeError;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), BridgeError>> + Send + 'static {
        let written = serde_json::to_vec(&item).map_err(|error| BridgeError::Write(error.to_string()));
        let message = written
            .and_then(|bytes| Message::read(bytes).map_err(|error| BridgeError::Write(error.to_string())));
        if let Ok(message) = &message
            && let MessageKind::Request { id, method } = message.kind()
            && &**method == "initialize"
        {
            self.first = Some(id.as_json().to_owned());
        }
        let outgoing = self.outgoing.clone();
        async move {
            let outgoing = outgoing.ok_or(BridgeError::Gone)?;
            outgoing.send(message?).await.map_err(|_| BridgeError::Gone)
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let incoming = match self.waiting.pop_front() {
                Some(waiting) => waiting,
                None => self.incoming.recv().await?,
            };
            if let Some(message) = self.taken(incoming) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), BridgeError> {
        self.outgoing = None;
        self.incoming.close();
        Ok(())
    }
}
