//! Server-sent events: those that a server sends are read, and ours are written. Not here: what they bring.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use http_body::{Body, Frame};
use sse_stream::{Sse, SseStream};
use tokio::time::{Instant, Interval, interval_at};

use super::MAX_MESSAGE_BYTES;

/// Reads the events of a body.
pub(super) struct Events<B: Body<Data = Bytes> + Unpin>(Pin<Box<SseStream<Bounded<B>>>>);

impl<B> Events<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    pub(super) fn new(body: B) -> Self {
        Events(Box::pin(SseStream::new(Bounded { body, since: 0 })))
    }

    /// The next event; `None` at the end, and an error is the end, too.
    pub(super) async fn next(&mut self) -> Option<Result<Sse, sse_stream::Error>> {
        self.0.next().await
    }
}

/// A body that ends with an error where an event gets longer than a message may be: the reader keeps what it has of one.
struct Bounded<B> {
    body: B,
    /// The amount that came since the last event was whole.
    since: usize,
}

#[derive(Debug, thiserror::Error)]
enum Broken<E> {
    #[error("an event is longer than {} MiB", MAX_MESSAGE_BYTES >> 20)]
    TooLong,
    #[error("{0}")]
    Body(E),
}

impl<B: Body<Data = Bytes> + Unpin> Body for Bounded<B> {
    type Data = Bytes;
    type Error = Broken<B::Error>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
            None => return Poll::Ready(None),
            Some(Err(error)) => return Poll::Ready(Some(Err(Broken::Body(error)))),
            Some(Ok(frame)) => frame,
        };
        if let Some(data) = frame.data_ref() {
            self.since = match last_blank_line(data) {
                Some(end) => data.len() - end,
                None => self.since + data.len(),
            };
            // The overhead around a message in an event is small.
            if self.since > MAX_MESSAGE_BYTES + 4096 {
                return Poll::Ready(Some(Err(Broken::TooLong)));
            }
        }
        Poll::Ready(Some(Ok(frame)))
    }
}

/// Returns where the last blank line ends, behind which a new event begins. One that two pieces share is not seen,
/// which only counts too much.
fn last_blank_line(data: &[u8]) -> Option<usize> {
    let ends = |pair: &[u8]| matches!(pair, [b'\n', b'\n' | b'\r'] | [b'\r', b'\r']);
    data.windows(2).rposition(ends).map(|at| at + 2)
}

/// A message as an event, in pieces: what it brings is not copied.
fn event(id: Option<&str>, data: &Bytes) -> [Bytes; 3] {
    let head = match id {
        Some(id) => format!("id: {id}\nevent: message\ndata: ").into(),
        None => Bytes::from_static(b"event: message\ndata: "),
    };
    [head, data.clone(), Bytes::from_static(b"\n\n")]
}

/// An event without a message, which gives the client a place to come back to.
pub(super) fn priming(id: &str, retry: Duration) -> Bytes {
    format!("id: {id}\nretry: {}\ndata: \n\n", retry.as_millis()).into()
}

/// Keeps a connection from looking dead.
const KEEP_ALIVE: Bytes = Bytes::from_static(b": alive\n\n");

/// The time after which a connection shows again that it lives. Programs between give up after half a minute.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// An event up to this size is one piece.
const MAX_SINGLE_PIECE_BYTES: usize = 16 << 10;

/// The pieces of a stream that is written: events, and where there are none a sign of life.
#[derive(Debug)]
pub(super) struct Pieces {
    pieces: VecDeque<Bytes>,
    alive: Interval,
}

impl Pieces {
    pub(super) fn new() -> Self {
        let alive = interval_at(Instant::now() + KEEP_ALIVE_INTERVAL, KEEP_ALIVE_INTERVAL);
        Pieces { pieces: VecDeque::new(), alive }
    }

    /// Puts a message behind what is there, with a place to come back to if there is one.
    pub(super) fn put(&mut self, id: Option<&str>, data: &Bytes) {
        let pieces = event(id, data);
        match data.len() {
            ..=MAX_SINGLE_PIECE_BYTES => self.pieces.push_back(pieces.concat().into()),
            _ => self.pieces.extend(pieces),
        }
        self.alive.reset();
    }

    /// Puts something that is written already.
    pub(super) fn put_written(&mut self, piece: Bytes) {
        self.pieces.push_back(piece);
    }

    pub(super) fn next(&mut self) -> Option<Bytes> {
        self.pieces.pop_front()
    }

    /// Returns what to write where nothing else is to be written.
    pub(super) fn poll_alive(&mut self, cx: &mut Context<'_>) -> Poll<Bytes> {
        self.alive.poll_tick(cx).map(|_| KEEP_ALIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body in pieces.
    struct Cut(VecDeque<Bytes>);

    impl Body for Cut {
        type Data = Bytes;
        type Error = std::io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
            Poll::Ready(self.0.pop_front().map(|piece| Ok(Frame::data(piece))))
        }
    }

    async fn read(pieces: &[&str]) -> Vec<String> {
        let pieces = pieces.iter().map(|piece| Bytes::from(piece.as_bytes().to_vec())).collect();
        let mut events = Events::new(Cut(pieces));
        let mut found = Vec::new();
        while let Some(event) = events.next().await {
            found.push(match event {
                Ok(Sse { event, data, id, retry }) => format!("{event:?} {data:?} {id:?} {retry:?}"),
                Err(error) => error.to_string(),
            });
        }
        found
    }

    #[tokio::test]
    async fn events_are_read_however_they_are_cut() {
        let all = "id: 1\r\nevent: message\ndata: {\"a\":\ndata:1}\n\n: alive\n\nid: 2\nretry: 5\ndata:\n\ndata: cut";
        let whole = read(&[all]).await;
        assert_eq!(
            whole,
            [r#"Some("message") Some("{\"a\":\n1}") Some("1") None"#, r#"None Some("") Some("2") Some(5)"#]
        );
        let letters: Vec<&str> = all.split_inclusive(|_: char| true).collect();
        assert_eq!(read(&letters).await, whole);
    }

    #[tokio::test]
    async fn what_we_write_is_read_as_it_was() {
        let data = Bytes::from_static(r#"{"jsonrpc":"2.0", "x":"é \r"}"#.as_bytes());
        let written =
            [event(Some("7-1"), &data), event(None, &data), [priming("7-2", PERIOD), KEEP_ALIVE, KEEP_ALIVE]]
                .concat()
                .concat();
        let read = read(&[std::str::from_utf8(&written).unwrap()]).await;
        let data = std::str::from_utf8(&data).unwrap();
        for (at, id) in [(0, r#"Some("7-1")"#), (1, "None")] {
            assert_eq!(read[at], format!("Some(\"message\") Some({data:?}) {id} None"));
        }
        assert_eq!(read[2..], [r#"None Some("") Some("7-2") Some(1500)"#]);
    }

    const PERIOD: Duration = Duration::from_millis(1500);

    #[tokio::test]
    async fn an_event_without_an_end_is_an_error_and_many_events_are_none() {
        let piece = "x".repeat(1 << 20);
        let mut pieces = vec!["data: "];
        pieces.extend(std::iter::repeat_n(piece.as_str(), (MAX_MESSAGE_BYTES >> 20) + 1));
        assert_eq!(read(&pieces).await, ["body error: an event is longer than 64 MiB"]);
        let line = format!("data: {piece}\n\n");
        assert_eq!(
            read(&vec![line.as_str(); (MAX_MESSAGE_BYTES >> 20) + 2]).await.len(),
            (MAX_MESSAGE_BYTES >> 20) + 2
        );
    }
}
