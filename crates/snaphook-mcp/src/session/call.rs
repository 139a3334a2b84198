//! A tool's call: its gate on the way to the server, and on the way back the hooks that look at its result. Not here: how results
//! are read and written (`tool_result`).

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value, json};
use snaphook::{
    CallOptions, CancellationToken, ContextText, Deliver, Denied, Emitted, Event, Payload, Permitted,
    ToolCall, ToolResult, Unreadable,
};
use tokio::sync::mpsc;

use crate::json::{folded_twice, rewritten, strict};
use crate::names::tool_name;
use crate::session::forwarded_call::ForwardedCall;
use crate::session::input_required::{self, Gate, RequestTurn, unasked};
use crate::session::look::{LookOutcome, SeenPart, ServerMessage};
use crate::session::request_error::RequestError;
use crate::session::shared::{DENIED, INVALID_PARAMS, INVALID_REQUEST, SERVER_GONE, Shared};
use crate::session::state::{Awaited, Refusal, Ticket};
use crate::session::tool_result::{self, WrittenResult};
use snaphook_mcp_transport::json::{Fields, splice};
use snaphook_mcp_transport::message::{Id, InvalidMessage, Message, MessageKind};

impl ForwardedCall {
    /// Returns whether the result has to be read.
    pub(super) fn looks(&self, shared: &Shared) -> bool {
        self.changes(shared) || shared.watches()
    }

    /// Returns whether handlers of results, or context for the model, may change it.
    pub(super) fn changes(&self, shared: &Shared) -> bool {
        self.rewrites || !self.context.is_empty() || !shared.host.outbox().is_empty()
    }

    /// The answer to this request where its result cannot be read; none where no hook would look at it.
    pub(super) fn withheld(
        &self,
        shared: &Shared,
        id: &Id,
        is_protocol_error: bool,
        why: Unreadable,
    ) -> Option<Message> {
        let emitted = shared.host.unreadable_result(Some(self.call.clone()), why)?;
        Some(self.refusal(id, is_protocol_error, &content_of(&emitted)))
    }

    /// The answer to this request that has this text in the place of what the server said.
    fn refusal(&self, id: &Id, is_protocol_error: bool, text: &str) -> Message {
        if is_protocol_error {
            return Message::error(Some(id), DENIED, text);
        }
        let mut result = json!({"content": [{"type": "text", "text": text}], "isError": true});
        if self.wants_kind {
            result["resultType"] = "complete".into();
        }
        Message::result(id, &result)
    }

    /// Notes for the audit what came of it, and of which later result it is the call.
    pub(super) fn note(self: Arc<Self>, shared: &Shared, message: &Message) {
        let body = message.body().unwrap_or_default();
        let is_error = matches!(message.kind(), MessageKind::Response { is_error: true, .. })
            || tool_result::is_error(body);
        shared.host.note_result(&self.call, body.len(), is_error, self.began.elapsed());
        if let Some(task) = tool_result::task(body) {
            shared.requests.note_task(task, self);
        }
    }
}

// ---- to the server ----

/// Decides about a call, and forwards it or answers it.
pub(super) async fn gate(
    shared: Arc<Shared>,
    message: Message,
    ticket: Ticket,
    server: mpsc::Sender<Message>,
) {
    let name = shared.server().await;
    let asked = match CallRequest::read(&message) {
        Ok(asked) => asked,
        Err(reason) => {
            let text = format!("the call cannot be read by hooks, so it is denied: {reason}");
            return shared.answer(&ticket, Message::error(Some(&ticket.id), INVALID_PARAMS, &text)).await;
        }
    };
    let about = || json!(["tools/call", asked.tool, asked.arguments]);
    let mut turn = RequestTurn::new(message.clone(), ticket);
    if let Some(state) = input_required::state(&shared.elicitation, &asked.fields) {
        return shared.go_on(&state, &about(), turn, &asked.fields).await;
    }
    let Gate { options, questions } = Gate::of(&asked.fields, &turn.ticket);
    let can_ask = questions.is_some();
    let ticket = &turn.ticket;
    let call = ToolCall::new(&*ticket.id.plain(), tool_name(&name, &asked.tool), asked.arguments.clone())
        .native(&*asked.tool);
    let began = Instant::now();
    let Ok(permit) = shared.gates.acquire().await else { return };
    let decided = match questions {
        None => Some(shared.host.gate(call, &options).await),
        Some(questions) => {
            let deciding = Box::pin(shared.host.gate(call, &options));
            shared.decided(&mut turn, questions, about, deciding).await
        }
    };
    drop(permit);
    let Permitted { call, decision, .. } = match decided {
        Some(ControlFlow::Continue(permitted)) => permitted,
        Some(ControlFlow::Break(denied)) => {
            let answer =
                denial(&shared, &turn.ticket, &asked, &denial_message(&denied), &denied.decision.context);
            return shared.answer(&turn.ticket, answer).await;
        }
        None => return,
    };
    let ticket = &turn.ticket;
    let message = match asked.for_server(&message, &turn, decision.is_rewritten().then_some(&*call.input)) {
        Ok(message) => message,
        Err(error) => {
            let text = format!("the rewritten call cannot be written: {error}");
            return shared.answer(ticket, Message::error(Some(&ticket.id), DENIED, &text)).await;
        }
    };
    let rewrites = shared.host.could_rewrite(&call);
    let called = ForwardedCall {
        original_input: decision
            .original
            .call()
            .map_or_else(|| Arc::clone(&call.input), |call| Arc::clone(&call.input)),
        context: texts(&decision.context),
        rewrites,
        call,
        wants_kind: asked.wants_kind(),
        asks: (can_ask && rewrites).then(|| (turn.clone(), about())),
        began,
    };
    shared.forward(ticket, Awaited::Call(Arc::new(called)), &server, message).await;
}

