//! Messages from the editor: prompts, sessions and cancellations; answers to the agent's requests and to our questions.
//! All else passes. Not here: the gate of prompts (`prompt`), results that hooks look at (`tools`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use snaphook_mcp_transport::json::{Fields, same_folded, splice};
use snaphook_mcp_transport::message::{Id, InvalidMessage, Message, MessageKind};
use snaphook_mcp_transport::transport::Incoming;
use tokio::sync::mpsc;

use crate::editor_ui::EditorUi;
use crate::permission::read_params;
use crate::proxy::open::{EditorAwaits, NotTaken};
use crate::proxy::sessions::OpeningSession;
use crate::proxy::shared::{
    AGENT_GONE, CANCELLED, INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, PEER_GONE, Shared,
    TOO_MANY_REQUESTS, cancelled_id,
};
use crate::proxy::{prompt, tools};

const PROMPT: &str = "session/prompt";

/// The requests that begin a session, or take one up.
const OPENING: &[&str] = &["session/new", "session/load", "session/resume", "session/fork"];

/// The version of the protocol whose messages are understood.
const VERSION: u64 = 1;

/// Takes what the editor says until it says no more.
pub(super) async fn listen(
    shared: &Arc<Shared>,
    mut incoming: mpsc::Receiver<Incoming>,
    agent: mpsc::Sender<Message>,
) {
    while let Some(came) = incoming.recv().await {
        match came {
            Incoming::Invalid(unreadable) => refuse_unreadable(shared, &unreadable).await,
            Incoming::Message(message) if *message.kind() == MessageKind::Batch => {
                // The protocol has none: its parts are taken one by one.
                for part in message.parts() {
                    match part {
                        Ok(part) => one(shared, part, &agent).await,
                        Err(unreadable) => refuse_unreadable(shared, &unreadable).await,
                    }
                }
            }
            Incoming::Message(message) => one(shared, message, &agent).await,
        }
    }
}

async fn refuse_unreadable(shared: &Shared, unreadable: &InvalidMessage) {
    let InvalidMessage { reason, begins, id } = unreadable;
    tracing::warn!(target: "snaphook::acp", begins, "the editor sent an invalid message: {reason}");
    // It may be the answer to a request of the agent's, which waits for it.
    if let Some(id) = id.as_ref().filter(|_| !begins.contains("\"method\"")) {
        let error =
            Message::error(Some(id), PARSE_ERROR, &format!("the editor's answer cannot be read: {reason}"));
        shared.answer_agent(id, error).await;
        return;
    }
    // An answer to one that is open would be taken for the open one's.
    if id.as_ref().is_none_or(|id| !shared.of_editor.is_open(id)) {
        let text = format!("the message cannot be read: {reason}");
        shared.tell_editor(Message::error(id.as_ref(), PARSE_ERROR, &text)).await;
    }
}

/// The method that is gated here and that some agents may take this one for: they ignore case, or what is around it.
fn taken_for(method: &str) -> Option<&'static str> {
    let plain = method.trim_matches(|c: char| c.is_whitespace() || c.is_control() || c == '/');
    let like = OPENING.iter().chain([&PROMPT]).find(|gated| same_folded(plain, gated))?;
    (*like != method).then_some(like)
}

async fn one(shared: &Arc<Shared>, message: Message, agent: &mpsc::Sender<Message>) {
    match message.kind().clone() {
        MessageKind::Request { id, method } => request(shared, message, id, &method, agent).await,
        MessageKind::Notification { method } => {
            if method.as_ref() == PROMPT || OPENING.contains(&&*method) || taken_for(&method).is_some() {
                tracing::warn!(target: "snaphook::acp", "the editor sent `{method}` without an id; it was dropped");
                return;
            }
            match &*method {
                "session/cancel" => cancel(shared, &message),
                "$/cancel_request"
                    if cancelled_id(&message).is_some_and(|id| shared.of_editor.cancel(&id)) =>
                {
                    // The agent never saw the request.
                    return;
                }
                _ => {}
            }
            let _ = agent.send(message).await;
        }
        MessageKind::Response { id: Some(id), .. } if shared.link.owns(&id) => {
            shared.link.answered(&id, &message)
        }
        MessageKind::Response { id, .. } => {
            let awaits = id.as_ref().and_then(|id| shared.of_agent.answered(id));
            match (awaits, id) {
                (Some(awaits), Some(id)) => tools::answered(shared, message, id, awaits, agent).await,
                _ => drop(agent.send(message).await),
            }
        }
        MessageKind::Batch => tracing::warn!(target: "snaphook::acp", "the editor sent a batch in a batch"),
    }
}

fn cancel(shared: &Shared, message: &Message) {
    let session = message.body().and_then(|params| Fields::read(params).ok()?.text("sessionId"));
    match session.map(|session| shared.sessions.find(&session)) {
        Some(Ok(session)) => session.cancel(),
        Some(Err(error)) => tracing::debug!(target: "snaphook::acp", "{error}"),
        None => tracing::warn!(target: "snaphook::acp", "the editor cancelled no session"),
    }
}

