//! One session of an ACP agent as a driver.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use snaphook::{Host, UiContext};
use snaphook_acp::client::{
    AgentInfo, CallUpdate, ClientError, Connection, Offers, SessionUpdate, Stop, Update, connect,
};
use snaphook_acp::{HostError, Hosts, Proxy};
use snaphook_core::{BoxFuture, Decision, ToolCall};
use snaphook_mcp_transport::transport::{Transport, TransportDriver, channel};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::serve::ServeAgent;
use super::terminals::Terminals;
use crate::driver::{Answered, Conversation, DriveError, Driver, Step};
use crate::message::{Continuation, Message};
use crate::tools::Workspace;

/// The reason why a session with an agent did not begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It wants to be signed in to first.
    #[error("{0}; sign in with the agent's own command first (it offers: {1})")]
    SignIn(ClientError, String),
    /// Anything else.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// The host that a session has already, for the only folder that it is in.
struct OneHost(Host);

impl Hosts for OneHost {
    fn host(&self, _: &Path, _: Arc<dyn UiContext>) -> Result<Host, HostError> {
        Ok(self.0.clone())
    }
}

/// A decision of the proxy's.
type Decided = (ToolCall, Decision);

/// An agent with one session. Dropped, its input is closed.
pub struct AcpAgent {
    connection: Connection,
    updates: mpsc::Receiver<SessionUpdate>,
    decided: mpsc::UnboundedReceiver<Decided>,
    session: String,
    info: AgentInfo,
    /// The number of messages of the conversation that the agent has.
    sent: usize,
    /// The text of the answer so far.
    text: String,
    /// The titles of tool calls, by their ids: an update of one may not repeat it.
    titles: HashMap<String, String>,
    _proxy: JoinHandle<()>,
}

impl AcpAgent {
    /// Begins a session with an agent whose process has been started, in the folder of the workspace. The agent's requests
    /// pass the gates of this host. `env` is the whole environment of what it runs in terminals.
    ///
    /// # Errors
    /// The agent speaks another version of the protocol, wants a sign-in, or ends.
    pub async fn start(
        host: Host,
        workspace: Arc<Workspace>,
        env: Vec<(OsString, OsString)>,
        agent: Transport,
    ) -> Result<Self, StartError> {
        let (told, decided) = mpsc::unbounded_channel();
        let (ours, TransportDriver { incoming, outgoing }) = channel();
        let editor = ours;
        let proxy = Proxy {
            // The host asks the person itself, and the session has gated the prompts.
            is_headless: true,
            gates_prompts: false,
            // There is no receiver any more once the session is over.
            watch: Some(Arc::new(move |call, decision| drop(told.send((call.clone(), decision.clone()))))),
            ..Proxy::new(Arc::new(OneHost(host)), workspace.root())
        };
        let running = tokio::spawn(async move {
            snaphook_acp::run(proxy, editor, agent).await;
        });
        let terminals = Terminals::new(Arc::clone(&workspace), env);
        let serve = ServeAgent { workspace: Arc::clone(&workspace), terminals };
        let (connection, updates) = connect(crossed(incoming, outgoing), Arc::new(serve));
        let info = connection.initialize(Offers { files: true, terminals: true }).await?;
        let session = match connection.new_session(workspace.root()).await {
            Ok(session) => session,
            Err(error) if wants_sign_in(&error) => {
                return Err(StartError::SignIn(error, info.auth_methods.join(", ")));
            }
            Err(error) => return Err(error.into()),
        };
        let (sent, text, titles) = (0, String::new(), HashMap::new());
        Ok(AcpAgent { connection, updates, decided, session, info, sent, text, titles, _proxy: running })
    }

    /// Returns what the agent says of itself.
    pub fn info(&self) -> &AgentInfo {
        &self.info
    }

    fn take(&mut self, conversation: &mut Conversation<'_>, update: Update) {
        match update {
            Update::Text(text) => {
                self.text.push_str(&text);
                conversation.tell(Step::TextDelta { text });
            }
            Update::Call(call) => {
                if let Some(text) = self.shown(call) {
                    conversation.tell(Step::Notice { text });
                }
            }
            Update::Plan(entries) => {
                let text: Vec<_> = entries.iter().map(|(text, status)| format!("{status}: {text}")).collect();
                conversation.tell(Step::Notice { text: format!("plan: {}", text.join("; ")) });
            }
            Update::Thought(_) | Update::UserText(_) | Update::Other { .. } => {}
        }
    }

    /// A tool call in a line, when it begins and when it has ended.
    fn shown(&mut self, call: CallUpdate) -> Option<String> {
        let CallUpdate { id, is_new, title, status, .. } = call;
        let ended = matches!(status.as_deref(), Some("completed" | "failed"));
        if let Some(title) = title {
            self.titles.insert(id.clone(), title);
        }
        if !is_new && !ended {
            return None;
        }
        let known = if ended { self.titles.remove(&id) } else { self.titles.get(&id).cloned() };
        let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
        Some(format!("{}{status}", known.unwrap_or(id)))
    }

