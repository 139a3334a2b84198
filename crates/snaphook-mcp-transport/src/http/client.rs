//! The side of a server at an address: each message is a POST, answers come as JSON or as a stream, and another stream brings what
//! the server says of itself. `exchange` is the HTTP below, `streams` what is read from the server.
//!
//! A request goes out when the one before it is written, a notification when the one before is taken, so that order is kept as far
//! as HTTP keeps it, and none waits for an answer of another. Only `initialize` is waited for: what follows needs its session.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use parking_lot::Mutex;
use rustls::{ClientConfig, RootCertStore};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use url::Url;

use self::exchange::{ExchangeError, Reply};
use super::params::Params;
use super::{PEER_TIMEOUT, TRANSPORT_ERROR, fields, param, requests, version_in};
use crate::message::{Id, Message, MessageKind};
use crate::transport::{Incoming, TransportDriver};

mod exchange;
mod streams;

/// The time that a server may take to say that it ended the session.
const END_SESSION_TIMEOUT: Duration = Duration::from_secs(3);

/// Header fields that the transport sets itself.
const OURS: &[&str] = &[
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// A server at an address, not yet spoken to. Cheap to clone; each clone can carry a session.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    url: Url,
    fields: HeaderMap,
}

/// The reason why there is no speaking to a server.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address.
    #[error("{0:?} is not the address of an MCP server: {1}")]
    Url(String, String),
    /// A header field.
    #[error("the header field {0:?} {1}")]
    Header(String, &'static str),
    /// TLS, or what else the client needs of the system.
    #[error("HTTP is not available: {0}")]
    Http(String),
}

impl Client {
    /// A client for the server at `url`, which alone gets these header fields, with each request. `tls` is
    /// called for the configuration of TLS if the address needs it.
    ///
    /// # Errors
    /// The address or a field cannot be used, or the system has no certificates.
    pub fn new<E: fmt::Display>(
        url: &str,
        fields: &[(String, String)],
        tls: impl FnOnce() -> Result<ClientConfig, E>,
    ) -> Result<Self, ClientError> {
        let url = address(url)?;
        let fields = header_fields(fields)?;
        let tls = match url.scheme() {
            "https" => tls().map_err(|error| ClientError::Http(error.to_string()))?,
            _ => no_tls().map_err(|error| ClientError::Http(error.to_string()))?,
        };
        let builder = reqwest::Client::builder()
            .no_proxy()
            .no_gzip()
            .redirect(reqwest::redirect::Policy::none())
            // A call that may have run must not run again.
            .retry(reqwest::retry::never())
            .referer(false)
            .http1_only()
            .connect_timeout(PEER_TIMEOUT)
            // Shorter than servers keep a connection: one that they close while it is used is a lost call.
            .pool_idle_timeout(Duration::from_secs(3))
            .user_agent(concat!("snaphook/", env!("CARGO_PKG_VERSION")));
        let http = builder
            .tls_backend_preconfigured(tls)
            .build()
            .map_err(|error| ClientError::Http(error.to_string()))?;
        Ok(Client { http, url, fields })
    }

    /// The host in the address.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Carries a side until it or the server ends, or `end` says so. What was asked before the side ended is still answered, as
    /// long as there is a receiver.
    pub async fn run(self, driver: TransportDriver, end: CancellationToken) {
        let TransportDriver { incoming, mut outgoing } = driver;
        let Client { http, url, fields } = self;
        let wire = Arc::new(Wire {
            http,
            url: Mutex::new(url),
            fields,
            known: Mutex::new(SessionFacts::default()),
            incoming,
            gone: CancellationToken::new(),
            end,
            taken_back: Notify::new(),
        });
        let mut posts = JoinSet::new();
        let mut listener: Option<Listener> = None;
        loop {
            let message = tokio::select! {
                biased;
                () = wire.over() => break,
                Some(_) = posts.join_next(), if !posts.is_empty() => continue,
                message = outgoing.recv() => match message {
                    Some(message) => message,
                    None => break,
                },
            };
            let (turn, next) = oneshot::channel();
            let first = is(&message, "initialize");
            posts.spawn(Arc::clone(&wire).post(message, SendTurn(turn)));
            tokio::select! {
                _ = next => {}
                () = wire.over() => break,
                () = tokio::time::sleep(PEER_TIMEOUT), if !first => {}
            }
            if listener.is_none() && wire.known.lock().is_ready {
                listener = Some(Listener(tokio::spawn(Arc::clone(&wire).listen()).abort_handle()));
            }
        }
        // Requests are answered, as long as there is a receiver.
        loop {
            tokio::select! {
                biased;
                () = wire.over() => break,
                posted = posts.join_next() => if posted.is_none() { break },
            }
        }
        drop(listener);
        if wire.gone.is_cancelled() {
            // Each of them tells that the session is gone.
            while posts.join_next().await.is_some() {}
        } else {
            posts.shutdown().await;
            wire.farewell().await;
        }
    }
}

