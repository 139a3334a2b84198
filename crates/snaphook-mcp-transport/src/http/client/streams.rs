//! Streams of events from the server: those that answer a request, and the one for whatever else it says. A stream that breaks
//! is taken up again where it broke, if the server said where that is.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Response;
use sse_stream::Sse;

use super::exchange::{ExchangeError, StreamRefused};
use super::{Awaited, Wire};
use crate::http::TRANSPORT_ERROR;
use crate::http::sse::Events;
use crate::message::Message;
use crate::transport::Incoming;

/// The time until a stream is taken up again where the server does not say; it doubles with each failure.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The longest wait that a server may ask for, or that failures lead to.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(60);

/// The number of times in a row that a stream may fail to open.
const MAX_FAILURES: u32 = 6;

/// The place where a stream was left.
#[derive(Debug, Default)]
struct StreamPosition {
    id: Option<String>,
    retry: Option<Duration>,
    /// Failures, and ends without anything new, since something came.
    failures: u32,
}

impl StreamPosition {
    /// Waits before the next attempt.
    async fn pause(&self) {
        let first = self.retry.unwrap_or(RETRY_DELAY);
        let more = RETRY_DELAY * (1 << self.failures.min(6)) - RETRY_DELAY;
        tokio::time::sleep((first + more).min(MAX_RETRY_DELAY.max(first))).await;
    }
}

impl Wire {
    /// Reads the stream that answers a request, until all is answered.
    pub(super) async fn stream(
        &self,
        response: Response,
        waiting: &mut Awaited,
    ) -> Result<(), ExchangeError> {
        let mut place = StreamPosition::default();
        let mut ended = self.read(response, &mut place, waiting).await;
        loop {
            let open = waiting.ids.iter().any(|id| !self.is_taken_back(id));
            if !open {
                return Ok(());
            }
            let Some(id) = place.id.clone() else {
                return Err(ended.err().unwrap_or(ExchangeError::StreamEnded));
            };
            place.pause().await;
            ended = match self.open(Some(&id)).await {
                Ok(response) => {
                    let before = place.id.clone();
                    let read = self.read(response, &mut place, waiting).await;
                    // A server may close a stream whenever it likes, but not for ever at once.
                    place.failures = if place.id == before { (place.failures + 1).min(3) } else { 0 };
                    read
                }
                Err(StreamRefused::NotNow(why)) if place.failures < MAX_FAILURES => {
                    place.failures += 1;
                    Err(why)
                }
                Err(StreamRefused::NotNow(why) | StreamRefused::Never(why)) => {
                    return Err(ExchangeError::StreamLost(Box::new(why)));
                }
            };
        }
    }

    /// Holds the stream for what belongs to no request open, as long as the server has one.
    pub(super) async fn listen(self: Arc<Self>) {
        let mut place = StreamPosition::default();
        let mut nobody = Awaited { ids: Vec::new(), is_initialize: false, is_list: false };
        while !self.gone.is_cancelled() {
            match self.open(place.id.as_deref()).await {
                Ok(response) => {
                    place.failures = 0;
                    if let Err(why) = self.read(response, &mut place, &mut nobody).await {
                        tracing::debug!("the server's stream broke: {why}");
                    }
                }
                // The place may be what is wrong.
                Err(StreamRefused::Never(_)) if place.id.take().is_some() => {}
                Err(StreamRefused::NotNow(why)) if place.failures < MAX_FAILURES => {
                    tracing::debug!("the server's stream is not available: {why}");
                    place.failures += 1;
                }
                Err(StreamRefused::NotNow(why) | StreamRefused::Never(why)) => {
                    tracing::debug!("the server has no stream: {why}");
                    return;
                }
            }
            place.pause().await;
        }
    }

    /// Passes on what a stream brings, to its end.
    async fn read(
        &self,
        response: Response,
        place: &mut StreamPosition,
        waiting: &mut Awaited,
    ) -> Result<(), ExchangeError> {
        let mut events = Events::new(http::Response::<reqwest::Body>::from(response).into_body());
        while let Some(event) = events.next().await {
            let Sse { event: kind, data, id, retry } = event?;
            if let Some(id) = id {
                // An empty one takes the place back.
                place.id = Some(id).filter(|id| !id.is_empty());
            }
            if let Some(retry) = retry {
                place.retry = Some(Duration::from_millis(retry).min(MAX_RETRY_DELAY));
            }
            let data = data.unwrap_or_default();
            let is_message = kind.as_deref().is_none_or(|kind| kind.is_empty() || kind == "message");
            if !is_message || data.trim().is_empty() {
                continue;
            }
            match Message::read(data.into_bytes()) {
                Ok(message) => self.deliver(message, waiting).await,
                Err(unreadable) => {
                    if let Some(id) = unreadable.id.clone().filter(|id| waiting.ids.contains(id)) {
                        waiting.ids.retain(|waits| *waits != id);
                        let why = format!("the server's answer cannot be read: {}", unreadable.reason);
                        let error = Message::error(Some(&id), TRANSPORT_ERROR, &why);
                        let _ = self.incoming.send(Incoming::Message(error)).await;
                    }
                    let _ = self.incoming.send(Incoming::Invalid(unreadable)).await;
                }
            }
        }
        Ok(())
    }
}
