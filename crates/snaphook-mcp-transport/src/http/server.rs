//! The side of clients that connect to us: a socket, and what a POST, a GET and a DELETE mean. Sessions are in `session`, what a
//! session says in `streams`, requests without a session in `stateless`, whom all of it speaks to in `guard`.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Either, Full, LengthLimitError, Limited};
use hyper::body::Incoming as Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::guard::{self, Rejection};
use super::session::{Session, SessionError, Sessions};
use super::stateless::{self, Stateless, StatelessAnswer};
use super::streams::reader::Reader;
use super::streams::{FirstOutput, StreamError};
use super::{
    EVENTS, JSON, LAST_EVENT, MAX_MESSAGE_BYTES, PEER_TIMEOUT, SESSION, TRANSPORT_ERROR, VERSION,
    WHOLE_ANSWER_TIMEOUT, requests,
};
use crate::message::{InvalidReason, Message, MessageKind};

pub use super::session::Backend;

/// The number of connections that there may be.
const MAX_CONNECTIONS: usize = 512;

/// The time that a client may take to send the header fields of a request, or its body.
const RECEIVE_TIMEOUT: Duration = Duration::from_secs(60);

/// The first version of the protocol whose clients know events without a message.
const PRIMED: &str = "2025-11-25";

/// The options of a server.
#[derive(Debug, Clone)]
pub struct Options {
    /// Other machines may connect, without authentication.
    pub allow_remote: bool,
    /// The number of sessions that there may be.
    pub sessions: usize,
    /// A session that is not used for so long ends.
    pub idle: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options { allow_remote: false, sessions: 64, idle: Duration::from_secs(60 * 60) }
    }
}

/// A server that listens, and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    options: Options,
}

/// The reason why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The address is invalid.
    #[error("{0:?} is not an address to listen on; expected a number and a port, like 127.0.0.1:8000")]
    Address(String),
    /// Others could connect.
    #[error("{0} can be reached by other machines, and clients are not authenticated")]
    Remote(SocketAddr),
    /// The system says no.
    #[error("failed to listen on {0}: {1}")]
    System(SocketAddr, std::io::Error),
}

impl Server {
    /// Listens at an address, `127.0.0.1:PORT` or `localhost:PORT`; with port 0 at any that is free.
    ///
    /// # Errors
    /// It is no address, it is not of this machine alone and that was not allowed, or it is not to be had.
    pub async fn bind(address: &str, options: Options) -> Result<Self, BindError> {
        let number = match address.strip_prefix("localhost:") {
            Some(port) => format!("127.0.0.1:{port}"),
            None => address.to_owned(),
        };
        let wanted: SocketAddr = number.parse().map_err(|_| BindError::Address(address.to_owned()))?;
        if !wanted.ip().is_loopback() && !options.allow_remote {
            return Err(BindError::Remote(wanted));
        }
        let failed = |error| BindError::System(wanted, error);
        let listener = TcpListener::bind(wanted).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Server { listener, address, options })
    }

    /// Returns where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop`, then ends all sessions and waits for what serves them, but not for ever.
    pub async fn run(self, backend: Backend, stop: impl Future<Output = ()>) {
        let Server { listener, address, options } = self;
        let sessions = Arc::new(Sessions::new(options.sessions));
        let stateless = Stateless::new(Arc::clone(&sessions), Arc::clone(&backend));
        let state = Arc::new(ServerState { address, sessions: Arc::clone(&sessions), stateless, backend });
        let (room, ending, connections) =
            (Arc::new(Semaphore::new(MAX_CONNECTIONS)), CancellationToken::new(), TaskTracker::new());
        let mut sweep = tokio::time::interval((options.idle / 8).max(Duration::from_millis(10)));
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = tokio::select! {
                () = &mut stop => break,
                _ = sweep.tick() => {
                    sessions.end_idle(options.idle);
                    state.stateless.end_idle(options.idle);
                    continue;
                }
                accepted = accept(&listener, &room) => accepted,
            };
            let (stream, permit) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Usually the limit of open files is reached; one has to be closed first.
                    tracing::warn!("failed to accept a connection: {error}");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let (state, ending) = (Arc::clone(&state), ending.clone());
            connections.spawn(async move {
                connection(stream, state, ending).await;
                drop(permit);
            });
        }
        drop(listener);
        state.stateless.end();
        sessions.end_all(PEER_TIMEOUT).await;
        ending.cancel();
        connections.close();
        let _ = tokio::time::timeout(Duration::from_secs(1), connections.wait()).await;
    }
}

async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> std::io::Result<(tokio::net::TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let permit = Arc::clone(room).acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, permit))
}

