//! Putting a summary in place of a conversation that fills what the model can read. Hooks are asked before
//! (`session_before_compact`) and told after (`session_compact`).

use std::sync::Arc;

use serde_json::json;
use snaphook::CancellationToken;
use snaphook_core::Lifecycle;

use super::accept::accept;
use super::{AskError, Model, Request};
use crate::driver::{Conversation, DriveError, Step};
use crate::message::Message;

/// The words to the model that sums up.
const INSTRUCTIONS: &str = "\
Sum up the conversation so far for a colleague who goes on with it and sees nothing else of it: the person's task in their own \
words, what was decided and why, which files were read and changed and how they are now, what hooks denied and why, what failed, \
and what is to be done next. Be exact about names, paths and numbers. Write the summary only.";

/// The words in front of the summary.
const HEAD: &str = "The conversation until here was summed up, because it filled what can be read at once:";

/// The number of times that the older half is left out because even the summary's request is too long.
const MAX_HALVES: u32 = 5;

/// Puts a summary in place of the conversation. False where hooks want it kept, or no summary is to be had: the conversation is
/// as it was.
pub(super) async fn compact(
    model: &dyn Model,
    conversation: &mut Conversation<'_>,
    trigger: &str,
) -> Result<bool, DriveError> {
    let decision =
        conversation.decide(Lifecycle::SessionBeforeCompact, json!({ "trigger": trigger })).await?;
    if !decision.is_allowed() {
        let text = format!("the conversation is not summed up: {}", decision.message());
        conversation.tell(Step::Notice { text });
        return Ok(false);
    }
    let summary = match summary(model, conversation.messages().to_vec(), conversation.cancel().clone()).await
    {
        Ok(summary) => summary,
        Err(why) => {
            conversation.tell(Step::Notice { text: format!("the conversation is not summed up: {why}") });
            return Ok(false);
        }
    };
    conversation.compact(&format!("{HEAD}\n\n{summary}"), 0)?;
    conversation.tell(Step::Compacted { summary: summary.clone() });
    conversation.notify(Lifecycle::SessionCompact, json!({ "trigger": trigger, "summary": summary })).await?;
    Ok(true)
}

/// The reason why there is no summary.
#[derive(Debug, thiserror::Error)]
enum NoSummary {
    #[error("{0}")]
    Asked(#[from] AskError),
    #[error("{0}")]
    Broken(#[from] super::Broken),
    #[error("it was interrupted")]
    Interrupted,
    #[error("the model wrote none")]
    Empty,
}

async fn summary(
    model: &dyn Model,
    mut messages: Vec<Arc<Message>>,
    cancel: CancellationToken,
) -> Result<String, NoSummary> {
    let mut halves = 0;
    loop {
        let mut all = messages.clone();
        all.push(Arc::new(Message::user(INSTRUCTIONS)));
        let request = Request {
            model: None,
            system: None,
            messages: all,
            tools: Arc::default(),
            max_output: None,
            temperature: None,
            whole: true,
        };
        let asked = tokio::select! {
            asked = model.ask(&request, &|_| {}) => asked,
            () = cancel.cancelled() => return Err(NoSummary::Interrupted),
        };
        match asked {
            Err(AskError::TooLong { .. }) if halves < MAX_HALVES && messages.len() > 2 => {
                halves += 1;
                messages = newer_half(&messages);
            }
            Err(error) => return Err(error.into()),
            Ok(raw) => {
                let turn = accept(raw)?;
                let text = turn.text.trim();
                return if text.is_empty() { Err(NoSummary::Empty) } else { Ok(text.to_owned()) };
            }
        }
    }
}

/// The newer half of a conversation, from a message on that no result of a call before it follows.
fn newer_half(messages: &[Arc<Message>]) -> Vec<Arc<Message>> {
    let from = messages.len() / 2;
    let begins = |message: &Arc<Message>| !matches!(&**message, Message::Tool { .. });
    let from = (from..messages.len()).find(|at| messages.get(*at).is_some_and(begins)).unwrap_or(from);
    messages.get(from..).unwrap_or_default().to_vec()
}
