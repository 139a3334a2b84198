//! Messages from the agent: permission requests, files and terminals that have gates; answers to the editor; updates of
//! tool calls, which are read on the way. All else passes. Not here: the gates (`ask`, `tools`).

use std::sync::Arc;

use serde_json::Value;
use snaphook_mcp_transport::json::{Fields, same_folded};
use snaphook_mcp_transport::message::{Id, InvalidMessage, Message, MessageKind};
use snaphook_mcp_transport::strict::strict;
use snaphook_mcp_transport::transport::Incoming;
use tokio::sync::mpsc;

use crate::proxy::called_tool::ToolRequest;
use crate::proxy::open::{EditorAwaits, NotTaken};
use crate::proxy::sessions::{Session, UnknownSession};
use crate::proxy::shared::{
    AGENT_GONE, DENIED, INVALID_REQUEST, PARSE_ERROR, PEER_GONE, Shared, TOO_MANY_REQUESTS, cancelled_id,
};
use crate::proxy::{ask, tools};

/// The request of an agent that has a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gated {
    Permission,
    Tool(ToolRequest),
}

const GATED: &[(&str, Gated)] = &[
    ("session/request_permission", Gated::Permission),
    ("fs/read_text_file", Gated::Tool(ToolRequest::Read)),
    ("fs/write_text_file", Gated::Tool(ToolRequest::Write)),
    ("terminal/create", Gated::Tool(ToolRequest::Command)),
    ("terminal/output", Gated::Tool(ToolRequest::Output)),
];

fn gated(method: &str) -> Option<Gated> {
    GATED.iter().find(|(name, _)| *name == method).map(|(_, gated)| *gated)
}

/// The gated method that some editors may take this one for: they ignore case, or what is around it.
fn taken_for(method: &str) -> Option<&'static str> {
    let plain = method.trim_matches(|c: char| c.is_whitespace() || c.is_control() || c == '/');
    let (like, _) = GATED.iter().find(|(gated, _)| same_folded(plain, gated))?;
    (*like != method).then_some(like)
}

/// Takes what the agent says until it is gone; what waits for it then gets an error.
pub(super) async fn listen(shared: Arc<Shared>, mut incoming: mpsc::Receiver<Incoming>) {
    while let Some(came) = incoming.recv().await {
        match came {
            Incoming::Invalid(unreadable) => invalid(&shared, &unreadable).await,
            Incoming::Message(message) if *message.kind() == MessageKind::Batch => {
                // The protocol has none: its parts are taken one by one.
                for part in message.parts() {
                    match part {
                        Ok(part) => one(&shared, part).await,
                        Err(unreadable) => invalid(&shared, &unreadable).await,
                    }
                }
            }
            Incoming::Message(message) => one(&shared, message).await,
        }
    }
    if shared.over.is_cancelled() {
        // The editor has gone before, and waits for nothing.
        return;
    }
    shared.over.cancel();
    for id in shared.of_editor.drain() {
        shared.tell_editor(Message::error(Some(&id), PEER_GONE, AGENT_GONE)).await;
    }
}

async fn invalid(shared: &Shared, unreadable: &InvalidMessage) {
    let InvalidMessage { reason, begins, id } = unreadable;
    tracing::warn!(target: "snaphook::acp", begins, "the agent sent an invalid message: {reason}");
    let Some(id) = id else { return };
    let error =
        Message::error(Some(id), PARSE_ERROR, &format!("the agent's message cannot be read: {reason}"));
    if begins.contains("\"method\"") {
        shared.tell_agent(error).await;
    } else if shared.of_editor.answered(id).is_some() {
        // The editor would wait for ever.
        shared.tell_editor(error).await;
    }
}

