//! A server's messages beside its tools' results: hooks look at it in `mcp.server_message`, and what they withhold, or what cannot be looked
//! at where that is the rule, is kept back. Not here: which texts a message has (`texts`), results as `tool_result` shows them (`call`,
//! `tool_result`).

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value, json};
use snaphook::{
    BusSpec, CallOptions, CancellationToken, Event, EventName, HeadlessUi, Payload, Unreadable, Withheld,
};

use crate::json::strict;
use crate::names::server_name;
use crate::session::shared::{DENIED, Shared};
use crate::session::state::Ticket;
use crate::session::tool_result::WrittenResult;
use crate::texts::{Texts, words};
use snaphook_mcp_transport::json::Fields;
use snaphook_mcp_transport::message::{Message, MessageKind};

static EVENT: LazyLock<EventName> = LazyLock::new(|| EventName::Bus(BusSpec::SERVER_MESSAGE.into()));

/// A message of the server's, and what is known of it.
pub(super) struct ServerMessage<'a> {
    pub(super) message: Message,
    /// Of the request that it answers, or its own.
    pub(super) method: &'a str,
    /// The word for it in a text that says why it is withheld.
    pub(super) thing: &'static str,
    pub(super) shown: SeenPart,
    pub(super) cancel: Option<CancellationToken>,
}

/// The part of a message that handlers of `tool_result` were shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeenPart {
    Nothing,
    /// The texts of a tool's result.
    Result,
    /// The same of one that is in what is said of a task.
    Task,
}

impl SeenPart {
    fn of(self, message: &Message) -> Vec<Range<usize>> {
        let said = match self {
            SeenPart::Nothing => None,
            SeenPart::Result => WrittenResult::read(message).ok(),
            SeenPart::Task => WrittenResult::of_task(message).ok().flatten(),
        };
        let start = message.bytes().as_ptr() as usize;
        let shown = said.iter().flat_map(WrittenResult::values_for_hooks);
        let place = |part: &str| {
            let at = (part.as_ptr() as usize).checked_sub(start)?;
            Some(at..at + part.len())
        };
        shown.filter_map(place).collect()
    }
}

/// The outcome of a look at a message.
#[derive(Debug)]
pub(super) enum LookOutcome {
    /// The client gets this.
    Passes(Message),
    /// The client gets a text that says why, or nothing.
    Withheld(String),
    /// It is not waited for any more.
    Cancelled,
}

impl Shared {
    /// Returns whether the server's messages have to be read.
    pub(super) fn watches(&self) -> bool {
        self.options.withhold_unseen || self.host.looks_at(&EVENT)
    }

    /// Has the hooks look at what a message says.
    pub(super) async fn look(&self, heard: ServerMessage<'_>) -> LookOutcome {
        if !self.watches() {
            return LookOutcome::Passes(heard.message);
        }
        let looked = self.looked_at(&heard).await;
        let looked = looked.unwrap_or_else(|why| self.unreadable(&heard, why));
        if let LookOutcome::Withheld(why) = &looked {
            let method = words::known_method(heard.method).unwrap_or("another method");
            tracing::warn!(target: "snaphook::mcp", "what the server said to `{method}` does not reach the client: {why}");
        }
        looked
    }

    /// Answers a request with the server's answer, as the hooks leave it.
    pub(super) async fn answer_looked_at(&self, ticket: &Ticket, message: Message) {
        let heard = ServerMessage {
            message: message.clone(),
            method: &ticket.method,
            thing: "message",
            shown: SeenPart::Nothing,
            cancel: Some(ticket.cancel.clone()),
        };
        let answer = match self.look(heard).await {
            LookOutcome::Passes(message) => message,
            LookOutcome::Withheld(why) => introduces(&ticket.method)
                .then(|| self.introduction(&message))
                .flatten()
                .unwrap_or_else(|| Message::error(Some(&ticket.id), DENIED, &why)),
            LookOutcome::Cancelled => Message::error(Some(&ticket.id), DENIED, "cancelled"),
        };
        self.answer(ticket, answer).await;
    }

    /// Answers a request, if it is still open.
    pub(super) async fn answer(&self, ticket: &Ticket, answer: Message) {
        if self.requests.finish(ticket) {
            self.tell(answer).await;
        }
    }

