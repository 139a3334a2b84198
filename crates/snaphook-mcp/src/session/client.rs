//! Messages from the client: requests that are gated and those that pass, cancellations, answers to questions. Not here: the
//! gates themselves (`call`, `read`).

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;

use crate::json::strict;
use crate::session::forwarded_call::ForwardedCall;
use crate::session::list::wants_lists;
use crate::session::shared::{INVALID_REQUEST, PARSE_ERROR, SERVER_GONE, Shared, TOO_MANY_REQUESTS};
use crate::session::state::{Awaited, Cancelled, Refusal};
use crate::session::{call, read};
use snaphook_mcp_transport::json::{Fields, same_folded};
use snaphook_mcp_transport::message::{Id, InvalidMessage, Message, MessageKind};
use snaphook_mcp_transport::transport::Incoming;

/// The request of a client that has a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gated {
    Call,
    Read(read::ReadKind),
}

const GATED: &[&str] = &["tools/call", "resources/read", "prompts/get"];

fn gated(method: &str) -> Option<Gated> {
    match method {
        "tools/call" => Some(Gated::Call),
        "resources/read" => Some(Gated::Read(read::ReadKind::Resource)),
        "prompts/get" => Some(Gated::Read(read::ReadKind::Prompt)),
        _ => None,
    }
}

/// The gated method that some servers may take this one for: they ignore case, or what is around it.
fn taken_for(method: &str) -> Option<&'static str> {
    let plain = method.trim_matches(|c: char| c.is_whitespace() || c.is_control() || c == '/');
    let like = GATED.iter().find(|gated| same_folded(plain, gated))?;
    (*like != method).then_some(like)
}

/// Takes what the client says until it says no more.
pub(super) async fn listen(
    shared: &Arc<Shared>,
    mut incoming: mpsc::Receiver<Incoming>,
    server: mpsc::Sender<Message>,
) {
    while let Some(came) = incoming.recv().await {
        match came {
            Incoming::Invalid(unreadable) => refuse_unreadable(shared, &unreadable).await,
            Incoming::Message(message) if *message.kind() == MessageKind::Batch => {
                batch(shared, message, &server).await;
            }
            Incoming::Message(message) => one(shared, message, &server).await,
        }
    }
}

async fn refuse_unreadable(shared: &Shared, unreadable: &InvalidMessage) {
    let InvalidMessage { reason, begins, id } = unreadable;
    tracing::warn!(target: "snaphook::mcp", begins, "the client sent an invalid message: {reason}");
    // An answer to one that is open would be taken for the open one's.
    if let Some(id) = id.as_ref().filter(|id| !shared.requests.is_known(id)) {
        shared.refuse(id, PARSE_ERROR, &format!("the message cannot be read: {reason}")).await;
    }
}

async fn one(shared: &Arc<Shared>, message: Message, server: &mpsc::Sender<Message>) {
    match message.kind().clone() {
        MessageKind::Request { id, method } => request(shared, message, id, &method, server).await,
        // Some servers run a call even if it expects no answer, and no answer could carry the reason for a denial.
        MessageKind::Notification { method } if gated(&method).is_some() || taken_for(&method).is_some() => {
            tracing::warn!(target: "snaphook::mcp", "the client sent `{method}` without an id; it was dropped");
        }
        MessageKind::Notification { method } => {
            if &*method == "notifications/cancelled"
                && let Some(id) = cancelled_id(&message)
                && shared.requests.cancel(&id) == Cancelled::AtGate
            {
                tracing::debug!(target: "snaphook::mcp", %id, "cancelled at its gate");
                shared.settled.notify_one();
                return;
            }
            let _ = server.send(message).await;
        }
        MessageKind::Response { id: Some(id), .. } if shared.elicitation.owns(&id) => {
            shared.elicitation.answered(&id, &message)
        }
        MessageKind::Response { .. } => {
            let _ = server.send(message).await;
        }
        // Batches have no batches in them.
        MessageKind::Batch => tracing::warn!(target: "snaphook::mcp", "the client sent a batch in a batch"),
    }
}

