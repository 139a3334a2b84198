//! One exchange over HTTP: a message goes out, and the kind of the answer is found out. Redirects are followed within the
//! origin only, because header fields may be secrets that are meant for it.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use http_body::{Body, Frame, SizeHint};
use reqwest::Response;
use serde::Deserialize;
use url::Url;

use super::{Awaited, END_SESSION_TIMEOUT, SendTurn, Wire};
use crate::http::fields::add;
use crate::http::{EVENTS, JSON, LAST_EVENT, MAX_MESSAGE_BYTES, SESSION, VERSION, answered, is_type};
use crate::message::{InvalidMessage, InvalidReason, Message};

/// The number of redirects that one exchange follows.
const MAX_REDIRECTS: usize = 3;

/// The amount of an error page that is shown.
const MAX_REASON_CHARS: usize = 300;

/// The answer of a server.
pub(super) enum Reply {
    /// Nothing, as it should to what asks for nothing.
    Taken,
    /// A document.
    Json(Bytes),
    /// A stream of events.
    Stream(Response),
}

/// The reason why an exchange failed. The text is about the server.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExchangeError {
    #[error("the session is gone")]
    SessionGone,
    #[error("it does not know the session any more")]
    UnknownSession,
    #[error("it accepted the request and gave no answer")]
    NoAnswer,
    #[error("its answer cannot be read: {0}")]
    InvalidAnswer(InvalidReason),
    #[error("its answer is to another request")]
    OtherRequest,
    #[error("it answered with {0}")]
    MediaType(String),
    #[error("it answered {status}{}{reason}", if reason.is_empty() { "" } else { ": " })]
    Status { status: StatusCode, reason: String },
    #[error("its answer is longer than {} MiB", MAX_MESSAGE_BYTES >> 20)]
    TooLong,
    #[error("it redirects more than {MAX_REDIRECTS} times")]
    TooManyRedirects,
    #[error("it redirects without an address")]
    RedirectWithoutAddress,
    #[error("it redirects to {location:?}: {cause}")]
    RedirectAddress { location: String, cause: url::ParseError },
    #[error("it redirects to {0}, which is not followed; if it is meant, name that address")]
    RedirectOrigin(String),
    #[error("{}", lowest(.0))]
    Http(reqwest::Error),
    #[error("{0}")]
    Event(#[from] sse_stream::Error),
    #[error("its stream ended before the answer")]
    StreamEnded,
    #[error("its stream ended before the answer, and did not open again: {0}")]
    StreamLost(Box<ExchangeError>),
}

impl From<reqwest::Error> for ExchangeError {
    /// Without the address: there may be secrets in it.
    fn from(error: reqwest::Error) -> Self {
        ExchangeError::Http(error.without_url())
    }
}

impl Wire {
    /// Sends a message; `turn` is given up when it is written.
    pub(super) async fn send_message(
        &self,
        message: &Message,
        turn: Option<SendTurn>,
    ) -> Result<Reply, ExchangeError> {
        let mut fields = self.fields();
        add(&mut fields, message);
        fields.extend(self.known.lock().params.fields(message));
        fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        fields.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        let had_session = fields.contains_key(SESSION);
        let response = self.ask(Method::POST, fields, Some((message.bytes().clone(), turn))).await?;
        let status = response.status();
        let kind = response.headers().get(header::CONTENT_TYPE).cloned();
        if !status.is_success() {
            let body = text(response).await.unwrap_or_default();
            // A server may give an error of the protocol a status of its own.
            if is_type(kind.as_ref(), JSON) && is_answer(&body, message) {
                return Ok(Reply::Json(body));
            }
            if status == StatusCode::NOT_FOUND && had_session {
                self.gone.cancel();
                return Err(ExchangeError::UnknownSession);
            }
            return Err(refusal(status, &body));
        }
        if super::is(message, "initialize") {
            self.known.lock().session = response.headers().get(SESSION).cloned();
        }
        if is_type(kind.as_ref(), EVENTS) {
            return Ok(Reply::Stream(response));
        }
        if status == StatusCode::ACCEPTED
            || status == StatusCode::NO_CONTENT
            || super::requests(message).is_empty()
        {
            return Ok(Reply::Taken);
        }
        if is_type(kind.as_ref(), JSON) {
            return Ok(Reply::Json(text(response).await?));
        }
        let kind =
            kind.as_ref().map_or("no media type", |kind| kind.to_str().unwrap_or("an unreadable media type"));
        Err(ExchangeError::MediaType(kind.to_owned()))
    }

    /// Opens a stream, where one was left if `after` says so.
    pub(super) async fn open(&self, after: Option<&str>) -> Result<Response, StreamRefused> {
        let mut fields = self.fields();
        fields.insert(header::ACCEPT, HeaderValue::from_static(EVENTS));
        if let Some(after) = after.and_then(|after| HeaderValue::from_str(after).ok()) {
            fields.insert(LAST_EVENT, after);
        }
        let had_session = fields.contains_key(SESSION);
        let response = self.ask(Method::GET, fields, None).await.map_err(StreamRefused::NotNow)?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND && had_session {
            self.gone.cancel();
            return Err(StreamRefused::Never(ExchangeError::UnknownSession));
        }
        match status {
            StatusCode::OK if is_type(response.headers().get(header::CONTENT_TYPE), EVENTS) => Ok(response),
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => {
                Err(StreamRefused::NotNow(refusal(status, b"")))
            }
            _ if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED => {
                Err(StreamRefused::NotNow(refusal(status, b"")))
            }
            _ => Err(StreamRefused::Never(refusal(status, b""))),
        }
    }

