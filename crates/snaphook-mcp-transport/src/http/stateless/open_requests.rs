//! The open requests without a session, each with its messages until its client has read them. Clients do not wait for
//! each other: one that does not read loses its own progress, or its own subscription, and does not hold up others.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::StatusCode;
use http_body::{Body, Frame};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::renumber::{OriginalRequest, Relation, relation, restored};
use crate::http::TRANSPORT_ERROR;
use crate::http::params::Params;
use crate::http::sse::Pieces;
use crate::message::{Id, Message, MessageKind};

/// The number of requests that may be open.
const MAX_OPEN: usize = 1024;

/// The number of messages to a request that its client may not have read. One message may always be, and the answer.
const MAX_UNREAD: usize = 256;
const MAX_UNREAD_BYTES: usize = 1 << 20;

/// The error of a server that asks something of clients that take no requests.
const METHOD_NOT_FOUND: i64 = -32601;

/// The open requests of a server.
#[derive(Debug)]
pub(super) struct OpenRequests {
    inner: Mutex<Inner>,
    room: Arc<Semaphore>,
    back: mpsc::UnboundedSender<ToServer>,
    /// The header fields that tools ask for.
    pub(super) params: Mutex<Params>,
}

#[derive(Debug, Default)]
struct Inner {
    requests: HashMap<u64, Request>,
    is_over: bool,
}

#[derive(Debug)]
struct Request {
    asked: Arc<OriginalRequest>,
    /// The server has it, so it gets a cancellation when its client is gone.
    is_sent: bool,
    said: mpsc::UnboundedSender<Delivery>,
    unread: Arc<Unread>,
    room: OwnedSemaphorePermit,
}

/// The messages that wait to be read.
#[derive(Debug, Default)]
struct Unread {
    messages: AtomicUsize,
    bytes: AtomicUsize,
}

#[derive(Debug)]
enum Delivery {
    Note(Bytes),
    Answer(StatusCode, Bytes),
}

/// The message that has to reach the server, and the room that it takes until then.
#[derive(Debug)]
pub(super) struct ToServer(pub(super) Message, pub(super) OwnedSemaphorePermit);

/// The reason why a request is not taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BeginError {
    /// The server is gone.
    Over,
    /// Too many are open.
    TooMany,
}

