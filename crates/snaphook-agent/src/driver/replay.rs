//! The driver that replays a recording: no model, but real tools and real gates.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use snaphook::{CancellationToken, Host};
use snaphook_core::{BoxFuture, Lifecycle, ToolCall, ToolOutput};

use super::{
    Answered, CallsEnd, Conversation, DriveError, DrivePlan, Driver, DriverCall, Listed, Observer, Step,
    Summary, drive,
};
use crate::message::{self, Continuation, Message, MessageCall};
use crate::replay::{RecordedCall, Recording, Turn};
use crate::scratch::Scratch;
use crate::tools::{Recorded, Toolbox, Workspace};

/// Replays a recording in a workspace.
#[derive(Debug)]
pub struct Replay {
    recording: Recording,
    tools: Toolbox,
    plan: DrivePlan,
    transcript: Vec<Message>,
}

impl Replay {
    /// A replay in a scratch project. The host's session should have its folder as `cwd` and `project_root`.
    ///
    /// # Errors
    /// The scratch project is gone.
    pub fn new(recording: Recording, scratch: &Scratch) -> std::io::Result<Self> {
        let workspace = Arc::new(Workspace::new(scratch.project())?);
        let tools = Toolbox::new(Arc::clone(&workspace), scratch.env().to_vec());
        let problems = recording.problems.iter().chain(scratch.problems()).cloned().collect();
        let plan = DrivePlan {
            problems,
            ..DrivePlan::new(recording.name.as_str(), recording.agent.as_str(), workspace)
        };
        Ok(Replay { recording, tools, plan, transcript: Vec::new() })
    }

    /// Interrupts the session when the token is cancelled: the running call ends, the rest is left out, and the
    /// closing events are dispatched.
    #[must_use]
    pub fn interrupted_by(mut self, cancel: CancellationToken) -> Self {
        self.plan.cancel = cancel;
        self
    }

    /// Runs the session from `startup` to `shutdown`. Both are dispatched in any case, also when the session is interrupted or
    /// fails; only dropping the future leaves them out.
    ///
    /// # Errors
    /// The driver itself failed. What hooks and tools get wrong is part of the session.
    pub async fn run(&mut self, host: &Host, observer: &mut dyn Observer) -> Result<Summary, DriveError> {
        let prompts = self.recording.prompts.iter().map(|prompt| prompt.text.clone()).collect();
        let mut player = Player { recording: &self.recording, tools: &self.tools };
        let driven =
            drive(host, &mut player, &mut Listed::new(prompts), &self.plan, Vec::new(), observer).await;
        self.transcript = driven.messages;
        driven.summary
    }

    /// The conversation of the last run as a model would have seen it, with what hooks sent.
    pub fn transcript(&self) -> Vec<Value> {
        match message::to_json(&self.transcript) {
            Value::Array(messages) => messages,
            _ => Vec::new(),
        }
    }
}

/// The agent's part of a recording.
struct Player<'a> {
    recording: &'a Recording,
    tools: &'a Toolbox,
}

impl Driver for Player<'_> {
    fn answer<'a>(
        &'a mut self,
        conversation: &'a mut Conversation<'_>,
        _texts: &'a [String],
    ) -> BoxFuture<'a, Result<Answered, DriveError>> {
        Box::pin(async move {
            // Blocked prompts count: their turns are left out.
            let number = conversation.summary().prompts.saturating_sub(1);
            let prompt = usize::try_from(number).ok().and_then(|number| self.recording.prompts.get(number));
            let turns = prompt.map(|prompt| prompt.turns.as_slice()).unwrap_or_default();
            self.turns(conversation, turns).await
        })
    }

    fn can_go_on(&self) -> bool {
        false
    }
}

