//! The outcome of an event for an agent: what hooks want of it, in the words of no agent. Not here: how
//! handlers come to it (the host), and what an agent can honour of it (`snaphook-adapters`).

use std::sync::Arc;

use crate::payload::{Event, Payload};
use crate::verdict::{ContextText, Decision, Verdict};
use serde_json::Value;

/// The ruling on an event that can be denied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Ruling {
    /// No hook has a say: the agent does what it would do.
    #[default]
    Nothing,
    /// A hook allows it, and none objects.
    Allow,
    /// The person has to agree; the text is the question.
    Ask(String),
    /// It must not happen; the text is the reason.
    Deny(String),
}

/// A result that hooks rewrote.
#[derive(Debug, Clone, PartialEq)]
pub struct NewResult {
    /// The text for the model.
    pub content: Arc<str>,
    /// Structured data beside the text.
    pub details: Arc<Value>,
    /// True where it counts as a failure.
    pub is_error: bool,
}

/// The outcome of an event: everything that hooks want of the agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The ruling.
    pub ruling: Ruling,
    /// The whole input as rewritten; a prompt for `user_prompt`, all fields for `model_request`.
    pub input: Option<Value>,
    /// The result as rewritten.
    pub result: Option<NewResult>,
    /// Texts for the model.
    pub context: Vec<String>,
    /// Texts to go on with.
    pub continue_with: Vec<String>,
    /// True where the agent should stop altogether.
    pub stop: bool,
}

impl Outcome {
    /// The outcome of a gated event.
    pub fn decided(decision: &Decision) -> Self {
        let ruling = match decision.verdict {
            Verdict::Abstain => Ruling::Nothing,
            Verdict::Allow => Ruling::Allow,
            Verdict::Ask => Ruling::Ask(decision.message()),
            Verdict::Deny => Ruling::Deny(decision.message()),
        };
        let rewritten = decision.is_rewritten() && decision.verdict != Verdict::Deny;
        Outcome {
            ruling,
            input: rewritten.then(|| subject(&decision.event)),
            context: texts(&decision.context),
            stop: decision.terminate,
            ..Outcome::default()
        }
    }

    /// The outcome of an event that cannot be denied, as handlers left it. `rewritten` is true if one
    /// changed it.
    pub fn observed(
        event: &Event,
        rewritten: bool,
        context: &[ContextText],
        continue_with: &[ContextText],
    ) -> Self {
        let (mut input, mut result) = (None, None);
        match event.payload() {
            Payload::Result(new) if rewritten => {
                result = Some(NewResult {
                    content: Arc::clone(&new.content),
                    details: Arc::clone(&new.details),
                    is_error: new.is_error,
                });
            }
            Payload::Fields(fields) if rewritten => input = Some(Value::Object((**fields).clone())),
            _ => {}
        }
        let (context, continue_with) = (texts(context), texts(continue_with));
        Outcome { input, result, context, continue_with, ..Outcome::default() }
    }
}

/// The part of an event that an agent takes back: the input of a call, the text of a prompt.
fn subject(event: &Event) -> Value {
    match event.payload() {
        Payload::Fields(fields) => fields.get("prompt").cloned().unwrap_or_default(),
        _ => event.subject(),
    }
}

fn texts(given: &[ContextText]) -> Vec<String> {
    given.iter().map(|one| one.text.clone()).collect()
}
