//! The messages of a conversation: what a model is sent, what hooks see of it (`context`, `model_request`), and what a
//! session's file keeps. Not here: how a provider wants them (`model`).

use std::borrow::Borrow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A message. As JSON an object with `role` (`user`, `assistant`, `tool`), which is the form that hooks see and may rewrite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Text for the agent: the person's, or a hook's.
    User {
        /// The text.
        content: String,
        /// The hook whose text it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
    },
    /// An answer of the model.
    Assistant {
        /// The text.
        #[serde(default)]
        content: String,
        /// The calls that it makes at once.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<MessageCall>,
        /// The parts that only its provider understands and wants back.
        #[serde(default, skip_serializing_if = "Continuation::is_empty")]
        provider: Continuation,
    },
    /// The result of a call.
    Tool {
        /// The call's id.
        call_id: String,
        /// The text.
        content: String,
        /// True if it failed.
        #[serde(default)]
        is_error: bool,
    },
}

/// A call in an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageCall {
    /// Its id, unique in the session.
    pub id: String,
    /// The canonical name of the tool.
    pub tool: String,
    /// The input, as the model made it.
    pub input: Value,
    /// The provider's signatures of it, which it wants back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<String>,
}

/// The parts of an answer that only the provider understands. It refuses to go on without them, or answers worse.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Continuation {
    /// The model that they are of: another one cannot read them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it thought, where the provider tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Signatures of what it thought.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<String>,
}

impl Continuation {
    /// Returns whether there is nothing to give back.
    pub fn is_empty(&self) -> bool {
        *self == Continuation::default()
    }
}

/// The reason why messages that hooks rewrote cannot be sent. Reads after "the rewritten messages are not sent: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadMessages {
    /// They are not messages.
    #[error("{0}")]
    Form(#[from] serde_json::Error),
    /// A result of no call.
    #[error("a result for the call \"{0}\", which no answer before it makes")]
    ResultOfNoCall(String),
    /// A call without a result behind its answer.
    #[error("the call \"{0}\" has no result behind it")]
    NoResult(String),
    /// There is none.
    #[error("there is no message of the person in them")]
    Empty,
}

impl Message {
    /// Text of the person.
    pub fn user(content: impl Into<String>) -> Self {
        Message::User { content: content.into(), from: None }
    }

    /// Text of a hook.
    pub fn hook(hook: impl Into<String>, content: impl Into<String>) -> Self {
        Message::User { content: content.into(), from: Some(hook.into()) }
    }

    /// The result of a call.
    pub fn tool(id: impl Into<String>, content: impl Into<String>, is_error: bool) -> Self {
        Message::Tool { call_id: id.into(), content: content.into(), is_error }
    }

    /// An answer.
    pub fn assistant(content: impl Into<String>, calls: Vec<MessageCall>, provider: Continuation) -> Self {
        Message::Assistant { content: content.into(), calls, provider }
    }
}

/// Messages as hooks see them.
pub fn to_json<M: Borrow<Message>>(messages: &[M]) -> Value {
    messages.iter().map(|message| serde_json::to_value(message.borrow()).unwrap_or_default()).collect()
}

/// Messages as hooks left them: each call has its result, between its answer and the next, as providers want it.
///
/// # Errors
/// They could not be sent.
pub fn from_json(messages: Value) -> Result<Vec<Message>, BadMessages> {
    let messages: Vec<Message> = serde_json::from_value(messages)?;
    let mut open: Vec<&str> = Vec::new();
    for message in &messages {
        match message {
            Message::Tool { call_id, .. } => match open.iter().position(|id| id == call_id) {
                Some(at) => drop(open.remove(at)),
                None => return Err(BadMessages::ResultOfNoCall(call_id.clone())),
            },
            Message::User { .. } => {}
            Message::Assistant { calls, .. } => {
                if let Some(id) = open.first() {
                    return Err(BadMessages::NoResult((*id).to_owned()));
                }
                open.extend(calls.iter().map(|call| call.id.as_str()));
            }
        }
    }
    match open.first() {
        Some(id) => Err(BadMessages::NoResult((*id).to_owned())),
        None if messages.iter().any(|message| matches!(message, Message::User { .. })) => Ok(messages),
        None => Err(BadMessages::Empty),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_that_hooks_rewrote_are_looked_at_before_they_are_sent() {
        let user = json!({"role": "user", "content": "go"});
        let call = json!({"role": "assistant", "calls": [{"id": "a", "tool": "bash", "input": {}}]});
        let result = json!({"role": "tool", "call_id": "a", "content": "x"});
        let cases = [
            (json!([user, call, result]), ""),
            (json!([user, call, user, result]), ""),
            (json!([user, call]), "the call \"a\" has no result behind it"),
            (json!([user, call, call, result]), "the call \"a\" has no result behind it"),
            (json!([user, result]), "a result for the call \"a\", which no answer before it makes"),
            (json!([]), "there is no message of the person in them"),
            (
                json!([{"role": "system", "content": "x"}]),
                "unknown variant `system`, expected one of `user`, `assistant`, `tool`",
            ),
            (json!("x"), "invalid type: string \"x\", expected a sequence"),
        ];
        for (messages, expected) in cases {
            let error = from_json(messages.clone()).err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(error, expected, "{messages}");
        }
    }

    #[test]
    fn what_only_a_provider_understands_comes_back_as_it_was() {
        let signed = json!([
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "x", "calls": [{"id": "a", "tool": "bash", "input": {"b": 1}, "signatures": ["s"]}],
             "provider": {"model": "m", "reasoning": "r", "signatures": ["t"]}},
            {"role": "tool", "call_id": "a", "content": "x", "is_error": false},
        ]);
        assert_eq!(to_json(&from_json(signed.clone()).unwrap()), signed);
    }
}
