//! The answers to Copilot. Its own dialect has flat documents. Under Claude Code's names VS Code reads Claude Code's shapes; the
//! command line is given both, since it was seen to read either.

use serde_json::{Map, Value, json};

use super::dialect;
use crate::agents::family::answers::{self, Document};
use crate::fit::Response;
use crate::incoming::Incoming;
use crate::reply::Reply;
use snaphook_core::Ruling;

/// The answer to an event.
pub(super) fn answer(incoming: &Incoming, response: &Response) -> Reply {
    let native = incoming.native.as_str();
    if let ("postToolUseFailure" | "PostToolUseFailure", Some(context)) = (native, &response.context) {
        // The one event where 2 is how a text gets to the model.
        return Reply { stdout: context.clone(), code: 2, ..Reply::default() };
    }
    let flat = flat(incoming, response);
    let document = match (dialect::is_own(native), dialect::is_vs_code(native, &incoming.raw)) {
        (true, _) => flat,
        (false, true) => nested(native, response),
        (false, false) => {
            // A text that is in both shapes might be read twice.
            let twice = if dialect::is_unclear(native) { response.context.clone() } else { None };
            let mut both = flat;
            both.extend(nested(native, &Response { context: twice, ..response.clone() }));
            both
        }
    };
    if document.is_empty() { Reply::silent() } else { Reply::json(&document.into()) }
}

/// The denial of an event of which nothing but the name is known.
pub(super) fn denial(native: &str, reason: &str) -> Option<Value> {
    let ruling = Ruling::Deny(reason.to_owned());
    let response = Response { ruling: ruling.clone(), ..Response::default() };
    let mut document = ruled(native, &ruling, false);
    if !dialect::is_own(native) {
        document.extend(nested(native, &response));
    }
    (!document.is_empty()).then_some(document.into())
}

fn ruled(native: &str, ruling: &Ruling, stop: bool) -> Map<String, Value> {
    let document = match (native, ruling) {
        ("preToolUse" | "PreToolUse", Ruling::Deny(reason)) => {
            json!({"permissionDecision": "deny", "permissionDecisionReason": reason})
        }
        ("preToolUse" | "PreToolUse", Ruling::Ask(question)) => {
            json!({"permissionDecision": "ask", "permissionDecisionReason": question})
        }
        ("permissionRequest" | "PermissionRequest", Ruling::Deny(reason)) if stop => {
            json!({"behavior": "deny", "message": reason, "interrupt": true})
        }
        ("permissionRequest" | "PermissionRequest", Ruling::Deny(reason)) => {
            json!({"behavior": "deny", "message": reason})
        }
        ("permissionRequest" | "PermissionRequest", Ruling::Allow) => json!({"behavior": "allow"}),
        ("UserPromptSubmit", Ruling::Deny(reason)) => json!({"decision": "block", "reason": reason}),
        // No objection is no approval.
        _ => json!({}),
    };
    document.as_object().cloned().unwrap_or_default()
}

/// Copilot's own keys.
fn flat(incoming: &Incoming, response: &Response) -> Map<String, Value> {
    let native = incoming.native.as_str();
    let mut document = ruled(native, &response.ruling, response.stop);
    let mut put = |key: &str, value: Value| document.insert(key.to_owned(), value);
    if native == "userPromptTransformed" {
        if let Some(text) = prompt(incoming, response) {
            put("modifiedTransformedPrompt", text.into());
        }
        return document;
    }
    if let Some(input) = &response.input {
        put("modifiedArgs", input.clone());
    }
    if let Some(new) = &response.result {
        let kind = if new.is_error { "failure" } else { "success" };
        put("modifiedResult", json!({"resultType": kind, "textResultForLlm": &*new.content}));
    }
    if let Some(context) = &response.context {
        put("additionalContext", context.as_str().into());
    }
    if let Some(text) = &response.continue_with {
        put("decision", "block".into());
        put("reason", text.as_str().into());
    }
    document
}

/// The prompt as the model gets it, with what hooks changed and added.
fn prompt(incoming: &Incoming, response: &Response) -> Option<String> {
    let (Some(text), _) = dialect::transformed(&incoming.raw) else { return None };
    let before = incoming.raw.get("prompt").and_then(Value::as_str).unwrap_or_default();
    let changed = match response.input.as_ref().and_then(Value::as_str) {
        Some(new) => text.replacen(before, new, 1),
        None => text.to_owned(),
    };
    match &response.context {
        Some(context) => Some(format!("{changed}\n\n{context}")),
        None => response.input.is_some().then_some(changed),
    }
}

/// The shapes that Claude Code began.
fn nested(native: &str, response: &Response) -> Map<String, Value> {
    let mut document = Document::default();
    match native {
        "PreToolUse" => answers::before_tool(&mut document, response),
        "PermissionRequest" => answers::permission(&mut document, response),
        "UserPromptSubmit" => {
            // It knows the keys that stop the agent, and no others.
            if let Ruling::Deny(reason) = &response.ruling {
                document.top("continue", false).top("stopReason", reason.as_str());
            }
        }
        "Stop" => {
            answers::go_on(&mut document, response);
            if let Some(text) = &response.continue_with {
                document.specific("decision", "block").specific("reason", text.as_str());
            }
        }
        "SubagentStop" => answers::go_on(&mut document, response),
        _ => answers::context(&mut document, response),
    }
    if native != "PermissionRequest" {
        answers::person(&mut document, response);
    }
    match document.finish(native) {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    }
}
