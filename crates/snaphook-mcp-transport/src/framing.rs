//! Messages on a pair of byte streams, one a line, as on stdio. Not here: where the streams come
//! from, and what is done with messages.

use std::io::{self, IoSlice};

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::message::{InvalidMessage, Message};
use crate::transport::{Incoming, Transport, TransportDriver, channel};

/// The longest message, in bytes. What is longer is read to its end, thrown away and reported.
pub const MAX_FRAME_BYTES: usize = 64 << 20;

/// The amount that is read at once: what a Linux pipe holds.
const READ_BYTES: usize = 64 << 10;

/// When less room than this is left, there is new room: messages of before may still hold the old one.
const MIN_ROOM_BYTES: usize = 4 << 10;

/// The amount of the two ends of a too long message that is kept, to find its id in.
const KEPT_END_BYTES: usize = 4 << 10;

/// The number of messages that are written with one call of the system.
const MAX_WRITE_BATCH: usize = 32;

/// A side that is carried by two streams.
#[derive(Debug)]
pub struct Framed {
    /// The side.
    pub transport: Transport,
    /// Ends when everything that was sent is written and the writing stream is closed, or the peer is gone.
    pub written: JoinHandle<()>,
}

/// Carries messages on these streams until they end or the transport is dropped. Has to be called on a tokio runtime.
pub fn framed(
    from: impl AsyncRead + Send + Unpin + 'static,
    to: impl AsyncWrite + Send + Unpin + 'static,
    most: usize,
) -> Framed {
    let (transport, TransportDriver { incoming, outgoing }) = channel();
    tokio::spawn(async move {
        if let Err(error) = read(from, &incoming, most).await {
            tracing::debug!(target: "snaphook::mcp", "failed to read: {error}");
        }
    });
    let written = tokio::spawn(async move {
        if let Err(error) = write(to, outgoing).await {
            tracing::debug!(target: "snaphook::mcp", "failed to write: {error}");
        }
    });
    Framed { transport, written }
}

async fn read(mut from: impl AsyncRead + Unpin, to: &mpsc::Sender<Incoming>, most: usize) -> io::Result<()> {
    let mut buffer = BytesMut::with_capacity(READ_BYTES);
    let mut searched = 0;
    let mut long: Option<TooLong> = None;
    loop {
        while let Some(at) = memchr::memchr(b'\n', buffer.get(searched..).unwrap_or_default()) {
            let frame = buffer.split_to(searched + at + 1).freeze();
            searched = 0;
            if deliver_frame(to, frame, &mut long, most).await.is_err() {
                return Ok(());
            }
        }
        searched = buffer.len();
        if searched > most || long.is_some() {
            long.get_or_insert_default().push(&buffer.split());
            searched = 0;
        }
        if buffer.capacity() - buffer.len() < MIN_ROOM_BYTES {
            buffer.reserve(READ_BYTES);
        }
        let got = tokio::select! {
            got = from.read_buf(&mut buffer) => got?,
            () = to.closed() => return Ok(()),
        };
        if got == 0 {
            let rest = buffer.split().freeze();
            let _ = deliver_frame(to, rest, &mut long, most).await;
            return Ok(());
        }
    }
}

/// Hands a line over, if there is anything in it.
async fn deliver_frame(
    to: &mpsc::Sender<Incoming>,
    frame: Bytes,
    long: &mut Option<TooLong>,
    most: usize,
) -> Result<(), ()> {
    let incoming = match long.take() {
        Some(mut long) => {
            long.push(&frame);
            Incoming::Invalid(long.unreadable(most))
        }
        None if frame.len() > most.saturating_add(1) => {
            let mut long = TooLong::default();
            long.push(&frame);
            Incoming::Invalid(long.unreadable(most))
        }
        None if frame.trim_ascii().is_empty() => return Ok(()),
        None => match Message::read(frame) {
            Ok(message) => Incoming::Message(message),
            Err(unreadable) => Incoming::Invalid(unreadable),
        },
    };
    to.send(incoming).await.map_err(|_| ())
}

