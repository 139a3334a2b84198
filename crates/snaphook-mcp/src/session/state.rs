//! The requests of the client that are open, each in one place: at its gate, at the server, or with its result at the hooks.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use snaphook::CancellationToken;
use tokio::sync::mpsc;

use crate::session::forwarded_call::ForwardedCall;
use crate::texts::words;
use snaphook_mcp_transport::message::{Id, Message};

/// The most requests that are open at a time.
const MAX_OPEN_REQUESTS: usize = 10_000;

/// The most bytes of requests that are at their gates at a time.
const MAX_GATED_BYTES: usize = 256 << 20;

/// The number of cancelled requests that are kept in mind, whose answers may still come.
const MAX_CANCELLED: usize = 1000;

/// The number of tasks that are kept in mind whose results will be fetched.
const MAX_TASKS: usize = 1000;

/// The answer that the client waits for.
#[derive(Debug, Clone)]
pub(super) enum Awaited {
    /// Something that passes.
    Plain,
    /// The server's description of itself.
    Initialize,
    /// A page of tools: the one behind this cursor.
    Tools(Option<Arc<str>>),
    /// The result of a tool.
    Call(Arc<ForwardedCall>),
    /// The way a task goes, whose result may be in the answer.
    Task(Arc<ForwardedCall>),
}

#[derive(Debug)]
enum Stage {
    Gate { bytes: usize },
    Server(Awaited),
    Hooks,
}

/// An open request as who works for it knows it: its id may be another's by then.
#[derive(Debug, Clone)]
pub(super) struct Ticket {
    pub(super) id: Id,
    /// The method that was asked for.
    pub(super) method: Cow<'static, str>,
    serial: u64,
    pub(super) cancel: CancellationToken,
}

impl PartialEq for Ticket {
    fn eq(&self, other: &Self) -> bool {
        self.serial == other.serial
    }
}

#[derive(Debug)]
struct OpenRequest {
    stage: Stage,
    method: Cow<'static, str>,
    serial: u64,
    cancel: CancellationToken,
    cancelled: bool,
}

impl OpenRequest {
    fn ticket(&self, id: &Id) -> Ticket {
        let OpenRequest { method, serial, cancel, .. } = self;
        Ticket { id: id.clone(), method: method.clone(), serial: *serial, cancel: cancel.clone() }
    }
}

#[derive(Debug, Default)]
struct Inner {
    open: HashMap<Id, OpenRequest>,
    serial: u64,
    /// The number of them that are cancelled: their answers are not waited for.
    cancelled: VecDeque<(Id, u64)>,
    bytes: usize,
    tasks: VecDeque<(String, Arc<ForwardedCall>)>,
    gone: bool,
    server: Arc<str>,
}

/// The reason why a request is not taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Its id is that of an open one.
    Twice,
    /// There are too many.
    TooMany,
    /// The server is gone.
    Gone,
}

/// The result of a cancellation.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cancelled {
    /// The server never saw the request, and never will.
    AtGate,
    /// The server needs a cancellation.
    Elsewhere,
}

/// The treatment of an answer of the server.
#[derive(Debug)]
pub(super) enum AnswerHandling {
    /// It passes, and is read on the way.
    Passes(Awaited),
    /// Hooks look at it.
    Hooks(Awaited, Ticket),
    /// There was no request.
    Unknown,
    /// It is not waited for any more, and may be confidential.
    Late,
}

#[derive(Debug)]
pub(super) struct Requests(Mutex<Inner>);

impl Requests {
    pub(super) fn new(server: String) -> Self {
        Requests(Mutex::new(Inner { server: server.into(), ..Inner::default() }))
    }

    /// Returns what hooks know the server by.
    pub(super) fn server(&self) -> Arc<str> {
        Arc::clone(&self.0.lock().server)
    }

    pub(super) fn name_server(&self, name: String) {
        self.0.lock().server = name.into();
    }

    /// Returns whether an answer is waited for.
    pub(super) fn is_open(&self) -> bool {
        let inner = self.0.lock();
        inner.open.values().any(|open| !open.cancelled)
    }

    /// Returns whether a request of this id is open.
    pub(super) fn is_known(&self, id: &Id) -> bool {
        self.0.lock().open.get(id).is_some_and(|open| !open.cancelled)
    }

    /// Takes a request that goes to the server at once.
    pub(super) fn pass(&self, id: &Id, method: &str, waits: Awaited) -> Result<(), Refusal> {
        self.0.lock().take(id, method, Stage::Server(waits)).map(|_| ())
    }

    /// Takes a request that goes to its gate first.
    pub(super) fn to_gate(&self, id: &Id, method: &str, bytes: usize) -> Result<Ticket, Refusal> {
        let mut inner = self.0.lock();
        if inner.bytes + bytes > MAX_GATED_BYTES {
            return Err(Refusal::TooMany);
        }
        let ticket = inner.take(id, method, Stage::Gate { bytes })?;
        inner.bytes += bytes;
        Ok(ticket)
    }

