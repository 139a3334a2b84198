//! A conversation as it goes on: its messages, what hooks are told of it, and the steps that are reported. Not here: which
//! prompts there are and what follows an answer (`session`), and tool calls (`calls`).

use std::io;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use snaphook::{CallOptions, CancellationToken, Emitted, Host, Report};
use snaphook_core::{ContextText, Deliver, Event, Lifecycle};

use super::{DriveError, DrivePlan, Limit, Observer, Step, Summary};
use crate::message::{self, Message};
use crate::tools::Workspace;

/// Writes a session down, so that it can be gone on with after any end. A session whose record fails goes no further.
pub trait Recorder: Send + Sync {
    /// A message that is in the conversation from now on.
    ///
    /// # Errors
    /// It cannot be written.
    fn message(&self, message: &Message, index: Option<u64>) -> io::Result<()>;

    /// A tool is about to run: after this a resumed session does not run the call again.
    ///
    /// # Errors
    /// It cannot be written: the tool does not run.
    fn started(&self, id: &str) -> io::Result<()>;

    /// The conversation was replaced by a summary of it.
    ///
    /// # Errors
    /// It cannot be written.
    fn compacted(&self, summary: &str) -> io::Result<()>;

    /// The conversation begins anew.
    ///
    /// # Errors
    /// It cannot be written.
    fn cleared(&self) -> io::Result<()>;
}