async fn one(shared: &Arc<Shared>, message: Message) {
    match message.kind().clone() {
        MessageKind::Request { id, method } => request(shared, message, id, &method).await,
        MessageKind::Notification { method } => {
            if gated(&method).is_some() || taken_for(&method).is_some() {
                tracing::warn!(target: "snaphook::acp", "the agent sent `{method}` without an id; it was dropped");
                return;
            }
            if &*method == "$/cancel_request"
                && cancelled_id(&message).is_some_and(|id| shared.of_agent.cancel(&id))
            {
                // The editor never saw the request.
                return;
            }
            if &*method == "session/update" && !note_update(shared, &message) {
                return;
            }
            shared.tell_editor(message).await;
        }
        MessageKind::Response { id, is_error } => {
            match id.as_ref().and_then(|id| shared.of_editor.answered(id)) {
                Some(EditorAwaits::Session(opening)) if !is_error => {
                    let result = message.body().and_then(|body| Fields::read(body).ok());
                    let said = result.and_then(|result| Some(result.text("sessionId")?.into_owned()));
                    match said.or_else(|| opening.id().map(str::to_owned)) {
                        Some(id) => shared.sessions.opened(*opening, id, &shared.over),
                        None => {
                            tracing::warn!(target: "snaphook::acp", "the agent began a session without an id")
                        }
                    }
                }
                Some(EditorAwaits::Close(session)) if !is_error => shared.sessions.closed(&session),
                Some(_) | None => {}
            }
            shared.tell_editor(message).await;
        }
        MessageKind::Batch => tracing::warn!(target: "snaphook::acp", "the agent sent a batch in a batch"),
    }
}

/// Takes in what an update says of a tool call; false for one that two readers could read differently, which no gate
/// could count on.
fn note_update(shared: &Shared, message: &Message) -> bool {
    let Some(params) = message.body().filter(|params| params.contains("tool_call") || params.contains("\\u"))
    else {
        return true;
    };
    let params = match strict(params) {
        Ok(params) => params,
        Err(error) => {
            tracing::warn!(target: "snaphook::acp", "an update of the agent was dropped: {error}");
            return false;
        }
    };
    let session = params.get("sessionId").and_then(Value::as_str);
    if let (Some(session), Some(update)) = (session, params.get("update"))
        && let Ok(session) = shared.sessions.find(session)
    {
        session.calls.lock().note(update, message.bytes().len());
    }
    true
}

async fn request(shared: &Arc<Shared>, message: Message, id: Id, method: &str) {
    let refuse = async |code, text: &str| {
        tracing::warn!(target: "snaphook::acp", "refused to the agent: {text}");
        shared.tell_agent(Message::error(Some(&id), code, text)).await;
    };
    if shared.link.owns(&id) {
        return refuse(INVALID_REQUEST, "the id is one of snaphook's").await;
    }
    if let Some(like) = taken_for(method) {
        let text = format!("`{method}` is not how the protocol spells `{like}`, which has a gate");
        return refuse(INVALID_REQUEST, &text).await;
    }
    let Some(gated) = gated(method) else { return shared.tell_editor(message).await };
    let session = match session_of(shared, &message) {
        Ok(session) => session,
        Err(error) => return refuse(DENIED, &error.to_string()).await,
    };
    let cancel = session.token();
    match shared.of_agent.to_gate(&id, &cancel) {
        Ok(()) => {}
        Err(NotTaken::Twice) => {
            return refuse(INVALID_REQUEST, "a request with this id is open already").await;
        }
        Err(NotTaken::TooMany) => return refuse(TOO_MANY_REQUESTS, "too many requests are open").await,
    }
    match gated {
        Gated::Permission => {
            drop(tokio::spawn(ask::gate(Arc::clone(shared), message, id, session, cancel)));
        }
        // It has had its gate when the command was; its place among the others is kept.
        Gated::Tool(ToolRequest::Output) => tools::pass_output(shared, message, id, session, cancel).await,
        Gated::Tool(kind) => {
            drop(tokio::spawn(tools::gate(Arc::clone(shared), message, kind, id, session, cancel)));
        }
    }
}

/// The reason why a request has no gate that it could go to.
#[derive(Debug, thiserror::Error)]
enum NoSession {
    /// It names none, or cannot be read.
    #[error("the request cannot be read by hooks, so it is denied: it has no `sessionId`, or a key twice")]
    Unnamed,
    /// It is not known.
    #[error(transparent)]
    Unknown(#[from] UnknownSession),
}

fn session_of(shared: &Shared, message: &Message) -> Result<Arc<Session>, NoSession> {
    let params = message.body().ok_or(NoSession::Unnamed)?;
    let fields = Fields::read(params).map_err(|_| NoSession::Unnamed)?;
    let session = fields.text("sessionId").ok_or(NoSession::Unnamed)?;
    Ok(shared.sessions.find(&session)?)
}