impl Player<'_> {
    /// The turns of one prompt; a subagent's turns between its own start and end.
    async fn turns(
        &self,
        conversation: &mut Conversation<'_>,
        turns: &[Turn],
    ) -> Result<Answered, DriveError> {
        // Subagents at work, with what they said last.
        let mut open: BTreeMap<&str, Option<&str>> = BTreeMap::new();
        let mut end = CallsEnd::Done;
        let mut last = None;
        for (number, turn) in turns.iter().enumerate() {
            if conversation.is_interrupted() {
                break;
            }
            end = match &turn.subagent {
                None => {
                    last = turn.text.clone().or(last);
                    self.turn(conversation, turn).await?
                }
                Some(subagent) => {
                    if !open.contains_key(subagent.as_str()) {
                        self.subagent_start(conversation, subagent).await?;
                    }
                    let said = turn.text.as_deref();
                    open.entry(subagent).and_modify(|last| *last = said.or(*last)).or_insert(said);
                    report_text(conversation, turn);
                    conversation.call_tools(self.calls(turn), false).await?
                }
            };
            let mut later = turns.iter().skip(number + 1);
            let done =
                turn.subagent.as_deref().filter(|_| later.all(|other| other.subagent != turn.subagent));
            if let Some((subagent, last)) = done.and_then(|subagent| open.remove_entry(subagent)) {
                subagent_end(conversation, subagent, last).await?;
            }
            if end == CallsEnd::Terminated {
                conversation.tell(Step::Terminated { turns_left_out: turns.len() - number - 1 });
                break;
            }
        }
        for (subagent, last) in open {
            subagent_end(conversation, subagent, last).await?;
        }
        if conversation.is_interrupted() {
            return Ok(Answered::Interrupted);
        }
        Ok(match end {
            CallsEnd::Done => Answered::Rests { last },
            CallsEnd::Terminated => Answered::Terminated,
        })
    }

    /// One turn of the agent.
    async fn turn(&self, conversation: &mut Conversation<'_>, turn: &Turn) -> Result<CallsEnd, DriveError> {
        conversation.begin_turn().await?;
        // There is no model, so what handlers make of the request is theirs to see, and the recorded answer follows.
        let model = turn.model.as_deref().unwrap_or("replay");
        conversation.request(model, None).await?;
        conversation.responded(model, turn.text.as_deref(), None).await?;
        report_text(conversation, turn);
        let calls = self.calls(turn);
        let made = calls.iter().map(|DriverCall { call, .. }| MessageCall {
            id: call.id.to_string(),
            tool: call.tool.to_string(),
            input: (*call.input).clone(),
            signatures: Vec::new(),
        });
        let text = turn.text.clone().unwrap_or_default();
        conversation.say(Message::assistant(text, made.collect(), Continuation::default()))?;
        let end = conversation.call_tools(calls, true).await?;
        conversation.end_turn().await?;
        Ok(end)
    }

    async fn subagent_start(
        &self,
        conversation: &mut Conversation<'_>,
        subagent: &str,
    ) -> Result<(), DriveError> {
        let mut payload = json!({ "subagent": subagent });
        if let (Some(task), Some(map)) = (self.recording.subagents.get(subagent), payload.as_object_mut()) {
            map.insert("prompt".to_owned(), task.as_str().into());
        }
        conversation.tell(Step::SubagentStarted { subagent: subagent.to_owned() });
        conversation.notify(Lifecycle::SubagentStart, payload).await?;
        Ok(())
    }

    fn calls(&self, turn: &Turn) -> Vec<DriverCall> {
        turn.calls.iter().map(|recorded| self.call(recorded, turn)).collect()
    }

    /// The call as its agent would make it in the scratch project, with its tool.
    fn call(&self, recorded: &RecordedCall, turn: &Turn) -> DriverCall {
        let input = self.recording.input_in(recorded, self.tools.workspace().root());
        let call = ToolCall::new(recorded.id.as_str(), recorded.tool.as_str(), input);
        let subagent = turn.subagent.as_deref().map(Arc::from);
        let call = ToolCall { subagent, ..call.native(recorded.native_tool.as_str()) };
        match self.tools.get(&recorded.tool, recorded.cwd.as_deref()) {
            Some(tool) => DriverCall { call, tool, recorded: false },
            None => {
                let said = recorded.result.clone().map(|result| ToolOutput {
                    content: result.content,
                    details: result.details,
                    is_error: result.is_error,
                });
                DriverCall {
                    call,
                    tool: Arc::new(Recorded::new(recorded.tool.as_str(), said)),
                    recorded: true,
                }
            }
        }
    }
}

fn report_text(conversation: &mut Conversation<'_>, turn: &Turn) {
    if let Some(text) = turn.text.clone() {
        conversation.tell(Step::AssistantText { text, subagent: turn.subagent.clone() });
    }
}

async fn subagent_end(
    conversation: &mut Conversation<'_>,
    subagent: &str,
    last: Option<&str>,
) -> Result<(), DriveError> {
    let mut payload = json!({ "subagent": subagent });
    if let (Some(last), Some(map)) = (last, payload.as_object_mut()) {
        map.insert("last_message".to_owned(), last.into());
    }
    let ended = conversation.conclude(Lifecycle::SubagentEnd, payload).await?;
    for text in ended.continue_with {
        conversation.tell(Step::ContinueWith { text });
    }
    conversation.tell(Step::SubagentEnded { subagent: subagent.to_owned() });
    Ok(())
}