    /// Tells the server that the session is over, if there was one.
    pub(super) async fn farewell(&self) {
        if self.known.lock().session.is_none() {
            return;
        }
        let asked = self.ask(Method::DELETE, self.fields(), None);
        match tokio::time::timeout(END_SESSION_TIMEOUT, asked).await {
            Ok(Ok(_)) => {}
            Ok(Err(why)) => tracing::debug!("the session was not ended: {why}"),
            Err(_) => tracing::debug!("the session was not ended in time"),
        }
    }

    fn fields(&self) -> HeaderMap {
        let mut fields = self.fields.clone();
        let known = self.known.lock();
        if let Some(session) = &known.session {
            fields.insert(SESSION, session.clone());
        }
        if let Some(version) = &known.version {
            fields.insert(VERSION, version.clone());
        }
        fields
    }

    /// One request, wherever within the origin it leads.
    async fn ask(
        &self,
        method: Method,
        fields: HeaderMap,
        mut body: Option<(Bytes, Option<SendTurn>)>,
    ) -> Result<Response, ExchangeError> {
        let mut url = self.url.lock().clone();
        for _ in 0..=MAX_REDIRECTS {
            let mut asked = self.http.request(method.clone(), url.clone()).headers(fields.clone());
            if let Some((bytes, turn)) = &mut body {
                let written = Written { bytes: Some(bytes.clone()), turn: turn.take() };
                asked = asked.body(reqwest::Body::wrap(written));
            }
            let response = asked.send().await?;
            let status = response.status();
            // 301 to 303 turn a POST into a GET, which would say nothing.
            let is_redirect = match method {
                Method::GET => matches!(status.as_u16(), 301 | 302 | 307 | 308),
                _ => matches!(status.as_u16(), 307 | 308),
            };
            if !is_redirect {
                return Ok(response);
            }
            let next = redirected(&url, response.headers().get(header::LOCATION))?;
            if status.as_u16() == 308 {
                self.url.lock().clone_from(&next);
            }
            url = next;
        }
        Err(ExchangeError::TooManyRedirects)
    }
}

/// The reason why a stream did not open.
#[derive(Debug)]
pub(super) enum StreamRefused {
    /// There may be one later.
    NotNow(ExchangeError),
    /// The server has none.
    Never(ExchangeError),
}

/// A body that gives up its turn when it is on its way.
struct Written {
    bytes: Option<Bytes>,
    turn: Option<SendTurn>,
}

impl Body for Written {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.turn = None;
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

fn redirected(from: &Url, location: Option<&HeaderValue>) -> Result<Url, ExchangeError> {
    let location =
        location.and_then(|location| location.to_str().ok()).ok_or(ExchangeError::RedirectWithoutAddress)?;
    let mut to = from
        .join(location)
        .map_err(|cause| ExchangeError::RedirectAddress { location: location.to_owned(), cause })?;
    to.set_fragment(None);
    if to.origin() != from.origin() {
        return Err(ExchangeError::RedirectOrigin(to.origin().ascii_serialization()));
    }
    Ok(to)
}

/// A body, as far as there is room for it.
async fn text(mut response: Response) -> Result<Bytes, ExchangeError> {
    if response.content_length().is_some_and(|length| length > MAX_MESSAGE_BYTES as u64) {
        return Err(ExchangeError::TooLong);
    }
    let Some(first) = response.chunk().await? else { return Ok(Bytes::new()) };
    let Some(second) = response.chunk().await? else { return Ok(first) };
    let mut body = Vec::from(first);
    body.extend_from_slice(&second);
    while let Some(chunk) = response.chunk().await? {
        if chunk.len() > MAX_MESSAGE_BYTES.saturating_sub(body.len()) {
            return Err(ExchangeError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.into())
}

/// Returns whether a document answers a request of the message.
fn is_answer(body: &Bytes, message: &Message) -> bool {
    let asked = super::requests(message);
    Message::read(body.clone()).is_ok_and(|answer| answered(&answer).iter().any(|id| asked.contains(id)))
}

/// Reads the reason in the body of a refusal.
fn refusal(status: StatusCode, body: &[u8]) -> ExchangeError {
    #[derive(Deserialize)]
    struct Refusal {
        error: Inner,
    }
    #[derive(Deserialize)]
    struct Inner {
        message: String,
    }
    let whole = String::from_utf8_lossy(body);
    let why =
        serde_json::from_str::<Refusal>(&whole).map_or(whole.trim().to_owned(), |read| read.error.message);
    let reason = why.chars().take(MAX_REASON_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    ExchangeError::Status { status, reason }
}

/// Returns the text of the lowest cause, which has no address in it.
fn lowest(error: &reqwest::Error) -> String {
    let mut lowest: &dyn std::error::Error = error;
    while let Some(cause) = lowest.source() {
        lowest = cause;
    }
    lowest.to_string()
}

impl Wire {
    /// Takes a document that is the whole answer.
    pub(super) async fn whole(&self, body: Bytes, waiting: &mut Awaited) -> Result<(), ExchangeError> {
        match Message::read(body) {
            Ok(message) => self.deliver(message, waiting).await,
            Err(InvalidMessage { reason, .. }) => {
                return Err(ExchangeError::InvalidAnswer(reason));
            }
        }
        match waiting.ids.as_slice() {
            [] => Ok(()),
            _ => Err(ExchangeError::OtherRequest),
        }
    }
}
