//! The driver that asks a model: turn by turn, each accepted before a tool of it runs. Not here: the session around it
//! (`crate::driver`), and the client (`client`).

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use snaphook::CancellationToken;
use snaphook_core::{BoxFuture, ToolCall};
use tokio::sync::mpsc;

use super::accept::{Cut, Turn, TurnCall, accept};
use super::compact;
use super::retry::Retries;
use super::{AskError, Model, RawTurn, Request};
use crate::driver::{Answered, CallsEnd, Conversation, DriveError, Driver, DriverCall, Limit, Step};
use crate::message::{Continuation, Message, MessageCall};
use crate::toolset::{Listing, ToolSource, Toolset};
use crate::usage::Usage;

/// The number of times that an answer which was cut at the limit of tokens is followed by another, for one prompt.
const MAX_CUTS: u32 = 2;

/// The words to a model whose answer was cut.
const WAS_CUT: &str =
    "Your last answer was cut at the limit of tokens, and no tool call of it ran. Go on in smaller steps.";

/// The bounds of a session with a model. Default: none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelLimits {
    /// The most turns.
    pub turns: Option<u64>,
    /// The most tokens, sent and written.
    pub tokens: Option<u64>,
    /// The most tool calls.
    pub calls: Option<u64>,
}

/// How a model is asked.
#[derive(Debug, Clone, Default)]
pub struct AskOptions {
    /// The system prompt.
    pub system: Option<String>,
    /// The bounds.
    pub limits: ModelLimits,
    /// When it is asked again.
    pub retries: Retries,
    /// True to get answers whole.
    pub whole: bool,
    /// The most tokens of one answer. Default: the provider's.
    pub max_output: Option<u32>,
    /// The tokens that the model can read. Above nine tenths of it the conversation is summed up. Default: not known, and
    /// summed up when the provider says that it is too long.
    pub window: Option<u64>,
}

/// The model that a driver asks from the next prompt on.
#[derive(Clone)]
pub struct ModelChoice(Arc<Mutex<Arc<dyn Model>>>);

impl ModelChoice {
    /// Chooses another one.
    pub fn set(&self, model: Arc<dyn Model>) {
        *self.0.lock() = model;
    }

    /// The one that is chosen.
    pub fn get(&self) -> Arc<dyn Model> {
        Arc::clone(&self.0.lock())
    }
}

impl std::fmt::Debug for ModelChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ModelChoice").field(&self.get().name()).finish()
    }
}

/// Asks a model, and runs the tools that it calls.
pub struct ModelDriver {
    choice: ModelChoice,
    model: Arc<dyn Model>,
    tools: Toolset,
    /// The tools that are always there; `tools` has those of the source beside them.
    own: Toolset,
    source: Option<Arc<dyn ToolSource>>,
    options: AskOptions,
    /// The tokens that the last request had.
    last_input: u64,
}

impl std::fmt::Debug for ModelDriver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelDriver").field("model", &self.model.name()).finish_non_exhaustive()
    }
}

/// An answer that counts, or why there is none.
enum Got {
    Turn(Turn),
    TooLong(AskError),
    Interrupted,
    Failed(String),
}

impl ModelDriver {
    /// A driver that asks this model and has these tools.
    pub fn new(model: Arc<dyn Model>, tools: Toolset, options: AskOptions) -> Self {
        let choice = ModelChoice(Arc::new(Mutex::new(Arc::clone(&model))));
        ModelDriver { choice, model, own: tools.clone(), tools, source: None, options, last_input: 0 }
    }

    /// Offers the tools of a source, too. None of them takes the place of one that is there.
    pub fn offer(&mut self, source: Arc<dyn ToolSource>) {
        self.source = Some(source);
    }

    /// Takes over what is new at the source.
    async fn refresh(&mut self, conversation: &mut Conversation<'_>) {
        let Some(source) = &self.source else { return };
        let cancel = conversation.cancel().clone();
        let changed = tokio::select! {
            changed = source.changed() => changed,
            () = cancel.cancelled() => None,
        };
        let Some(Listing { tools, news }) = changed else { return };
        self.tools = self.own.clone();
        for (spec, tool) in tools {
            if self.tools.get(&spec.name).is_none() {
                self.tools.add(spec, tool);
            }
        }
        for text in news {
            conversation.tell(Step::Notice { text });
        }
    }

    /// The choice of the model, which can be changed while the session goes on.
    pub fn choice(&self) -> ModelChoice {
        self.choice.clone()
    }

