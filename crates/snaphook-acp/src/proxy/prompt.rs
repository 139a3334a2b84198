//! The gate of prompts. A blocked one is answered as a refusal, with the reason as a message that the editor shows; one
//! that passes takes along what waits for the model.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use snaphook::{CancellationToken, Event, Lifecycle};
use snaphook_mcp_transport::json::{Fields, splice};
use snaphook_mcp_transport::message::{Id, Message};
use snaphook_mcp_transport::strict::rewritten;

use crate::permission::{RequestError, read_params};
use crate::proxy::open::{EditorAwaits, NotTaken};
use crate::proxy::sessions::Session;
use crate::proxy::shared::{AGENT_GONE, DENIED, INVALID_PARAMS, PEER_GONE, Shared, agent_says, supervised};

/// Takes a prompt, and has a task decide about it.
pub(super) async fn take(shared: &Arc<Shared>, message: &Message, id: &Id) -> Result<(), NotTaken> {
    let fields = message.body().and_then(|params| Fields::read(params).ok());
    let named = fields.and_then(|fields| Some(fields.text("sessionId")?.into_owned()));
    let session = named.as_deref().map(|named| shared.sessions.find(named));
    let (session, named) = match (session, named) {
        (Some(Ok(session)), Some(named)) => (session, named),
        (Some(Err(error)), _) => {
            shared.tell_editor(Message::error(Some(id), INVALID_PARAMS, &error.to_string())).await;
            return Ok(());
        }
        _ => {
            let text = "the prompt cannot be read by hooks, so it is denied: it has no `sessionId`";
            shared.tell_editor(Message::error(Some(id), INVALID_PARAMS, text)).await;
            return Ok(());
        }
    };
    let cancel = session.token();
    shared.of_editor.to_gate(id, &cancel)?;
    tokio::spawn(gate(Arc::clone(shared), message.clone(), id.clone(), (session, named), cancel));
    Ok(())
}

async fn gate(
    shared: Arc<Shared>,
    message: Message,
    id: Id,
    (session, named): (Arc<Session>, String),
    cancel: CancellationToken,
) {
    let ended = |reason: &str| Message::result(&id, &json!({"stopReason": reason}));
    let prompt = match Prompt::read(&message) {
        Ok(prompt) => prompt,
        Err(reason) => {
            let text = format!("the prompt cannot be read by hooks, so it is denied: {reason}");
            return shared.answer_editor(&id, Message::error(Some(&id), INVALID_PARAMS, &text)).await;
        }
    };
    let changed = match decide(&shared, &prompt, &session, &cancel).await {
        Ruling::Passes(changed) if !cancel.is_cancelled() => changed,
        Ruling::Passes(_) | Ruling::Cancelled => return shared.answer_editor(&id, ended("cancelled")).await,
        Ruling::Blocked(reason) => {
            shared.tell_editor(agent_says(&named, &format!("Blocked by snaphook: {reason}"))).await;
            return shared.answer_editor(&id, ended("refusal")).await;
        }
    };
    let notes = session.take_notes(shared.gates_prompts);
    let Ok(message) = prompt.for_agent(&message, changed.as_deref(), notes) else {
        let text = "the rewritten prompt cannot be written";
        return shared.answer_editor(&id, Message::error(Some(&id), DENIED, text)).await;
    };
    shared.of_editor.forward(&id, EditorAwaits::Plain);
    if !shared.tell_agent(message).await && shared.of_editor.finish(&id) {
        shared.tell_editor(Message::error(Some(&id), PEER_GONE, AGENT_GONE)).await;
    }
}

/// The conclusion about a prompt.
enum Ruling {
    /// It goes to the agent, with another text where there is one.
    Passes(Option<String>),
    Blocked(String),
    Cancelled,
}

async fn decide(shared: &Shared, prompt: &Prompt, session: &Session, cancel: &CancellationToken) -> Ruling {
    if !shared.gates_prompts {
        return Ruling::Passes(None);
    }
    let Some(_permit) = shared.gate(cancel).await else { return Ruling::Cancelled };
    let fields = Map::from_iter([("prompt".to_owned(), prompt.text().into())]);
    let event = match Event::lifecycle(Lifecycle::UserPrompt, fields) {
        Ok(event) => event,
        Err(error) => return Ruling::Blocked(error.to_string()),
    };
    let decision = session.host.decide(event, &supervised(cancel)).await.decision;
    if cancel.is_cancelled() {
        return Ruling::Cancelled;
    }
    if !decision.is_allowed() {
        return Ruling::Blocked(decision.message());
    }
    session.note_context(&decision.context);
    let subject = decision.event.subject();
    let text = subject.get("prompt").and_then(Value::as_str).map(str::to_owned);
    Ruling::Passes(text.filter(|_| decision.is_rewritten()))
}

/// A prompt as it was read.
struct Prompt {
    blocks: Vec<Value>,
}

impl Prompt {
    fn read(message: &Message) -> Result<Self, RequestError> {
        let mut params = read_params(message.body(), &["sessionId", "prompt", "messageId", "_meta"])?;
        match params.get_mut("prompt").map(Value::take) {
            Some(Value::Array(blocks)) => Ok(Prompt { blocks }),
            _ => Err(RequestError::NoKey("prompt")),
        }
    }

    /// The text that the person wrote.
    fn text(&self) -> String {
        self.blocks.iter().filter_map(text_of).collect::<Vec<_>>().join("\n")
    }

    /// The message with another text, and with these texts behind it. A new text replaces all blocks of text.
    fn for_agent(
        &self,
        message: &Message,
        text: Option<&str>,
        notes: Vec<String>,
    ) -> Result<Message, RequestError> {
        let mut blocks = self.blocks.clone();
        if let Some(text) = text {
            let first = blocks.iter().position(|block| text_of(block).is_some()).unwrap_or(blocks.len());
            let mut at = 0;
            blocks.retain(|block| {
                at += 1;
                text_of(block).is_none() || at - 1 == first
            });
            match blocks.get_mut(first).filter(|block| text_of(block).is_some()) {
                Some(block) => block["text"] = text.into(),
                None => blocks.push(json!({"type": "text", "text": text})),
            }
        }
        if !notes.is_empty() {
            blocks.push(json!({"type": "text", "text": notes.join("\n\n")}));
        }
        if blocks == self.blocks {
            return Ok(message.clone());
        }
        let fields = Fields::read(message.body().ok_or(RequestError::NoParameters)?)?;
        let written = fields.get("prompt").ok_or(RequestError::NoKey("prompt"))?.get();
        let new = rewritten(written, &Value::Array(self.blocks.clone()), &Value::Array(blocks));
        Message::read(splice(message.bytes(), written, &new)).map_err(|_| RequestError::NoKey("prompt"))
    }
}

fn text_of(block: &Value) -> Option<&str> {
    let is_text = block.get("type").and_then(Value::as_str) == Some("text");
    block.get("text").and_then(Value::as_str).filter(|_| is_text)
}