/// The stream that is open for whatever the server says ends with its session.
struct Listener(AbortHandle);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The right to be the last message that was sent: the next one goes when it is dropped.
#[derive(Debug)]
struct SendTurn(#[expect(dead_code, reason = "what counts is when it is dropped")] oneshot::Sender<()>);

/// The state that all exchanges of a session share.
struct Wire {
    http: reqwest::Client,
    url: Mutex<Url>,
    fields: HeaderMap,
    known: Mutex<SessionFacts>,
    incoming: mpsc::Sender<Incoming>,
    /// The server does not know the session any more.
    gone: CancellationToken,
    /// The session is asked to end.
    end: CancellationToken,
    /// A request was taken back.
    taken_back: Notify,
}

/// The facts that the server has told.
#[derive(Debug, Default)]
struct SessionFacts {
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
    /// The client has seen the answer to `initialize`, and the server knows.
    is_ready: bool,
    /// The requests that are open.
    open: HashMap<Id, OpenRequest>,
    /// The header fields that tools ask for.
    params: Params,
}

/// A request that is not answered.
#[derive(Debug, Clone, Copy)]
struct OpenRequest {
    /// It is of no session.
    is_alone: bool,
    /// The client has taken it back: its answer may never come.
    is_taken_back: bool,
}

/// The requests of a message that are not answered yet.
struct Awaited {
    ids: Vec<Id>,
    is_initialize: bool,
    /// True if the answer is a list of tools.
    is_list: bool,
}

impl Wire {
    /// Completes when nothing more can be sent or received.
    async fn over(&self) {
        tokio::select! {
            () = self.gone.cancelled() => {}
            () = self.end.cancelled() => {}
            () = self.incoming.closed() => {}
        }
    }

    /// Sends a message and brings its answers.
    async fn post(self: Arc<Self>, message: Message, turn: SendTurn) {
        let mut waiting = Awaited {
            ids: requests(&message),
            is_initialize: is(&message, "initialize"),
            is_list: is(&message, "tools/list"),
        };
        if let Some(id) = cancelled(&message) {
            let taken_back = self.known.lock().open.get_mut(&id).map(|open| {
                open.is_taken_back = true;
                *open
            });
            if taken_back.is_some_and(|open| open.is_alone) {
                // Without a session, a request is taken back by closing its stream.
                self.taken_back.notify_waiters();
                return;
            }
        }
        let is_alone = fields::own_version(&message).is_some();
        let open = OpenRequest { is_alone, is_taken_back: false };
        self.known.lock().open.extend(waiting.ids.iter().map(|id| (id.clone(), open)));
        let ids = waiting.ids.clone();
        let told = tokio::select! {
            told = self.exchange(&message, turn, &mut waiting) => told,
            () = self.until_taken_back(&ids), if is_alone => Ok(()),
            () = self.gone.cancelled() => Err(ExchangeError::SessionGone),
        };
        if let Err(error) = told {
            self.fail(&waiting, &error).await;
        }
        let mut known = self.known.lock();
        for id in ids {
            known.open.remove(&id);
        }
    }

    fn is_taken_back(&self, id: &Id) -> bool {
        self.known.lock().open.get(id).is_some_and(|open| open.is_taken_back)
    }

    async fn until_taken_back(&self, ids: &[Id]) {
        loop {
            let mut told = std::pin::pin!(self.taken_back.notified());
            told.as_mut().enable();
            if ids.iter().all(|id| self.is_taken_back(id)) {
                return;
            }
            told.await;
        }
    }

    async fn exchange(
        &self,
        message: &Message,
        turn: SendTurn,
        waiting: &mut Awaited,
    ) -> Result<(), ExchangeError> {
        // The first exchange keeps its turn until it is answered, a notification until it is taken.
        let (early, late) = match message.kind() {
            MessageKind::Notification { .. } => (None, Some(turn)),
            _ if waiting.is_initialize => (None, Some(turn)),
            _ => (Some(turn), None),
        };
        let answer = self.send_message(message, early).await?;
        let result = match answer {
            Reply::Taken if waiting.ids.is_empty() => Ok(()),
            Reply::Taken => Err(ExchangeError::NoAnswer),
            Reply::Json(body) => self.whole(body, waiting).await,
            Reply::Stream(response) => self.stream(response, waiting).await,
        };
        if matches!(message.kind(), MessageKind::Notification { method } if **method == *"notifications/initialized")
        {
            self.known.lock().is_ready = true;
        }
        drop(late);
        result
    }

    /// Passes on what the server says, and notes what it answers.
    async fn deliver(&self, message: Message, waiting: &mut Awaited) {
        for id in super::answered(&message) {
            if waiting.is_initialize && waiting.ids.contains(&id) {
                let version = version_in(&message);
                self.known.lock().version = version.and_then(|version| HeaderValue::from_str(&version).ok());
            }
            if waiting.is_list
                && waiting.ids.contains(&id)
                && let Some(list) = message.result_text()
            {
                self.known.lock().params.note(list.get());
            }
            waiting.ids.retain(|waits| *waits != id);
        }
        // Who no longer listens is noticed elsewhere.
        let _ = self.incoming.send(Incoming::Message(message)).await;
    }

    /// Answers what the server did not.
    async fn fail(&self, waiting: &Awaited, why: &ExchangeError) {
        let place = self.display_url();
        if waiting.ids.is_empty() {
            tracing::warn!(server = place, "a message did not arrive: {why}");
        }
        for id in &waiting.ids {
            if self.is_taken_back(id) {
                continue;
            }
            let error =
                Message::error(Some(id), TRANSPORT_ERROR, &format!("the MCP server at {place}: {why}"));
            let _ = self.incoming.send(Incoming::Message(error)).await;
        }
    }

    /// The address, without what may be secret in it.
    fn display_url(&self) -> String {
        let mut url = self.url.lock().clone();
        url.set_query(None);
        url.into()
    }
}

/// The TLS configuration for an address without TLS, which the HTTP client wants all the same. It trusts no certificate.
fn no_tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

/// Returns whether a message asks for just this.
fn is(message: &Message, wanted: &str) -> bool {
    matches!(message.kind(), MessageKind::Request { method, .. } if **method == *wanted)
}

/// The request that a message takes back.
fn cancelled(message: &Message) -> Option<Id> {
    match message.kind() {
        MessageKind::Notification { method } if **method == *"notifications/cancelled" => {
            Id::read(&param(message, &["requestId"])?)
        }
        _ => None,
    }
}

fn address(text: &str) -> Result<Url, ClientError> {
    let wrong = |why: &str| ClientError::Url(text.to_owned(), why.to_owned());
    let mut url = Url::parse(text).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("it begins with neither http:// nor https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        // Not repeated: what is wrong with it is that it is shown.
        let why = "it contains a name or a password; use --header 'Authorization: env:NAME' instead";
        return Err(ClientError::Url(format!("{}://…", url.scheme()), why.to_owned()));
    }
    url.set_fragment(None);
    Ok(url)
}

fn header_fields(fields: &[(String, String)]) -> Result<HeaderMap, ClientError> {
    let mut map = HeaderMap::new();
    for (name, value) in fields {
        let wrong = |why| ClientError::Header(name.clone(), why);
        let read = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("has no name"))?;
        if OURS.contains(&read.as_str()) {
            return Err(wrong("is set by the transport itself"));
        }
        let mut value = HeaderValue::from_str(value).map_err(|_| wrong("has a value that cannot be sent"))?;
        value.set_sensitive(true);
        map.append(read, value);
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_fields_that_cannot_be_used_are_refused() {
        for (url, want) in [
            ("http://127.0.0.1:1/mcp#x", "http://127.0.0.1:1/mcp"),
            ("ftp://a/", "neither http:// nor https://"),
            ("a/b", "relative URL"),
            ("https://me:secret@a/", "contains a name or a password"),
        ] {
            let got = address(url).map(String::from).unwrap_or_else(|error| error.to_string());
            assert!(got.contains(want) && !got.contains("secret"), "{url}: {got}");
        }
        for (name, value, want) in [
            ("X-Key", "v", ""),
            ("Mcp-Session-Id", "v", "set by the transport"),
            ("Content-Type", "v", "set by the transport"),
            ("a b", "v", "has no name"),
            ("X-Key", "secret\n", "cannot be sent"),
        ] {
            let got = header_fields(&[(name.to_owned(), value.to_owned())]);
            let got = got.map(|_| String::new()).unwrap_or_else(|error| error.to_string());
            assert!(
                got.contains(want) && got.is_empty() == want.is_empty() && !got.contains("secret"),
                "{name}: {got}"
            );
        }
    }
}