    async fn work(&mut self, conversation: &mut Conversation<'_>) -> Result<Answered, DriveError> {
        self.model = self.choice.get();
        let mut cuts = 0;
        loop {
            if conversation.is_interrupted() {
                return Ok(Answered::Interrupted);
            }
            if let Some(limit) = self.limit(conversation) {
                return Ok(Answered::Limit(conversation.limit(limit)));
            }
            if self.options.window.is_some_and(|window| self.last_input > window / 10 * 9) {
                self.sum_up(conversation, "auto").await?;
            }
            self.refresh(conversation).await;
            conversation.begin_turn().await?;
            let turn = self.turn(conversation, &mut cuts).await;
            conversation.end_turn().await?;
            if let Some(answered) = turn? {
                return Ok(answered);
            }
        }
    }

    /// One turn; `None` where another follows.
    async fn turn(
        &mut self,
        conversation: &mut Conversation<'_>,
        cuts: &mut u32,
    ) -> Result<Option<Answered>, DriveError> {
        let mut compacted = false;
        let turn = loop {
            match self.get(conversation).await? {
                Got::Turn(turn) => break turn,
                Got::Interrupted => return Ok(Some(Answered::Interrupted)),
                Got::Failed(error) => return Err(DriveError::Agent(error)),
                Got::TooLong(error) => {
                    if compacted || !self.sum_up(conversation, "auto").await? {
                        return Err(DriveError::Agent(error.to_string()));
                    }
                    compacted = true;
                }
            }
        };
        let usage = serde_json::to_value(turn.usage).unwrap_or_default();
        conversation.responded(self.model.name(), Some(&turn.text), Some(usage)).await?;
        conversation.tell(Step::ModelAnswered { model: self.model.name().to_owned(), usage: turn.usage });
        if !turn.text.is_empty() {
            conversation.tell(Step::AssistantText { text: turn.text.clone(), subagent: None });
        }
        let text = turn.text.clone();
        let calls = self.say(conversation, turn.text, turn.calls, turn.provider)?;
        let is_last = calls.is_empty();
        if self.is_over(conversation, calls.len()) {
            for (message, _) in calls {
                let why = "the call did not run, because the session's limit of tool calls is reached";
                self.refuse(conversation, message, why)?;
            }
            return Ok(Some(Answered::Limit(conversation.limit(Limit::Calls))));
        }
        if self.run(conversation, calls).await? == CallsEnd::Terminated {
            conversation.tell(Step::Terminated { turns_left_out: 0 });
            return Ok(Some(Answered::Terminated));
        }
        if !is_last {
            return Ok(None);
        }
        match turn.cut {
            Some(Cut::MaxTokens) if *cuts < MAX_CUTS => {
                *cuts += 1;
                conversation
                    .tell(Step::Notice { text: "the answer was cut at the limit of tokens".to_owned() });
                conversation.say(Message::hook("snaphook", WAS_CUT))?;
                Ok(None)
            }
            cut => {
                if cut == Some(Cut::ContentFilter) {
                    let text = "the provider's filter held the rest of the answer back".to_owned();
                    conversation.tell(Step::Notice { text });
                }
                Ok(Some(Answered::Rests { last: Some(text).filter(|text| !text.is_empty()) }))
            }
        }
    }

    fn limit(&self, conversation: &Conversation<'_>) -> Option<Limit> {
        let (limits, summary) = (self.options.limits, conversation.summary());
        let reached = |limit: Option<u64>, count: u64| limit.is_some_and(|limit| count >= limit);
        if reached(limits.turns, summary.turns) {
            return Some(Limit::Turns);
        }
        if reached(limits.tokens, summary.usage.total()) {
            return Some(Limit::Tokens);
        }
        reached(limits.calls, summary.calls).then_some(Limit::Calls)
    }

    /// Returns whether so many more calls are too many.
    fn is_over(&self, conversation: &Conversation<'_>, calls: usize) -> bool {
        let calls = conversation.summary().calls.saturating_add(calls as u64);
        self.options.limits.calls.is_some_and(|limit| calls > limit)
    }