    /// Hands a request that passed its gate to the server, if its answer is still waited for. Says whether the server is gone.
    pub(super) fn forward(
        &self,
        ticket: &Ticket,
        waits: Awaited,
        permit: mpsc::Permit<'_, Message>,
        message: Message,
    ) -> Result<(), Refusal> {
        let mut inner = self.0.lock();
        if inner.gone {
            return Err(Refusal::Gone);
        }
        if let Some(open) = inner.open.get_mut(&ticket.id).filter(|open| open.serial == ticket.serial) {
            if let Stage::Gate { bytes } = std::mem::replace(&mut open.stage, Stage::Server(waits)) {
                inner.bytes -= bytes;
            }
            // Under the lock: a cancellation that comes now has to reach the server behind it.
            permit.send(message);
        }
        Ok(())
    }

    /// Ends a request; false if it is not waited for any more.
    pub(super) fn finish(&self, ticket: &Ticket) -> bool {
        let mut inner = self.0.lock();
        let mine = inner.open.get(&ticket.id).is_some_and(|open| open.serial == ticket.serial);
        mine && inner.remove(&ticket.id).is_some_and(|open| !open.cancelled)
    }

    /// The client cancels a request.
    pub(super) fn cancel(&self, id: &Id) -> Cancelled {
        let mut inner = self.0.lock();
        let Some(open) = inner.open.get_mut(id) else { return Cancelled::Elsewhere };
        open.cancel.cancel();
        if let Stage::Server(_) = open.stage {
            if !open.cancelled {
                open.cancelled = true;
                let serial = open.serial;
                inner.cancelled.push_back((id.clone(), serial));
                inner.forget_old();
            }
            return Cancelled::Elsewhere;
        }
        match inner.remove(id).map(|open| open.stage) {
            Some(Stage::Gate { .. }) => Cancelled::AtGate,
            _ => Cancelled::Elsewhere,
        }
    }

    /// Returns whether the answer to this request would pass without being looked at.
    pub(super) fn passes(&self, id: &Id) -> bool {
        self.0.lock().open.get(id).is_some_and(|open| matches!(open.stage, Stage::Server(Awaited::Plain)))
    }

    /// The server answers. `looks` says whether hooks look at what is waited for.
    pub(super) fn answer(&self, id: &Id, looks: impl FnOnce(&Awaited) -> bool) -> AnswerHandling {
        let mut inner = self.0.lock();
        let Some(open) = inner.open.get_mut(id) else { return AnswerHandling::Unknown };
        let Stage::Server(waits) = &open.stage else { return AnswerHandling::Unknown };
        let waits = waits.clone();
        if !looks(&waits) {
            inner.remove(id);
            return AnswerHandling::Passes(waits);
        }
        if open.cancelled {
            inner.remove(id);
            return AnswerHandling::Late;
        }
        open.stage = Stage::Hooks;
        let ticket = open.ticket(id);
        AnswerHandling::Hooks(waits, ticket)
    }

    /// The server is gone: gives the requests that it will not answer.
    pub(super) fn server_gone(&self) -> Vec<Id> {
        let mut inner = self.0.lock();
        inner.gone = true;
        let lost =
            |(id, open): (&Id, &OpenRequest)| matches!(open.stage, Stage::Server(_)).then(|| id.clone());
        let lost: Vec<Id> = inner.open.iter().filter_map(lost).collect();
        let waits = |id: &Id| inner.remove(id).is_some_and(|open| !open.cancelled);
        lost.into_iter().filter(waits).collect()
    }

    /// Remembers whose result will be fetched under this name.
    pub(super) fn note_task(&self, task: String, called: Arc<ForwardedCall>) {
        let mut inner = self.0.lock();
        inner.tasks.push_back((task, called));
        if inner.tasks.len() > MAX_TASKS {
            inner.tasks.pop_front();
        }
    }

    /// Returns whose result it is.
    pub(super) fn task(&self, task: &str) -> Option<Arc<ForwardedCall>> {
        let inner = self.0.lock();
        inner.tasks.iter().find(|(name, _)| name == task).map(|(_, called)| Arc::clone(called))
    }
}

impl Inner {
    fn take(&mut self, id: &Id, method: &str, stage: Stage) -> Result<Ticket, Refusal> {
        if self.gone {
            return Err(Refusal::Gone);
        }
        if self.open.get(id).is_some_and(|open| !open.cancelled) {
            return Err(Refusal::Twice);
        }
        if self.open.len() >= MAX_OPEN_REQUESTS {
            return Err(Refusal::TooMany);
        }
        self.remove(id);
        self.serial += 1;
        let (serial, cancel) = (self.serial, CancellationToken::new());
        let open = OpenRequest { stage, method: words::method(method), serial, cancel, cancelled: false };
        let ticket = open.ticket(id);
        self.open.insert(id.clone(), open);
        Ok(ticket)
    }

    fn remove(&mut self, id: &Id) -> Option<OpenRequest> {
        let open = self.open.remove(id)?;
        if let Stage::Gate { bytes } = open.stage {
            self.bytes -= bytes;
        }
        Some(open)
    }

    fn forget_old(&mut self) {
        while self.cancelled.len() > MAX_CANCELLED {
            let Some((id, serial)) = self.cancelled.pop_front() else { return };
            if self.open.get(&id).is_some_and(|open| open.serial == serial) {
                self.remove(&id);
            }
        }
    }
}
