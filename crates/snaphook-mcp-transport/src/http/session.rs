//! Sessions of the server: each is a [`Transport`] that something behind serves, and the streams on which the client hears of it.
//! Not here: HTTP.

use std::collections::HashMap;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::streams::Streams;
use super::{TRANSPORT_ERROR, answered, requests, version_in};
use crate::message::{Id, Message};
use crate::transport::{CHANNEL_CAPACITY, Incoming, Transport, TransportDriver, channel};

/// The time that what is under way has to reach the client when the session ends.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);

/// Serves one client until it or the server is gone. The client is gone when its `incoming` is closed; when this is done, the
/// client's session ends.
pub type Backend = Arc<dyn Fn(Transport) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: Box<str>,
    pub(super) streams: Arc<Streams>,
    incoming: Mutex<Option<mpsc::Sender<Incoming>>>,
    /// The request whose answer says the protocol's version, and then the version.
    version: Mutex<Version>,
    used: Mutex<Instant>,
    /// The client is gone, or has to be: later messages are dropped.
    over: CancellationToken,
}

#[derive(Debug)]
enum Version {
    AnswerOf(Option<Id>),
    Is(Box<str>),
}

impl Session {
    /// The version of the protocol that both sides agreed on, once they have.
    pub(super) fn version(&self) -> Option<Box<str>> {
        match &*self.version.lock() {
            Version::Is(version) => Some(version.clone()),
            Version::AnswerOf(_) => None,
        }
    }

    /// Takes a message of the client; false if the session is over.
    pub(super) async fn take(&self, message: Message) -> bool {
        let incoming = self.incoming.lock().clone();
        match incoming {
            Some(incoming) => incoming.send(Incoming::Message(message)).await.is_ok(),
            None => false,
        }
    }

    /// The client is gone, or has to be.
    fn close(&self, why: &str) {
        self.incoming.lock().take();
        self.streams.end(why);
        self.over.cancel();
    }

    fn touch(&self) {
        *self.used.lock() = Instant::now();
    }

    /// The time of its last use.
    fn idle(&self, now: Instant) -> Duration {
        if self.streams.is_busy() {
            self.touch();
        }
        now.saturating_duration_since(*self.used.lock())
    }

    fn note_version(&self, message: &Message) {
        let mut version = self.version.lock();
        if let Version::AnswerOf(asked) = &*version
            && answered(message).iter().any(|id| asked.as_ref() == Some(id))
        {
            *version = match version_in(message) {
                Some(said) => Version::Is(said.into()),
                // The client may try again.
                None => Version::AnswerOf(None),
            };
        }
    }

    /// Brings the messages of the server side to its streams, until it ends. A request of the server that reaches no client is reported beside it:
    /// the server side may wait for us to take more before it takes anything.
    async fn pump(&self, mut outgoing: mpsc::Receiver<Message>) {
        let (refuse, mut refused) = mpsc::channel(CHANNEL_CAPACITY);
        let tell = async {
            while let Some(message) = outgoing.recv().await {
                self.note_version(&message);
                let Some(id) = self.streams.deliver_message(&message).await else { continue };
                let text = "the client has no stream open for it";
                if refuse.try_send(Message::error(Some(&id), TRANSPORT_ERROR, text)).is_err() {
                    tracing::warn!(%id, "a request of the server gets no answer: {text}, and too many were refused");
                }
            }
        };
        let take_back = async {
            while let Some(error) = refused.recv().await {
                self.take(error).await;
            }
        };
        tokio::select! {
            () = tell => {}
            () = take_back => {}
            () = self.over.cancelled() => {}
        }
    }
}

/// All sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    open: Mutex<HashMap<Box<str>, Arc<Session>>>,
    /// Places of what is no session, but counts as one. Changed under the lock of `open`.
    held: AtomicUsize,
    tasks: Mutex<JoinSet<()>>,
    limit: usize,
}

/// A place that no session can have until this is dropped.
#[derive(Debug)]
pub(super) struct SessionSlot(Arc<Sessions>);

