//! The gates of what is read: a resource, a prompt. What they say passes as it came.

use std::sync::Arc;

use serde_json::{Map, Value};
use snaphook::{CallOptions, Event};
use tokio::sync::mpsc;

use crate::json::{Fields, strict};
use crate::message::Message;
use crate::session::call::deny;
use crate::session::state::{Ticket, Waits};
use crate::session::{DENIED, Shared, WRONG_PARAMS};

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Resource,
    Prompt,
}

/// Decides about a request, and forwards it or answers it.
pub(super) async fn gate(
    shared: Arc<Shared>,
    message: Message,
    kind: Kind,
    ticket: Ticket,
    server: mpsc::Sender<Message>,
) {
    let event = match event(&shared.server().await, &message, kind) {
        Ok(event) => event,
        Err(reason) => {
            let text = format!("the request cannot be read, so no hook could judge it: {reason}");
            return deny(&shared, &ticket, Message::error(Some(&ticket.id), WRONG_PARAMS, &text)).await;
        }
    };
    let options =
        CallOptions { cancel: Some(ticket.cancel.clone()), supervised: true, ..CallOptions::default() };
    let decided = match shared.gates.acquire().await {
        Ok(_permit) => shared.host.decide(event, &options).await,
        Err(_) => return,
    };
    if !decided.decision.is_allowed() {
        let text = decided.decision.message();
        return deny(&shared, &ticket, Message::error(Some(&ticket.id), DENIED, &text)).await;
    }
    shared.forward(&ticket, Waits::Plain, &server, message).await;
}

fn event(server: &str, message: &Message, kind: Kind) -> Result<Event, String> {
    let fields = Fields::read(message.body().ok_or("it has no parameters")?)?;
    let (name, key) = match kind {
        Kind::Resource => ("mcp.resource_read", "uri"),
        Kind::Prompt => ("mcp.prompt_get", "name"),
    };
    if let Some(other) = fields.look_alike(&[key, "arguments"]) {
        return Err(format!("`{other}` is not how the protocol spells it"));
    }
    let what = fields.text(key).ok_or_else(|| format!("it has no `{key}`, or one that is no text"))?;
    let mut payload = Map::new();
    payload.insert("server".to_owned(), Value::from(server));
    payload.insert(key_of(kind).to_owned(), Value::from(&*what));
    if kind == Kind::Prompt {
        let arguments = fields.get("arguments").map(|text| strict(text.get())).transpose()?;
        let arguments = arguments.filter(|value| !value.is_null()).unwrap_or_else(|| Map::new().into());
        if !arguments.is_object() {
            return Err("`arguments` is no object".to_owned());
        }
        payload.insert("arguments".to_owned(), arguments);
    }
    Ok(Event::bus(name.into(), payload))
}

/// The field of the event: `name` is the event's own.
fn key_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Resource => "uri",
        Kind::Prompt => "prompt",
    }
}
