//! A stream as the body of an answer.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::time::{Instant, Interval, interval_at};

use super::{First, Streams};
use crate::http::sse;

/// How often a connection shows that it lives. Programs between give up after half a minute.
const ALIVE_EVERY: Duration = Duration::from_secs(15);

/// When a client whose connection broke should come back.
const RETRY: Duration = Duration::from_secs(1);

/// An event up to this size is one piece.
const SMALL: usize = 16 << 10;

/// Who reads a stream. When it is dropped, the client is gone.
#[derive(Debug)]
pub(in crate::http) struct Reader {
    streams: Arc<Streams>,
    stream: u64,
    reader: u64,
    pieces: VecDeque<Bytes>,
    alive: Interval,
}

impl Reader {
    pub(super) fn new(streams: Arc<Streams>, stream: u64, reader: u64) -> Self {
        let alive = interval_at(Instant::now() + ALIVE_EVERY, ALIVE_EVERY);
        Reader { streams, stream, reader, pieces: VecDeque::new(), alive }
    }

    /// What there is first.
    pub(in crate::http) async fn first(&self) -> First {
        std::future::poll_fn(|cx| self.streams.poll_first(self.stream, cx)).await
    }

    /// Tells the client where it is before anything else, so that it can come back from the beginning.
    pub(in crate::http) fn primed(mut self) -> Self {
        if let Some(place) = self.streams.begin(self.stream) {
            self.pieces.push_back(sse::priming(&place.to_string(), RETRY));
        }
        self
    }
}

impl Body for Reader {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let reader = &mut *self;
        if reader.pieces.is_empty() {
            match reader.streams.poll_event(reader.stream, reader.reader, cx) {
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Ready(Some((place, bytes))) => {
                    let pieces = sse::event(&place.to_string(), &bytes);
                    match bytes.len() {
                        ..=SMALL => reader.pieces.push_back(pieces.concat().into()),
                        _ => reader.pieces.extend(pieces),
                    }
                    reader.alive.reset();
                }
                Poll::Pending => {
                    if reader.alive.poll_tick(cx).is_pending() {
                        return Poll::Pending;
                    }
                    reader.pieces.push_back(sse::ALIVE);
                }
            }
        }
        Poll::Ready(reader.pieces.pop_front().map(|piece| Ok(Frame::data(piece))))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.streams.leave(self.stream, self.reader);
    }
}
