//! Messages from the server: answers, each to the request that waits for it; all else passes. Where hooks look at all that it
//! says, one message is looked at after the other, so that they reach the client in the order in which they came: only tools' results,
//! tasks and lists of tools, which have hooks of their own, are taken on beside it, with what came before them sent already. Not here:
//! how hooks look at results (`call`), lists (`list`) and all else (`look`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::Value;
use tokio::sync::mpsc;

use crate::heading;
use crate::json::strict;
use crate::names::server_name;
use crate::session::client::task_of;
use crate::session::look::{LookOutcome, SeenPart, ServerMessage};
use crate::session::shared::{DENIED, PARSE_ERROR, SERVER_GONE, Shared};
use crate::session::state::{AnswerHandling, Awaited};
use crate::session::tool_result::WrittenResult;
use crate::session::{call, list};
use snaphook_mcp_transport::message::{Id, InvalidMessage, Message, MessageKind};
use snaphook_mcp_transport::transport::Incoming;

/// Takes what the server says until it is gone; what waits for it then gets an error.
pub(super) async fn listen(shared: Arc<Shared>, mut incoming: mpsc::Receiver<Incoming>) {
    while let Some(came) = incoming.recv().await {
        match came {
            Incoming::Invalid(unreadable) => unreadable_answer(&shared, &unreadable).await,
            Incoming::Message(message) if *message.kind() == MessageKind::Batch => {
                batch(&shared, message).await
            }
            Incoming::Message(message) => one(&shared, message).await,
        }
    }
    let lost = shared.requests.server_gone();
    shared.naming.send_replace(false);
    tracing::debug!(target: "snaphook::mcp", open = lost.len(), "{}", shared.gone_text());
    for id in lost {
        shared.tell(Message::error(Some(&id), SERVER_GONE, &shared.gone_text())).await;
    }
    shared.settled.notify_one();
}

async fn unreadable_answer(shared: &Arc<Shared>, unreadable: &InvalidMessage) {
    // How it begins may be what a hook would take out.
    let InvalidMessage { reason, id, .. } = unreadable;
    tracing::warn!(target: "snaphook::mcp", "the server sent an invalid message: {reason}");
    // The client would wait for ever.
    let answered = id.as_ref().map(|id| (id, shared.requests.answer(id, |_| false)));
    if let Some((_, AnswerHandling::Passes(Awaited::Initialize))) = answered {
        shared.naming.send_replace(false);
    }
    if let Some((id, AnswerHandling::Passes(waits))) = answered {
        let withheld = match waits {
            Awaited::Call(called) if called.looks(shared) => {
                called.withheld(shared, id, false, snaphook::Unreadable::Form)
            }
            _ => None,
        };
        let text = format!("the server's answer cannot be read: {reason}");
        shared.tell(withheld.unwrap_or_else(|| Message::error(Some(id), PARSE_ERROR, &text))).await;
    }
}

async fn one(shared: &Arc<Shared>, message: Message) {
    match message.kind().clone() {
        MessageKind::Response { id: Some(id), .. } => answer(shared, message, &id).await,
        MessageKind::Response { id: None, .. } => {
            tracing::warn!(target: "snaphook::mcp", "the server reported that it could not read a message");
            handle_notice(shared, message, "").await;
        }
        MessageKind::Request { id, .. } if shared.elicitation.owns(&id) => {
            tracing::warn!(target: "snaphook::mcp", "the server used an id of snaphook's; it was dropped");
        }
        MessageKind::Notification { method } => {
            let called = if tells_of_task(&method) {
                task_of(shared, &message).filter(|called| called.looks(shared))
            } else {
                None
            };
            match called.filter(|_| !matches!(WrittenResult::of_task(&message), Ok(None))) {
                Some(called) if !called.changes(shared) => {
                    call::tell_of_task(shared, message, &called).await;
                }
                Some(called) => {
                    let shared = Arc::clone(shared);
                    tokio::spawn(async move { call::tell_of_task(&shared, message, &called).await });
                }
                None => handle_notice(shared, message, &method).await,
            }
        }
        MessageKind::Request { id, method } => {
            let message = if heading::asks(&method) { heading::of_request(message) } else { message };
            handle_request(shared, message, &id, &method).await;
        }
        MessageKind::Batch => tracing::warn!(target: "snaphook::mcp", "the server sent a batch in a batch"),
    }
}

/// Something that the server says by itself. What is withheld is dropped.
async fn handle_notice(shared: &Shared, message: Message, method: &str) {
    let heard = ServerMessage { message, method, thing: "message", shown: SeenPart::Nothing, cancel: None };
    match shared.look(heard).await {
        LookOutcome::Passes(message) => shared.tell(message).await,
        LookOutcome::Withheld(_) | LookOutcome::Cancelled => shared.drop_notice(),
    }
}

/// Something that the server asks the client. What is withheld is answered to the server.
async fn handle_request(shared: &Shared, message: Message, id: &Id, method: &str) {
    let heard = ServerMessage { message, method, thing: "message", shown: SeenPart::Nothing, cancel: None };
    let why = match shared.look(heard).await {
        LookOutcome::Passes(message) => return shared.tell(message).await,
        LookOutcome::Withheld(why) => why,
        LookOutcome::Cancelled => return,
    };
    // Without waiting: a server that takes nothing would keep its own messages from being read.
    let taken = shared.server.upgrade().is_some_and(|server| {
        let answer = Message::error(Some(id), DENIED, &why);
        server.try_send(answer).is_ok()
    });
    if !taken {
        tracing::warn!(target: "snaphook::mcp", "the server does not read, so it was not sent the error for a request that was withheld");
    }
}