async fn request(
    shared: &Arc<Shared>,
    message: Message,
    id: Id,
    method: &str,
    server: &mpsc::Sender<Message>,
) {
    if shared.elicitation.owns(&id) {
        return shared.refuse(&id, INVALID_REQUEST, "the id is one of snaphook's").await;
    }
    if let Some(gated) = gated(method) {
        match shared.requests.to_gate(&id, method, message.bytes().len()) {
            Ok(ticket) => {
                let (shared, server) = (Arc::clone(shared), server.clone());
                tokio::spawn(async move {
                    match gated {
                        Gated::Call => call::gate(shared, message, ticket, server).await,
                        Gated::Read(kind) => read::gate(shared, message, kind, ticket, server).await,
                    }
                });
            }
            Err(refused) => refuse(shared, &id, &refused).await,
        }
        return;
    }
    if let Some(like) = taken_for(method) {
        let text = format!("`{method}` is not how the protocol spells `{like}`, which has a gate");
        return shared.refuse(&id, INVALID_REQUEST, &text).await;
    }
    let waits = waits(shared, method, &message);
    match shared.requests.pass(&id, method, waits) {
        // One that cannot be sent is answered when the server's end is noted.
        Ok(()) => drop(server.send(message).await),
        Err(refused) => {
            if method == "initialize" && refused != Refusal::Twice {
                shared.naming.send_replace(false);
            }
            refuse(shared, &id, &refused).await;
        }
    }
}

fn waits(shared: &Shared, method: &str, message: &Message) -> Awaited {
    match method {
        "initialize" => {
            let params = message.body().and_then(|params| strict(params).ok());
            shared.elicitation.offers(params.as_ref().and_then(|params| params.get("capabilities")));
            shared.naming.send_replace(shared.options.name.is_none());
            Awaited::Initialize
        }
        "tools/list" if wants_lists(shared) => {
            let cursor =
                message.body().and_then(|params| Some(Fields::read(params).ok()?.text("cursor")?.into()));
            Awaited::Tools(cursor)
        }
        "tasks/result" => task_of(shared, message).map_or(Awaited::Plain, Awaited::Call),
        "tasks/get" => task_of(shared, message).map_or(Awaited::Plain, Awaited::Task),
        _ => Awaited::Plain,
    }
}

/// The call whose result a message is about that names a task.
pub(super) fn task_of(shared: &Shared, message: &Message) -> Option<Arc<ForwardedCall>> {
    let task = Fields::read(message.body()?).ok()?.text("taskId")?;
    shared.requests.task(&task)
}

async fn refuse(shared: &Shared, id: &Id, refused: &Refusal) {
    match refused {
        Refusal::Twice => {
            shared.refuse(id, INVALID_REQUEST, "a request with this id is open already").await;
        }
        Refusal::TooMany => shared.refuse(id, TOO_MANY_REQUESTS, "too many requests are open").await,
        Refusal::Gone => shared.refuse(id, SERVER_GONE, &shared.gone_text()).await,
    }
}

/// Returns whose cancellation it is.
fn cancelled_id(message: &Message) -> Option<Id> {
    let params: Value = strict(message.body()?).ok()?;
    Id::of_value(params.get("requestId")?)
}

/// A batch passes as it is where each of its parts would.
async fn batch(shared: &Arc<Shared>, message: Message, server: &mpsc::Sender<Message>) {
    let parts = message.parts();
    let mut ids: Vec<(&Id, &str)> = Vec::new();
    let passes = |part: &Result<Message, InvalidMessage>| match part.as_ref().map(Message::kind) {
        Ok(MessageKind::Request { method, .. }) => {
            let special = matches!(&**method, "initialize" | "tools/list" | "tasks/result" | "tasks/get");
            gated(method).is_none() && taken_for(method).is_none() && !special
        }
        Ok(MessageKind::Notification { method }) => {
            let passes = gated(method).is_none() && taken_for(method).is_none();
            &**method != "notifications/cancelled" && passes
        }
        Ok(MessageKind::Response { id, .. }) => id.as_ref().is_none_or(|id| !shared.elicitation.owns(id)),
        Ok(MessageKind::Batch) | Err(_) => false,
    };
    let mut whole = parts.iter().all(passes);
    for part in parts.iter().flatten() {
        if let MessageKind::Request { id, method } = part.kind() {
            // Twice in the batch is twice.
            let is_new = !shared.requests.is_known(id) && !ids.iter().any(|(known, _)| *known == id);
            whole &= is_new && !shared.elicitation.owns(id);
            ids.push((id, method));
        }
        if !whole || ids.len() > MAX_BATCH {
            whole = false;
            break;
        }
    }
    if whole && !ids.iter().any(|(id, method)| shared.requests.pass(id, method, Awaited::Plain).is_err()) {
        let _ = server.send(message).await;
        return;
    }
    if whole {
        // There are too many, or the server is gone: none of them goes.
        for (id, _) in ids {
            shared.requests.answer(id, |_| false);
            let refused = if server.is_closed() { Refusal::Gone } else { Refusal::TooMany };
            refuse(shared, id, &refused).await;
        }
        return;
    }
    for part in parts {
        match part {
            Ok(part) => one(shared, part, server).await,
            Err(unreadable) => refuse_unreadable(shared, &unreadable).await,
        }
    }
}

/// The number of requests that a batch may have that passes as it is.
const MAX_BATCH: usize = 100;