    /// Puts the answer into the conversation, its calls under ids of ours: those of providers come twice, or not at all.
    fn say(
        &self,
        conversation: &mut Conversation<'_>,
        text: String,
        calls: Vec<TurnCall>,
        provider: Continuation,
    ) -> Result<Vec<(MessageCall, TurnCall)>, DriveError> {
        let made: Vec<(MessageCall, TurnCall)> = calls
            .into_iter()
            .map(|call| {
                let input = call.input.clone().map(Value::Object).unwrap_or_else(|_| json!({}));
                let (id, tool) = (conversation.next_call_id(), call.name.clone());
                (MessageCall { id, tool, input, signatures: call.signatures.clone() }, call)
            })
            .collect();
        let messages = made.iter().map(|(message, _)| message.clone()).collect();
        conversation.say(Message::assistant(text, messages, provider))?;
        Ok(made)
    }

    /// Runs the calls that can run; the others are answered with what is wrong with them.
    async fn run(
        &self,
        conversation: &mut Conversation<'_>,
        calls: Vec<(MessageCall, TurnCall)>,
    ) -> Result<CallsEnd, DriveError> {
        let mut driver_calls = Vec::with_capacity(calls.len());
        for (message, call) in calls {
            let tool = self.tools.get(&message.tool);
            match (call.input, tool) {
                (Err(error), _) => {
                    self.refuse(conversation, message, &format!("the call did not run: {error}"))?
                }
                (Ok(_), None) => {
                    let why = format!(
                        "the call did not run: there is no tool \"{}\"; there are {}",
                        message.tool,
                        self.tools.names().join(", ")
                    );
                    self.refuse(conversation, message, &why)?;
                }
                (Ok(input), Some(tool)) => driver_calls.push(DriverCall {
                    call: ToolCall::new(message.id.as_str(), message.tool.as_str(), Value::Object(input)),
                    tool,
                    recorded: false,
                }),
            }
        }
        conversation.call_tools(driver_calls, true).await
    }

    fn refuse(
        &self,
        conversation: &mut Conversation<'_>,
        call: MessageCall,
        why: &str,
    ) -> Result<(), DriveError> {
        conversation.say(Message::tool(call.id.as_str(), why, true))?;
        conversation.tell(Step::CallRefused { id: call.id.into(), tool: call.tool, why: why.to_owned() });
        Ok(())
    }

    /// Asks until an answer counts, or it makes no sense to ask again.
    async fn get(&mut self, conversation: &mut Conversation<'_>) -> Result<Got, DriveError> {
        let rewritten = conversation.request(self.model.name(), self.options.system.as_deref()).await?;
        let mut request = self.request(conversation, rewritten);
        let (mut waits, mut attempt, mut broken) = (self.options.retries.waits(), 0, 0);
        loop {
            attempt += 1;
            conversation.tell(Step::ModelAsked { model: self.model.name().to_owned(), attempt });
            let Some(asked) = self.ask(conversation, &request).await else { return Ok(Got::Interrupted) };
            let (why, wait) = match asked {
                Ok(raw) => match accept(raw) {
                    Ok(mut turn) => {
                        if turn.usage.is_zero() {
                            turn.usage = estimate(&request, &turn);
                        }
                        self.last_input = turn.usage.input;
                        if !turn.provider.is_empty()
                            || turn.calls.iter().any(|call| !call.signatures.is_empty())
                        {
                            turn.provider.model = Some(self.model.name().to_owned());
                        }
                        return Ok(Got::Turn(turn));
                    }
                    Err(why) => {
                        broken += 1;
                        // Less can break of an answer that comes whole.
                        request.whole = true;
                        let wait = waits.next().filter(|_| broken < self.options.retries.broken);
                        (format!("the answer is broken: {why}"), wait)
                    }
                },
                Err(error @ AskError::TooLong { .. }) => return Ok(Got::TooLong(error)),
                Err(error) => {
                    let wait = self.options.retries.wait(&error, waits.next());
                    (format!("the model cannot be asked: {error}"), wait)
                }
            };
            conversation.tell(Step::TurnBroken { why: why.clone(), again_after: wait });
            let Some(wait) = wait else { return Ok(Got::Failed(why)) };
            let cancel = conversation.cancel().clone();
            if !self.wait(&cancel, wait).await {
                return Ok(Got::Interrupted);
            }
        }
    }

