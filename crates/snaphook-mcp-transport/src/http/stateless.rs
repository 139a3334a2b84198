//! Requests without a session, which clients of the protocol of 2026-07-28 send: one server with its hooks is behind them all. It
//! is begun with the first of them, counts as a session, and ends as one does, but no client can end it and no id leads to it.
//!
//! Nothing that one client asks may reach another: `renumber` gives each request an id that no other has, `open_requests` has what each is
//! told. Not here: HTTP, but for what the protocol's page on Streamable HTTP says of a request and its status.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::open_requests::{BeginError, OpenRequests, ToServer};
use self::renumber::renumbered;
use super::fields::{self, HeaderError, check, own_version};
use super::guard::prefers_events;
use super::session::{Backend, SessionSlot, Sessions, carried};
use super::{TRANSPORT_ERROR, WHOLE_ANSWER_TIMEOUT};
use crate::message::{Id, Message, MessageKind};
use crate::transport::{Incoming, TransportDriver, channel};

mod open_requests;
mod renumber;

pub(super) use self::open_requests::Reader;

/// The method that begins a session, and that a protocol without sessions does not have.
const INITIALIZE: &str = "initialize";

/// The first request of a client that also knows the protocols before.
const PROBE: &str = "server/discover";

/// The time that a server may take to answer it. One of an earlier protocol may say nothing before `initialize`, and
/// clients that get no answer have to believe that: the SDKs do after ten seconds, that in TypeScript never over
/// HTTP.
const PROBE_TIMEOUT: Duration = Duration::from_secs(8);

/// Codes of errors: what cannot be read in one way, and what the server does not know.
const INVALID_PARAMS: i64 = -32602;
const METHOD_NOT_FOUND: i64 = -32601;

/// The answer to a message without a session.
pub(super) enum StatelessAnswer {
    /// Nothing, because nothing was asked.
    Taken,
    /// A document.
    Whole(StatusCode, Bytes),
    /// A stream of events.
    Events(Reader),
}

/// Returns whether a message, which came without a session, is one of the protocol that has none.
pub(super) fn is_stateless(message: &Message, headers: &HeaderMap) -> bool {
    match message.kind() {
        // Where only the message itself says so, it begins a session all the same: a client that may fall back says both.
        MessageKind::Request { method, .. } if **method == *INITIALIZE => {
            fields::names_stateless_version(headers) && own_version(message).is_some()
        }
        MessageKind::Request { .. } => {
            fields::names_stateless_version(headers) || own_version(message).is_some()
        }
        MessageKind::Notification { .. } => fields::names_stateless_version(headers),
        MessageKind::Response { .. } | MessageKind::Batch => false,
    }
}

/// The server behind all requests without a session.
pub(super) struct Stateless {
    sessions: Arc<Sessions>,
    backend: Backend,
    /// The number of requests that there were. A number is never used again, so that no late answer is another's.
    count: AtomicU64,
    now: Mutex<Option<Arc<Shared>>>,
}

impl Stateless {
    pub(super) fn new(sessions: Arc<Sessions>, backend: Backend) -> Self {
        Stateless { sessions, backend, count: AtomicU64::new(0), now: Mutex::default() }
    }

    /// Answers a message.
    pub(super) async fn answer(&self, message: Message, headers: &HeaderMap) -> StatelessAnswer {
        let MessageKind::Request { id, method } = message.kind().clone() else {
            // The protocol has no notifications of clients over HTTP. It is not known whose request a cancellation means.
            tracing::debug!("a notification without a session is dropped");
            return StatelessAnswer::Taken;
        };
        if let Err(HeaderError { code, text, data }) = self.check(headers, &message) {
            return StatelessAnswer::Whole(StatusCode::BAD_REQUEST, error(&id, code, &text, data));
        }
        if *method == *INITIALIZE {
            let text = "this protocol has no sessions";
            return StatelessAnswer::Whole(StatusCode::NOT_FOUND, error(&id, METHOD_NOT_FOUND, text, None));
        }
        let mut reader = match self.ask(&message).await {
            Ok(reader) => reader,
            Err((status, code, text)) => {
                return StatelessAnswer::Whole(status, error(&id, code, &text, None));
            }
        };
        let is_probe = *method == *PROBE;
        if !is_probe && prefers_events(headers) {
            return StatelessAnswer::Events(reader);
        }
        let patience = if is_probe { PROBE_TIMEOUT } else { WHOLE_ANSWER_TIMEOUT };
        match tokio::time::timeout(patience, reader.whole()).await {
            Ok(Some((status, bytes))) => StatelessAnswer::Whole(status, bytes),
            Err(_) if is_probe => {
                let text = "the server does not answer without `initialize`";
                StatelessAnswer::Whole(StatusCode::NOT_FOUND, error(&id, METHOD_NOT_FOUND, text, None))
            }
            Ok(None) | Err(_) => StatelessAnswer::Events(reader),
        }
    }