/// A conversation between the person, hooks and an agent.
pub struct Conversation<'a> {
    pub(super) host: &'a Host,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) plan: &'a DrivePlan,
    /// Ends work on the prompt; a child of the plan's, which ends the session.
    cancel: CancellationToken,
    /// Shared with the requests that are made of them: a long conversation is not copied for each turn.
    messages: Vec<Arc<Message>>,
    pub(super) summary: Summary,
    turn_index: u64,
    /// The number of calls, for ids that are unique in the session.
    calls: u64,
    /// True if a call was denied because nobody could be asked, since this was last looked at.
    pub(super) needed_a_person: bool,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(
        host: &'a Host,
        observer: &'a mut dyn Observer,
        plan: &'a DrivePlan,
        messages: Vec<Message>,
    ) -> Self {
        let calls = messages.iter().map(|message| match message {
            Message::Assistant { calls, .. } => calls.len() as u64,
            _ => 0,
        });
        let turns = messages.iter().filter(|message| matches!(message, Message::Assistant { .. }));
        Conversation {
            calls: calls.sum(),
            turn_index: turns.count() as u64,
            host,
            observer,
            plan,
            cancel: plan.cancel.child_token(),
            messages: messages.into_iter().map(Arc::new).collect(),
            summary: Summary::default(),
            needed_a_person: false,
        }
    }

    /// The folder that tools work in.
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.plan.workspace
    }

    /// The token that ends work on the prompt, or the session with it.
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Returns whether work on the prompt is to end.
    pub fn is_interrupted(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Returns whether the session is to end.
    pub(super) fn is_session_interrupted(&self) -> bool {
        self.plan.cancel.is_cancelled()
    }

    /// Begins work on a prompt; gives the token that ends it.
    pub(super) fn begin_prompt(&mut self) -> &CancellationToken {
        self.cancel = self.plan.cancel.child_token();
        &self.cancel
    }

    /// The messages so far.
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// The counts so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// An id for the next call, unique in the session and made of letters that every provider takes.
    pub fn next_call_id(&mut self) -> String {
        self.calls += 1;
        format!("call_{}", self.calls)
    }

    /// Puts a message behind the others, and writes it down.
    ///
    /// # Errors
    /// It cannot be written down.
    pub fn say(&mut self, message: Message) -> Result<(), DriveError> {
        let index = matches!(message, Message::Assistant { .. }).then_some(self.turn_index);
        if let Some(recorder) = &self.plan.recorder {
            recorder.message(&message, index)?;
        }
        self.messages.push(Arc::new(message));
        Ok(())
    }

    /// Puts a summary in place of the messages before the last `kept`.
    ///
    /// # Errors
    /// It cannot be written down.
    pub fn compact(&mut self, summary: &str, kept: usize) -> Result<(), DriveError> {
        if let Some(recorder) = &self.plan.recorder {
            recorder.compacted(summary)?;
        }
        let from = self.messages.len().saturating_sub(kept);
        self.messages.splice(..from, [Arc::new(Message::user(summary))]);
        Ok(())
    }

    /// Begins the conversation anew.
    ///
    /// # Errors
    /// It cannot be written down.
    pub(super) fn clear(&mut self) -> Result<(), DriveError> {
        if let Some(recorder) = &self.plan.recorder {
            recorder.cleared()?;
        }
        self.messages.clear();
        Ok(())
    }

    /// Counts a step and tells it.
    pub fn tell(&mut self, step: Step) {
        self.summary.count(&step);
        self.observer.step(&step);
    }

    /// Tells what went wrong with hooks.
    pub fn report(&mut self, reports: Vec<Report>) {
        for report in reports {
            self.tell(Step::Report(Arc::new(report)));
        }
    }

    /// Begins a turn of the agent.
    ///
    /// # Errors
    /// What waits for it cannot be written down.
    pub async fn begin_turn(&mut self) -> Result<(), DriveError> {
        let index = self.turn_index;
        self.tell(Step::TurnStarted { index });
        self.notify(Lifecycle::TurnStart, json!({ "turn_index": index })).await?;
        self.deliver_waiting(Deliver::NextTurn)
    }

    /// Ends the turn, also after an interruption.
    ///
    /// # Errors
    /// What waited for its end cannot be written down.
    pub async fn end_turn(&mut self) -> Result<(), DriveError> {
        let index = self.turn_index;
        self.turn_index += 1;
        self.deliver_waiting(Deliver::Now)?;
        self.conclude(Lifecycle::TurnEnd, json!({ "turn_index": index })).await?;
        Ok(())
    }

    /// The request of a turn as hooks leave it. `None` where no hook looks at it: then it is as it would have been.
    ///
    /// # Errors
    /// What hooks said cannot be written down.
    pub async fn request(
        &mut self,
        model: &str,
        system: Option<&str>,
    ) -> Result<Option<Rewritten>, DriveError> {
        // A long conversation is copied only if a handler looks at it.
        if !self.listens(Lifecycle::Context) && !self.listens(Lifecycle::ModelRequest) {
            return Ok(None);
        }
        let messages = message::to_json(&self.messages);
        let emitted = self.notify(Lifecycle::Context, json!({ "messages": messages })).await?;
        // Text beside the messages is one more of them, for this request and those that follow.
        let (context, mut rewritten) = (emitted.context, emitted.rewritten);
        let mut messages = emitted.event.subject().get("messages").cloned().unwrap_or_default();
        let from = self.messages.len();
        self.deliver(Deliver::Now, context)?;
        if let (Value::Array(all), Some(new)) = (&mut messages, self.messages.get(from..)) {
            all.extend(new.iter().map(|message| serde_json::to_value(&**message).unwrap_or_default()));
        }
        let mut fields = json!({ "model": model, "messages": messages });
        if let (Some(system), Some(fields)) = (system, fields.as_object_mut()) {
            fields.insert("system".to_owned(), system.into());
        }
        let emitted = self.notify(Lifecycle::ModelRequest, fields).await?;
        rewritten |= emitted.rewritten;
        if !rewritten {
            return Ok(None);
        }
        let mut subject = emitted.event.subject();
        let mut take = |key: &str| subject.get_mut(key).map(Value::take);
        let text = |value: Option<Value>| value.and_then(|value| value.as_str().map(str::to_owned));
        match message::from_json(take("messages").unwrap_or_default()) {
            Ok(messages) => Ok(Some(Rewritten {
                messages,
                system: text(take("system")),
                model: text(take("model")),
                params: take("params").unwrap_or_default(),
            })),
            // As where a handler fails: the value is kept, and the person hears of it.
            Err(error) => {
                self.tell(Step::Notice { text: format!("the rewritten messages are not sent: {error}") });
                Ok(None)
            }
        }
    }

    /// Tells hooks what the model said.
    ///
    /// # Errors
    /// The core does not take the event.
    pub async fn responded(
        &mut self,
        model: &str,
        content: Option<&str>,
        usage: Option<Value>,
    ) -> Result<(), DriveError> {
        let mut fields = json!({ "model": model, "content": content });
        if let (Some(usage), Some(fields)) = (usage, fields.as_object_mut()) {
            fields.insert("usage".to_owned(), usage);
        }
        self.notify(Lifecycle::ModelResponse, fields).await?;
        Ok(())
    }

    /// Returns whether a hook has a handler for the event.
    pub fn listens(&self, event: Lifecycle) -> bool {
        self.host.handles(&event.into())
    }

    /// Decides about an event of the gate class.
    ///
    /// # Errors
    /// The core does not take the event.
    pub async fn decide(
        &mut self,
        event: Lifecycle,
        fields: Value,
    ) -> Result<snaphook_core::Decision, DriveError> {
        let event = Event::lifecycle(event, map(fields))?;
        let decided = self.host.decide(event, &self.options()).await;
        self.report(decided.reports);
        Ok(decided.decision)
    }

    /// Dispatches an event that an interruption may cut short.
    ///
    /// # Errors
    /// The core does not take the event.
    pub async fn notify(&mut self, event: Lifecycle, fields: Value) -> Result<Emitted, DriveError> {
        let options = self.options();
        self.emit(event, fields, options).await
    }

    /// Dispatches an event that ends what another began, also after an interruption.
    ///
    /// # Errors
    /// The core does not take the event.
    pub async fn conclude(&mut self, event: Lifecycle, fields: Value) -> Result<Emitted, DriveError> {
        self.emit(event, fields, CallOptions::supervised()).await
    }

    /// Options of what an interruption ends. Supervised: a script that cannot be stopped must not hang a session.
    pub(super) fn options(&self) -> CallOptions {
        CallOptions { cancel: Some(self.cancel.clone()), ..CallOptions::supervised() }
    }

    async fn emit(
        &mut self,
        event: Lifecycle,
        fields: Value,
        options: CallOptions,
    ) -> Result<Emitted, DriveError> {
        let event = Event::lifecycle(event, map(fields))?;
        let mut emitted = self.host.emit(event, &options).await;
        self.report(std::mem::take(&mut emitted.reports));
        Ok(emitted)
    }

    /// Gives the agent what waits in the outbox for this moment.
    pub(super) fn deliver_waiting(&mut self, when: Deliver) -> Result<(), DriveError> {
        let texts = self.waiting(when);
        self.deliver(when, texts)
    }

    /// Takes what waits in the outbox for this moment.
    pub(super) fn waiting(&self, when: Deliver) -> Vec<ContextText> {
        let waiting = self.host.outbox().take(when);
        waiting.into_iter().map(|sent| ContextText { hook: sent.hook, text: sent.text }).collect()
    }

    pub(super) fn deliver(&mut self, deliver: Deliver, texts: Vec<ContextText>) -> Result<(), DriveError> {
        for text in texts {
            self.say(Message::hook(text.hook.id.as_str(), text.text.as_str()))?;
            self.tell(Step::Delivered { deliver, text });
        }
        Ok(())
    }

    /// Reports that a limit was reached.
    pub fn limit(&mut self, limit: Limit) -> Limit {
        self.tell(Step::Notice { text: format!("the session ends: {limit}") });
        limit
    }

    pub(super) fn into_messages(self) -> Vec<Message> {
        self.messages.into_iter().map(Arc::unwrap_or_clone).collect()
    }
}

/// A request as hooks left it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewritten {
    /// The messages.
    pub messages: Vec<Message>,
    /// The system prompt.
    pub system: Option<String>,
    /// The model's name.
    pub model: Option<String>,
    /// Sampling parameters; null where no hook named any.
    pub params: Value,
}

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