    /// Sends a text, and tells what comes until the end of the turn. Says what was denied meanwhile.
    async fn turn(
        &mut self,
        conversation: &mut Conversation<'_>,
        prompt: &str,
    ) -> (Result<Stop, ClientError>, Denials) {
        let (connection, session) = (self.connection.clone(), self.session.clone());
        let mut asking = Box::pin(connection.prompt(&session, prompt));
        let cancel = conversation.cancel().clone();
        let (mut is_cancelled, mut denied) = (false, Denials::None);
        let mut tell = |conversation: &mut Conversation<'_>, (call, decision): Decided| {
            let one = match () {
                () if !decision.is_allowed() && decision.terminate => Denials::Last,
                () if !decision.is_allowed() || decision.is_rewritten() => Denials::Some,
                () => Denials::None,
            };
            denied = denied.max(one);
            conversation.tell(Step::CallDecided { call, decision });
        };
        let stopped = loop {
            tokio::select! {
                biased;
                Some(decided) = self.decided.recv() => tell(conversation, decided),
                Some(update) = self.updates.recv() => self.take(conversation, update.update),
                () = cancel.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    // The agent answers the prompt, and has its last words.
                    self.connection.cancel(&session).await;
                }
                stopped = &mut asking => break stopped,
            }
        };
        while let Ok(decided) = self.decided.try_recv() {
            tell(conversation, decided);
        }
        while let Ok(update) = self.updates.try_recv() {
            self.take(conversation, update.update);
        }
        (stopped, denied)
    }

    async fn work(&mut self, conversation: &mut Conversation<'_>) -> Result<Answered, DriveError> {
        conversation.begin_turn().await?;
        let messages = conversation.messages();
        let new =
            messages.get(self.sent..).unwrap_or_default().iter().filter_map(|message| match &**message {
                Message::User { content, .. } => Some(content.as_str()),
                Message::Assistant { .. } | Message::Tool { .. } => None,
            });
        let mut prompt = new.collect::<Vec<_>>().join("\n\n");
        self.text.clear();
        let mut again = 0;
        let (stopped, denied) = loop {
            let (stopped, denied) = self.turn(conversation, &prompt).await;
            let ended = matches!(stopped, Ok(Stop::EndTurn | Stop::Cancelled));
            if denied != Denials::Some || !ended || conversation.is_interrupted() || again == MAX_EXPLANATIONS
            {
                break (stopped, denied);
            }
            // An answer to a permission request has no place for a reason: the proxy puts it behind the next prompt.
            again += 1;
            EXPLANATION.clone_into(&mut prompt);
            conversation.tell(Step::Notice { text: "the agent is told why calls were denied".to_owned() });
        };
        let last = std::mem::take(&mut self.text);
        if !last.is_empty() {
            conversation.tell(Step::AssistantText { text: last.clone(), subagent: None });
        }
        conversation.say(Message::assistant(last.as_str(), Vec::new(), Continuation::default()))?;
        self.sent = conversation.messages().len();
        conversation.end_turn().await?;
        let failed = |text: &str| Err(DriveError::Agent(text.to_owned()));
        match stopped.map_err(|error| DriveError::Agent(error.to_string()))? {
            _ if conversation.is_interrupted() => Ok(Answered::Interrupted),
            _ if denied == Denials::Last => {
                conversation.tell(Step::Terminated { turns_left_out: 0 });
                Ok(Answered::Terminated)
            }
            Stop::EndTurn | Stop::Other(_) => {
                Ok(Answered::Rests { last: Some(last).filter(|last| !last.is_empty()) })
            }
            Stop::Cancelled => failed("the agent ended the turn as cancelled"),
            Stop::MaxTokens => failed("the model reached its limit of tokens"),
            Stop::MaxTurnRequests => failed("the agent reached its limit of requests"),
            Stop::Refusal => failed("the agent refused the prompt"),
        }
    }
}

/// The denials of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Denials {
    None,
    Some,
    /// One of them asked the agent to stop altogether.
    Last,
}

/// The number of times in one answer that the agent is told why calls were denied.
const MAX_EXPLANATIONS: u32 = 3;

/// The words before the reasons.
const EXPLANATION: &str = "Tool calls of yours were denied by hooks, not by a person; the reasons are below. Go on with the task \
                           without them, or say what keeps you from it.";

/// The other end of a channel as a side of its own.
fn crossed(
    incoming: mpsc::Sender<snaphook_mcp_transport::Incoming>,
    mut outgoing: mpsc::Receiver<snaphook_mcp_transport::Message>,
) -> Transport {
    let (transport, driver) = channel();
    let TransportDriver { incoming: say, outgoing: mut told } = driver;
    tokio::spawn(async move {
        while let Some(message) = told.recv().await {
            if incoming.send(snaphook_mcp_transport::Incoming::Message(message)).await.is_err() {
                return;
            }
        }
    });
    tokio::spawn(async move {
        while let Some(message) = outgoing.recv().await {
            if say.send(snaphook_mcp_transport::Incoming::Message(message)).await.is_err() {
                return;
            }
        }
    });
    transport
}

/// The protocol's code of a request that needs a sign-in.
const AUTH_REQUIRED: i64 = -32000;

fn wants_sign_in(error: &ClientError) -> bool {
    matches!(error, ClientError::Agent { code: AUTH_REQUIRED, .. })
}

impl Driver for AcpAgent {
    fn answer<'a>(
        &'a mut self,
        conversation: &'a mut Conversation<'_>,
        _texts: &'a [String],
    ) -> BoxFuture<'a, Result<Answered, DriveError>> {
        Box::pin(self.work(conversation))
    }
}

impl std::fmt::Debug for AcpAgent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AcpAgent").field("session", &self.session).finish_non_exhaustive()
    }
}