impl OpenRequests {
    /// No requests, and the messages for the server about them.
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<ToServer>) {
        let (back, told) = mpsc::unbounded_channel();
        let room = Arc::new(Semaphore::new(MAX_OPEN));
        (OpenRequests { inner: Mutex::default(), room, back, params: Mutex::default() }, told)
    }

    /// Notes a request, which is open as long as its reader is there and it is not answered.
    pub(super) fn begin(self: &Arc<Self>, number: u64, asked: OriginalRequest) -> Result<Reader, BeginError> {
        let room = Arc::clone(&self.room).try_acquire_owned().map_err(|_| BeginError::TooMany)?;
        let (said, hears) = mpsc::unbounded_channel();
        let unread: Arc<Unread> = Arc::default();
        let mut inner = self.inner.lock();
        if inner.is_over {
            return Err(BeginError::Over);
        }
        let request =
            Request { asked: Arc::new(asked), is_sent: false, said, unread: Arc::clone(&unread), room };
        inner.requests.insert(number, request);
        drop(inner);
        let pieces = Pieces::new();
        Ok(Reader { open: Arc::clone(self), number, said: hears, unread, pieces, is_done: false })
    }

    /// Notes that the server has it now, or will have it before anything that is said of it later.
    pub(super) fn is_sent(&self, number: u64) {
        if let Some(request) = self.inner.lock().requests.get_mut(&number) {
            request.is_sent = true;
        }
    }

    /// Passes a message of the server to the client of its request. Messages of no request are dropped.
    pub(super) fn tell(&self, message: &Message) {
        if *message.kind() == MessageKind::Batch {
            return message.parts().iter().flatten().for_each(|part| self.tell(part));
        }
        if let MessageKind::Request { id, method } = message.kind() {
            return self.refuse(id, method);
        }
        let told =
            relation(message).and_then(|(number, what)| Some((number, what, self.original_request(number)?)));
        let Some((number, what, asked)) = told else {
            tracing::debug!("dropped a message of the server for no open request");
            return;
        };
        match (what, restored(message, what, &asked)) {
            (Relation::Answer, Ok(bytes)) => {
                if let Some(list) = message.result_text().filter(|_| asked.lists) {
                    self.params.lock().note(list.get());
                }
                self.answer(number, status(message), bytes);
            }
            (Relation::Answer, Err(why)) => {
                let text = format!("the server's answer cannot be read: {why}");
                let error = Message::error(Some(&asked.id), TRANSPORT_ERROR, &text);
                self.answer(number, StatusCode::OK, error.bytes().clone());
            }
            (Relation::End, Ok(_)) => drop(self.remove(number)),
            (Relation::Progress | Relation::Subscription, Ok(bytes)) => self.note(number, bytes),
            (_, Err(why)) => tracing::debug!("dropped a message of the server for a request: {why}"),
        }
    }

    fn original_request(&self, number: u64) -> Option<Arc<OriginalRequest>> {
        self.inner.lock().requests.get(&number).map(|request| Arc::clone(&request.asked))
    }

    fn remove(&self, number: u64) -> Option<Request> {
        self.inner.lock().requests.remove(&number)
    }

    fn answer(&self, number: u64, status: StatusCode, bytes: Bytes) {
        if let Some(request) = self.remove(number) {
            // A client that no longer reads needs nothing.
            let _ = request.said.send(Delivery::Answer(status, bytes));
        }
    }

    fn note(&self, number: u64, bytes: Bytes) {
        let inner = self.inner.lock();
        let Some(request) = inner.requests.get(&number) else { return };
        let (messages, length) = (&request.unread.messages, &request.unread.bytes);
        let waiting = messages.load(Ordering::Relaxed);
        let is_full = waiting >= MAX_UNREAD
            || (waiting > 0 && length.load(Ordering::Relaxed) + bytes.len() > MAX_UNREAD_BYTES);
        if !is_full {
            messages.fetch_add(1, Ordering::Relaxed);
            length.fetch_add(bytes.len(), Ordering::Relaxed);
            let _ = request.said.send(Delivery::Note(bytes));
            return;
        }
        let listens = request.asked.listens;
        drop(inner);
        if listens {
            // It would miss a change, and believe that there was none. So it ends, as in the protocol's SDKs.
            tracing::warn!("a subscription ends: the client does not read");
            self.take_back(number);
        } else {
            tracing::warn!("a report of progress is dropped: the client does not read");
        }
    }

    /// Ends a request whose client is gone. The server gets a cancellation if it has the request.
    fn take_back(&self, number: u64) {
        let Some(request) = self.remove(number).filter(|request| request.is_sent) else { return };
        let params = json!({ "requestId": number, "reason": "the client is gone" });
        // If the server is gone, too, there is nothing to cancel.
        let _ =
            self.back.send(ToServer(Message::notification("notifications/cancelled", &params), request.room));
    }

    /// The protocol has no requests of servers any more, and there is no client to ask.
    fn refuse(&self, id: &Id, method: &str) {
        tracing::warn!("the server asks `{method}` of clients that take no requests");
        if let Ok(room) = Arc::clone(&self.room).try_acquire_owned() {
            let error =
                Message::error(Some(id), METHOD_NOT_FOUND, "clients of this protocol take no requests");
            let _ = self.back.send(ToServer(error, room));
        }
    }

    /// The server is gone, or has to be: requests that are open get an error.
    pub(super) fn end(&self, why: &str) {
        let mut inner = self.inner.lock();
        inner.is_over = true;
        for (_, Request { asked, said, .. }) in inner.requests.drain() {
            let error = Message::error(Some(&asked.id), TRANSPORT_ERROR, why);
            let _ = said.send(Delivery::Answer(StatusCode::OK, error.bytes().clone()));
        }
    }

    /// Returns whether a request is open.
    pub(super) fn is_busy(&self) -> bool {
        !self.inner.lock().requests.is_empty()
    }
}