async fn connection(stream: tokio::net::TcpStream, state: Arc<ServerState>, ending: CancellationToken) {
    let service = service_fn(move |request| {
        let state = Arc::clone(&state);
        async move { Ok::<_, Infallible>(state.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(RECEIVE_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = ending.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!("a connection ended: {error}");
    }
}

/// The state that all connections share.
struct ServerState {
    address: SocketAddr,
    sessions: Arc<Sessions>,
    stateless: Stateless,
    backend: Backend,
}

type Answer = Response<Either<Full<Bytes>, Either<Reader, stateless::Reader>>>;

impl ServerState {
    async fn answer(&self, request: Request<Body>) -> Answer {
        self.handle(request).await.unwrap_or_else(|Rejection(status, why)| {
            let mut answer = document(status, Message::error(None, code(status), &why).bytes().clone());
            if status == StatusCode::METHOD_NOT_ALLOWED {
                answer.headers_mut().insert(ALLOW, HeaderValue::from_static("POST, GET, DELETE"));
            }
            answer
        })
    }

    async fn handle(&self, request: Request<Body>) -> Result<Answer, Rejection> {
        let (parts, body) = request.into_parts();
        guard::sender(&parts.headers, &parts.uri, self.address)?;
        if !matches!(parts.uri.path(), "/" | "/mcp" | "/mcp/") {
            return Err(Rejection(StatusCode::NOT_FOUND, "not found; the server is at /mcp".to_owned()));
        }
        if !matches!(parts.method, Method::POST | Method::GET | Method::DELETE) {
            return Err(Rejection(StatusCode::METHOD_NOT_ALLOWED, format!("there is no {}", parts.method)));
        }
        guard::form(&parts.method, &parts.headers)?;
        let session = self.session(&parts.headers)?;
        if session.is_some() || parts.method != Method::POST {
            let agreed = session.as_ref().and_then(|session| session.version());
            guard::version(&parts.headers, agreed.as_deref())?;
        }
        match (parts.method, session) {
            (Method::POST, session) => {
                let body = whole(&parts.headers, body).await?;
                self.post(session, body, &parts.headers).await
            }
            (_, None) => Err(no_session()),
            (Method::GET, Some(session)) => get(&session, &parts.headers),
            (_, Some(session)) => {
                self.sessions.end(&session.id, "the client has ended the session");
                Ok(empty(StatusCode::NO_CONTENT))
            }
        }
    }

    /// The session that a request names; none if it names none.
    fn session(&self, headers: &HeaderMap) -> Result<Option<Arc<Session>>, Rejection> {
        let mut named = headers.get_all(SESSION).iter();
        let Some(id) = named.next() else { return Ok(None) };
        let session =
            id.to_str().ok().and_then(|id| self.sessions.get(id)).filter(|_| named.next().is_none());
        session.map(Some).ok_or_else(over)
    }

    async fn post(
        &self,
        session: Option<Arc<Session>>,
        body: Bytes,
        headers: &HeaderMap,
    ) -> Result<Answer, Rejection> {
        let message = match Message::read(body) {
            Ok(message) => message,
            Err(invalid) => {
                let code = match invalid.reason {
                    InvalidReason::NotJson(_) => -32700,
                    _ => -32600,
                };
                let error = Message::error(invalid.id.as_ref(), code, &invalid.reason.to_string());
                return Ok(document(StatusCode::BAD_REQUEST, error.bytes().clone()));
            }
        };
        match session {
            Some(session) => exchange(&session, message, headers).await,
            None if stateless::is_stateless(&message, headers) => {
                Ok(match self.stateless.answer(message, headers).await {
                    StatelessAnswer::Taken => empty(StatusCode::ACCEPTED),
                    StatelessAnswer::Whole(status, bytes) => document(status, bytes),
                    StatelessAnswer::Events(reader) => events(Either::Right(reader)),
                })
            }
            None => {
                // It says for itself which version it is of, so this could not be known before.
                guard::version(headers, None)?;
                if matches!(message.kind(), MessageKind::Request { method, .. } if **method == *"initialize")
                {
                    return self.begin_session(message, headers).await;
                }
                let Rejection(status, why) = no_session();
                let id = requests(&message).into_iter().next();
                Ok(document(status, Message::error(id.as_ref(), code(status), &why).bytes().clone()))
            }
        }
    }

    /// The message that begins a session.
    async fn begin_session(&self, message: Message, headers: &HeaderMap) -> Result<Answer, Rejection> {
        let session = self.sessions.begin(&message, &self.backend).map_err(|why| {
            let why = match why {
                SessionError::TooMany => "there are too many sessions",
                SessionError::NoSecret => "no random numbers are available",
            };
            Rejection(StatusCode::SERVICE_UNAVAILABLE, why.to_owned())
        })?;
        let mut answer = exchange(&session, message, headers).await?;
        if let Ok(id) = HeaderValue::from_str(&session.id) {
            answer.headers_mut().insert(SESSION, id);
        }
        Ok(answer)
    }
}

/// Gives a message to the session, and answers with what comes back.
async fn exchange(
    session: &Arc<Session>,
    message: Message,
    headers: &HeaderMap,
) -> Result<Answer, Rejection> {
    if requests(&message).is_empty() {
        return if session.take(message).await { Ok(empty(StatusCode::ACCEPTED)) } else { Err(over()) };
    }
    let reader = session.streams.requests(&message).map_err(|why| no_stream(&why))?;
    let is_taken = session.take(message).await;
    if !is_taken {
        // Its stream has the error.
        session.streams.end("the session is over");
    }
    if guard::prefers_events(headers) {
        return Ok(stream(session, reader, headers));
    }
    let first = tokio::time::timeout(WHOLE_ANSWER_TIMEOUT, reader.read_first()).await;
    match first {
        Ok(FirstOutput::Whole(bytes)) => Ok(document(StatusCode::OK, bytes)),
        Ok(FirstOutput::Events) | Err(_) => Ok(stream(session, reader, headers)),
    }
}

/// The stream for whatever the server says.
fn get(session: &Arc<Session>, headers: &HeaderMap) -> Result<Answer, Rejection> {
    let after = match headers.get(LAST_EVENT).map(HeaderValue::to_str) {
        Some(Err(_)) => return Err(no_stream(&StreamError::Forgotten)),
        Some(Ok(after)) => Some(after),
        None => None,
    };
    let reader = session.streams.standing(after).map_err(|why| no_stream(&why))?;
    Ok(stream(session, reader, headers))
}

fn stream(session: &Session, reader: Reader, headers: &HeaderMap) -> Answer {
    // What the client says with the request counts before what was agreed on.
    let said = headers.get(VERSION).and_then(|said| said.to_str().ok()).map(Into::into);
    let reader = match said.or_else(|| session.version()) {
        Some(version) if &*version >= PRIMED => reader.primed(),
        _ => reader,
    };
    events(Either::Left(reader))
}

fn events(reader: Either<Reader, stateless::Reader>) -> Answer {
    let mut answer = Response::new(Either::Right(reader));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENTS));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // Keeps proxies from collecting events.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    answer
}

fn document(status: StatusCode, bytes: Bytes) -> Answer {
    let mut answer = Response::new(Either::Left(Full::new(bytes)));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    answer
}

fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Either::Left(Full::default()));
    *answer.status_mut() = status;
    answer
}