impl Drop for SessionSlot {
    fn drop(&mut self) {
        self.0.held.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The reason why there is no session.
#[derive(Debug)]
pub(super) enum SessionError {
    /// There are too many.
    TooMany,
    /// The system gives no random numbers.
    NoSecret,
}

impl Sessions {
    pub(super) fn new(limit: usize) -> Self {
        Sessions { open: Mutex::default(), held: AtomicUsize::new(0), tasks: Mutex::default(), limit }
    }

    /// The session of that id, which is used now.
    pub(super) fn get(&self, id: &str) -> Option<Arc<Session>> {
        let session = self.open.lock().get(id).cloned()?;
        session.touch();
        Some(session)
    }

    /// A session that begins with this request.
    pub(super) fn begin(
        self: &Arc<Self>,
        first: &Message,
        backend: &Backend,
    ) -> Result<Arc<Session>, SessionError> {
        let id: Box<str> = secret().ok_or(SessionError::NoSecret)?.into();
        let (side, TransportDriver { incoming, outgoing }) = channel();
        let session = Arc::new(Session {
            id: id.clone(),
            streams: Arc::default(),
            incoming: Mutex::new(Some(incoming)),
            version: Mutex::new(Version::AnswerOf(requests(first).into_iter().next())),
            used: Mutex::new(Instant::now()),
            over: CancellationToken::new(),
        });
        {
            let mut open = self.open.lock();
            if self.is_full(&open) {
                return Err(SessionError::TooMany);
            }
            open.insert(id.clone(), Arc::clone(&session));
        }
        let (sessions, kept, served) = (Arc::clone(self), Arc::clone(&session), backend(side));
        self.spawn(async move {
            let end = || {
                sessions.end(&kept.id, "the server has ended");
            };
            carried(served, kept.pump(outgoing), end).await;
        });
        Ok(session)
    }

    /// Something that is waited for when all sessions end.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }

    /// A place for what is no session; `None` if there is none left.
    pub(super) fn reserve(self: &Arc<Self>) -> Option<SessionSlot> {
        let open = self.open.lock();
        if self.is_full(&open) {
            return None;
        }
        self.held.fetch_add(1, Ordering::Relaxed);
        Some(SessionSlot(Arc::clone(self)))
    }

    fn is_full(&self, open: &HashMap<Box<str>, Arc<Session>>) -> bool {
        open.len() + self.held.load(Ordering::Relaxed) >= self.limit
    }

    /// Ends a session; false if there is none of that id.
    pub(super) fn end(&self, id: &str, why: &str) -> bool {
        let session = self.open.lock().remove(id);
        if let Some(session) = &session {
            session.close(why);
        }
        session.is_some()
    }

    /// Ends those that were not used for a while.
    pub(super) fn end_idle(&self, limit: Duration) {
        let now = Instant::now();
        let idle: Vec<_> =
            self.open.lock().values().filter(|session| session.idle(now) >= limit).cloned().collect();
        for session in idle {
            tracing::info!("ending a session that was not used for {} minutes", limit.as_secs() / 60);
            self.end(&session.id, "the session was not used for too long");
        }
    }

    /// Ends all, and waits until what serves them is done.
    pub(super) async fn end_all(&self, patience: Duration) {
        let ids: Vec<Box<str>> = self.open.lock().keys().cloned().collect();
        for id in ids {
            self.end(&id, "the gate was ended");
        }
        let mut tasks = std::mem::take(&mut *self.tasks.lock());
        let all = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(patience, all).await.is_err() {
            tracing::warn!("a session did not end in time");
            tasks.shutdown().await;
        }
    }
}

/// Lets a server serve, and `pump` bring what it says, until one of them is done; then `end` is for the one that still waits.
pub(super) async fn carried(
    served: impl Future<Output = ()>,
    pump: impl Future<Output = ()>,
    end: impl FnOnce(),
) {
    let (mut served, mut pump) = (pin!(served), pin!(pump));
    let is_served = tokio::select! {
        () = &mut served => true,
        () = &mut pump => false,
    };
    if is_served {
        // What was said last is still said.
        let _ = tokio::time::timeout(FLUSH_TIMEOUT, pump).await;
    }
    end();
    if !is_served {
        // It may have something to put away.
        served.await;
    }
}

/// Returns an unguessable id.
fn secret() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
