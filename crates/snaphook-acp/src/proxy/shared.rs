//! What all parts of the proxy share, and the codes of its errors. Not here: the requests that are open (`open`), the
//! sessions (`sessions`).

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use snaphook::{CallOptions, CancellationToken, Decision, ToolCall};
use snaphook_mcp_transport::json::Fields;
use snaphook_mcp_transport::message::{Id, Message};
use tokio::sync::{Semaphore, SemaphorePermit, mpsc};

use crate::editor_ui::EditorLink;
use crate::hosts::Hosts;
use crate::proxy::open::{AgentAwaits, EditorAwaits, OpenRequests};
use crate::proxy::sessions::{Session, Sessions};
use crate::proxy::{Proxy, Watch};

/// The code of a request that hooks deny.
pub const DENIED: i64 = -32050;
/// The code of a request that is one more than are kept in mind.
pub const TOO_MANY_REQUESTS: i64 = -32051;
/// The code of a request whose peer is gone.
pub const PEER_GONE: i64 = -32000;
/// The protocol's code of a request that was cancelled.
pub const CANCELLED: i64 = -32800;
/// The code of a text that cannot be read at all.
pub(super) const PARSE_ERROR: i64 = -32700;
/// The code of a document that is no request.
pub(super) const INVALID_REQUEST: i64 = -32600;
/// The code of the wrong parameters.
pub(super) const INVALID_PARAMS: i64 = -32602;

/// The error text of a request to an agent that is gone.
pub(super) const AGENT_GONE: &str = "the agent is gone";

/// The number of gates that are asked at a time; each has a thread.
const MAX_GATES: usize = 256;

/// The state that all parts have.
pub(super) struct Shared {
    pub(super) hosts: Arc<dyn Hosts>,
    pub(super) folder: PathBuf,
    pub(super) gates_prompts: bool,
    pub(super) link: Arc<EditorLink>,
    pub(super) sessions: Sessions,
    /// The editor's requests to the agent.
    pub(super) of_editor: OpenRequests<EditorAwaits>,
    /// The agent's requests to the editor, as far as something is done with them or with their answers.
    pub(super) of_agent: OpenRequests<AgentAwaits>,
    /// Cancelled when a side is gone.
    pub(super) over: CancellationToken,
    watch: Option<Watch>,
    editor: mpsc::Sender<Message>,
    /// Lives as long as the editor says something.
    agent: mpsc::WeakSender<Message>,
    gates: Semaphore,
}

impl Shared {
    pub(super) fn new(
        proxy: Proxy,
        editor: mpsc::Sender<Message>,
        agent: mpsc::WeakSender<Message>,
    ) -> Arc<Self> {
        let over = CancellationToken::new();
        Arc::new(Shared {
            hosts: proxy.hosts,
            folder: proxy.folder,
            gates_prompts: proxy.gates_prompts,
            watch: proxy.watch,
            link: EditorLink::new(editor.clone(), proxy.is_headless),
            sessions: Sessions::default(),
            of_editor: OpenRequests::default(),
            of_agent: OpenRequests::default(),
            over,
            editor,
            agent,
            gates: Semaphore::new(MAX_GATES),
        })
    }

    /// Sends the editor a message. One that is gone needs none.
    pub(super) async fn tell_editor(&self, message: Message) {
        let _ = self.editor.send(message).await;
    }

    /// Sends the agent a message; false if it is gone.
    pub(super) async fn tell_agent(&self, message: Message) -> bool {
        match self.agent.upgrade() {
            Some(agent) => agent.send(message).await.is_ok(),
            None => false,
        }
    }

    /// Answers a request of the editor's that was at its gate.
    pub(super) async fn answer_editor(&self, id: &Id, message: Message) {
        self.of_editor.finish(id);
        self.tell_editor(message).await;
    }

    /// Answers a request of the agent's that was at its gate, or whose result hooks looked at.
    pub(super) async fn answer_agent(&self, id: &Id, message: Message) {
        self.of_agent.finish(id);
        self.tell_agent(message).await;
    }

    /// Cancels the agent's present turn, as the editor would: a denial asked it to stop altogether.
    pub(super) async fn stop(&self, session: &Session) {
        session.cancel();
        let params = json!({"sessionId": session.id});
        self.tell_agent(Message::notification("session/cancel", &params)).await;
    }

    /// Tells who watches of a decision.
    pub(super) fn decided(&self, call: &ToolCall, decision: &Decision) {
        if let Some(watch) = &self.watch {
            watch(call, decision);
        }
    }

    /// Waits until a gate may be asked; `None` if that is cancelled before.
    pub(super) async fn gate(&self, cancel: &CancellationToken) -> Option<SemaphorePermit<'_>> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            permit = self.gates.acquire() => permit.ok(),
        }
    }
}

/// The options of each decision: a handler that does not stop is left behind.
pub(super) fn supervised(cancel: &CancellationToken) -> CallOptions {
    CallOptions { cancel: Some(cancel.clone()), ..CallOptions::supervised() }
}

/// The request that a `$/cancel_request` is about.
pub(super) fn cancelled_id(message: &Message) -> Option<Id> {
    Id::read(Fields::read(message.body()?).ok()?.get("requestId")?)
}

/// The text that an editor shows as the agent's.
pub(super) fn agent_says(session: &str, text: &str) -> Message {
    let content = json!({"type": "text", "text": text});
    let update = json!({"sessionUpdate": "agent_message_chunk", "content": content});
    Message::notification("session/update", &json!({"sessionId": session, "update": update}))
}
