//! The person behind an MCP client: questions of hooks become `elicitation/create`, where the client offers it. Declined,
//! cancelled or answered with something else is a no. Not here: clients that are asked through results (`session::input_required`).

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use snaphook::{BoxFuture, HeadlessUi, HookRef, Notice, UiContext, UiReply, UiRequest, headless_reply};
use tokio::sync::{mpsc, oneshot};

use crate::heading::HEADING;
use crate::json::strict;
use snaphook_mcp_transport::message::{Id, Message, MessageKind};

/// The person whom the client can ask. Made before the host, which asks; the session lends it the client.
pub struct ElicitationUi {
    /// The beginning of snaphook's ids; no others begin so.
    prefix: String,
    state: Mutex<ClientState>,
}

#[derive(Default)]
struct ClientState {
    client: Option<mpsc::Sender<Message>>,
    /// True if the client said that it can ask.
    offered: bool,
    asked: HashMap<Id, oneshot::Sender<Value>>,
    count: u64,
}

impl Default for ElicitationUi {
    fn default() -> Self {
        // Two hashes with keys that the process drew: nothing that a server could guess.
        let random = || RandomState::new().hash_one(0_u8);
        let prefix = format!("snaphook-{:016x}{:016x}-", random(), random());
        ElicitationUi { prefix, state: Mutex::default() }
    }
}

impl ElicitationUi {
    /// The client's side, from the session's begin.
    pub(crate) fn meet(&self, client: mpsc::Sender<Message>) {
        self.state.lock().client = Some(client);
    }

    /// Takes in what the client said in `initialize`.
    pub(crate) fn offers(&self, capabilities: Option<&Value>) {
        self.state.lock().offered = offers_forms(capabilities);
    }

    /// The client is gone: those who wait get no answer.
    pub(crate) fn leave(&self) {
        let mut state = self.state.lock();
        state.client = None;
        state.asked.clear();
    }

    /// Returns whether the id is one of snaphook's.
    pub(crate) fn owns(&self, id: &Id) -> bool {
        self.made(&id.plain())
    }

    /// Returns whether a word is one of snaphook's.
    pub(crate) fn made(&self, word: &str) -> bool {
        word.starts_with(&self.prefix)
    }

    /// A word for a question that cannot be guessed, and that was never used.
    pub(crate) fn word(&self) -> String {
        let mut state = self.state.lock();
        state.count += 1;
        format!("{}{}", self.prefix, state.count)
    }

    /// The client's answer to one of snaphook's questions. The caller may not wait any more.
    pub(crate) fn answered(&self, id: &Id, message: &Message) {
        let Some(waiting) = self.state.lock().asked.remove(id) else { return };
        let failed = matches!(message.kind(), MessageKind::Response { is_error: true, .. });
        let answer = match message.body().map(strict) {
            Some(Ok(answer)) if !failed => answer,
            _ => {
                tracing::warn!(target: "snaphook::mcp", "the client could not ask its person");
                Value::Null
            }
        };
        let _ = waiting.send(answer);
    }

    async fn ask_client(&self, params: Value) -> Option<Value> {
        let (mut question, message, client) = {
            let id = Id::text(&self.word());
            let mut state = self.state.lock();
            let client = state.client.clone().filter(|_| state.offered)?;
            let (answer, answered) = oneshot::channel();
            state.asked.insert(id.clone(), answer);
            let message = Message::request(&id, "elicitation/create", &params);
            (Question { ui: self, id, answered, over: false }, message, client)
        };
        let answer = match client.send(message).await {
            Ok(()) => (&mut question.answered).await.ok(),
            Err(_) => None,
        };
        question.over = true;
        answer
    }
}

/// One that waits. Dropped before its answer, it takes the question back.
struct Question<'a> {
    ui: &'a ElicitationUi,
    id: Id,
    answered: oneshot::Receiver<Value>,
    over: bool,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        let mut state = self.ui.state.lock();
        state.asked.remove(&self.id);
        if let Some(client) = state.client.as_ref().filter(|_| !self.over) {
            let id: Value = serde_json::from_str(self.id.as_json()).unwrap_or_default();
            let params = json!({"requestId": id, "reason": "the answer is no longer needed"});
            // A client that takes nothing is not told either.
            let _ = client.try_send(Message::notification("notifications/cancelled", &params));
        }
    }
}

impl UiContext for ElicitationUi {
    fn has_ui(&self) -> bool {
        let state = self.state.lock();
        state.offered && state.client.is_some()
    }

    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        Box::pin(async move {
            let answer = self.ask_client(params(hook, &request)).await;
            answer.and_then(|answer| reply(&request, &answer)).unwrap_or_else(|| headless_reply(&request))
        })
    }

    fn notify(&self, hook: Option<&HookRef>, notice: Notice) {
        // The protocol has no place for them.
        HeadlessUi.notify(hook, notice);
    }
}

/// Returns whether a client that can do this puts questions to its person.
pub(crate) fn offers_forms(capabilities: Option<&Value>) -> bool {
    let form = |elicitation: &Map<String, Value>| {
        // Without a word about modes there was only this one.
        elicitation.contains_key("form") || !elicitation.contains_key("url")
    };
    let elicitation = capabilities.and_then(|all| all.get("elicitation")).and_then(Value::as_object);
    elicitation.is_some_and(form)
}

impl fmt::Debug for ElicitationUi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ElicitationUi").finish_non_exhaustive()
    }
}

/// The parameters of `elicitation/create`.
pub(crate) fn params(hook: Option<&HookRef>, request: &UiRequest) -> Value {
    let (title, more, properties) = match request {
        UiRequest::Confirm { title, message } => (title, message.as_deref(), json!({})),
        UiRequest::Select { title, options } => {
            (title, None, json!({"choice": {"type": "string", "enum": options}}))
        }
        UiRequest::Input { title, initial } | UiRequest::Editor { title, initial } => {
            let mut field = json!({"type": "string"});
            if let Some(initial) = initial {
                field["default"] = initial.as_str().into();
            }
            (title, None, json!({"text": field}))
        }
    };
    let mut message = format!("{HEADING}\n{title}");
    if let Some(more) = more {
        message += &format!("\n{more}");
    }
    if let Some(hook) = hook {
        let name = format!("the hook \"{}\"", hook.name);
        // A question of a gate says so itself.
        if !message.contains(&name) {
            message += &format!("\n(asked by {name})");
        }
    }
    let required: Vec<_> = properties.as_object().into_iter().flat_map(Map::keys).cloned().collect();
    json!({
        "message": message,
        "requestedSchema": {"type": "object", "properties": properties, "required": required},
    })
}

/// Returns what the person's answer means; `None` is a no.
pub(crate) fn reply(request: &UiRequest, answer: &Value) -> Option<UiReply> {
    if answer.get("action")? != "accept" {
        return None;
    }
    let text = |name: &str| answer.get("content")?.get(name)?.as_str();
    match request {
        UiRequest::Confirm { .. } => Some(UiReply::Confirmed(true)),
        UiRequest::Select { options, .. } => {
            let chosen = text("choice")?;
            options.iter().position(|option| option == chosen).map(UiReply::Selected)
        }
        UiRequest::Input { .. } | UiRequest::Editor { .. } => {
            text("text").map(|text| UiReply::Text(text.to_owned()))
        }
    }
}
