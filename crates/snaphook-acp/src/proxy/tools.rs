//! Files and terminals that the agent asks the editor for: their gates on the way to the editor, and on the way back the
//! hooks that look at what was read or printed.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use snaphook::{CancellationToken, Emitted, Event, Payload, Permitted, ToolCall, ToolResult, Unreadable};
use snaphook_mcp_transport::json::{Fields, splice, text_of};
use snaphook_mcp_transport::message::{Id, Message, MessageKind};
use snaphook_mcp_transport::strict::rewritten;
use tokio::sync::mpsc;

use crate::editor_ui::AnsweredUi;
use crate::permission::{RequestError, read_params};
use crate::proxy::called_tool::{CalledTool, ToolRequest};
use crate::proxy::open::AgentAwaits;
use crate::proxy::sessions::Session;
use crate::proxy::shared::{CANCELLED, DENIED, INVALID_PARAMS, Shared, supervised};

/// The keys of a request that are not the tool's input.
const OWN_KEYS: [&str; 2] = ["sessionId", "_meta"];

/// A request as it was read.
struct Asked {
    /// All parameters.
    params: Value,
    /// The tool's input: those that are not the protocol's.
    input: Value,
}

impl Asked {
    fn read(kind: ToolRequest, params: Option<&str>) -> Result<Self, RequestError> {
        let (.., keys) = kind.row();
        let params = read_params(params, keys)?;
        let has_text = |key: &'static str| {
            let text = params.get(key).and_then(Value::as_str);
            text.ok_or(RequestError::NoKey(key))
        };
        match kind {
            ToolRequest::Read => drop(has_text("path")?),
            ToolRequest::Write => drop((has_text("path")?, has_text("content")?)),
            ToolRequest::Command | ToolRequest::Output => {
                let command = has_text("command")?;
                let args = match params.get("args").filter(|args| !args.is_null()) {
                    None => 0,
                    Some(args) => {
                        let args = args.as_array().filter(|args| args.iter().all(Value::is_string));
                        args.ok_or(RequestError::NoKey("args"))?.len()
                    }
                };
                let is_word = !command.is_empty() && snaphook::quoted_word(command) == command;
                if args > 0 && !is_word {
                    return Err(RequestError::TwoCommands);
                }
            }
        }
        let mut input = params.clone();
        if let Some(fields) = input.as_object_mut() {
            OWN_KEYS.iter().for_each(|key| drop(fields.shift_remove(*key)));
        }
        Ok(Asked { params, input })
    }

    /// The message with another input, and all else as it is.
    fn with(&self, kind: ToolRequest, message: &Message, input: &Value) -> Result<Message, RequestError> {
        let mut after = input.clone();
        let fields = after.as_object_mut().ok_or(RequestError::NoParameters)?;
        for key in OWN_KEYS {
            fields.shift_remove(key);
            if let Some(own) = self.params.get(key) {
                fields.insert(key.to_owned(), own.clone());
            }
        }
        let written = message.body().ok_or(RequestError::NoParameters)?;
        let new = rewritten(written, &self.params, &after);
        // What a hook made of it has to be a request as well.
        Asked::read(kind, Some(&new))?;
        Message::read(splice(message.bytes(), written, &new)).map_err(|_| RequestError::NoParameters)
    }
}