impl Shared {
    /// Hands a request that passed its gate to the server.
    pub(super) async fn forward(
        &self,
        ticket: &Ticket,
        waits: Awaited,
        server: &mpsc::Sender<Message>,
        message: Message,
    ) {
        let sent = match server.reserve().await {
            Ok(permit) => self.requests.forward(ticket, waits, permit, message),
            Err(_) => Err(Refusal::Gone),
        };
        if sent.is_err() {
            self.answer(ticket, Message::error(Some(&ticket.id), SERVER_GONE, &self.gone_text())).await;
        }
    }
}

fn denial_message(denied: &Denied) -> String {
    if denied.needs_person() {
        format!("this call needs approval first: {}", denied.message())
    } else {
        denied.message()
    }
}

fn texts(context: &[ContextText]) -> Vec<String> {
    context.iter().map(|context| context.text.clone()).collect()
}

/// Returns the answer to the client about a call that must not run.
fn denial(
    shared: &Shared,
    ticket: &Ticket,
    asked: &CallRequest<'_>,
    reason: &str,
    context: &[ContextText],
) -> Message {
    let mut denial_message = vec![reason.to_owned()];
    denial_message.extend(texts(context));
    if shared.options.denied_as_error {
        return Message::error(Some(&ticket.id), DENIED, &denial_message.join("\n"));
    }
    let content: Vec<Value> =
        denial_message.into_iter().map(|text| json!({"type": "text", "text": text})).collect();
    let mut result = json!({"content": content, "isError": true});
    if asked.wants_kind() {
        result["resultType"] = "complete".into();
    }
    Message::result(&ticket.id, &result)
}

/// The request of a client.
struct CallRequest<'a> {
    tool: String,
    arguments: Value,
    fields: Fields<'a>,
    params: &'a str,
    /// The arguments as they are written.
    written: Option<&'a str>,
}

impl<'a> CallRequest<'a> {
    fn read(message: &'a Message) -> Result<Self, RequestError> {
        let params = message.body().ok_or(RequestError::NoParameters)?;
        let fields = Fields::read(params)?;
        if let Some(other) = fields.look_alike(&["name", "arguments", "task", "_meta"]) {
            return Err(RequestError::Spelling(other.to_owned()));
        }
        let tool = fields.text("name").ok_or(RequestError::NoKey("name"))?.into_owned();
        let written = fields.get("arguments").map(|arguments| arguments.get());
        let arguments = match written.map(strict).transpose()? {
            None | Some(Value::Null) => Value::Object(Map::new()),
            Some(arguments) => arguments,
        };
        let Value::Object(given) = &arguments else { return Err(RequestError::Arguments) };
        if let Some((one, other)) = folded_twice(given) {
            return Err(RequestError::SameArgument { one: one.to_owned(), other: other.to_owned() });
        }
        Ok(CallRequest { tool, arguments, fields, params, written })
    }

    /// Returns whether a result has to say of which kind it is: since the protocol of 2026-07-28, in which each
    /// request says the version.
    fn wants_kind(&self) -> bool {
        let meta = self.fields.get("_meta").and_then(|meta| Fields::read(meta.get()).ok());
        meta.is_some_and(|meta| meta.get("io.modelcontextprotocol/protocolVersion").is_some())
    }

    /// The message of the request that waits now, with other arguments where hooks rewrote them.
    fn for_server(
        &self,
        first: &Message,
        turn: &RequestTurn,
        input: Option<&Value>,
    ) -> Result<Message, RequestError> {
        let message = turn.for_server(first)?;
        Ok(match input {
            None => message,
            Some(input) if !turn.is_later() => self.with(&message, input)?,
            Some(input) => CallRequest::read(&message)?.with(&message, input)?,
        })
    }