    fn check(&self, headers: &HeaderMap, message: &Message) -> Result<(), HeaderError> {
        check(headers, message)?;
        let now = self.now.lock();
        now.as_ref().map_or(Ok(()), |shared| shared.open.params.lock().check(headers, message))
    }

    /// Gives a request to the server.
    async fn ask(&self, request: &Message) -> Result<Reader, (StatusCode, i64, String)> {
        // One that has just ended is no reason: the next one has not seen the request.
        for _ in 0..3 {
            let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
            let (message, asked) = renumbered(request, number).map_err(|why| {
                (StatusCode::BAD_REQUEST, INVALID_PARAMS, format!("the request cannot be read: {why}"))
            })?;
            let shared = self.shared().ok_or_else(|| {
                let text = "there are too many sessions".to_owned();
                (StatusCode::SERVICE_UNAVAILABLE, TRANSPORT_ERROR, text)
            })?;
            let reader = match shared.open.begin(number, asked) {
                Ok(reader) => reader,
                Err(BeginError::Over) => continue,
                Err(BeginError::TooMany) => {
                    let text = "too many requests are open".to_owned();
                    return Err((StatusCode::TOO_MANY_REQUESTS, TRANSPORT_ERROR, text));
                }
            };
            if shared.take(message, || shared.open.is_sent(number)).await {
                return Ok(reader);
            }
        }
        Err((StatusCode::SERVICE_UNAVAILABLE, TRANSPORT_ERROR, "the server has ended".to_owned()))
    }

    /// The server, begun if there is none; `None` where there is no room for it.
    fn shared(&self) -> Option<Arc<Shared>> {
        let mut now = self.now.lock();
        if let Some(shared) = now.as_ref().filter(|shared| shared.is_there()) {
            shared.touch();
            return Some(Arc::clone(shared));
        }
        if let Some(before) = now.take() {
            before.close("the server has ended");
        }
        let held = self.sessions.reserve()?;
        let (side, TransportDriver { incoming, outgoing }) = channel();
        let (open, back) = OpenRequests::new();
        let shared = Arc::new(Shared {
            incoming: Mutex::new(Some(incoming)),
            open: Arc::new(open),
            held: Mutex::new(Some(held)),
            used: Mutex::new(Instant::now()),
            over: CancellationToken::new(),
        });
        *now = Some(Arc::clone(&shared));
        let (kept, served) = (Arc::clone(&shared), (self.backend)(side));
        self.sessions.spawn(async move {
            let pump = kept.pump(outgoing, back);
            carried(served, pump, || kept.close("the server has ended")).await;
        });
        Some(shared)
    }

    /// Ends the server if it was not used for a while.
    pub(super) fn end_idle(&self, limit: Duration) {
        let now = Instant::now();
        let mut kept = self.now.lock();
        if let Some(shared) = kept.take_if(|shared| shared.idle(now) >= limit) {
            tracing::info!(
                "ending the shared server, which was not used for {} minutes",
                limit.as_secs() / 60
            );
            shared.close("the server was not used for too long");
        }
    }

    /// Ends the server. Who waits for its end waits for all sessions'.
    pub(super) fn end(&self) {
        if let Some(shared) = self.now.lock().take() {
            shared.close("the gate was ended");
        }
    }
}

/// A server that all share.
struct Shared {
    incoming: Mutex<Option<mpsc::Sender<Incoming>>>,
    open: Arc<OpenRequests>,
    /// Its place among the sessions.
    held: Mutex<Option<SessionSlot>>,
    used: Mutex<Instant>,
    over: CancellationToken,
}

impl Shared {
    fn incoming(&self) -> Option<mpsc::Sender<Incoming>> {
        self.incoming.lock().clone()
    }

    fn is_there(&self) -> bool {
        self.incoming().is_some_and(|incoming| !incoming.is_closed())
    }

    fn touch(&self) {
        *self.used.lock() = Instant::now();
    }

    /// The time of its last use.
    fn idle(&self, now: Instant) -> Duration {
        if self.open.is_busy() {
            self.touch();
        }
        now.saturating_duration_since(*self.used.lock())
    }

    /// Takes a message for the server; false if it is gone. `before` is done just before the message goes, and only if it does:
    /// who stops waiting in between has sent nothing.
    async fn take(&self, message: Message, before: impl FnOnce()) -> bool {
        let Some(incoming) = self.incoming() else { return false };
        match incoming.reserve().await {
            Ok(place) => {
                before();
                place.send(Incoming::Message(message));
                true
            }
            Err(_) => false,
        }
    }