async fn request(
    shared: &Arc<Shared>,
    message: Message,
    id: Id,
    method: &str,
    agent: &mpsc::Sender<Message>,
) {
    let refuse = async |code, text: &str| shared.tell_editor(Message::error(Some(&id), code, text)).await;
    if let Some(like) = taken_for(method) {
        let text = format!("`{method}` is not how the protocol spells `{like}`, which snaphook has to see");
        return refuse(INVALID_REQUEST, &text).await;
    }
    let taken = match method {
        PROMPT => prompt::take(shared, &message, &id).await,
        _ if OPENING.contains(&method) => open_session(shared, &message, &id, method),
        "initialize" => {
            let message = first_version(message);
            pass(shared, &id, EditorAwaits::Plain, message, agent).await
        }
        "session/close" | "session/delete" => {
            let params = message.body().and_then(|params| Fields::read(params).ok());
            let session = params.and_then(|params| params.text("sessionId")).unwrap_or_default().into_owned();
            pass(shared, &id, EditorAwaits::Close(session), message, agent).await
        }
        _ => pass(shared, &id, EditorAwaits::Plain, message, agent).await,
    };
    match taken {
        Ok(()) => {}
        Err(NotTaken::Twice) => refuse(INVALID_REQUEST, "a request with this id is open already").await,
        Err(NotTaken::TooMany) => refuse(TOO_MANY_REQUESTS, "too many requests are open").await,
    }
}

async fn pass(
    shared: &Shared,
    id: &Id,
    awaits: EditorAwaits,
    message: Message,
    agent: &mpsc::Sender<Message>,
) -> Result<(), NotTaken> {
    shared.of_editor.pass(id, awaits)?;
    if agent.send(message).await.is_err() && shared.of_editor.finish(id) {
        shared.tell_editor(Message::error(Some(id), PEER_GONE, AGENT_GONE)).await;
    }
    Ok(())
}

/// The message of an editor that speaks a later version as well, without that: an agent answers with a version that both
/// speak, and later ones ask for permission in forms that no gate here reads.
fn first_version(message: Message) -> Message {
    let spliced = message.body().and_then(|params| {
        let version = Fields::read(params).ok()?.get("protocolVersion")?;
        let later = version.get().parse::<u64>().is_ok_and(|version| version > VERSION);
        later.then(|| splice(message.bytes(), version.get(), &VERSION.to_string()))
    });
    match spliced.map(Message::read) {
        Some(Ok(first)) => {
            tracing::info!(target: "snaphook::acp", "the editor speaks a later version as well; version {VERSION} is offered");
            first
        }
        _ => message,
    }
}

/// Loads the hooks of a session's folder, and has the agent begin it.
fn open_session(shared: &Arc<Shared>, message: &Message, id: &Id, method: &str) -> Result<(), NotTaken> {
    let cancel = shared.over.child_token();
    shared.of_editor.to_gate(id, &cancel)?;
    let (shared, message, id, is_new) =
        (Arc::clone(shared), message.clone(), id.clone(), method != "session/load");
    tokio::spawn(async move {
        match load(&shared, &message, is_new).await {
            Ok(_) if cancel.is_cancelled() => {
                shared.answer_editor(&id, Message::error(Some(&id), CANCELLED, "cancelled")).await;
            }
            Ok(opening) => {
                shared.of_editor.forward(&id, EditorAwaits::Session(Box::new(opening)));
                if !shared.tell_agent(message).await && shared.of_editor.finish(&id) {
                    shared.tell_editor(Message::error(Some(&id), PEER_GONE, AGENT_GONE)).await;
                }
            }
            Err(text) => shared.answer_editor(&id, Message::error(Some(&id), INVALID_PARAMS, &text.0)).await,
        }
    });
    Ok(())
}

/// The reason why a session is not begun: a text for the person.
struct NotOpened(String);

async fn load(
    shared: &Arc<Shared>,
    message: &Message,
    may_be_new: bool,
) -> Result<OpeningSession, NotOpened> {
    let not = |error: &dyn std::fmt::Display| NotOpened(format!("snaphook refuses the session: {error}"));
    let params = read_params(message.body(), &["cwd", "sessionId", "_meta"]).map_err(|error| not(&error))?;
    let named = params.get("sessionId").and_then(Value::as_str).map(str::to_owned);
    let folder = match params.get("cwd").map(Value::as_str) {
        None => named
            .as_deref()
            .and_then(|named| shared.sessions.folder(named))
            .unwrap_or_else(|| shared.folder.clone()),
        Some(Some(folder)) if Path::new(folder).is_absolute() => PathBuf::from(folder),
        Some(_) => return Err(not(&"`cwd` is not an absolute path")),
    };
    if named.is_none() && !may_be_new {
        return Err(not(&"it has no `sessionId`"));
    }
    let ui = EditorUi::new(Arc::clone(&shared.link));
    let hosts = Arc::clone(&shared.hosts);
    // Compiling hooks takes its time, and other sessions go on.
    let loading = tokio::task::spawn_blocking(move || OpeningSession::load(&*hosts, folder, ui, named));
    match loading.await {
        Ok(opening) => opening.map_err(|error| not(&error)),
        Err(error) => Err(not(&error)),
    }
}
