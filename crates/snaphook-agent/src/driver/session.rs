//! The session around a driver: its events from `startup` to `shutdown`, its prompts, and how it ends. The loop that says what
//! follows what is `snaphook-session`'s. Not here: one answer with its checks (`answer`), lists and iterations (`iterate`).

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use snaphook::Host;
use snaphook_core::{Deliver, Lifecycle};
use snaphook_session::agent_loop::iterations::Step as LoopStep;
use snaphook_session::agent_loop::{Act, AgentLoop, Moment};

use super::answer::Worked;
use super::conversation::Conversation;
use super::progress::Progress;
use super::{DriveError, DrivePlan, Driver, Ending, Input, Limit, Observer, Prompts, Step, Summary};
use crate::message::Message;

/// A session that was driven.
#[derive(Debug)]
pub struct Driven {
    /// Its summary.
    pub summary: Result<Summary, DriveError>,
    /// The conversation.
    pub messages: Vec<Message>,
}

/// Runs a session from `startup` to `shutdown`. Both are dispatched in any case, also when the session is interrupted or fails;
/// only dropping the future leaves them out. `messages` is the conversation that is gone on with.
pub async fn drive(
    host: &Host,
    driver: &mut dyn Driver,
    prompts: &mut dyn Prompts,
    plan: &DrivePlan,
    messages: Vec<Message>,
    observer: &mut dyn Observer,
) -> Driven {
    let conversation = Conversation::new(host, observer, plan, messages);
    let mut session = Session {
        conversation,
        driver,
        prompts,
        agent_loop: AgentLoop::new(plan.grace, plan.limits),
        began: Instant::now(),
        progress: Progress::default(),
        last_words: None,
        is_red: false,
        has_failed: false,
        is_blocked: false,
        early: None,
    };
    let summary = session.run().await;
    Driven { summary, messages: session.conversation.into_messages() }
}

/// A reason to end before the prompts do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Early {
    Terminated,
    Limit(Limit),
    NoProgress,
    BlockedOnHuman,
}

pub(super) struct Session<'a> {
    pub(super) conversation: Conversation<'a>,
    pub(super) driver: &'a mut dyn Driver,
    pub(super) prompts: &'a mut dyn Prompts,
    pub(super) agent_loop: AgentLoop,
    pub(super) began: Instant,
    pub(super) progress: Progress,
    /// The agent's last words.
    pub(super) last_words: Option<String>,
    /// True if the last checks that ran failed.
    pub(super) is_red: bool,
    /// True if the agent failed at the last prompt.
    has_failed: bool,
    /// True if hooks blocked the last prompt.
    is_blocked: bool,
    pub(super) early: Option<Early>,
}

