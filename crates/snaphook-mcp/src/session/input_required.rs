//! Questions to the person of a client that takes no requests: since the protocol of 2026-07-28 a server asks through its
//! result (`input_required`), and the client sends the request once more, with the answers and the state that it was given. The
//! hook that asked waits until then, in the middle of its gate, or of its look at a tool's result. Not here: what is asked, and
//! what an answer means (`elicitation`).
//!
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28>, multi round-trip requests.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use snaphook::{
    BoxFuture, CallOptions, CancellationToken, HeadlessUi, HookRef, Notice, UiContext, UiReply, UiRequest,
    headless_reply,
};
use tokio::sync::{mpsc, oneshot};

use crate::elicitation::{ElicitationUi, offers_forms, params, reply};
use crate::json::strict;
use crate::session::request_error::RequestError;
use crate::session::shared::{INVALID_REQUEST, Shared};
use crate::session::state::Ticket;
use snaphook_mcp_transport::STATELESS_VERSION;
use snaphook_mcp_transport::json::{Fields, splice};
use snaphook_mcp_transport::message::{InvalidMessage, Message};

/// The number of questions that may be open; of more the oldest is given up. The gate of each keeps a thread.
const MAX_QUESTIONS: usize = 64;

/// The number of bytes of requests and results that may wait with them.
const MAX_WAITING_BYTES: usize = 256 << 20;

/// The time that a question is open. Then its gate is as one that the client cancelled.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(3600);

/// The name of our only question in a result, and of its answer.
const QUESTION: &str = "snaphook";

/// The end of the state of a question about a result: a client that comes too late is not told to call again.
const RAN: &str = "-ran";

/// The answer to one that comes too late.
const CLOSED: &str = "the question that this answers is not open any more; call again without it";
const CLOSED_AND_RAN: &str =
    "the question that this answers is not open any more; the tool has run, and its result is not kept";

/// The fields of a request that answers a result.
const ANSWERS: &str = "inputResponses";
const STATE: &str = "requestState";

/// A request that waits for an answer: the one that came, or the one by which the client has sent it again.
#[derive(Debug, Clone)]
pub(super) struct RequestTurn {
    pub(super) message: Message,
    pub(super) ticket: Ticket,
    /// True if it is a later one than the first.
    is_later: bool,
}

impl RequestTurn {
    pub(super) fn new(message: Message, ticket: Ticket) -> Self {
        RequestTurn { message, ticket, is_later: false }
    }

    pub(super) fn is_later(&self) -> bool {
        self.is_later
    }

    /// The request as the server is to see it: with what the first one answered to the server, and nothing of snaphook's.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn for_server(&self, first: &Message) -> Result<Message, InvalidMessage> {
        let (true, Some(before), Some(now)) = (self.is_later, first.body(), self.message.body()) else {
            return Ok(self.message.clone());
        };
        let (Ok(before), Ok(fields)) = (Fields::read(before), Fields::read(now)) else {
            return Ok(self.message.clone());
        };
        let answers = |name: &str| name == ANSWERS || name == STATE;
        let kept = fields.0.iter().filter(|(name, _)| !answers(name));
        let entries: Vec<String> = kept
            .chain(before.0.iter().filter(|(name, _)| answers(name)))
            .map(|(name, value)| format!("{}:{}", Value::from(&**name), value.get()))
            .collect();
        Message::read(splice(self.message.bytes(), now, &format!("{{{}}}", entries.join(","))))
    }

    /// The answer to this request, or to one before, as this one's.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn answered_by(&self, answer: &Message, to: &Ticket) -> Result<Message, RequestError> {
        if self.ticket == *to {
            return Ok(answer.clone());
        }
        let text = std::str::from_utf8(answer.bytes()).unwrap_or_default();
        let id = Fields::read(text)?.get("id").ok_or(RequestError::NoKey("id"))?;
        Ok(Message::read(splice(answer.bytes(), id.get(), self.ticket.id.as_json()))?)
    }
}

/// The questions that are open in a session, by the state that the client has to send back.
#[derive(Debug, Default)]
pub(super) struct OpenQuestions(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// The oldest first.
    open: VecDeque<(String, OpenQuestion)>,
    is_over: bool,
}

#[derive(Debug)]
struct OpenQuestion {
    /// The call that was asked for: the answer is meant for nothing else.
    about: Value,
    bytes: usize,
    goes_on: oneshot::Sender<(RequestTurn, Value)>,
}