impl Shared {
    /// Counts a notice that the client does not get.
    pub(super) fn drop_notice(&self) {
        let dropped = self.dropped.fetch_add(1, Ordering::Relaxed) + 1;
        tracing::warn!(target: "snaphook::mcp", dropped, "a notice of the server was dropped");
    }
}

async fn answer(shared: &Arc<Shared>, message: Message, id: &Id) {
    // Whatever it answers, it may ask the person first.
    let message = heading::of_result(message).unwrap_or_else(|| {
        let text = "the server's question cannot be read, so it was not asked";
        Message::error(Some(id), PARSE_ERROR, text)
    });
    let looks = |waits: &Awaited| match waits {
        Awaited::Plain | Awaited::Initialize => shared.watches(),
        Awaited::Tools(_) => true,
        Awaited::Call(called) | Awaited::Task(called) => called.looks(shared),
    };
    match shared.requests.answer(id, looks) {
        AnswerHandling::Passes(waits) => {
            if let Awaited::Initialize = waits {
                initialized(shared, &message);
                shared.naming.send_replace(false);
            }
            shared.tell(message.clone()).await;
            if let Awaited::Call(called) = waits {
                // Behind the answer, which has to be on its way first: the line in the audit is not waited for.
                tokio::task::yield_now().await;
                called.note(shared, &message);
            }
        }
        AnswerHandling::Hooks(waits @ (Awaited::Plain | Awaited::Initialize), ticket) => {
            if let Awaited::Initialize = waits {
                initialized(shared, &message);
                shared.naming.send_replace(false);
            }
            shared.answer_looked_at(&ticket, message).await;
        }
        // No hook of its own, which may take as long as a person does.
        AnswerHandling::Hooks(Awaited::Call(called), ticket) if !called.changes(shared) => {
            call::rewrite(shared, message, &called, &ticket).await;
        }
        AnswerHandling::Hooks(Awaited::Task(called), ticket) if !called.changes(shared) => {
            call::rewrite_task(shared, message, &called, &ticket).await;
        }
        AnswerHandling::Hooks(waits, ticket) => {
            let shared = Arc::clone(shared);
            tokio::spawn(async move {
                match waits {
                    Awaited::Call(called) => call::rewrite(&shared, message, &called, &ticket).await,
                    Awaited::Task(called) => call::rewrite_task(&shared, message, &called, &ticket).await,
                    Awaited::Tools(cursor) => {
                        list::rewrite(&shared, message, cursor.as_deref(), &ticket).await
                    }
                    // These are not taken on beside others.
                    Awaited::Plain | Awaited::Initialize => {}
                }
            });
        }
        AnswerHandling::Unknown => {
            tracing::warn!(target: "snaphook::mcp", %id, "dropped an answer of the server to no open request");
        }
        AnswerHandling::Late => {
            tracing::debug!(target: "snaphook::mcp", %id, "dropped a late answer to a cancelled request");
        }
    }
}

/// Returns whether a task's result may be in it, as since the protocol of 2026-07-28.
fn tells_of_task(method: &str) -> bool {
    method == "notifications/tasks"
}

/// Takes in what the server says of itself.
fn initialized(shared: &Shared, message: &Message) {
    if shared.options.name.is_some() {
        return;
    }
    let said: Option<Value> = message.body().and_then(|result| strict(result).ok());
    let name = said.as_ref().and_then(|said| said.get("serverInfo")?.get("name")?.as_str());
    if let Some(name) = name.filter(|name| name.chars().any(|c| c.is_ascii_alphanumeric())) {
        shared.requests.name_server(server_name(name));
    }
}

/// A batch passes as it is where each of its parts would.
async fn batch(shared: &Arc<Shared>, message: Message) {
    let parts = message.parts();
    let mut ids = Vec::new();
    // Where hooks look at all, they look at one after the other.
    let watches = shared.watches();
    let mut whole = !watches;
    for part in parts.iter().filter(|_| !watches) {
        whole &= match part.as_ref().map(Message::kind) {
            Ok(MessageKind::Response { id: Some(id), .. }) => {
                let asks = part.as_ref().ok().and_then(Message::body).is_some_and(heading::may_ask);
                let passes = shared.requests.passes(id) && !ids.contains(&id) && !asks;
                ids.push(id);
                passes
            }
            Ok(MessageKind::Notification { method }) => !tells_of_task(method),
            Ok(MessageKind::Response { id: None, .. }) => true,
            Ok(MessageKind::Request { id, method }) => !shared.elicitation.owns(id) && !heading::asks(method),
            Ok(MessageKind::Batch) | Err(_) => false,
        };
        if !whole {
            break;
        }
    }
    if whole {
        for id in ids {
            shared.requests.answer(id, |_| false);
        }
        return shared.tell(message).await;
    }
    for part in parts {
        match part {
            Ok(part) => one(shared, part).await,
            Err(unreadable) => unreadable_answer(shared, &unreadable).await,
        }
    }
}