/// Decides about a request, and passes it on or answers it.
pub(super) async fn gate(
    shared: Arc<Shared>,
    message: Message,
    kind: ToolRequest,
    id: Id,
    session: Arc<Session>,
    cancel: CancellationToken,
) {
    let refuse =
        async |code, text: &str| shared.answer_agent(&id, Message::error(Some(&id), code, text)).await;
    let asked = match Asked::read(kind, message.body()) {
        Ok(asked) => asked,
        Err(reason) => {
            let text = format!("the request cannot be read by hooks, so it is denied: {reason}");
            return refuse(INVALID_PARAMS, &text).await;
        }
    };
    let (method, tool, map, _) = kind.row();
    let call = ToolCall { map, ..ToolCall::new(&*id.plain(), tool, asked.input.clone()).native(method) };
    let mut options = supervised(&cancel);
    if let (ToolRequest::Write, Some(path), Some(content)) = (kind, call.paths().first(), call.content()) {
        let approved = session.take_approval(path, &content);
        if !approved.is_empty() {
            options.ui = Some(Arc::new(AnsweredUi { ui: Arc::clone(&session.ui), approved }));
        }
    }
    let began = Instant::now();
    let Some(permit) = shared.gate(&cancel).await else { return refuse(CANCELLED, "cancelled").await };
    let decided = session.host.gate(call.clone(), &options).await;
    drop(permit);
    match &decided {
        ControlFlow::Continue(permitted) => shared.decided(&call, &permitted.decision),
        ControlFlow::Break(denied) => shared.decided(&call, &denied.decision),
    }
    if cancel.is_cancelled() {
        return refuse(CANCELLED, "cancelled").await;
    }
    let Permitted { call, decision, .. } = match decided {
        ControlFlow::Continue(permitted) => permitted,
        ControlFlow::Break(denied) => {
            session.note_context(&denied.decision.context);
            let reason = denied.message();
            // Gemini CLI loses the text of errors, so the model reads it with the next prompt.
            let what = denied.decision.event.call().map(what).unwrap_or_default();
            session.note(format!("Snaphook denied `{method}`{what}: {reason}"));
            refuse(DENIED, &format!("denied by snaphook: {reason}")).await;
            if denied.decision.terminate {
                shared.stop(&session).await;
            }
            return;
        }
    };
    session.note_context(&decision.context);
    let changed = decision.is_rewritten().then(|| asked.with(kind, &message, &call.input));
    let message = match changed.transpose() {
        Ok(changed) => changed.unwrap_or(message),
        Err(error) => {
            return refuse(DENIED, &format!("the rewritten request cannot be written: {error}")).await;
        }
    };
    let original = decision.original.call();
    let called = Arc::new(CalledTool {
        kind,
        original_input: original.map_or_else(|| Arc::clone(&call.input), |call| Arc::clone(&call.input)),
        rewrites: session.host.could_rewrite(&call),
        call,
        began,
    });
    shared.of_agent.forward(&id, AgentAwaits { called, session, cancel });
    shared.tell_editor(message).await;
}

/// What a request is about, for the model.
fn what(call: &ToolCall) -> String {
    let paths = call.paths();
    let subject = call.command().or_else(|| paths.first().cloned());
    subject.map(|subject| format!(" of {subject}")).unwrap_or_default()
}

/// Passes a request for what a terminal printed, of which hooks look at the answer.
pub(super) async fn pass_output(
    shared: &Shared,
    message: Message,
    id: Id,
    session: Arc<Session>,
    cancel: CancellationToken,
) {
    let params = message.body().and_then(|params| Fields::read(params).ok());
    let terminal = params.and_then(|params| session.terminal(&params.text("terminalId")?));
    match terminal.filter(|called| called.rewrites) {
        Some(command) => {
            let CalledTool { call, original_input, .. } = &*command;
            let called = Arc::new(CalledTool {
                kind: ToolRequest::Output,
                call: call.clone(),
                original_input: Arc::clone(original_input),
                rewrites: true,
                began: Instant::now(),
            });
            shared.of_agent.forward(&id, AgentAwaits { called, session, cancel });
        }
        None => drop(shared.of_agent.finish(&id)),
    }
    shared.tell_editor(message).await;
}

// ---- from the editor ----

