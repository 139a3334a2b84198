//! The gates of what is read: a resource, a prompt. What they say passes as it came.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use snaphook::Event;
use tokio::sync::mpsc;

use crate::json::strict;
use crate::session::input_required::{self, Gate, RequestTurn};
use crate::session::request_error::RequestError;
use crate::session::shared::{DENIED, INVALID_PARAMS, Shared};
use crate::session::state::{Awaited, Ticket};
use snaphook_mcp_transport::json::Fields;
use snaphook_mcp_transport::message::Message;

/// The kind that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadKind {
    Resource,
    Prompt,
}

/// Decides about a request, and forwards it or answers it.
pub(super) async fn gate(
    shared: Arc<Shared>,
    message: Message,
    kind: ReadKind,
    ticket: Ticket,
    server: mpsc::Sender<Message>,
) {
    let server_name = shared.server().await;
    let read = message.body().ok_or(RequestError::NoParameters).and_then(|body| Ok(Fields::read(body)?));
    let read = read.and_then(|fields| Ok((payload(&server_name, &fields, kind)?, fields)));
    let (payload, fields) = match read {
        Ok(read) => read,
        Err(reason) => {
            let text = format!("the request cannot be read by hooks, so it is denied: {reason}");
            return shared.answer(&ticket, Message::error(Some(&ticket.id), INVALID_PARAMS, &text)).await;
        }
    };
    let about = || json!([event_of(kind), payload]);
    let mut turn = RequestTurn::new(message.clone(), ticket);
    if let Some(state) = input_required::state(&shared.elicitation, &fields) {
        return shared.go_on(&state, &about(), turn, &fields).await;
    }
    let Gate { options, questions } = Gate::of(&fields, &turn.ticket);
    let event = Event::bus(event_of(kind).into(), payload.clone());
    let Ok(permit) = shared.gates.acquire().await else { return };
    let decided = match questions {
        None => Some(shared.host.decide(event, &options).await),
        Some(questions) => {
            let deciding = Box::pin(shared.host.decide(event, &options));
            shared.decided(&mut turn, questions, about, deciding).await
        }
    };
    drop(permit);
    let Some(decided) = decided else { return };
    let refused = match turn.for_server(&message) {
        Ok(message) if decided.decision.is_allowed() => {
            return shared.forward(&turn.ticket, Awaited::Plain, &server, message).await;
        }
        Ok(_) => decided.decision.message(),
        Err(error) => format!("the request cannot be written: {error}"),
    };
    shared.answer(&turn.ticket, Message::error(Some(&turn.ticket.id), DENIED, &refused)).await;
}

fn event_of(kind: ReadKind) -> &'static str {
    match kind {
        ReadKind::Resource => "mcp.resource_read",
        ReadKind::Prompt => "mcp.prompt_get",
    }
}

fn payload(server: &str, fields: &Fields<'_>, kind: ReadKind) -> Result<Map<String, Value>, RequestError> {
    let key = match kind {
        ReadKind::Resource => "uri",
        ReadKind::Prompt => "name",
    };
    if let Some(other) = fields.look_alike(&[key, "arguments"]) {
        return Err(RequestError::Spelling(other.to_owned()));
    }
    let what = fields.text(key).ok_or(RequestError::NoKey(key))?;
    let mut payload = Map::new();
    payload.insert("server".to_owned(), Value::from(server));
    payload.insert(key_of(kind).to_owned(), Value::from(&*what));
    if kind == ReadKind::Prompt {
        let arguments = fields.get("arguments").map(|text| strict(text.get())).transpose()?;
        let arguments = arguments.filter(|value| !value.is_null()).unwrap_or_else(|| Map::new().into());
        if !arguments.is_object() {
            return Err(RequestError::Arguments);
        }
        payload.insert("arguments".to_owned(), arguments);
    }
    Ok(payload)
}

/// The field of the event: `name` is the event's own.
fn key_of(kind: ReadKind) -> &'static str {
    match kind {
        ReadKind::Resource => "uri",
        ReadKind::Prompt => "prompt",
    }
}
