//! A stream as the body of an answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};

use super::{FirstOutput, Streams};
use crate::http::sse::{self, Pieces};

/// When a client whose connection broke should come back.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The one who reads a stream. When it is dropped, the client is gone.
#[derive(Debug)]
pub(in crate::http) struct Reader {
    streams: Arc<Streams>,
    stream: u64,
    reader: u64,
    pieces: Pieces,
}

impl Reader {
    pub(super) fn new(streams: Arc<Streams>, stream: u64, reader: u64) -> Self {
        Reader { streams, stream, reader, pieces: Pieces::new() }
    }

    /// Returns what there is first.
    pub(in crate::http) async fn read_first(&self) -> FirstOutput {
        std::future::poll_fn(|cx| self.streams.poll_first(self.stream, cx)).await
    }

    /// Tells the client where it is before anything else, so that it can come back from the beginning.
    pub(in crate::http) fn primed(mut self) -> Self {
        if let Some(place) = self.streams.begin(self.stream) {
            self.pieces.put_written(sse::priming(&place.to_string(), RETRY_DELAY));
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
        if let Some(piece) = reader.pieces.next() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        match reader.streams.poll_event(reader.stream, reader.reader, cx) {
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Ready(Some((place, bytes))) => reader.pieces.put(Some(&place.to_string()), &bytes),
            Poll::Pending => return reader.pieces.poll_alive(cx).map(|piece| Some(Ok(Frame::data(piece)))),
        }
        Poll::Ready(reader.pieces.next().map(|piece| Ok(Frame::data(piece))))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.streams.leave(self.stream, self.reader);
    }
}