/// The two ends of a message that is too long.
#[derive(Debug, Default)]
struct TooLong {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl TooLong {
    fn push(&mut self, bytes: &[u8]) {
        let room = KEPT_END_BYTES - self.head.len();
        self.head.extend(bytes.iter().take(room));
        if let Some(last) = bytes.len().checked_sub(KEPT_END_BYTES) {
            self.tail.clear();
            self.tail.extend(bytes.iter().skip(last));
        } else {
            self.tail.extend(bytes);
            let over = self.tail.len().saturating_sub(KEPT_END_BYTES);
            self.tail.drain(..over);
        }
    }

    fn unreadable(&self, most: usize) -> InvalidMessage {
        InvalidMessage::too_long(&self.head, &self.tail, most)
    }
}

async fn write(mut to: impl AsyncWrite + Unpin, mut from: mpsc::Receiver<Message>) -> io::Result<()> {
    let mut messages = Vec::with_capacity(MAX_WRITE_BATCH);
    while from.recv_many(&mut messages, MAX_WRITE_BATCH).await > 0 {
        let mut slices: Vec<IoSlice<'_>> = Vec::with_capacity(messages.len() * 2);
        for message in &messages {
            slices.push(IoSlice::new(message.bytes()));
            slices.push(IoSlice::new(b"\n"));
        }
        let mut left: &mut [IoSlice<'_>] = &mut slices;
        while !left.is_empty() {
            match to.write_vectored(left).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                count => IoSlice::advance_slices(&mut left, count),
            }
        }
        to.flush().await?;
        messages.clear();
    }
    to.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what comes out of these bytes, however they are torn.
    async fn frames(bytes: &[u8], torn_at: usize, most: usize) -> Vec<String> {
        let (ours, mut theirs) = tokio::io::duplex(64);
        let (to, mut got) = mpsc::channel(1);
        let reading = async move { read(ours, &to, most).await };
        let (first, second) = bytes.split_at(torn_at.min(bytes.len()));
        let writing = async move {
            theirs.write_all(first).await.unwrap();
            tokio::task::yield_now().await;
            theirs.write_all(second).await.unwrap();
        };
        let collecting = async {
            let mut all = Vec::new();
            while let Some(incoming) = got.recv().await {
                all.push(match incoming {
                    Incoming::Message(message) => String::from_utf8(message.bytes().to_vec()).unwrap(),
                    Incoming::Invalid(error) => {
                        format!("{} {}", error.id.map_or("-".to_owned(), |id| id.to_string()), error.reason)
                    }
                });
            }
            all
        };
        let (read, (), all) = tokio::join!(reading, writing, collecting);
        read.unwrap();
        all
    }

    #[tokio::test]
    async fn a_line_is_a_message_however_it_is_torn() {
        let one = r#"{"jsonrpc":"2.0","method":"a"}"#;
        let text = format!("{one}\r\n\n  \n{one}\n{one}");
        for torn_at in 0..text.len() {
            assert_eq!(frames(text.as_bytes(), torn_at, 100).await, [one, one, one], "{torn_at}");
        }
    }

    #[tokio::test]
    async fn what_is_too_long_is_reported_with_its_id_and_the_next_is_read() {
        let next = r#"{"jsonrpc":"2.0","method":"a"}"#;
        let big = "x".repeat(20_000);
        for (long, id) in [
            (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"a":"{big}"}}}}"#), "7"),
            (format!(r#"{{"result":{{"id":3,"a":"{big}"}},"jsonrpc":"2.0","id":"x"}}"#), "\"x\""),
            (format!(r#"{{"method":"a","params":{{"a":"{big}","id":3}}}}"#), "-"),
            (format!(r#"{{"result":"{big}","id":7"#), "-"),
            (big.clone(), "-"),
        ] {
            for torn_at in [0, 1, 50, long.len(), long.len() + 1] {
                let got = frames(format!("{long}\n{next}\n").as_bytes(), torn_at, 100).await;
                assert_eq!(got, [format!("{id} it is longer than 100 bytes"), next.to_owned()], "{torn_at}");
            }
        }
        let exact = format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "m".repeat(71));
        assert_eq!(exact.len(), 100);
        assert_eq!(frames(format!("{exact}\n").as_bytes(), 3, 100).await, [exact.as_str()]);
        assert_eq!(frames(format!("{exact}\n").as_bytes(), 3, 99).await, ["- it is longer than 99 bytes"]);
    }
}