    /// Brings the server's messages to the requests that they belong to, and cancellations to the server. Neither waits for the
    /// other, or both could.
    async fn pump(&self, mut outgoing: mpsc::Receiver<Message>, mut back: mpsc::UnboundedReceiver<ToServer>) {
        let tell = async {
            while let Some(message) = outgoing.recv().await {
                self.open.tell(&message);
            }
        };
        let take_back = async {
            while let Some(ToServer(message, _room)) = back.recv().await {
                self.take(message, || {}).await;
            }
        };
        tokio::select! {
            () = tell => {}
            () = take_back => {}
            () = self.over.cancelled() => {}
        }
    }

    /// The server is gone, or has to be.
    fn close(&self, why: &str) {
        self.incoming.lock().take();
        self.open.end(why);
        self.held.lock().take();
        self.over.cancel();
    }
}

fn error(id: &Id, code: i64, text: &str, data: Option<Value>) -> Bytes {
    let Some(data) = data else { return Message::error(Some(id), code, text).bytes().clone() };
    let error = json!({ "code": code, "message": text, "data": data });
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::CHANNEL_CAPACITY;

    fn ask(method: &str) -> (Message, HeaderMap) {
        let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        let text = format!(r#"{{"jsonrpc":"2.0","id":"p","method":"{method}","params":{{"_meta":{meta}}}}}"#);
        let message = Message::read(text.into_bytes()).unwrap();
        let mut headers = HeaderMap::new();
        fields::add(&mut headers, &message);
        (message, headers)
    }

    /// A client that would fall back must be able to, in front of a server that says nothing before `initialize`; and must not
    /// where one only takes its time.
    #[tokio::test(start_paused = true)]
    async fn a_server_that_does_not_answer_is_one_of_an_earlier_protocol() {
        for (takes, want, says) in [
            (PROBE_TIMEOUT - Duration::from_secs(1), StatusCode::OK, r#""result":{}"#),
            (PROBE_TIMEOUT + Duration::from_secs(1), StatusCode::NOT_FOUND, "-32601"),
        ] {
            let backend: Backend = Arc::new(move |mut link| {
                Box::pin(async move {
                    while let Some(Incoming::Message(message)) = link.incoming.recv().await {
                        tokio::time::sleep(takes).await;
                        if let MessageKind::Request { id, .. } = message.kind() {
                            let _ = link.outgoing.send(Message::result(id, &json!({}))).await;
                        }
                    }
                })
            });
            let alone = Stateless::new(Arc::new(Sessions::new(1)), backend);
            let (message, headers) = ask(PROBE);
            let StatelessAnswer::Whole(status, bytes) = alone.answer(message, &headers).await else {
                panic!()
            };
            let answer = Message::read(bytes).unwrap();
            assert_eq!(status, want);
            assert!(String::from_utf8_lossy(answer.bytes()).contains(says), "{answer:?}");
            assert!(matches!(answer.kind(), MessageKind::Response { id: Some(id), .. } if id.plain() == "p"));
            // It waits for nothing any more, and any other request as long as it takes.
            assert!(!alone.shared().unwrap().open.is_busy());
            let (message, headers) = ask("tools/list");
            assert!(matches!(alone.answer(message, &headers).await, StatelessAnswer::Events(_)));
        }
    }

    #[tokio::test]
    async fn only_what_reached_the_server_is_taken_back() {
        let (begin, mut begun) = mpsc::channel(1);
        let backend: Backend = Arc::new(move |link| {
            let begin = begin.clone();
            Box::pin(async move {
                let _ = begin.send(link).await;
                std::future::pending().await
            })
        });
        let alone = Stateless::new(Arc::new(Sessions::new(1)), backend);
        let (message, headers) = ask("tools/list");
        let mut all = Vec::new();
        for _ in 0..=CHANNEL_CAPACITY {
            // The server does not read yet, so that the last one has to wait.
            let mut asked = Box::pin(alone.answer(message.clone(), &headers));
            tokio::select! {
                biased;
                _ = &mut asked => panic!("it is answered"),
                () = std::future::ready(()) => all.push(asked),
            }
        }
        drop(all.pop());
        drop(all);
        let mut link = begun.recv().await.unwrap();
        let (mut asked, mut taken_back) = (Vec::new(), Vec::new());
        for _ in 0..2 * CHANNEL_CAPACITY {
            let Some(Incoming::Message(message)) = link.incoming.recv().await else { panic!() };
            match message.kind() {
                MessageKind::Request { id, .. } => asked.push(id.to_string()),
                _ => {
                    let params: Value = serde_json::from_str(message.body().unwrap()).unwrap();
                    taken_back.push(params["requestId"].to_string());
                }
            }
        }
        taken_back.sort_by_key(|id| asked.iter().position(|asked| asked == id));
        assert_eq!(asked, taken_back);
        alone.end();
        assert!(link.incoming.recv().await.is_none());
    }
}