impl OpenQuestions {
    /// No answer will come any more.
    pub(super) fn end(&self) {
        let mut inner = self.0.lock();
        inner.is_over = true;
        inner.open.clear();
    }

    fn open(
        &self,
        state: String,
        about: Value,
        bytes: usize,
    ) -> Option<oneshot::Receiver<(RequestTurn, Value)>> {
        let mut inner = self.0.lock();
        if inner.is_over {
            return None;
        }
        let is_full = |open: &VecDeque<(String, OpenQuestion)>| {
            let waiting: usize = open.iter().map(|(_, open)| open.bytes).sum();
            open.len() >= MAX_QUESTIONS || waiting + bytes > MAX_WAITING_BYTES
        };
        // Most likely its client has given up, too: there is no message about that.
        while is_full(&inner.open) && inner.open.pop_front().is_some() {
            tracing::warn!(target: "snaphook::mcp", "too many questions are open; closed the oldest");
        }
        let (goes_on, answered) = oneshot::channel();
        inner.open.push_back((state, OpenQuestion { about, bytes, goes_on }));
        Some(answered)
    }

    /// Takes a question off, answered or not: it can be answered once.
    fn close(&self, state: &str) -> Option<OpenQuestion> {
        let mut inner = self.0.lock();
        let at = inner.open.iter().position(|(known, _)| known == state)?;
        inner.open.remove(at).map(|(_, open)| open)
    }
}

/// The person behind one request, where the client says with it that it can ask.
pub(super) struct ResultUi {
    questions: mpsc::Sender<Question>,
}

/// A hook's question, and who waits for the answer.
pub(super) struct Question {
    params: Value,
    answer: oneshot::Sender<Value>,
}

impl UiContext for ResultUi {
    fn has_ui(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let question = Question { params: params(hook, &request), answer };
            let answer = match self.questions.send(question).await {
                Ok(()) => answered.await.ok(),
                Err(_) => None,
            };
            answer.and_then(|answer| reply(&request, &answer)).unwrap_or_else(|| headless_reply(&request))
        })
    }

    fn notify(&self, hook: Option<&HookRef>, notice: Notice) {
        HeadlessUi.notify(hook, notice);
    }
}

/// The way the gate of a request is asked, and where its questions come out.
pub(super) struct Gate {
    pub(super) options: CallOptions,
    /// The questions, where the client says that it can ask.
    pub(super) questions: Option<Questions>,
}

/// The questions of one gate, or of the hooks that look at one result.
pub(super) struct Questions {
    come: mpsc::Receiver<Question>,
    /// Ends the hooks: the request that the client cancels may be a later one than the first.
    cancel: CancellationToken,
    /// The bytes of the result that waits for the answer, where the server has done what is asked about.
    result: Option<usize>,
}

/// Returns how hooks are called whose questions go to whom the host asks.
pub(super) fn unasked(cancel: CancellationToken) -> CallOptions {
    CallOptions { cancel: Some(cancel), supervised: true, ..CallOptions::default() }
}

/// Returns how hooks are called whose questions go into results, and where the questions come out.
pub(super) fn asking(result: Option<usize>) -> (CallOptions, Questions) {
    let (ask, come) = mpsc::channel(1);
    let ui: Arc<dyn UiContext> = Arc::new(ResultUi { questions: ask });
    let cancel = CancellationToken::new();
    let options = CallOptions { ui: Some(ui), ..unasked(cancel.clone()) };
    (options, Questions { come, cancel, result })
}

impl Gate {
    /// For a request of these parameters.
    pub(super) fn of(params: &Fields<'_>, ticket: &Ticket) -> Self {
        if !may_ask(params) {
            return Gate { options: unasked(ticket.cancel.clone()), questions: None };
        }
        let (options, questions) = asking(None);
        Gate { options, questions: Some(questions) }
    }
}

/// Returns whether a request says of itself that its client has a person.
fn may_ask(params: &Fields<'_>) -> bool {
    let Some(meta) = params.get("_meta").and_then(|meta| Fields::read(meta.get()).ok()) else { return false };
    let is_newer = meta
        .text("io.modelcontextprotocol/protocolVersion")
        .is_some_and(|version| &*version >= STATELESS_VERSION);
    let can =
        || meta.get("io.modelcontextprotocol/clientCapabilities").and_then(|can| strict(can.get()).ok());
    is_newer && offers_forms(can().as_ref())
}

