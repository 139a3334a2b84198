//! What a scripted model keeps: the rest of its script, requests, what became of the answers, and gates. All of it is one value
//! that can be waited for. Not here: HTTP (`server`).

use std::collections::BTreeMap;

use http::request::Parts;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use super::error::AnswerError;
use super::script::Exchange;
use super::wires::{Asked, Wire};

/// A request that a scripted model got.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query.
    pub query: Option<String>,
    /// All header fields in the order in which they came, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as JSON; null if it is none.
    pub body: Value,
    /// The bytes of the body.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// The wire; none if the path is no wire's.
    pub wire: Option<Wire>,
    /// A stream was asked for.
    pub streamed: bool,
}

impl Request {
    pub(super) fn new(parts: &Parts, bytes: &[u8], asked: Option<&Asked>) -> Self {
        let field = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        Request {
            method: parts.method.as_str().to_owned(),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().map(str::to_owned),
            headers: parts.headers.iter().map(field).collect(),
            body: serde_json::from_slice(bytes).unwrap_or_default(),
            bytes: bytes.to_vec(),
            wire: asked.map(|asked| asked.wire),
            streamed: asked.is_some_and(|asked| asked.streamed),
        }
    }

    /// Returns the first header field of a name, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The end of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// All that the script has was sent.
    Sent,
    /// The server cut it, as the script says.
    Cut,
    /// The client hung up before.
    HungUp,
}

/// The state of a scripted model.
#[derive(Debug)]
pub(super) struct Record(watch::Sender<State>);

#[derive(Debug, Default)]
struct State {
    script: Vec<Exchange>,
    used: usize,
    requests: Vec<Request>,
    deliveries: Vec<Option<Delivery>>,
    gates: BTreeMap<String, Gate>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Gate {
    reached: bool,
    released: bool,
}

impl Record {
    pub(super) fn new(script: Vec<Exchange>) -> Self {
        Record(watch::Sender::new(State { script, ..State::default() }))
    }

    pub(super) fn push(&self, exchange: Exchange) {
        self.0.send_modify(|state| state.script.push(exchange));
    }

    pub(super) fn remaining(&self) -> usize {
        let state = self.0.borrow();
        state.script.len().saturating_sub(state.used)
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.0.borrow().requests.clone()
    }

    /// Keeps a request and returns its number, from 0, with the exchange that answers it. Only a request to a wire uses one.
    pub(super) fn take(&self, request: Request) -> (usize, Result<Exchange, AnswerError>) {
        let mut taken = (0, Err(AnswerError::UsedUp { exchanges: 0, request: 0 }));
        self.0.send_modify(|state| {
            let exchange = state.script.get(state.used).filter(|_| request.wire.is_some()).cloned();
            state.used += usize::from(exchange.is_some());
            state.requests.push(request);
            state.deliveries.push(None);
            let (exchanges, request) = (state.script.len(), state.requests.len());
            taken = (request - 1, exchange.ok_or(AnswerError::UsedUp { exchanges, request }));
        });
        taken
    }

    pub(super) fn end(&self, index: usize, delivery: Delivery) {
        self.0.send_modify(|state| {
            if let Some(kept) = state.deliveries.get_mut(index) {
                kept.get_or_insert(delivery);
            }
        });
    }

    pub(super) async fn request(&self, index: usize) -> Request {
        self.wait(|state| state.requests.get(index).cloned()).await
    }

    pub(super) async fn delivery(&self, index: usize) -> Delivery {
        self.wait(|state| state.deliveries.get(index).copied().flatten()).await
    }

    pub(super) async fn reached(&self, gate: &str) {
        self.wait(|state| state.gates.get(gate).filter(|gate| gate.reached).map(|_| ())).await;
    }

    pub(super) fn release(&self, gate: &str) {
        self.0.send_modify(|state| state.gates.entry(gate.to_owned()).or_default().released = true);
    }

    /// Waits at a gate until it is released.
    pub(super) async fn pass(&self, gate: &str) {
        self.0.send_modify(|state| state.gates.entry(gate.to_owned()).or_default().reached = true);
        self.wait(|state| state.gates.get(gate).filter(|gate| gate.released).map(|_| ())).await;
    }

    async fn wait<T>(&self, look: impl Fn(&State) -> Option<T>) -> T {
        let mut changes = self.0.subscribe();
        loop {
            if let Some(found) = look(&changes.borrow_and_update()) {
                return found;
            }
            // It cannot close, because the sender is borrowed here.
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}
