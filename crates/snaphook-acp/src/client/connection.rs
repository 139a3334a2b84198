//! The connection to an agent: requests with their answers, updates in order, and the agent's requests, each answered by a
//! task of its own.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use snaphook_mcp_transport::message::{Id, Message, MessageKind};
use snaphook_mcp_transport::transport::{Incoming, Transport};
use tokio::sync::{mpsc, oneshot};

use crate::client::serve::{AgentRequest, Serve};
use crate::client::update::SessionUpdate;

/// The number of updates that may wait to be taken before the agent has to wait.
const MAX_UPDATES: usize = 256;

/// The version of the protocol.
const VERSION: u64 = 1;

/// The services that the client offers. An agent may use no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Offers {
    /// Files can be read and written.
    pub files: bool,
    /// Commands can be run in terminals.
    pub terminals: bool,
}

/// What an agent says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentInfo {
    /// Its name and version, where it says them.
    pub name: Option<String>,
    /// The ways to sign in that it has; none where it needs none.
    pub auth_methods: Vec<String>,
    /// True if old sessions can be loaded.
    pub loads_sessions: bool,
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The agent is done.
    EndTurn,
    /// The model reached its limit of tokens.
    MaxTokens,
    /// The agent reached its limit of requests to the model.
    MaxTurnRequests,
    /// The prompt was refused, by the agent or by a hook.
    Refusal,
    /// The turn was cancelled.
    Cancelled,
    /// Another reason.
    Other(String),
}

impl Stop {
    fn read(text: &str) -> Self {
        match text {
            "end_turn" => Stop::EndTurn,
            "max_tokens" => Stop::MaxTokens,
            "max_turn_requests" => Stop::MaxTurnRequests,
            "refusal" => Stop::Refusal,
            "cancelled" => Stop::Cancelled,
            other => Stop::Other(other.to_owned()),
        }
    }
}

/// The reason why an agent did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// It answered with an error.
    #[error("the agent answered `{method}` with an error: {text} ({code})")]
    Agent {
        /// The method.
        method: &'static str,
        /// The code of the protocol, or the agent's own.
        code: i64,
        /// The text.
        text: String,
    },
    /// Its answer has not the form that the protocol gives it.
    #[error("the agent's answer to `{method}` cannot be read: {text}")]
    Answer {
        /// The method.
        method: &'static str,
        /// The reason.
        text: String,
    },
    /// It speaks no version of the protocol that is known.
    #[error(
        "the agent speaks version {0} of the protocol, expected {VERSION}; use a version of the agent that speaks it"
    )]
    Version(Value),
    /// It is gone.
    #[error("the agent ended before it answered `{0}`; its own messages are on standard error")]
    Gone(&'static str),
}

#[derive(Default)]
struct Open {
    count: u64,
    /// `None` once the agent is gone.
    waiting: Option<HashMap<Id, oneshot::Sender<Message>>>,
}

/// A connection to an agent. Cheap to clone.
#[derive(Clone)]
pub struct Connection {
    agent: mpsc::Sender<Message>,
    open: Arc<Mutex<Open>>,
}

/// Takes up a connection. What the agent tells comes from the second part in its order; it has to be taken, or the agent
/// waits. Dropping the connection, with all clones, ends the agent's input.
///
/// Has to be called on a tokio runtime.
pub fn connect(transport: Transport, serve: Arc<dyn Serve>) -> (Connection, mpsc::Receiver<SessionUpdate>) {
    let Transport { incoming, outgoing } = transport;
    let open = Arc::new(Mutex::new(Open { count: 0, waiting: Some(HashMap::new()) }));
    let (tell, updates) = mpsc::channel(MAX_UPDATES);
    let listening = Listening { agent: outgoing.downgrade(), open: Arc::clone(&open), serve, tell };
    tokio::spawn(listening.run(incoming));
    (Connection { agent: outgoing, open }, updates)
}

struct Listening {
    agent: mpsc::WeakSender<Message>,
    open: Arc<Mutex<Open>>,
    serve: Arc<dyn Serve>,
    tell: mpsc::Sender<SessionUpdate>,
}

impl Listening {
    async fn run(self, mut incoming: mpsc::Receiver<Incoming>) {
        while let Some(came) = incoming.recv().await {
            let message = match came {
                Incoming::Message(message) => message,
                Incoming::Invalid(invalid) => {
                    tracing::warn!(target: "snaphook::acp", "the agent sent an invalid message: {invalid}");
                    continue;
                }
            };
            match message.kind().clone() {
                MessageKind::Response { id: Some(id), .. } => {
                    let waiting = self.open.lock().waiting.as_mut().and_then(|waiting| waiting.remove(&id));
                    // One that was given up is not waited for.
                    let _ = waiting.map(|waiting| waiting.send(message));
                }
                MessageKind::Request { id, method } => self.answer(message, id, method),
                MessageKind::Notification { method } if &*method == "session/update" => {
                    if let Some(update) = message.body().and_then(SessionUpdate::read) {
                        let _ = self.tell.send(update).await;
                    }
                }
                MessageKind::Notification { .. }
                | MessageKind::Response { id: None, .. }
                | MessageKind::Batch => {
                    tracing::debug!(target: "snaphook::acp", "a message of the agent is not used");
                }
            }
        }
        // Those who wait hear that it is gone.
        self.open.lock().waiting = None;
    }

