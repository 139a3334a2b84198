//! What comes from the server: answers, each to the request that waits for it; all else passes. Not here: how hooks look at
//! results (`call`) and lists (`list`).

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;

use crate::heading;
use crate::json::strict;
use crate::link::Incoming;
use crate::message::{Id, Kind, Message, Unreadable};
use crate::names::server_name;
use crate::session::client::task_of;
use crate::session::state::{Answered, Waits};
use crate::session::{GONE, NO_JSON, Shared, call, list};

/// Takes what the server says until it is gone; what waits for it then gets an error.
pub(super) async fn listen(shared: Arc<Shared>, mut incoming: mpsc::Receiver<Incoming>) {
    while let Some(came) = incoming.recv().await {
        match came {
            Incoming::Unreadable(unreadable) => unreadable_answer(&shared, &unreadable).await,
            Incoming::Message(message) if *message.kind() == Kind::Batch => batch(&shared, message).await,
            Incoming::Message(message) => one(&shared, message).await,
        }
    }
    let lost = shared.state.server_gone();
    shared.naming.send_replace(false);
    tracing::debug!(target: "snaphook::mcp", open = lost.len(), "{}", shared.gone_text());
    for id in lost {
        shared.tell(Message::error(Some(&id), GONE, &shared.gone_text())).await;
    }
    shared.settled.notify_one();
}

async fn unreadable_answer(shared: &Arc<Shared>, unreadable: &Unreadable) {
    // How it begins may be what a hook would take out.
    let Unreadable { reason, id, .. } = unreadable;
    tracing::warn!(target: "snaphook::mcp", "the server sent what is no message: {reason}");
    // Whoever waits for it would wait for ever.
    let answered = id.as_ref().map(|id| (id, shared.state.answer(id, |_| false)));
    if let Some((_, Answered::Passes(Waits::Initialize))) = answered {
        shared.naming.send_replace(false);
    }
    if let Some((id, Answered::Passes(waits))) = answered {
        let withheld = match waits {
            Waits::Call(called) if called.looks(shared) => {
                called.withheld(shared, id, false, snaphook::Unreadable::Form)
            }
            _ => None,
        };
        let text = format!("the server's answer cannot be read: {reason}");
        shared.tell(withheld.unwrap_or_else(|| Message::error(Some(id), NO_JSON, &text))).await;
    }
}

async fn one(shared: &Arc<Shared>, message: Message) {
    match message.kind().clone() {
        Kind::Response { id: Some(id), .. } => answer(shared, message, &id).await,
        Kind::Response { id: None, .. } => {
            tracing::warn!(target: "snaphook::mcp", "the server could not read something, and passed on that it could not");
            shared.tell(message).await;
        }
        Kind::Request { id, .. } if shared.person.owns(&id) => {
            tracing::warn!(target: "snaphook::mcp", "the server used an id of snaphook's; it was dropped");
        }
        Kind::Notification { method } if tells_of_task(&method) => {
            match task_of(shared, &message).filter(|called| called.looks(shared)) {
                Some(called) => {
                    let shared = Arc::clone(shared);
                    tokio::spawn(async move { call::tell_of_task(&shared, message, &called).await });
                }
                None => shared.tell(message).await,
            }
        }
        Kind::Request { method, .. } if heading::asks(&method) => {
            shared.tell(heading::of_request(message)).await;
        }
        Kind::Request { .. } | Kind::Notification { .. } => shared.tell(message).await,
        Kind::Batch => tracing::warn!(target: "snaphook::mcp", "the server sent a batch in a batch"),
    }
}

async fn answer(shared: &Arc<Shared>, message: Message, id: &Id) {
    // Whatever it answers, it may ask the person first.
    let message = heading::of_result(message).unwrap_or_else(|| {
        let text = "the server's question cannot be read, so nobody is asked";
        Message::error(Some(id), NO_JSON, text)
    });
    let looks = |waits: &Waits| match waits {
        Waits::Plain | Waits::Initialize => false,
        Waits::Tools(_) => true,
        Waits::Call(called) | Waits::Task(called) => called.looks(shared),
    };
    match shared.state.answer(id, looks) {
        Answered::Passes(waits) => {
            if let Waits::Initialize = waits {
                initialized(shared, &message);
                shared.naming.send_replace(false);
            }
            shared.tell(message.clone()).await;
            if let Waits::Call(called) = waits {
                // Behind the answer, which has to be on its way first: nobody waits for the line in the audit.
                tokio::task::yield_now().await;
                called.note(shared, &message);
            }
        }
        Answered::Hooks(waits, ticket) => {
            let shared = Arc::clone(shared);
            tokio::spawn(async move {
                match waits {
                    Waits::Call(called) => call::rewrite(&shared, message, &called, &ticket).await,
                    Waits::Task(called) => call::rewrite_task(&shared, message, &called, &ticket).await,
                    Waits::Tools(cursor) => list::rewrite(&shared, message, cursor.as_deref(), &ticket).await,
                    // Nobody looks at these.
                    Waits::Plain | Waits::Initialize => {}
                }
            });
        }
        Answered::Unknown => {
            tracing::warn!(target: "snaphook::mcp", %id, "the server answered what nobody asked; it was dropped");
        }
        Answered::Late => {
            tracing::debug!(target: "snaphook::mcp", %id, "the answer to what was cancelled came late; it was dropped");
        }
    }
}

/// Whether a task's result may stand in it, as since the protocol of 2026-07-28.
fn tells_of_task(method: &str) -> bool {
    method == "notifications/tasks"
}

/// What the server says of itself.
fn initialized(shared: &Shared, message: &Message) {
    if shared.options.name.is_some() {
        return;
    }
    let said: Option<Value> = message.body().and_then(|result| strict(result).ok());
    let name = said.as_ref().and_then(|said| said.get("serverInfo")?.get("name")?.as_str());
    if let Some(name) = name.filter(|name| name.chars().any(|c| c.is_ascii_alphanumeric())) {
        shared.state.name_server(server_name(name));
    }
}

/// A batch passes as it is where each of its parts would.
async fn batch(shared: &Arc<Shared>, message: Message) {
    let parts = message.parts();
    let mut ids = Vec::new();
    let mut whole = true;
    for part in &parts {
        whole &= match part.as_ref().map(Message::kind) {
            Ok(Kind::Response { id: Some(id), .. }) => {
                let asks = part.as_ref().ok().and_then(Message::body).is_some_and(heading::may_ask);
                let passes = shared.state.passes(id) && !ids.contains(&id) && !asks;
                ids.push(id);
                passes
            }
            Ok(Kind::Notification { method }) => !tells_of_task(method),
            Ok(Kind::Response { id: None, .. }) => true,
            Ok(Kind::Request { id, method }) => !shared.person.owns(id) && !heading::asks(method),
            Ok(Kind::Batch) | Err(_) => false,
        };
        if !whole {
            break;
        }
    }
    if whole {
        for id in ids {
            shared.state.answer(id, |_| false);
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