    /// The message with other arguments, and all else as it is.
    fn with(&self, message: &Message, input: &Value) -> Result<Message, InvalidMessage> {
        let bytes = match self.written {
            Some(written) => splice(message.bytes(), written, &rewritten(written, &self.arguments, input)),
            None => {
                let inner = self.params.trim_end().strip_suffix('}').unwrap_or_default();
                let comma = if inner.trim_end().ends_with('{') { "" } else { "," };
                splice(message.bytes(), self.params, &format!("{inner}{comma}\"arguments\":{input}}}"))
            }
        };
        Message::read(bytes)
    }
}

// ---- from the server ----

/// The reason that a client does not get an answer of the server.
enum NotShown {
    /// It is withheld: what there is to say about it.
    Withheld(String),
    /// It cannot be passed on: the error of the protocol.
    Error(i64, String),
}

/// Has the hooks look at a result, and passes what they make of it.
pub(super) async fn rewrite(shared: &Shared, message: Message, called: &Arc<ForwardedCall>, ticket: &Ticket) {
    let said = match WrittenResult::read(&message) {
        Ok(said) => said,
        // Those who look at everything can still look at it.
        Err(_) if !called.changes(shared) => {
            Arc::clone(called).note(shared, &message);
            let unseen = (&*ticket.method, SeenPart::Nothing);
            let looked = rest(shared, message.clone(), unseen, Some(ticket.cancel.clone())).await;
            return finish_request(shared, ticket, called.answer(&message, looked)).await;
        }
        Err(why) => return finish_request(shared, ticket, withheld(shared, &message, called, why)).await,
    };
    let about_it = (&*ticket.method, SeenPart::Result);
    // Not where another request fetches the result: the protocol has questions in the call's own answer only.
    let Some((turn, about)) = called.asks.as_ref().filter(|(turn, _)| turn.ticket == *ticket) else {
        let options = unasked(ticket.cancel.clone());
        let looked = looked_at(shared, &message, &said, called, &options, about_it).await;
        return finish_request(shared, ticket, called.answer(&message, looked)).await;
    };
    let mut turn = turn.clone();
    let (options, questions) = input_required::asking(Some(message.bytes().len()));
    let looking = Box::pin(looked_at(shared, &message, &said, called, &options, about_it));
    let looked = shared.decided(&mut turn, questions, || about.clone(), looking).await;
    let Some(looked) = looked else { return };
    let answer = called.answer(&message, looked).and_then(|answer| {
        let answer = answer.map(|answer| turn.answered_by(&answer, ticket)).transpose();
        answer.map_err(|error| (DENIED, format!("the tool's result cannot be written: {error}")))
    });
    finish_request(shared, &turn.ticket, answer).await;
}

impl ForwardedCall {
    /// Makes the client's answer, after all looked at the result.
    fn answer(
        &self,
        message: &Message,
        looked: Result<Option<Message>, NotShown>,
    ) -> Result<Option<Message>, (i64, String)> {
        match (looked, message.kind()) {
            (Err(NotShown::Withheld(text)), MessageKind::Response { id: Some(id), is_error }) => {
                Ok(Some(self.refusal(id, *is_error, &text)))
            }
            (Err(NotShown::Withheld(text)), _) => Err((DENIED, text)),
            (Err(NotShown::Error(code, text)), _) => Err((code, text)),
            (Ok(message), _) => Ok(message),
        }
    }
}

/// The same for what a server says of a task when it is asked how it goes.
pub(super) async fn rewrite_task(
    shared: &Shared,
    message: Message,
    called: &Arc<ForwardedCall>,
    ticket: &Ticket,
) {
    let answer = of_task(shared, message, called, &unasked(ticket.cancel.clone()), &ticket.method).await;
    let answer = answer.map_err(|why| match why {
        NotShown::Withheld(text) => (DENIED, text),
        NotShown::Error(code, text) => (code, text),
    });
    finish_request(shared, ticket, answer).await;
}

/// The same for what a server says of a task by itself. What cannot be shown is not told.
pub(super) async fn tell_of_task(shared: &Shared, message: Message, called: &Arc<ForwardedCall>) {
    let MessageKind::Notification { method } = message.kind().clone() else { return };
    match of_task(shared, message, called, &unasked(CancellationToken::new()), &method).await {
        Ok(Some(message)) => shared.tell(message).await,
        Ok(None) => {}
        Err(NotShown::Withheld(text) | NotShown::Error(_, text)) => {
            tracing::warn!(target: "snaphook::mcp", "{text}");
            shared.drop_notice();
        }
    }
}

