//! Answers in Claude Code's shapes. Agents that reject keys they do not know build theirs out of the same parts.

use serde_json::{Map, Value, json};

use crate::fit::Response;
use crate::reply::Reply;
use snaphook_core::Ruling;

/// One answer, part by part.
#[derive(Debug, Default)]
pub(crate) struct Document {
    top: Map<String, Value>,
    specific: Map<String, Value>,
}

impl Document {
    /// A key at the top.
    pub(crate) fn top(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        self.top.insert(key.to_owned(), value.into());
        self
    }

    /// A key of `hookSpecificOutput`.
    pub(crate) fn specific(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        self.specific.insert(key.to_owned(), value.into());
        self
    }

    /// The document as a reply; silence where there is nothing in it.
    pub(crate) fn reply(self, event: &str) -> Reply {
        self.finish(event).map_or_else(Reply::silent, |document| Reply::json(&document))
    }

    /// The document; `None` where there is nothing in it. `hookSpecificOutput` names its event.
    pub(crate) fn finish(self, event: &str) -> Option<Value> {
        let Document { mut top, specific } = self;
        if !specific.is_empty() {
            let mut output = Map::new();
            output.insert("hookEventName".to_owned(), event.into());
            output.extend(specific);
            top.insert("hookSpecificOutput".to_owned(), Value::Object(output));
        }
        (!top.is_empty()).then_some(Value::Object(top))
    }
}

/// `permissionDecision` with its reason, `updatedInput`, `additionalContext`: before a tool.
pub(crate) fn before_tool(document: &mut Document, response: &Response) {
    match &response.ruling {
        Ruling::Deny(reason) => {
            document.specific("permissionDecision", "deny");
            document.specific("permissionDecisionReason", reason.as_str());
        }
        Ruling::Ask(question) => {
            document.specific("permissionDecision", "ask");
            document.specific("permissionDecisionReason", question.as_str());
        }
        // No objection is no approval: the agent's own rules go on.
        Ruling::Allow | Ruling::Nothing => {}
    }
    if let Some(input) = &response.input {
        document.specific("updatedInput", input.clone());
    }
    context(document, response);
}

/// The denial of a call, whatever else is known.
pub(crate) fn deny_tool(reason: &str) -> Reply {
    Reply::json(&json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
    }}))
}

/// The denial of a permission, whatever else is known.
pub(crate) fn deny_permission(reason: &str) -> Reply {
    Reply::json(&json!({"hookSpecificOutput": {
        "hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": reason},
    }}))
}

/// `decision` with `behavior`: when the agent is about to ask its person.
pub(crate) fn permission(document: &mut Document, response: &Response) {
    match (&response.ruling, &response.input) {
        (Ruling::Deny(reason), _) => {
            document.specific("decision", json!({"behavior": "deny", "message": reason}));
        }
        (Ruling::Allow, None) => {
            document.specific("decision", json!({"behavior": "allow"}));
        }
        (Ruling::Allow, Some(input)) => {
            document.specific("decision", json!({"behavior": "allow", "updatedInput": input}));
        }
        // The agent asks its person anyway.
        (Ruling::Ask(_) | Ruling::Nothing, _) => {}
    }
}

/// `decision: block` with its reason: a prompt, a compaction.
pub(crate) fn block(document: &mut Document, response: &Response) {
    if let Ruling::Deny(reason) = &response.ruling {
        document.top("decision", "block").top("reason", reason.as_str());
    }
    context(document, response);
}

/// `decision: block`, with which the agent goes on instead of ending.
pub(crate) fn go_on(document: &mut Document, response: &Response) {
    if let Some(text) = &response.continue_with {
        document.top("decision", "block").top("reason", text.as_str());
    }
}

/// `additionalContext`.
pub(crate) fn context(document: &mut Document, response: &Response) {
    if let Some(context) = &response.context {
        document.specific("additionalContext", context.as_str());
    }
}

/// `systemMessage` for the person, and `continue: false` where the agent should stop.
pub(crate) fn person(document: &mut Document, response: &Response) {
    if let Some(text) = &response.tell {
        document.top("systemMessage", text.as_str());
    }
    if let (true, Ruling::Deny(reason)) = (response.stop, &response.ruling) {
        document.top("continue", false).top("stopReason", reason.as_str());
    }
}