impl Session<'_> {
    async fn run(&mut self) -> Result<Summary, DriveError> {
        let plan = self.conversation.plan;
        let (name, agent) = (plan.name.clone(), plan.agent.clone());
        self.conversation.tell(Step::Started { name, agent, project: plan.project() });
        for problem in &plan.problems {
            self.conversation.tell(Step::Problem(problem.clone()));
        }
        let outcome = match plan.timeout {
            None => self.open_and_work().await,
            Some(timeout) => {
                let mut timed_out = false;
                let mut work = Box::pin(self.open_and_work());
                let outcome = tokio::select! {
                    outcome = &mut work => outcome,
                    () = tokio::time::sleep(timeout) => {
                        timed_out = true;
                        plan.cancel.cancel();
                        work.as_mut().await
                    }
                };
                drop(work);
                if timed_out {
                    self.early = Some(Early::Limit(self.conversation.limit(Limit::Time)));
                }
                outcome
            }
        };
        let ending = self.ending(&outcome);
        let reason = match (&outcome, ending) {
            (Err(error), _) => format!("failed: {error}"),
            (Ok(()), ending) => ending.as_str().to_owned(),
        };
        self.driver.close().await;
        let closed = self.close(&reason).await;
        let summary = &mut self.conversation.summary;
        summary.duration = self.began.elapsed();
        summary.ending = ending;
        if let Some(Early::Limit(limit)) = self.early {
            summary.limit = Some(limit);
        }
        let summary = summary.clone();
        self.conversation.tell(Step::Ended(summary.clone()));
        outcome?;
        closed?;
        Ok(summary)
    }

    fn ending(&self, outcome: &Result<(), DriveError>) -> Ending {
        match (outcome, self.early) {
            (Err(_), _) => Ending::Failed,
            (_, Some(Early::Limit(_))) => Ending::Limit,
            _ if self.conversation.is_session_interrupted() => Ending::Interrupted,
            _ if self.has_failed => Ending::Failed,
            // A recording goes on with what it has.
            _ if self.is_blocked && self.driver.can_go_on() => Ending::PromptBlocked,
            (_, Some(Early::Terminated)) => Ending::Terminated,
            (_, Some(Early::NoProgress)) => Ending::NoProgress,
            (_, Some(Early::BlockedOnHuman)) => Ending::BlockedOnHuman,
            (Ok(()), None) if self.is_red => Ending::ChecksFailed,
            (Ok(()), None) => Ending::Completed,
        }
    }

    async fn open_and_work(&mut self) -> Result<(), DriveError> {
        let started = self.conversation.notify(Lifecycle::Startup, json!({})).await?;
        if let Some(text) = started.startup_summary() {
            self.conversation.tell(Step::Notice { text });
        }
        self.conversation.notify(Lifecycle::Session, json!({ "reason": "start" })).await?;
        self.conversation.notify(Lifecycle::SessionStart, json!({})).await?;
        let mut acts = self.happened(Moment::Begin).await?;
        self.progress.begin(&self.conversation.plan.workspace, self.conversation.plan.no_progress).await;
        while !self.is_over(&acts) {
            let cancel = self.conversation.plan.cancel.clone();
            let next = tokio::select! {
                biased;
                () = cancel.cancelled() => break,
                next = self.prompts.next() => next,
            };
            let Some(input) = next else { break };
            let cancel = self.conversation.begin_prompt().clone();
            self.prompts.work_begins(&cancel);
            match input {
                Input::Prompt(prompt) => acts = self.prompt(prompt).await?,
                Input::Clear => self.clear().await?,
                Input::Compact => drop(self.driver.compact(&mut self.conversation).await?),
            }
        }
        if self.conversation.is_session_interrupted() {
            self.happened(Moment::Cancel).await?;
            return Ok(());
        }
        self.take_waiting();
        // What waits is given to the agent once more, and `session_end` runs.
        let mut acts = if self.is_done(&acts) { acts } else { self.happened(Moment::Stop).await? };
        while let Some(Act::Iterate(LoopStep::Send(texts))) = acts.pop() {
            acts = self.deliver_last(texts).await?;
        }
        Ok(())
    }

    /// Returns whether no further prompt is wanted.
    fn is_over(&self, acts: &[Act]) -> bool {
        self.conversation.is_session_interrupted() || self.early.is_some() || self.is_done(acts)
    }

    fn is_done(&self, acts: &[Act]) -> bool {
        let ends = |act: &Act| matches!(act, Act::Iterate(LoopStep::Done(_) | LoopStep::Send(_)));
        acts.iter().any(ends)
    }

    /// The closing events, which an interruption does not leave out.
    async fn close(&mut self, reason: &str) -> Result<(), DriveError> {
        let ended = self.conversation.conclude(Lifecycle::SessionEnd, json!({ "reason": reason })).await;
        let left = self.conversation.host.outbox().len();
        if left > 0 {
            let texts = if left == 1 { "1 text".to_owned() } else { format!("{left} texts") };
            let text = format!("{texts} of hooks found no turn to be delivered with");
            self.conversation.tell(Step::Notice { text });
        }
        self.conversation.conclude(Lifecycle::Shutdown, json!({ "reason": reason })).await?;
        ended.map(|_| ())
    }

    /// One prompt of the person, or of a program in their place; gives what the loop wants after it.
    async fn prompt(&mut self, prompt: String) -> Result<Vec<Act>, DriveError> {
        let decision = self.conversation.decide(Lifecycle::UserPrompt, json!({ "prompt": prompt })).await?;
        if self.conversation.is_interrupted() {
            return Ok(Vec::new());
        }
        let subject = decision.event.subject();
        let text = subject.get("prompt").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.is_blocked = !decision.is_allowed();
        if self.is_blocked {
            self.conversation.tell(Step::PromptBlocked { text: text.clone(), decision });
            return self.happened(Moment::PromptBlocked(text)).await;
        }
        if let Some(store) = &self.conversation.plan.checks {
            let root = &self.conversation.host.session().project_root;
            if let Err(error) = snaphook_session::checks::begin_to_watch(self.conversation.host, store, root)
            {
                let text = format!("the status of hooks cannot be used: {error}");
                self.conversation.tell(Step::Notice { text });
            }
        }
        self.take_waiting();
        let context = decision.context.clone();
        self.conversation.tell(Step::PromptSent { text: text.clone(), decision });
        let begins =
            if self.prompts.are_by_a_person() { Moment::Prompt(text) } else { Moment::NextPrompt(text) };
        let mut acts = self.happened(begins).await?;
        let mut context = Some(context);
        while let Some(at) = acts.iter().position(|act| matches!(act, Act::Iterate(LoopStep::Send(_)))) {
            // After the end of the loop it is the last delivery's.
            if self.early.is_some() || self.is_delivering() {
                break;
            }
            let Act::Iterate(LoopStep::Send(texts)) = acts.remove(at) else { continue };
            self.put(&texts, context.is_some())?;
            self.conversation.deliver(Deliver::Now, context.take().unwrap_or_default())?;
            let worked = self.work(texts).await?;
            self.has_failed = matches!(worked, Worked::Failed(_));
            if self.early == Some(Early::Terminated) && self.prompts.go_on_after_a_denial() {
                self.early = None;
            }
            acts = self.happened(moment(worked)).await?;
        }
        Ok(acts)
    }

    /// Begins the conversation anew, in the same session.
    async fn clear(&mut self) -> Result<(), DriveError> {
        self.conversation.clear()?;
        self.conversation.tell(Step::Cleared);
        self.conversation.notify(Lifecycle::Session, json!({ "reason": "clear" })).await?;
        Ok(())
    }

    /// Puts the texts of a request into the conversation: the last is the person's prompt, the others are of hooks.
    fn put(&mut self, texts: &[String], has_prompt: bool) -> Result<(), DriveError> {
        for (number, text) in texts.iter().enumerate() {
            let is_prompt = has_prompt && number + 1 == texts.len();
            let message = if is_prompt {
                Message::user(text.as_str())
            } else {
                Message::hook("lifecycle", text.as_str())
            };
            self.conversation.say(message)?;
        }
        Ok(())
    }

    /// What is left for the agent when there is no further prompt.
    async fn deliver_last(&mut self, texts: Vec<String>) -> Result<Vec<Act>, DriveError> {
        if self.early.is_some() {
            let text = "the session ends early, so that the agent does not get what hooks still have for it";
            self.conversation.tell(Step::Notice { text: text.to_owned() });
            return self.happened(Moment::Rest).await;
        }
        self.put(&texts, false)?;
        let worked = self.answer_once(&texts).await?;
        self.happened(moment(worked)).await
    }

    pub(super) fn now(&self) -> Duration {
        self.began.elapsed()
    }
}

fn moment(worked: Worked) -> Moment {
    match worked {
        Worked::Rests => Moment::Rest,
        Worked::Failed(error) => Moment::Failed(error),
        Worked::Cancelled => Moment::CancelTurn,
    }
}
