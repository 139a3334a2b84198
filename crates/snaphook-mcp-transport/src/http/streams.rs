//! The streams of a session: what the server side says is put on the stream that it belongs to, and kept until it is read, and a
//! while longer for a client that comes back. Not here: HTTP, except for the body that a stream is read as.
//!
//! What is kept has limits everywhere. A stream that is open and not read makes the sender wait; one that is not open loses
//! its oldest.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Notify;

use self::log::{EventId, Log};
use super::{TRANSPORT_ERROR, param};
use crate::message::{Id, Message, MessageKind};

mod log;
pub(super) mod reader;

use self::reader::Reader;

/// The number of requests of a session that may be open.
const MAX_OPEN: usize = 1024;

/// The number of streams for whatever the server says that may be open. The newest gets it all.
const MAX_STANDING: usize = 8;

/// The number of messages that wait for a stream to be opened.
const MAX_QUEUED: usize = 256;
const MAX_QUEUED_BYTES: usize = 4 << 20;

/// The number of messages that were read and are kept for who comes back, of all streams together.
const MAX_KEPT: usize = 512;
const MAX_KEPT_BYTES: usize = 16 << 20;

/// The streams of a session.
#[derive(Debug, Default)]
pub(super) struct Streams {
    inner: Mutex<Inner>,
    /// A reader read, or went away.
    room: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    made: u64,
    streams: BTreeMap<u64, Stream>,
    /// The stream that waits for the answer to a request.
    requests: HashMap<Id, u64>,
    /// The stream that a report of progress belongs to.
    tokens: HashMap<Id, u64>,
    queue: VecDeque<Bytes>,
    queue_bytes: usize,
    /// The messages that were read and are kept, oldest first.
    kept: VecDeque<(u64, u64, usize)>,
    kept_bytes: usize,
    /// A client that opens a stream for what the server says gets it there.
    has_standing: bool,
    is_over: bool,
}

#[derive(Debug)]
struct Stream {
    /// Requests that are not answered; of a standing stream none.
    open: Vec<Id>,
    tokens: Vec<Id>,
    is_standing: bool,
    is_batch: bool,
    /// Nothing more comes.
    is_finished: bool,
    /// The client knows its position, so it can come back.
    is_known: bool,
    log: Log,
    /// The one who reads it.
    reader: Option<u64>,
    waker: Option<Waker>,
}

/// The reason why a request gets no stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StreamError {
    /// The session is over.
    Over,
    /// A request with that id is open.
    Twice(Id),
    /// Too many are.
    TooMany,
    /// Nothing is kept of the stream that the client comes back to.
    Forgotten,
}

/// The first thing on a request's stream.
#[derive(Debug)]
pub(super) enum FirstOutput {
    /// The answer, and nothing else: the stream is gone.
    Whole(Bytes),
    /// Something to be read as a stream.
    Events,
}

impl Streams {
    /// A stream for the answers to a message.
    pub(super) fn requests(self: &Arc<Self>, message: &Message) -> Result<Reader, StreamError> {
        let open = super::requests(message);
        let tokens = tokens(message);
        let mut inner = self.inner.lock();
        if inner.is_over {
            return Err(StreamError::Over);
        }
        let twice = |at: usize, id: &Id| {
            inner.requests.contains_key(id) || open.get(..at).is_some_and(|before| before.contains(id))
        };
        if let Some((_, id)) = open.iter().enumerate().find(|(at, id)| twice(*at, id)) {
            return Err(StreamError::Twice(id.clone()));
        }
        if inner.requests.len() + open.len() > MAX_OPEN {
            return Err(StreamError::TooMany);
        }
        let number = inner.next();
        for id in &open {
            inner.requests.insert(id.clone(), number);
        }
        for token in &tokens {
            inner.tokens.insert(token.clone(), number);
        }
        let is_batch = *message.kind() == MessageKind::Batch;
        let stream = Stream { open, tokens, is_batch, ..Stream::new(number) };
        inner.streams.insert(number, stream);
        if !inner.has_standing {
            inner.unqueue(number);
        }
        drop(inner);
        Ok(Reader::new(Arc::clone(self), number, number))
    }

    /// A stream for whatever the server says; `after` is where the client comes back to one.
    pub(super) fn standing(self: &Arc<Self>, after: Option<&str>) -> Result<Reader, StreamError> {
        let mut inner = self.inner.lock();
        if inner.is_over {
            return Err(StreamError::Over);
        }
        let reader = inner.next();
        let place = after.and_then(EventId::read);
        if let Some(place) = place
            && let Some(stream) = inner.streams.get_mut(&place.stream)
        {
            stream.reader = Some(reader);
            stream.log.go_back(place.number);
            wake(&mut stream.waker);
            if stream.is_standing {
                inner.unqueue(place.stream);
            }
            drop(inner);
            return Ok(Reader::new(Arc::clone(self), place.stream, reader));
        }
        match (after, place) {
            (None, _) => {}
            (Some(_), Some(place)) if place.is_standing => {}
            _ => return Err(StreamError::Forgotten),
        }
        let standing =
            inner.streams.iter().filter(|(_, stream)| stream.is_standing && stream.reader.is_some());
        let standing: Vec<u64> = standing.map(|(number, _)| *number).collect();
        if let [oldest, ..] = standing.as_slice()
            && standing.len() >= MAX_STANDING
            && let Some(stream) = inner.streams.get_mut(oldest)
        {
            stream.reader = None;
            wake(&mut stream.waker);
        }
        inner.has_standing = true;
        inner.streams.insert(reader, Stream { is_standing: true, ..Stream::new(reader) });
        inner.unqueue(reader);
        drop(inner);
        Ok(Reader::new(Arc::clone(self), reader, reader))
    }

