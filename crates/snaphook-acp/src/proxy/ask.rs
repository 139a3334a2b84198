//! The gate of permission requests. A yes of hooks passes the request to the editor, whose person still decides; a no is
//! answered here, and its reason waits for the next prompt, as an answer has no place for it.

use std::sync::Arc;

use serde_json::{Value, json};
use snaphook::{CancellationToken, Decision, Event, EventName, Lifecycle, ToolCall, Verdict};
use snaphook_mcp_transport::message::{Id, Message};

use crate::fields::diffs;
use crate::permission::{PermissionRequest, RequestError, cancelled};
use crate::proxy::sessions::Session;
use crate::proxy::shared::{INVALID_PARAMS, Shared, supervised};

/// Decides about a request, and passes it on or answers it.
pub(super) async fn gate(
    shared: Arc<Shared>,
    message: Message,
    id: Id,
    session: Arc<Session>,
    cancel: CancellationToken,
) {
    let request = match Asked::read(&message, &session) {
        Ok(request) => request,
        Err(reason) => {
            let text = format!("the request cannot be read by hooks, so it is denied: {reason}");
            tracing::warn!(target: "snaphook::acp", "{text}");
            session.note(text.clone());
            return shared.answer_agent(&id, Message::error(Some(&id), INVALID_PARAMS, &text)).await;
        }
    };
    let ruling = decide(&shared, &request.call, &session, &cancel).await;
    if cancel.is_cancelled() {
        return shared.answer_agent(&id, Message::result(&id, &cancelled())).await;
    }
    match ruling {
        Ruling::Denied { reason, stops } => {
            session.note(format!("Snaphook denied the call \"{}\": {reason}", request.title()));
            show(&shared, &session, &request, &reason).await;
            shared.answer_agent(&id, Message::result(&id, &request.asked.refusal())).await;
            if stops {
                shared.stop(&session).await;
            }
        }
        Ruling::Approved => match request.asked.approval() {
            Some(approval) => shared.answer_agent(&id, Message::result(&id, &approval)).await,
            // The agent offers nothing that means just this call.
            None => pass(&shared, &id, message).await,
        },
        Ruling::Passes => pass(&shared, &id, message).await,
    }
}

async fn pass(shared: &Shared, id: &Id, message: Message) {
    // The editor's answer passes as it comes.
    shared.of_agent.finish(id);
    shared.tell_editor(message).await;
}

/// The request as it was read, with its call.
struct Asked {
    asked: PermissionRequest,
    call: ToolCall,
    /// True if the editor was told of the call before.
    is_known: bool,
}

impl Asked {
    fn read(message: &Message, session: &Session) -> Result<Self, RequestError> {
        let asked = PermissionRequest::read(message.body())?;
        let calls = session.calls.lock();
        let known = calls.of(&asked.call_id);
        let call = asked.tool_call(known)?;
        Ok(Asked { call, is_known: known.is_some(), asked })
    }

    fn title(&self) -> &str {
        self.call.input.get("title").and_then(Value::as_str).unwrap_or(&self.call.tool)
    }
}

/// The conclusion about a request.
enum Ruling {
    Denied {
        reason: String,
        /// True if the agent should stop altogether.
        stops: bool,
    },
    /// A hook asked, and the person said yes.
    Approved,
    /// The person decides.
    Passes,
}

async fn decide(shared: &Shared, call: &ToolCall, session: &Session, cancel: &CancellationToken) -> Ruling {
    let denied = |reason| Ruling::Denied { reason, stops: false };
    let Some(_permit) = shared.gate(cancel).await else { return denied("the call was cancelled".to_owned()) };
    let mut asked = Vec::new();
    // Hooks for calls decide about this one, as there may be no other gate; then those for permissions.
    let events = [Event::tool_call(call.clone()), Event::permission_request(call.clone())];
    let permission = EventName::Lifecycle(Lifecycle::PermissionRequest);
    for event in events {
        if *event.name() == permission && !session.host.handles(&permission) {
            continue;
        }
        let decision = session.host.decide(event, &supervised(cancel)).await.decision;
        shared.decided(call, &decision);
        session.note_context(&decision.context);
        if !decision.is_allowed() {
            return Ruling::Denied { reason: decision.message(), stops: decision.terminate };
        }
        if decision.is_rewritten() {
            return denied(unchangeable(&decision));
        }
        asked.extend(decision.reasons.into_iter().filter(|reason| reason.verdict == Verdict::Ask));
    }
    if asked.is_empty() {
        return Ruling::Passes;
    }
    // The agent may have the editor write just this next: the person is not asked twice.
    let questions: Vec<String> = asked.into_iter().map(|reason| snaphook::printable(&reason.text)).collect();
    for diff in diffs(&call.input) {
        let text = |key: &str| diff.get(key).and_then(Value::as_str).map(str::to_owned);
        if let (Some(path), Some(content)) = (text("path"), text("newText")) {
            session.approve(path, content, questions.clone());
        }
    }
    Ruling::Approved
}

/// The reason for the denial of a call that hooks would change.
fn unchangeable(decision: &Decision) -> String {
    let command = decision.event.call().and_then(|call| call.command());
    match (decision.hold.is_some(), command) {
        (true, Some(command)) => {
            format!("this command has to be held by the kernel; run it like this: {command}")
        }
        (false, Some(command)) => {
            format!(
                "a hook changes this call, and a permission cannot carry the change; run this instead: {command}"
            )
        }
        _ => "a hook changes this call, and a permission cannot carry the change".to_owned(),
    }
}

/// Shows the person why a call is denied, where the editor shows the call.
async fn show(shared: &Shared, session: &Session, request: &Asked, reason: &str) {
    if !request.is_known {
        return;
    }
    let text = json!({"type": "text", "text": format!("Denied by snaphook: {reason}")});
    let update = json!({
        "sessionUpdate": "tool_call_update",
        "toolCallId": request.asked.call_id,
        "content": [{"type": "content", "content": text}],
    });
    let params = json!({"sessionId": session.id, "update": update});
    shared.tell_editor(Message::notification("session/update", &params)).await;
}