    fn answer(&self, message: Message, id: Id, method: Box<str>) {
        let (agent, serve) = (self.agent.clone(), Arc::clone(&self.serve));
        tokio::spawn(async move {
            let answer = match AgentRequest::read(&method, message.body()) {
                Ok(request) => serve.serve(request).await,
                Err(refused) => Err(refused),
            };
            let answer = match answer {
                Ok(result) => Message::result(&id, &result),
                Err(refused) => Message::error(Some(&id), refused.code, &refused.text),
            };
            if let Some(agent) = agent.upgrade() {
                let _ = agent.send(answer).await;
            }
        });
    }
}

impl Connection {
    /// Agrees on the version of the protocol, and offers these services and no others.
    ///
    /// # Errors
    /// The agent speaks another version, or does not answer.
    pub async fn initialize(&self, offers: Offers) -> Result<AgentInfo, ClientError> {
        let Offers { files, terminals } = offers;
        let params = json!({
            "protocolVersion": VERSION,
            "clientCapabilities": {
                "fs": {"readTextFile": files, "writeTextFile": files},
                "terminal": terminals,
            },
            "clientInfo": {"name": "snaphook", "version": env!("CARGO_PKG_VERSION")},
        });
        let answer = self.request("initialize", &params).await?;
        if answer.get("protocolVersion") != Some(&VERSION.into()) {
            return Err(ClientError::Version(answer.get("protocolVersion").cloned().unwrap_or_default()));
        }
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let name = answer.get("agentInfo").and_then(|info| {
            let (name, version) = (text(info, "name")?, text(info, "version").unwrap_or_default());
            Some(format!("{name} {version}").trim().to_owned())
        });
        let methods = answer.get("authMethods").and_then(Value::as_array).into_iter().flatten();
        Ok(AgentInfo {
            name,
            auth_methods: methods.filter_map(|method| text(method, "id")).collect(),
            loads_sessions: answer["agentCapabilities"]["loadSession"] == true,
        })
    }

    /// Begins a session in a folder, and returns its id.
    ///
    /// # Errors
    /// The agent refuses, or wants a sign-in first.
    pub async fn new_session(&self, cwd: &Path) -> Result<String, ClientError> {
        const METHOD: &str = "session/new";
        let answer = self.request(METHOD, &json!({"cwd": cwd, "mcpServers": []})).await?;
        let id = answer.get("sessionId").and_then(Value::as_str).map(str::to_owned);
        id.ok_or_else(|| ClientError::Answer { method: METHOD, text: "it has no `sessionId`".to_owned() })
    }

    /// Sends a prompt, and waits for the end of the turn. What happens meanwhile is among the updates. Dropped, the turn goes
    /// on: [`cancel`](Connection::cancel) ends it.
    ///
    /// # Errors
    /// The agent fails.
    pub async fn prompt(&self, session: &str, text: &str) -> Result<Stop, ClientError> {
        const METHOD: &str = "session/prompt";
        let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
        let answer = self.request(METHOD, &params).await?;
        let stop = answer.get("stopReason").and_then(Value::as_str).map(Stop::read);
        stop.ok_or_else(|| ClientError::Answer { method: METHOD, text: "it has no `stopReason`".to_owned() })
    }

    /// Cancels the present turn of a session.
    pub async fn cancel(&self, session: &str) {
        // An agent that is gone has no turn.
        let _ =
            self.agent.send(Message::notification("session/cancel", &json!({"sessionId": session}))).await;
    }

    async fn request(&self, method: &'static str, params: &Value) -> Result<Value, ClientError> {
        let (answer, answered) = oneshot::channel();
        let request = {
            let mut open = self.open.lock();
            open.count += 1;
            let id = Id::text(&open.count.to_string());
            let waiting = open.waiting.as_mut().ok_or(ClientError::Gone(method))?;
            waiting.insert(id.clone(), answer);
            Message::request(&id, method, params)
        };
        self.agent.send(request).await.map_err(|_| ClientError::Gone(method))?;
        let message = answered.await.map_err(|_| ClientError::Gone(method))?;
        let body: Value = serde_json::from_str(message.body().unwrap_or("null"))
            .map_err(|error| ClientError::Answer { method, text: error.to_string() })?;
        if !matches!(message.kind(), MessageKind::Response { is_error: true, .. }) {
            return Ok(body);
        }
        let text = body.get("message").and_then(Value::as_str).unwrap_or("no reason given").to_owned();
        Err(ClientError::Agent {
            method,
            code: body.get("code").and_then(Value::as_i64).unwrap_or_default(),
            text,
        })
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}