/// Has hooks look at the editor's answer, beside all else where they do, and passes what they make of it.
pub(super) async fn answered(
    shared: &Arc<Shared>,
    message: Message,
    id: Id,
    awaits: AgentAwaits,
    agent: &mpsc::Sender<Message>,
) {
    let AgentAwaits { called, session, .. } = &awaits;
    if called.kind == ToolRequest::Command || !called.rewrites {
        let body = message.body().unwrap_or_default();
        let is_error = matches!(message.kind(), MessageKind::Response { is_error: true, .. });
        session.host.note_result(&called.call, body.len(), is_error, called.began.elapsed());
        let result = Fields::read(body).ok().filter(|_| called.kind == ToolRequest::Command && !is_error);
        if let Some(terminal) = result.as_ref().and_then(|result| result.text("terminalId")) {
            session.note_terminal(terminal.into_owned(), Arc::clone(called));
        }
        let _ = agent.send(message).await;
        return;
    }
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let answer = looked_at(&message, &id, &awaits).await;
        shared.tell_agent(answer).await;
    });
}

/// A text in the editor's answer, and the place where it stands.
struct Shown<'a> {
    text: String,
    place: Option<&'a str>,
    is_error: bool,
}

impl<'a> Shown<'a> {
    fn read(message: &'a Message, kind: ToolRequest) -> Result<Self, Unreadable> {
        let body = message.body().unwrap_or_default();
        let is_error = matches!(message.kind(), MessageKind::Response { is_error: true, .. });
        let key = match (is_error, kind) {
            (true, _) => "message",
            (false, ToolRequest::Read) => "content",
            (false, ToolRequest::Output) => "output",
            // There is nothing to show of what was written.
            (false, ToolRequest::Write | ToolRequest::Command) => {
                return Ok(Shown { text: String::new(), place: None, is_error });
            }
        };
        let fields = Fields::read(body).map_err(|_| Unreadable::Form)?;
        if fields.look_alike(&[key]).is_some() {
            return Err(Unreadable::Form);
        }
        let value = fields.get(key).ok_or(Unreadable::Form)?;
        let text = text_of(value).ok_or(Unreadable::Text)?.into_owned();
        Ok(Shown { text, place: Some(value.get()), is_error })
    }
}

async fn looked_at(message: &Message, id: &Id, awaits: &AgentAwaits) -> Message {
    let AgentAwaits { called, session, cancel } = awaits;
    let refusal = |code, text: &str| Message::error(Some(id), code, text);
    let shown = match Shown::read(message, called.kind) {
        Ok(shown) => shown,
        Err(why) => {
            return match session.host.unreadable_result(Some(called.call.clone()), why) {
                Some(emitted) => refusal(DENIED, &content_of(&emitted)),
                None => message.clone(),
            };
        }
    };
    let event = Event::tool_result(ToolResult {
        call: called.call.clone(),
        original_input: Arc::clone(&called.original_input),
        content: shown.text.as_str().into(),
        details: Arc::new(Value::Null),
        is_error: shown.is_error,
    });
    let emitted = session.host.emit(event, &supervised(cancel)).await;
    session.note_context(&emitted.context);
    if emitted.cancelled {
        // What only some hooks have seen is not shown.
        return refusal(CANCELLED, "cancelled");
    }
    let result = match emitted.event.payload() {
        Payload::Result(result) if emitted.rewritten => result,
        _ => {
            let bytes = message.body().unwrap_or_default().len();
            session.host.note_result(&called.call, bytes, shown.is_error, called.began.elapsed());
            return message.clone();
        }
    };
    if result.is_error && !shown.is_error {
        return refusal(DENIED, &result.content);
    }
    if shown.is_error && !result.is_error && called.kind == ToolRequest::Read {
        return Message::result(id, &json!({"content": &*result.content}));
    }
    let Some(place) = shown.place else {
        tracing::warn!(target: "snaphook::acp", "a hook gave a text for a write, whose answer has no place for one");
        return message.clone();
    };
    let new = Value::from(&*result.content).to_string();
    Message::read(splice(message.bytes(), place, &new))
        .unwrap_or_else(|error| refusal(DENIED, &format!("the rewritten result cannot be written: {error}")))
}

fn content_of(emitted: &Emitted) -> String {
    match emitted.event.payload() {
        Payload::Result(result) => result.content.to_string(),
        _ => String::new(),
    }
}