    async fn looked_at(&self, heard: &ServerMessage<'_>) -> Result<LookOutcome, Unreadable> {
        let ServerMessage { message, method, thing, shown, cancel } = heard;
        let mut texts = Texts::read(message, shown.of(message))?;
        if texts.is_empty() {
            return Ok(LookOutcome::Passes(message.clone()));
        }
        let binary = texts.binary();
        // Nothing can look into it.
        let without = if self.options.withhold_unseen { texts.without_binary()? } else { None };
        let mut message = message;
        if let Some(without) = &without {
            message = without;
            texts = Texts::read(message, shown.of(message))?;
        }
        let said: Vec<Value> = texts.take().into_iter().map(Value::String).collect();
        if !self.host.looks_at(&EVENT) {
            return Ok(if said.is_empty() {
                LookOutcome::Passes(message.clone())
            } else {
                LookOutcome::Withheld(format!(
                    "[snaphook withheld this {thing}: no hook looks at it, and `mcp.unseen` is \"withhold\"]"
                ))
            });
        }
        let event = self.event(message, method, Value::Array(said), Value::Array(binary));
        // A person who is asked could keep all that the server says waiting.
        let options = CallOptions {
            cancel: cancel.clone(),
            supervised: true,
            ui: Some(Arc::new(HeadlessUi)),
            ..CallOptions::default()
        };
        let emitted = self.host.emit(event.clone(), &options).await;
        if let Some(why) = &emitted.withheld {
            return Ok(LookOutcome::Withheld(why.text(thing)));
        }
        if emitted.cancelled {
            return Ok(LookOutcome::Cancelled);
        }
        match (said_in(&event), said_in(&emitted.event)) {
            (Some(before), Some(after)) if emitted.rewritten => {
                texts.with(before, after).map(LookOutcome::Passes)
            }
            _ => Ok(LookOutcome::Passes(message.clone())),
        }
    }

    /// The outcome for a message that no hook can look at.
    fn unreadable(&self, heard: &ServerMessage<'_>, why: Unreadable) -> LookOutcome {
        let nothing = || Value::Array(Vec::new());
        let event = self.event(&heard.message, heard.method, nothing(), nothing());
        let emitted = self.host.unreadable_event(event, why);
        let why = emitted.and_then(|emitted| emitted.withheld).unwrap_or(Withheld::Unreadable(why));
        LookOutcome::Withheld(why.text(heard.thing))
    }

    fn event(&self, message: &Message, method: &str, texts: Value, binary: Value) -> Event {
        let kind = match message.kind() {
            MessageKind::Response { is_error: true, .. } => "error",
            MessageKind::Notification { .. } => "notification",
            MessageKind::Request { .. } => "request",
            MessageKind::Response { .. } | MessageKind::Batch => "result",
        };
        let mut payload = Map::new();
        payload.insert("server".to_owned(), Value::from(&*self.requests.server()));
        payload.insert("method".to_owned(), method.into());
        payload.insert("kind".to_owned(), kind.into());
        payload.insert("texts".to_owned(), texts);
        payload.insert("binary".to_owned(), binary);
        Event::bus(BusSpec::SERVER_MESSAGE.into(), payload)
    }

    /// The server's introduction of itself with all texts taken out, so that a session can begin; `None` where nothing is left that one
    /// could begin with.
    fn introduction(&self, message: &Message) -> Option<Message> {
        let fields = Fields::read(message.body()?).ok()?;
        // One that cannot be read is lost, and the others are not.
        let known = fields.0.iter().filter(|(name, _)| words::is_key(name) && name != "_meta");
        let mut left: Map<String, Value> = known
            .filter_map(|(name, written)| {
                let value = strict(written.get()).ok()?;
                Some((name.to_string(), bare(name, &value)?))
            })
            .collect();
        if !left.contains_key("protocolVersion") && !left.contains_key("supportedVersions") {
            return None;
        }
        let name = server_name(self.options.name.as_deref().unwrap_or(&self.options.called));
        left.insert("serverInfo".to_owned(), json!({"name": name, "version": "0"}));
        // Nothing beside the result, either.
        let MessageKind::Response { id: Some(id), is_error: false } = message.kind() else { return None };
        Some(Message::result(id, &Value::Object(left)))
    }
}

/// Returns whether the server says what it is in answers to this method: without them no session can begin.
fn introduces(method: &str) -> bool {
    matches!(method, "initialize" | "server/discover")
}

fn said_in(event: &Event) -> Option<&[Value]> {
    match event.payload() {
        Payload::Fields(fields) => fields.get("texts")?.as_array().map(Vec::as_slice),
        Payload::Call(_) | Payload::Result(_) => None,
    }
}

/// A value without its texts and without keys that are not the protocol's own.
fn bare(key: &str, value: &Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(value.clone()),
        Value::String(text) => (words::is_word(key, text) || is_version(key, text)).then(|| value.clone()),
        Value::Array(parts) => Some(parts.iter().filter_map(|part| bare(key, part)).collect()),
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| words::is_key(name) && *name != "_meta");
            Some(kept.filter_map(|(name, part)| Some((name.clone(), bare(name, part)?))).collect())
        }
    }
}

/// Returns whether it is a version of the protocol, also an unknown one.
fn is_version(key: &str, text: &str) -> bool {
    let form =
        |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    let named = matches!(key, "protocolVersion" | "supportedVersions");
    named && text.len() == "2026-07-28".len() && text.bytes().enumerate().all(form)
}