    fn request(
        &self,
        conversation: &Conversation<'_>,
        rewritten: Option<crate::driver::Rewritten>,
    ) -> Request {
        let mut request = Request {
            model: None,
            system: self.options.system.clone(),
            messages: Vec::new(),
            tools: self.tools.specs(),
            max_output: self.options.max_output,
            temperature: None,
            whole: self.options.whole,
        };
        match rewritten {
            None => request.messages = conversation.messages().to_vec(),
            Some(rewritten) => {
                request.messages = rewritten.messages.into_iter().map(Arc::new).collect();
                request.system = rewritten.system.or(request.system);
                // A hook names the model as it saw it, or as the provider does.
                let model = rewritten.model.filter(|model| model != self.model.name());
                request.model =
                    model.map(|model| match (model.split_once('/'), self.model.name().split_once('/')) {
                        (Some((provider, name)), Some((own, _))) if provider == own => name.to_owned(),
                        _ => model,
                    });
                request.temperature = rewritten.params.get("temperature").and_then(Value::as_f64);
                let most = rewritten.params.get("max_tokens").and_then(Value::as_u64);
                request.max_output = most.and_then(|most| u32::try_from(most).ok()).or(request.max_output);
            }
        }
        request
    }

    /// Asks once; `None` where the session was interrupted.
    async fn ask(
        &self,
        conversation: &mut Conversation<'_>,
        request: &Request,
    ) -> Option<Result<RawTurn, AskError>> {
        let (sender, mut pieces) = mpsc::unbounded_channel::<String>();
        let delta = move |text: &str| drop(sender.send(text.to_owned()));
        let (model, cancel) = (Arc::clone(&self.model), conversation.cancel().clone());
        let mut asked = model.ask(request, &delta);
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => return None,
                Some(text) = pieces.recv() => conversation.tell(Step::TextDelta { text }),
                done = &mut asked => {
                    while let Ok(text) = pieces.try_recv() {
                        conversation.tell(Step::TextDelta { text });
                    }
                    return Some(done);
                }
            }
        }
    }

    /// Waits; false where the session was interrupted.
    async fn wait(&self, cancel: &CancellationToken, time: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(time) => true,
            () = cancel.cancelled() => false,
        }
    }

    /// Puts a summary in place of the conversation; false where hooks keep it, or there is none to be had.
    async fn sum_up(
        &mut self,
        conversation: &mut Conversation<'_>,
        trigger: &str,
    ) -> Result<bool, DriveError> {
        let done = compact::compact(&*self.model, conversation, trigger).await?;
        if done {
            self.last_input = 0;
        }
        Ok(done)
    }
}

impl Driver for ModelDriver {
    fn answer<'a>(
        &'a mut self,
        conversation: &'a mut Conversation<'_>,
        _texts: &'a [String],
    ) -> BoxFuture<'a, Result<Answered, DriveError>> {
        Box::pin(self.work(conversation))
    }

    fn compact<'a>(
        &'a mut self,
        conversation: &'a mut Conversation<'_>,
    ) -> BoxFuture<'a, Result<bool, DriveError>> {
        Box::pin(async move {
            self.model = self.choice.get();
            if conversation.messages().is_empty() {
                conversation.tell(Step::Notice { text: "there is nothing to sum up".to_owned() });
                return Ok(false);
            }
            self.sum_up(conversation, "manual").await
        })
    }

    fn close(&mut self) -> BoxFuture<'_, ()> {
        match &self.source {
            Some(source) => source.close(),
            None => Box::pin(std::future::ready(())),
        }
    }
}

/// The tokens of a turn whose provider does not tell: four bytes each, so that a limit holds anyway.
fn estimate(request: &Request, turn: &Turn) -> Usage {
    let of = |message: &Arc<Message>| match &**message {
        Message::User { content, .. } | Message::Tool { content, .. } => content.len(),
        Message::Assistant { content, calls, .. } => {
            content.len() + calls.iter().map(|call| size(&call.input)).sum::<usize>()
        }
    };
    let sent =
        request.messages.iter().map(of).sum::<usize>() + request.system.as_ref().map_or(0, String::len);
    let inputs = turn.calls.iter().filter_map(|call| call.input.as_ref().ok());
    let written =
        turn.text.len() + inputs.flatten().map(|(key, value)| key.len() + size(value)).sum::<usize>();
    let tokens = |bytes: usize| u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX);
    Usage { input: tokens(sent), cached: 0, output: tokens(written) }
}

/// The bytes of a value, more or less.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(list) => list.iter().map(size).sum::<usize>() + 2,
        Value::Object(map) => map.iter().map(|(key, value)| key.len() + 4 + size(value)).sum::<usize>() + 2,
        Value::Null | Value::Bool(_) | Value::Number(_) => 5,
    }
}