/// The state in a request that answers one of snaphook's questions.
pub(super) fn state<'a>(elicitation: &ElicitationUi, params: &Fields<'a>) -> Option<Cow<'a, str>> {
    params.text(STATE).filter(|state| elicitation.made(state))
}

impl Shared {
    /// Waits for what hooks decide about a request, and has the client ask their questions meanwhile; `turn` is then the request that
    /// waits. `None` where it is not waited for any more.
    pub(super) async fn decided<T>(
        &self,
        turn: &mut RequestTurn,
        questions: Questions,
        about: impl Fn() -> Value,
        mut deciding: Pin<Box<impl Future<Output = T>>>,
    ) -> Option<T> {
        let Questions { mut come, cancel, result } = questions;
        loop {
            let question = tokio::select! {
                biased;
                decided = &mut deciding => return Some(decided),
                () = turn.ticket.cancel.cancelled(), if !cancel.is_cancelled() => {
                    cancel.cancel();
                    continue;
                }
                Some(question) = come.recv() => question,
            };
            let mut state = self.elicitation.word();
            if result.is_some() {
                state += RAN;
            }
            let bytes = turn.message.bytes().len() + result.unwrap_or_default();
            let Some(answered) = self.questions.open(state.clone(), about(), bytes) else {
                continue;
            };
            self.answer(&turn.ticket, input_required(&turn.ticket, &state, &question.params)).await;
            if turn.ticket.cancel.is_cancelled() {
                // The client has not seen the question.
                self.questions.close(&state);
                continue;
            }
            if let Ok(Ok((next, answer))) = tokio::time::timeout(QUESTION_TIMEOUT, answered).await {
                *turn = next;
                let _ = question.answer.send(answer);
                continue;
            }
            self.questions.close(&state);
            // Its handlers end, and the audit has a line of it.
            cancel.cancel();
            deciding.await;
            return None;
        }
    }

    /// Hands a request with an answer to the gate that waits for it.
    pub(super) async fn go_on(&self, state: &str, about: &Value, turn: RequestTurn, params: &Fields<'_>) {
        let refuse = async |turn: &RequestTurn, text: &str| {
            self.answer(&turn.ticket, Message::error(Some(&turn.ticket.id), INVALID_REQUEST, text)).await;
        };
        let closed = if state.ends_with(RAN) { CLOSED_AND_RAN } else { CLOSED };
        let Some(open) = self.questions.close(state) else { return refuse(&turn, closed).await };
        if open.about != *about {
            return refuse(&turn, "this answers a question about another request").await;
        }
        let turn = RequestTurn { is_later: true, ..turn };
        let answers = params.get(ANSWERS).and_then(|answers| Fields::read(answers.get()).ok());
        let answer = answers.and_then(|answers| strict(answers.get(QUESTION)?.get()).ok());
        if let Err((turn, _)) = open.goes_on.send((turn, answer.unwrap_or_default())) {
            refuse(&turn, closed).await;
        }
    }
}

fn input_required(ticket: &Ticket, state: &str, params: &Value) -> Message {
    let question = json!({"method": "elicitation/create", "params": params});
    let result = json!({"resultType": "input_required", "inputRequests": {QUESTION: question}, STATE: state});
    Message::result(&ticket.id, &result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_bounded_and_the_oldest_goes_first() {
        for (bytes, kept) in [
            (0, MAX_QUESTIONS),
            (MAX_WAITING_BYTES / 4, 4),
            (MAX_WAITING_BYTES / 4 + 1, 3),
            (MAX_WAITING_BYTES + 1, 1),
        ] {
            let questions = OpenQuestions::default();
            let waiting: Vec<_> = (0..100)
                .map(|number| questions.open(format!("{number}"), Value::Null, bytes).unwrap())
                .collect();
            let closed = Err(oneshot::error::TryRecvError::Closed);
            let given_up = waiting.into_iter().map(|mut answered| answered.try_recv().map(|_| ()) == closed);
            let given_up: Vec<bool> = given_up.collect();
            assert_eq!(given_up.iter().filter(|given_up| !**given_up).count(), kept, "{bytes}");
            assert!(given_up.is_sorted_by(|one, next| one >= next), "{bytes}: {given_up:?}");
        }
    }
}