    /// Puts what the server side says where it belongs, and waits while there is no room. Gives back the request that could not
    /// be put anywhere.
    pub(super) async fn deliver_message(&self, message: &Message) -> Option<Id> {
        if *message.kind() == MessageKind::Batch {
            for part in message.parts().iter().flatten() {
                // Answers only: a request within a batch gets no word of its own.
                let _ = self.deliver_one(part).await;
            }
            return None;
        }
        self.deliver_one(message).await
    }

    async fn deliver_one(&self, message: &Message) -> Option<Id> {
        loop {
            match self.inner.lock().put(message) {
                Put::Done => return None,
                Put::Refused => break,
                Put::Full => {}
            }
            self.room.notified().await;
        }
        tracing::warn!("a message of the server is dropped: the client has no stream open for it");
        match message.kind() {
            MessageKind::Request { id, .. } => Some(id.clone()),
            _ => None,
        }
    }

    /// Ends all streams. Requests that are open get an error.
    pub(super) fn end(&self, why: &str) {
        let mut inner = self.inner.lock();
        inner.is_over = true;
        inner.queue.clear();
        inner.requests.clear();
        inner.tokens.clear();
        for stream in inner.streams.values_mut() {
            for id in std::mem::take(&mut stream.open) {
                stream.log.push(Message::error(Some(&id), TRANSPORT_ERROR, why).bytes().clone());
            }
            stream.is_finished = true;
            wake(&mut stream.waker);
        }
        drop(inner);
        self.room.notify_one();
    }

    /// Returns whether a request is open, or a reader is there.
    pub(super) fn is_busy(&self) -> bool {
        let inner = self.inner.lock();
        !inner.requests.is_empty() || inner.streams.values().any(|stream| stream.reader.is_some())
    }
}

enum Put {
    Done,
    /// There is no room now.
    Full,
    /// There is no place for it.
    Refused,
}

impl Inner {
    fn next(&mut self) -> u64 {
        self.made += 1;
        self.made
    }

    fn put(&mut self, message: &Message) -> Put {
        if self.is_over {
            return Put::Done;
        }
        let target = match message.kind() {
            MessageKind::Response { id: Some(id), .. } => match self.requests.get(id) {
                Some(number) => Some(*number),
                None => {
                    tracing::debug!("dropped an answer to no open request");
                    return Put::Done;
                }
            },
            MessageKind::Notification { method } if **method == *"notifications/progress" => {
                let token = param(message, &["progressToken"]).and_then(|token| Id::read(&token));
                token.and_then(|token| self.tokens.get(&token).copied()).or_else(|| self.newest())
            }
            _ => self.newest(),
        };
        let Some((number, stream)) = target.and_then(|number| Some((number, self.streams.get_mut(&number)?)))
        else {
            return self.enqueue(message.bytes());
        };
        if stream.log.is_full() {
            if stream.reader.is_some() {
                return Put::Full;
            }
            stream.log.drop_oldest();
        }
        stream.log.push(message.bytes().clone());
        if let MessageKind::Response { id: Some(id), .. } = message.kind() {
            stream.open.retain(|open| open != id);
            stream.is_finished = stream.open.is_empty();
            self.requests.remove(id);
        }
        wake(&mut stream.waker);
        if stream.is_finished {
            for token in std::mem::take(&mut stream.tokens) {
                self.tokens.remove(&token);
            }
        }
        self.release_if_unread(number);
        Put::Done
    }

    /// The stream that a message belongs to that says nothing about it.
    fn newest(&self) -> Option<u64> {
        let read = || self.streams.iter().rev().filter(|(_, stream)| stream.reader.is_some());
        let open = read().find(|(_, stream)| !stream.open.is_empty());
        open.or_else(|| read().find(|(_, stream)| stream.is_standing)).map(|(number, _)| *number)
    }

    fn enqueue(&mut self, bytes: &Bytes) -> Put {
        if self.queue.len() >= MAX_QUEUED || self.queue_bytes + bytes.len() > MAX_QUEUED_BYTES {
            return Put::Refused;
        }
        self.queue_bytes += bytes.len();
        self.queue.push_back(bytes.clone());
        Put::Done
    }