fn no_session() -> Rejection {
    Rejection(StatusCode::BAD_REQUEST, "the request names no session; one begins with initialize".to_owned())
}

fn over() -> Rejection {
    Rejection(StatusCode::NOT_FOUND, "there is no such session".to_owned())
}

fn no_stream(why: &StreamError) -> Rejection {
    match why {
        StreamError::Over => over(),
        StreamError::Twice(id) => {
            Rejection(StatusCode::BAD_REQUEST, format!("a request with the id {id} is open"))
        }
        StreamError::TooMany => {
            Rejection(StatusCode::TOO_MANY_REQUESTS, "too many requests are open".to_owned())
        }
        StreamError::Forgotten => {
            Rejection(StatusCode::BAD_REQUEST, "nothing is kept of that stream".to_owned())
        }
    }
}

/// The code of the JSON-RPC error beside a status.
fn code(status: StatusCode) -> i64 {
    match status {
        StatusCode::BAD_REQUEST => -32600,
        _ => TRANSPORT_ERROR,
    }
}

/// The whole body, as far as there is room for it.
async fn whole(headers: &HeaderMap, body: Body) -> Result<Bytes, Rejection> {
    let too_long = || {
        Rejection(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the message is longer than {} MiB", MAX_MESSAGE_BYTES >> 20),
        )
    };
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > MAX_MESSAGE_BYTES) {
        return Err(too_long());
    }
    let read = async {
        let mut body = Limited::new(body, MAX_MESSAGE_BYTES);
        let mut first: Option<Bytes> = None;
        let mut all = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame?.into_data() else { continue };
            // Most messages are one piece, which is not copied.
            match first.take() {
                None if all.is_empty() => first = Some(data),
                before => {
                    all.extend_from_slice(&before.unwrap_or_default());
                    all.extend_from_slice(&data);
                }
            }
        }
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(first.unwrap_or_else(|| all.freeze()))
    };
    match tokio::time::timeout(RECEIVE_TIMEOUT, read).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
        Ok(Err(error)) => {
            Err(Rejection(StatusCode::BAD_REQUEST, format!("the body did not arrive: {error}")))
        }
        Err(_) => Err(Rejection(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time".to_owned())),
    }
}