/// The status of an answer that is a document. The protocol names one for these errors, wherever they come from.
fn status(answer: &Message) -> StatusCode {
    #[derive(Deserialize)]
    struct Code {
        code: i64,
    }
    let error = answer.error_text().and_then(|error| serde_json::from_str::<Code>(error.get()).ok());
    match error.map(|error| error.code) {
        Some(METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        // No JSON, no request; header fields, something that the client cannot do, a version.
        Some(-32700 | -32600 | -32022..=-32020) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// The reader of a request's messages, as the body of an answer. When it is dropped the client is gone, and
/// that takes back what it asked for: so the protocol says, under "Cancellation".
#[derive(Debug)]
pub(in crate::http) struct Reader {
    open: Arc<OpenRequests>,
    pub(super) number: u64,
    said: mpsc::UnboundedReceiver<Delivery>,
    unread: Arc<Unread>,
    pieces: Pieces,
    is_done: bool,
}

impl Reader {
    /// The answer, if it comes before anything else. Otherwise what comes is there to be read.
    pub(super) async fn whole(&mut self) -> Option<(StatusCode, Bytes)> {
        match self.said.recv().await {
            Some(Delivery::Answer(status, bytes)) => return Some((status, bytes)),
            said => self.take(said),
        }
        None
    }

    fn take(&mut self, said: Option<Delivery>) {
        match said {
            None => self.is_done = true,
            Some(Delivery::Note(bytes)) => {
                self.unread.messages.fetch_sub(1, Ordering::Relaxed);
                self.unread.bytes.fetch_sub(bytes.len(), Ordering::Relaxed);
                self.pieces.put(None, &bytes);
            }
            Some(Delivery::Answer(_, bytes)) => {
                self.pieces.put(None, &bytes);
                self.is_done = true;
            }
        }
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
        loop {
            if let Some(piece) = reader.pieces.next() {
                return Poll::Ready(Some(Ok(Frame::data(piece))));
            }
            if reader.is_done {
                return Poll::Ready(None);
            }
            match reader.said.poll_recv(cx) {
                Poll::Ready(said) => reader.take(said),
                Poll::Pending => {
                    let alive = ready!(reader.pieces.poll_alive(cx));
                    return Poll::Ready(Some(Ok(Frame::data(alive))));
                }
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.open.take_back(self.number);
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::super::renumber::renumbered;
    use super::*;

    #[tokio::test]
    async fn what_nobody_reads_waits_up_to_a_limit_and_an_answer_always() {
        let meta = r#"{"io.modelcontextprotocol/subscriptionId":1}"#;
        for (method, note) in [
            ("tools/call", r#""method":"notifications/progress","params":{"progressToken":1,"#.to_owned()),
            ("subscriptions/listen", format!(r#""method":"notifications/x","params":{{"_meta":{meta},"#)),
        ] {
            for (size, most) in [(0, MAX_UNREAD), (MAX_UNREAD_BYTES / 4, 3), (2 * MAX_UNREAD_BYTES, 1)] {
                let (open, mut back) = OpenRequests::new();
                let open = Arc::new(open);
                let meta = r#"{"progressToken":"t"}"#;
                let text =
                    format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{"_meta":{meta}}}}}"#);
                let (_, asked) = renumbered(&Message::read(text.into_bytes()).unwrap(), 1).unwrap();
                let mut reader = open.begin(1, asked).unwrap();
                open.is_sent(1);
                let note = format!(r#"{{"jsonrpc":"2.0",{note}"x":"{}"}}}}"#, "x".repeat(size));
                let note = Message::read(note.into_bytes()).unwrap();
                (0..most).for_each(|_| open.tell(&note));
                assert!(back.try_recv().is_err() && open.is_busy(), "{method} {size}");
                (0..most).for_each(|_| open.tell(&note));
                let listens = method == "subscriptions/listen";
                assert_eq!((back.try_recv().is_ok(), open.is_busy()), (listens, !listens), "{method} {size}");
                let answer = Message::read(&br#"{"jsonrpc":"2.0","id":1,"result":1}"#[..]).unwrap();
                open.tell(&answer);
                let mut read = String::new();
                while let Some(frame) = reader.frame().await {
                    read.push_str(std::str::from_utf8(&frame.unwrap().into_data().unwrap()).unwrap());
                }
                assert_eq!(read.matches("notifications/").count(), most, "{method} {size}");
                assert_eq!(read.contains(r#""id":7,"result":1"#), !listens, "{method} {size}");
            }
        }
    }

    #[tokio::test]
    async fn there_are_only_so_many_requests_until_they_are_answered_or_taken_back() {
        let (open, mut back) = OpenRequests::new();
        let open = Arc::new(open);
        let begin = |number: u64| {
            let text = br#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{}}}"#;
            let (_, asked) = renumbered(&Message::read(text.to_vec()).unwrap(), number).unwrap();
            let reader = open.begin(number, asked);
            open.is_sent(number);
            reader
        };
        let mut all: Vec<Reader> = (0..MAX_OPEN as u64).map(|number| begin(number).unwrap()).collect();
        assert_eq!(begin(5000).unwrap_err(), BeginError::TooMany);
        // The server gets its message first.
        drop(all.pop());
        assert_eq!(begin(5000).unwrap_err(), BeginError::TooMany);
        drop(back.recv().await);
        all.push(begin(5001).unwrap());
        assert_eq!(begin(5002).unwrap_err(), BeginError::TooMany);
        open.tell(&Message::read(&br#"{"jsonrpc":"2.0","id":5001,"result":1}"#[..]).unwrap());
        begin(5003).unwrap();
        open.end("over");
        assert_eq!(begin(5004).unwrap_err(), BeginError::Over);
        assert!(!open.is_busy());
    }
}
