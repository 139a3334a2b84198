//! What hooks want, whatever the agent: made of the host's decision or of what an event came to.

use std::sync::Arc;

use serde_json::Value;
use snaphook::{ContextText, Decided, Emitted, Event, Payload, Verdict};

/// What becomes of an event that can be denied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Ruling {
    /// Nobody said anything: the agent does what it would do.
    #[default]
    Nothing,
    /// A hook has no objection, and none objects.
    Allow,
    /// The person has to say yes.
    Ask(String),
    /// It must not happen.
    Deny(String),
}

/// A result as hooks rewrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewResult {
    /// The text for the model.
    pub content: Arc<str>,
    /// What there is beside it.
    pub details: Arc<Value>,
    /// Whether it counts as a failure.
    pub is_error: bool,
}

/// Everything that hooks want of the agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wants {
    /// What becomes of the event.
    pub ruling: Ruling,
    /// The whole input as rewritten; a prompt for `user_prompt`, all fields for `model_request`.
    pub input: Option<Value>,
    /// The result as rewritten.
    pub result: Option<NewResult>,
    /// Texts for the model.
    pub context: Vec<String>,
    /// Texts to go on with.
    pub continue_with: Vec<String>,
    /// The agent should stop altogether.
    pub stop: bool,
}

impl Wants {
    /// Of a decision.
    pub fn decided(decided: &Decided) -> Self {
        let decision = &decided.decision;
        let ruling = match decision.verdict {
            Verdict::Abstain => Ruling::Nothing,
            Verdict::Allow => Ruling::Allow,
            Verdict::Ask => Ruling::Ask(decision.message()),
            Verdict::Deny => Ruling::Deny(decision.message()),
        };
        let rewritten = decision.is_rewritten() && decision.verdict != Verdict::Deny;
        Wants {
            ruling,
            input: rewritten.then(|| subject(&decision.event)),
            context: texts(&decision.context),
            stop: decision.terminate,
            ..Wants::default()
        }
    }

    /// Of what an event that cannot be denied came to.
    pub fn emitted(emitted: &Emitted) -> Self {
        let result = match emitted.event.payload() {
            Payload::Result(result) if emitted.rewritten => Some(NewResult {
                content: Arc::clone(&result.content),
                details: Arc::clone(&result.details),
                is_error: result.is_error,
            }),
            _ => None,
        };
        let input = match emitted.event.payload() {
            Payload::Fields(fields) if emitted.rewritten => Some(Value::Object((**fields).clone())),
            _ => None,
        };
        Wants {
            input,
            result,
            context: texts(&emitted.context),
            continue_with: texts(&emitted.continue_with),
            ..Wants::default()
        }
    }
}

/// What an agent takes back: the input of a call, the text of a prompt.
fn subject(event: &Event) -> Value {
    match event.payload() {
        Payload::Fields(fields) => fields.get("prompt").cloned().unwrap_or_default(),
        _ => event.subject(),
    }
}

fn texts(given: &[ContextText]) -> Vec<String> {
    given.iter().map(|one| one.text.clone()).collect()
}
