//! One run of a replay: the lifecycle in order, with the steps that it reports.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use snaphook::{CallOptions, CancellationToken, Emitted, Host, Report};
use snaphook_command::lifecycle::List;
use snaphook_core::{ContextText, Deliver, Event, Lifecycle, Problem};
use snaphook_session::agent_loop::iterations::{self, Limits};
use snaphook_session::agent_loop::{Act, AgentLoop, Moment};

use super::changes::Snapshot;
use super::history::History;
use super::{DriveError, Ending, Observer, Step, Summary};
use crate::replay::{Prompt, Recording, Turn};
use crate::tools::Toolbox;

/// The way work on a prompt ended, if not by an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    GoOn,
    Interrupted,
}

/// The state of one run.
pub(super) struct Run<'a> {
    pub(super) host: &'a Host,
    observer: &'a mut dyn Observer,
    pub(super) recording: &'a Recording,
    pub(super) tools: &'a Toolbox,
    cancel: &'a CancellationToken,
    pub(super) history: History,
    summary: Summary,
    turn_index: u64,
    /// Each prompt is an iteration. Lifecycle files do not run here: a replay is about hooks.
    agent_loop: AgentLoop,
    began: Instant,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        host: &'a Host,
        observer: &'a mut dyn Observer,
        recording: &'a Recording,
        tools: &'a Toolbox,
        cancel: &'a CancellationToken,
    ) -> Self {
        let (history, summary) = (History::default(), Summary::default());
        // The next prompt of a recording is there at once, and nothing comes before it.
        let (agent_loop, began) = (AgentLoop::new(Duration::ZERO, Limits::default()), Instant::now());
        Run { host, observer, recording, tools, cancel, history, summary, turn_index: 0, agent_loop, began }
    }

    pub(super) fn into_messages(self) -> Vec<Value> {
        self.history.messages().to_vec()
    }

    /// Counts a step and tells it.
    pub(super) fn tell(&mut self, step: Step) {
        self.summary.count(&step);
        self.observer.step(&step);
    }

    pub(super) fn report(&mut self, reports: Vec<Report>) {
        for report in reports {
            self.tell(Step::Report(Arc::new(report)));
        }
    }

    pub(super) fn flow(&self) -> Flow {
        if self.cancel.is_cancelled() { Flow::Interrupted } else { Flow::GoOn }
    }

    /// Options of what an interruption ends. Supervised: a script that cannot be stopped must not hang a session.
    pub(super) fn options(&self) -> CallOptions {
        CallOptions { cancel: Some(self.cancel.clone()), ..CallOptions::supervised() }
    }

    /// The whole session.
    pub(super) async fn session(&mut self, problems: &[Problem]) -> Result<Summary, DriveError> {
        let began = Instant::now();
        let Recording { name, agent, .. } = self.recording;
        let project = self.tools.workspace().root().to_owned();
        self.tell(Step::Started { name: name.clone(), agent: agent.clone(), project });
        for problem in problems {
            self.tell(Step::Problem(problem.clone()));
        }
        let outcome = self.open_and_work().await;
        let (ending, reason) = match &outcome {
            Ok(Flow::GoOn) => (Ending::Completed, "completed".to_owned()),
            Ok(Flow::Interrupted) => (Ending::Interrupted, "interrupted".to_owned()),
            Err(error) => (Ending::Failed, format!("failed: {error}")),
        };
        let closed = self.close(&reason).await;
        self.summary.duration = began.elapsed();
        self.summary.ending = ending;
        let summary = self.summary.clone();
        self.tell(Step::Ended(summary.clone()));
        outcome?;
        closed?;
        Ok(summary)
    }

    async fn open_and_work(&mut self) -> Result<Flow, DriveError> {
        let started = self.notify(Lifecycle::Startup, json!({})).await?;
        if let Some(text) = started.startup_summary() {
            self.tell(Step::Notice { text });
        }
        self.notify(Lifecycle::Session, json!({ "reason": "start" })).await?;
        self.notify(Lifecycle::SessionStart, json!({})).await?;
        self.happened(Moment::Begin).await?;
        let recording = self.recording;
        for prompt in &recording.prompts {
            if self.flow() == Flow::Interrupted || self.prompt(prompt).await? == Flow::Interrupted {
                return Ok(Flow::Interrupted);
            }
        }
        Ok(self.flow())
    }

    /// The closing events, which an interruption does not leave out.
    async fn close(&mut self, reason: &str) -> Result<(), DriveError> {
        let ended = self.conclude(Lifecycle::SessionEnd, json!({ "reason": reason })).await;
        let left = self.host.outbox().len();
        if left > 0 {
            let texts = if left == 1 { "1 text".to_owned() } else { format!("{left} texts") };
            self.tell(Step::Notice { text: format!("{texts} of hooks found no turn to be delivered with") });
        }
        self.conclude(Lifecycle::Shutdown, json!({ "reason": reason })).await?;
        ended.map(|_| ())
    }

    async fn prompt(&mut self, prompt: &Prompt) -> Result<Flow, DriveError> {
        let event = Event::lifecycle(Lifecycle::UserPrompt, map(json!({ "prompt": prompt.text })))?;
        let decided = self.host.decide(event, &self.options()).await;
        self.report(decided.reports);
        if self.flow() == Flow::Interrupted {
            return Ok(Flow::Interrupted);
        }
        let decision = decided.decision;
        let text =
            decision.event.subject().get("prompt").and_then(Value::as_str).unwrap_or_default().to_owned();
        if !decision.is_allowed() {
            self.tell(Step::PromptBlocked { text, decision });
            return Ok(Flow::GoOn);
        }
        self.history.user(&text);
        let context = decision.context.clone();
        self.tell(Step::PromptSent { text: text.clone(), decision });
        self.deliver(Deliver::Now, context);

        let workspace = Arc::clone(self.tools.workspace());
        let before =
            if self.listens(Lifecycle::FilesChanged) { Some(Snapshot::take(&workspace).await) } else { None };
        self.happened(Moment::Prompt(text.clone())).await?;
        self.notify(Lifecycle::AgentStart, json!({ "prompt": text })).await?;
        let worked = self.turns(&prompt.turns).await;
        let error = match &worked {
            Ok(Flow::GoOn) => None,
            Ok(Flow::Interrupted) => Some("interrupted".to_owned()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(error) = &error {
            self.conclude(Lifecycle::AgentError, json!({ "error": error })).await?;
        }
        self.agent_end(prompt, error.is_none()).await?;
        let last = match error {
            Some(error) => Moment::Failed(error),
            None => {
                for act in self.happened(Moment::Ended).await? {
                    let Act::Evaluate(number) = act else { continue };
                    if let Some(before) = &before {
                        let changed = before.changed_until(&Snapshot::take(&workspace).await, &workspace);
                        self.check(changed).await?;
                    }
                    self.happened(Moment::Evaluated(number)).await?;
                }
                self.deliver_waiting(Deliver::FollowUp);
                // Whatever hooks want, the recording has no answer to it.
                Moment::Rest
            }
        };
        self.happened(last).await?;
        worked
    }

    /// Tells the loop what happened, and hooks what it makes of it; gives the acts that are left to do.
    async fn happened(&mut self, moment: Moment) -> Result<Vec<Act>, DriveError> {
        let mut left = Vec::new();
        let mut acts = VecDeque::from(self.agent_loop.at(self.began.elapsed(), moment));
        while let Some(act) = acts.pop_front() {
            let answer = match act {
                Act::Iterate(iterations::Step::Run { list, iteration, error }) => {
                    let fields = json!({ "iteration": iteration });
                    match list {
                        List::PreIteration => drop(self.notify(Lifecycle::IterationStart, fields).await?),
                        List::PostIteration => drop(self.conclude(Lifecycle::IterationEnd, fields).await?),
                        List::OnError => {
                            let fields = json!({ "iteration": iteration, "error": error });
                            drop(self.conclude(Lifecycle::IterationError, fields).await?);
                        }
                        List::SessionStart | List::SessionEnd | List::OnTaskComplete => {}
                    }
                    Moment::Ran(String::new())
                }
                Act::Iterate(iterations::Step::Check) => Moment::Complete(false),
                act => {
                    left.push(act);
                    continue;
                }
            };
            acts.extend(self.agent_loop.at(self.began.elapsed(), answer));
        }
        Ok(left)
    }

    async fn agent_end(&mut self, prompt: &Prompt, may_go_on: bool) -> Result<(), DriveError> {
        let own = prompt.turns.iter().filter(|turn| turn.subagent.is_none());
        let last = own.rev().find_map(|turn| turn.text.as_deref());
        let payload = last.map_or_else(|| json!({}), |last| json!({ "last_message": last }));
        let ended = self.conclude(Lifecycle::AgentEnd, payload).await?;
        for text in ended.continue_with.into_iter().filter(|_| may_go_on) {
            self.history.hook(&text.hook.id, &text.text);
            self.tell(Step::ContinueWith { text });
        }
        Ok(())
    }

    async fn check(&mut self, files: Vec<String>) -> Result<(), DriveError> {
        if files.is_empty() {
            return Ok(());
        }
        let emitted = self.notify(Lifecycle::FilesChanged, json!({ "files": files })).await?;
        for handler in emitted.checks.passed {
            self.tell(Step::CheckPassed { handler });
        }
        if let Some(failed) = emitted.checks.failed {
            let pending = emitted.checks.pending.len();
            self.tell(Step::CheckFailed { handler: failed.handler, reason: failed.reason, pending });
        }
        Ok(())
    }

    /// The turns of one prompt; a subagent's turns between its own start and end.
    async fn turns(&mut self, turns: &[Turn]) -> Result<Flow, DriveError> {
        // Subagents at work, with what they said last.
        let mut open: BTreeMap<&str, Option<&str>> = BTreeMap::new();
        for (number, turn) in turns.iter().enumerate() {
            if self.flow() == Flow::Interrupted {
                break;
            }
            let terminated = match &turn.subagent {
                None => self.turn(turn).await?,
                Some(subagent) => {
                    if !open.contains_key(subagent.as_str()) {
                        self.subagent_start(subagent).await?;
                    }
                    let said = turn.text.as_deref();
                    open.entry(subagent).and_modify(|last| *last = said.or(*last)).or_insert(said);
                    self.report_text(turn, Some(subagent));
                    self.calls(turn).await
                }
            };
            let mut later = turns.iter().skip(number + 1);
            let done =
                turn.subagent.as_deref().filter(|_| later.all(|other| other.subagent != turn.subagent));
            if let Some((subagent, last)) = done.and_then(|subagent| open.remove_entry(subagent)) {
                self.subagent_end(subagent, last).await?;
            }
            if terminated {
                self.tell(Step::Terminated { turns_left_out: turns.len() - number - 1 });
                break;
            }
        }
        for (subagent, last) in open {
            self.subagent_end(subagent, last).await?;
        }
        Ok(self.flow())
    }

    /// One turn of the agent; true if a denial asked it to stop altogether.
    async fn turn(&mut self, turn: &Turn) -> Result<bool, DriveError> {
        let index = self.turn_index;
        self.turn_index += 1;
        self.tell(Step::TurnStarted { index });
        self.notify(Lifecycle::TurnStart, json!({ "turn_index": index })).await?;
        self.deliver_waiting(Deliver::NextTurn);
        self.ask_the_model(turn).await?;
        self.report_text(turn, None);
        let terminated = self.calls(turn).await;
        self.deliver_waiting(Deliver::Now);
        self.conclude(Lifecycle::TurnEnd, json!({ "turn_index": index })).await?;
        Ok(terminated)
    }

    /// Tells hooks what goes to a model and comes back. There is none, so what handlers make of the request is theirs
    /// to see, and the recorded answer follows.
    async fn ask_the_model(&mut self, turn: &Turn) -> Result<(), DriveError> {
        let model = turn.model.as_deref().unwrap_or("replay");
        // A long conversation is copied only if a handler looks at it.
        if self.listens(Lifecycle::Context) || self.listens(Lifecycle::ModelRequest) {
            let messages = self.history.messages();
            let emitted = self.notify(Lifecycle::Context, json!({ "messages": messages })).await?;
            self.deliver(Deliver::Now, emitted.context);
            let subject = emitted.event.subject();
            let messages = subject.get("messages").cloned().unwrap_or_default();
            self.notify(Lifecycle::ModelRequest, json!({ "model": model, "messages": messages })).await?;
        }
        let content = turn.text.as_deref();
        self.notify(Lifecycle::ModelResponse, json!({ "model": model, "content": content })).await?;
        Ok(())
    }

    /// Returns whether a hook has a handler for the event.
    fn listens(&self, event: Lifecycle) -> bool {
        let name = event.into();
        self.host.hooks().iter().any(|hook| hook.handlers.iter().any(|handler| handler.event == name))
    }

    fn report_text(&mut self, turn: &Turn, subagent: Option<&str>) {
        if let Some(text) = turn.text.clone() {
            self.tell(Step::AssistantText { text, subagent: subagent.map(str::to_owned) });
        }
    }

    async fn subagent_start(&mut self, subagent: &str) -> Result<(), DriveError> {
        let mut payload = json!({ "subagent": subagent });
        if let (Some(task), Some(map)) = (self.recording.subagents.get(subagent), payload.as_object_mut()) {
            map.insert("prompt".to_owned(), task.as_str().into());
        }
        self.tell(Step::SubagentStarted { subagent: subagent.to_owned() });
        self.notify(Lifecycle::SubagentStart, payload).await?;
        Ok(())
    }

    async fn subagent_end(&mut self, subagent: &str, last: Option<&str>) -> Result<(), DriveError> {
        let mut payload = json!({ "subagent": subagent });
        if let (Some(last), Some(map)) = (last, payload.as_object_mut()) {
            map.insert("last_message".to_owned(), last.into());
        }
        let ended = self.conclude(Lifecycle::SubagentEnd, payload).await?;
        for text in ended.continue_with {
            self.tell(Step::ContinueWith { text });
        }
        self.tell(Step::SubagentEnded { subagent: subagent.to_owned() });
        Ok(())
    }

    /// Dispatches an event that an interruption may cut short.
    async fn notify(&mut self, event: Lifecycle, fields: Value) -> Result<Emitted, DriveError> {
        let options = self.options();
        self.emit(event, fields, options).await
    }

    /// Dispatches an event that ends what another began, also after an interruption.
    async fn conclude(&mut self, event: Lifecycle, fields: Value) -> Result<Emitted, DriveError> {
        self.emit(event, fields, CallOptions::supervised()).await
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
    fn deliver_waiting(&mut self, when: Deliver) {
        let waiting = self.host.outbox().take(when);
        let texts =
            waiting.into_iter().map(|sent| ContextText { hook: sent.hook, text: sent.text }).collect();
        self.deliver(when, texts);
    }

    pub(super) fn deliver(&mut self, deliver: Deliver, texts: Vec<ContextText>) {
        for text in texts {
            self.history.hook(&text.hook.id, &text.text);
            self.tell(Step::Delivered { deliver, text });
        }
    }
}

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