    fn unqueue(&mut self, number: u64) {
        if let Some(stream) = self.streams.get_mut(&number) {
            self.queue_bytes = 0;
            self.queue.drain(..).for_each(|bytes| stream.log.push(bytes));
            wake(&mut stream.waker);
        }
    }

    /// Releases a stream without a reader, as far as no client can come back to it.
    fn release_if_unread(&mut self, number: u64) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        if stream.reader.is_some() {
            return;
        }
        if !stream.is_known {
            stream.log.clear();
        } else if stream.is_standing {
            // The next stream gets it.
            let unread = stream.log.take_unread();
            for bytes in unread {
                if let Put::Refused = self.enqueue(&bytes) {
                    tracing::warn!("a message of the server is dropped: the client does not read");
                }
            }
        } else if stream.is_finished {
            for (at, size) in stream.log.keep_all() {
                self.keep(number, at, size);
            }
        }
        let is_done = |stream: &Stream| (stream.is_finished || stream.is_standing) && stream.log.is_empty();
        if self.streams.get(&number).is_some_and(is_done) {
            self.streams.remove(&number);
        }
    }

    /// Notes that an event was read; the oldest of those that were is let go.
    fn keep(&mut self, number: u64, at: u64, size: usize) {
        self.kept.push_back((number, at, size));
        self.kept_bytes += size;
        while self.kept.len() > MAX_KEPT || self.kept_bytes > MAX_KEPT_BYTES {
            let Some((number, at, size)) = self.kept.pop_front() else { return };
            self.kept_bytes -= size;
            if let Some(stream) = self.streams.get_mut(&number) {
                stream.log.forget(at);
                let is_left = stream.reader.is_none() && (stream.is_finished || stream.is_standing);
                if is_left && stream.log.is_empty() {
                    self.streams.remove(&number);
                }
            }
        }
    }
}

impl Stream {
    fn new(number: u64) -> Self {
        Stream {
            open: Vec::new(),
            tokens: Vec::new(),
            is_standing: false,
            is_batch: false,
            is_finished: false,
            is_known: false,
            log: Log::default(),
            reader: Some(number),
            waker: None,
        }
    }
}

impl Streams {
    /// Returns what a request's stream has first, for who has it.
    fn poll_first(&self, number: u64, cx: &Context<'_>) -> Poll<FirstOutput> {
        let mut inner = self.inner.lock();
        let Some(stream) = inner.streams.get_mut(&number) else { return Poll::Ready(FirstOutput::Events) };
        if stream.log.is_empty() {
            stream.waker = Some(cx.waker().clone());
            return Poll::Pending;
        }
        match stream.log.only().filter(|_| stream.is_finished && !stream.is_batch) {
            Some(bytes) => {
                inner.streams.remove(&number);
                Poll::Ready(FirstOutput::Whole(bytes))
            }
            None => Poll::Ready(FirstOutput::Events),
        }
    }

    /// The next event for this reader, with its place; `None` at the end.
    fn poll_event(&self, number: u64, reader: u64, cx: &Context<'_>) -> Poll<Option<(EventId, Bytes)>> {
        let mut inner = self.inner.lock();
        let Some(stream) = inner.streams.get_mut(&number).filter(|stream| stream.reader == Some(reader))
        else {
            return Poll::Ready(None);
        };
        let Some((at, bytes, is_first_time)) = stream.log.read() else {
            if stream.is_finished {
                return Poll::Ready(None);
            }
            stream.waker = Some(cx.waker().clone());
            return Poll::Pending;
        };
        stream.is_known = true;
        let place = EventId { is_standing: stream.is_standing, stream: number, number: at };
        if is_first_time {
            inner.keep(number, at, bytes.len());
        }
        drop(inner);
        self.room.notify_one();
        Poll::Ready(Some((place, bytes)))
    }

    /// The position before the first event, which the client gets first.
    fn begin(&self, number: u64) -> Option<EventId> {
        let mut inner = self.inner.lock();
        let stream = inner.streams.get_mut(&number)?;
        if stream.is_known {
            return None;
        }
        stream.is_known = true;
        Some(EventId { is_standing: stream.is_standing, stream: number, number: 0 })
    }

    /// A reader goes.
    fn leave(&self, number: u64, reader: u64) {
        let mut inner = self.inner.lock();
        if let Some(stream) = inner.streams.get_mut(&number)
            && stream.reader == Some(reader)
        {
            stream.reader = None;
            stream.waker = None;
            inner.release_if_unread(number);
        }
        drop(inner);
        self.room.notify_one();
    }
}

fn wake(waker: &mut Option<Waker>) {
    if let Some(waker) = waker.take() {
        waker.wake();
    }
}

/// Returns what the requests of a message name their progress.
fn tokens(message: &Message) -> Vec<Id> {
    match message.kind() {
        MessageKind::Request { .. } => {
            let token = param(message, &["_meta", "progressToken"]).and_then(|token| Id::read(&token));
            token.into_iter().collect()
        }
        MessageKind::Batch => message.parts().iter().flatten().flat_map(tokens).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