async fn of_task(
    shared: &Shared,
    message: Message,
    called: &Arc<ForwardedCall>,
    options: &CallOptions,
    method: &str,
) -> Result<Option<Message>, NotShown> {
    let unseen = || rest(shared, message.clone(), (method, SeenPart::Nothing), options.cancel.clone());
    match WrittenResult::of_task(&message) {
        Ok(Some(said)) => looked_at(shared, &message, &said, called, options, (method, SeenPart::Task)).await,
        Ok(None) => unseen().await,
        Err(_) if !called.changes(shared) => unseen().await,
        Err(why) => match shared.host.unreadable_result(Some(called.call.clone()), why) {
            Some(emitted) => Err(NotShown::Withheld(content_of(&emitted))),
            None => {
                let (code, text) = unread(why);
                Err(NotShown::Error(code, text))
            }
        },
    }
}

/// Has the hooks look at what they have not seen yet of an answer to this method, or of a notice of this method.
async fn rest(
    shared: &Shared,
    message: Message,
    (method, shown): (&str, SeenPart),
    cancel: Option<CancellationToken>,
) -> Result<Option<Message>, NotShown> {
    let heard = ServerMessage { message, method, thing: "result", shown, cancel };
    match shared.look(heard).await {
        LookOutcome::Passes(message) => Ok(Some(message)),
        LookOutcome::Withheld(why) => Err(NotShown::Withheld(why)),
        LookOutcome::Cancelled => Ok(None),
    }
}

fn unread(why: Unreadable) -> (i64, String) {
    (INVALID_REQUEST, format!("the tool's result cannot be read: {why}"))
}

fn content_of(emitted: &Emitted) -> String {
    match emitted.event.payload() {
        Payload::Result(result) => result.content.to_string(),
        _ => String::new(),
    }
}

/// Returns what the client gets instead of a result that hooks cannot look at.
fn withheld(
    shared: &Shared,
    message: &Message,
    called: &ForwardedCall,
    why: Unreadable,
) -> Result<Option<Message>, (i64, String)> {
    let MessageKind::Response { id: Some(id), is_error } = message.kind() else { return Ok(None) };
    called.withheld(shared, id, *is_error, why).map(Some).ok_or_else(|| unread(why))
}

async fn finish_request(shared: &Shared, ticket: &Ticket, answer: Result<Option<Message>, (i64, String)>) {
    let answer = answer.unwrap_or_else(|(code, text)| Some(Message::error(Some(&ticket.id), code, &text)));
    match answer {
        Some(answer) if shared.requests.finish(ticket) => shared.tell(answer).await,
        // It is not waited for any more.
        _ => {
            shared.requests.finish(ticket);
            shared.settled.notify_one();
        }
    }
}

async fn looked_at(
    shared: &Shared,
    message: &Message,
    said: &WrittenResult<'_>,
    called: &Arc<ForwardedCall>,
    options: &CallOptions,
    (method, shown): (&str, SeenPart),
) -> Result<Option<Message>, NotShown> {
    if let Some(task) = &said.task {
        // The result comes later, to `tasks/result` or `tasks/get`.
        shared.requests.note_task(task.clone(), Arc::clone(called));
    }
    if said.is_later {
        return rest(shared, message.clone(), (method, SeenPart::Nothing), options.cancel.clone()).await;
    }
    let mut context = called.context.clone();
    let mut changed = None;
    if called.rewrites {
        let event = Event::tool_result(ToolResult {
            call: called.call.clone(),
            original_input: Arc::clone(&called.original_input),
            content: said.text.as_str().into(),
            details: Arc::new(said.details.clone()),
            is_error: said.is_error,
        });
        let emitted = shared.host.emit(event, options).await;
        if emitted.cancelled {
            // What only some hooks have seen is not shown.
            return Ok(None);
        }
        context.extend(texts(&emitted.context));
        changed = match emitted.event.payload() {
            Payload::Result(result) if emitted.rewritten => Some(Arc::clone(result)),
            _ => None,
        };
    }
    for deliver in [Deliver::Now, Deliver::NextTurn] {
        context.extend(shared.host.outbox().take(deliver).into_iter().map(|text| text.text));
    }
    if changed.is_none() {
        let bytes = message.body().unwrap_or_default().len();
        shared.host.note_result(&called.call, bytes, said.is_error, called.began.elapsed());
    }
    let message = if changed.is_none() && context.is_empty() {
        message.clone()
    } else {
        let written = said.with(changed.as_deref(), &context);
        Message::read(splice(message.bytes(), said.body, &written)).map_err(|error| {
            NotShown::Error(DENIED, format!("the rewritten result cannot be written: {error}"))
        })?
    };
    let shown = if called.rewrites { shown } else { SeenPart::Nothing };
    rest(shared, message, (method, shown), options.cancel.clone()).await
}
