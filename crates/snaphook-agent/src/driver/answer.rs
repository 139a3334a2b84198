//! One request to the agent and what follows it: the end of its turn, the checks, and whether it is made to go on. Not here:
//! prompts (`session`).

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use snaphook::CallOptions;
use snaphook::checks::Ended;
use snaphook_core::{ContextText, Deliver, Lifecycle};
use snaphook_session::agent_loop::continuations::TurnOrigin;
use snaphook_session::agent_loop::{Act, Moment};

use super::changes::Snapshot;
use super::session::{Early, Session};
use super::{Answered, DriveError, Step};
use crate::message::Message;

/// The words to an agent whose work the person ended.
const WAS_CANCELLED: &str = "The person ended your work on this before it was done. Wait for what they say next; do not go on by yourself.";

/// The way work on a request ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Worked {
    Rests,
    Failed(String),
    /// The person ended work on the prompt, and the session goes on.
    Cancelled,
}

/// A text that the agent is to go on with.
enum GoOn {
    Hook(ContextText),
    Check(String),
}

impl GoOn {
    fn text(&self) -> &str {
        match self {
            GoOn::Hook(text) => &text.text,
            GoOn::Check(text) => text,
        }
    }
}

impl Session<'_> {
    /// Has the agent work on a request until nothing makes it go on. The texts are in the conversation.
    pub(super) async fn work(&mut self, mut texts: Vec<String>) -> Result<Worked, DriveError> {
        loop {
            let before = self.before().await;
            let (worked, wanted) = self.answer(&texts).await?;
            if worked != Worked::Rests {
                return Ok(worked);
            }
            let mut wanted: Vec<GoOn> = wanted.into_iter().map(GoOn::Hook).collect();
            wanted.extend(self.checks(before.as_ref()).await?.map(GoOn::Check));
            if !self.driver.can_go_on() {
                // Whatever hooks want, a recording has no answer to it.
                self.conversation.deliver_waiting(Deliver::FollowUp)?;
                return Ok(Worked::Rests);
            }
            wanted.extend(self.conversation.waiting(Deliver::FollowUp).into_iter().map(GoOn::Hook));
            if self.early.is_some() || self.conversation.is_interrupted() || !self.goes_on(&wanted).await? {
                return Ok(Worked::Rests);
            }
            texts = wanted.iter().map(|one| one.text().to_owned()).collect();
            for one in wanted {
                self.conversation.say(match &one {
                    GoOn::Hook(text) => Message::hook(text.hook.id.as_str(), text.text.as_str()),
                    GoOn::Check(text) => Message::hook("check", text.as_str()),
                })?;
                self.conversation.tell(match one {
                    GoOn::Hook(text) => Step::ContinueWith { text },
                    GoOn::Check(text) => Step::CheckSent { text },
                });
            }
        }
    }

    /// Asks the loop whether the agent may be made to go on.
    async fn goes_on(&mut self, wanted: &[GoOn]) -> Result<bool, DriveError> {
        let Some(first) = wanted.first() else { return Ok(false) };
        let origin = self.origin();
        let acts = self.happened(Moment::GoOn(origin, first.text().to_owned())).await?;
        if acts.contains(&Act::Enough) {
            let text = "hooks and checks made the agent go on often enough; what is pending stays pending";
            self.conversation.tell(Step::Notice { text: text.to_owned() });
        }
        Ok(matches!(acts[..], [Act::GoOn(_)]))
    }

    /// The prompt that is being worked on, for the bounds of going on.
    fn origin(&self) -> TurnOrigin {
        TurnOrigin { prompt: Some(self.conversation.summary.prompts.to_string()), continued: false }
    }

    /// Has the agent work on a request once: nothing makes it go on.
    pub(super) async fn answer_once(&mut self, texts: &[String]) -> Result<Worked, DriveError> {
        Ok(self.answer(texts).await?.0)
    }

    /// One answer with the events around it; gives the texts of hooks that want the agent to go on.
    async fn answer(&mut self, texts: &[String]) -> Result<(Worked, Vec<ContextText>), DriveError> {
        let prompt = texts.last().map(String::as_str).unwrap_or_default();
        self.conversation.notify(Lifecycle::AgentStart, json!({ "prompt": prompt })).await?;
        let answered = self.driver.answer(&mut self.conversation, texts).await;
        let is_interrupted = self.conversation.is_interrupted();
        let failed = match &answered {
            Ok(Answered::Interrupted) => Some("interrupted".to_owned()),
            Ok(_) => None,
            Err(_) if is_interrupted => Some("interrupted".to_owned()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(error) = &failed {
            if !is_interrupted {
                self.conversation.tell(Step::AgentFailed { error: error.clone() });
            }
            self.conversation.conclude(Lifecycle::AgentError, json!({ "error": error })).await?;
        }
        if let Ok(Answered::Rests { last: Some(last) }) = &answered {
            self.last_words = Some(last.clone());
        }
        let payload = match &answered {
            Ok(Answered::Rests { last: Some(last) }) => json!({ "last_message": last }),
            _ => json!({}),
        };
        let ended = self.conversation.conclude(Lifecycle::AgentEnd, payload).await?;
        let mut wanted = ended.continue_with;
        match answered {
            Ok(Answered::Rests { .. }) => {}
            Ok(Answered::Terminated) if self.driver.can_go_on() => {
                self.early = Some(Early::Terminated);
                wanted.clear();
            }
            Ok(Answered::Terminated) => {}
            Ok(Answered::Limit(limit)) => {
                self.early = Some(Early::Limit(limit));
                wanted.clear();
            }
            Ok(Answered::Interrupted) => wanted.clear(),
            Err(error) if error.is_of_the_agent() || is_interrupted => wanted.clear(),
            Err(error) => return Err(error),
        }
        if !self.driver.can_go_on() {
            for text in wanted.drain(..) {
                self.conversation.say(Message::hook(text.hook.id.as_str(), text.text.as_str()))?;
                self.conversation.tell(Step::ContinueWith { text });
            }
        }
        match failed {
            Some(_) if is_interrupted && !self.conversation.is_session_interrupted() => {
                self.conversation.say(Message::hook("snaphook", WAS_CANCELLED))?;
                self.conversation.tell(Step::PromptCancelled);
                Ok((Worked::Cancelled, Vec::new()))
            }
            Some(error) => Ok((Worked::Failed(error), Vec::new())),
            None => Ok((Worked::Rests, wanted)),
        }
    }

    async fn before(&self) -> Option<Snapshot> {
        let plan = self.conversation.plan;
        let looks = plan.checks.is_none() && self.conversation.listens(Lifecycle::FilesChanged);
        if looks { Some(Snapshot::take(&plan.workspace).await) } else { None }
    }

    /// The checks after a turn: after the grace, unless the person speaks first. Gives the message about one that failed.
    async fn checks(&mut self, before: Option<&Snapshot>) -> Result<Option<String>, DriveError> {
        let mut acts = self.happened(Moment::Ended).await?;
        if let [Act::WaitUntil(due)] = acts[..] {
            let wait = due.saturating_sub(self.now()) + Duration::from_millis(1);
            let spoken = tokio::select! {
                () = tokio::time::sleep(wait) => false,
                () = self.prompts.spoken() => true,
                () = self.conversation.cancel().cancelled() => true,
            };
            if spoken {
                return Ok(None);
            }
            acts = self.happened(Moment::Due).await?;
        }
        let Some(Act::Evaluate(number)) = acts.first().cloned() else { return Ok(None) };
        let message = match (before, self.conversation.plan.checks.clone()) {
            (Some(before), _) => {
                let workspace = Arc::clone(&self.conversation.plan.workspace);
                let changed = before.changed_until(&Snapshot::take(&workspace).await, &workspace);
                self.check_changed(changed).await?;
                None
            }
            (None, Some(store)) => self.check_pending(&store).await,
            (None, None) => None,
        };
        self.happened(Moment::Evaluated(number)).await?;
        Ok(message)
    }

    async fn check_changed(&mut self, files: Vec<String>) -> Result<(), DriveError> {
        if files.is_empty() {
            return Ok(());
        }
        let emitted = self.conversation.notify(Lifecycle::FilesChanged, json!({ "files": files })).await?;
        for handler in emitted.checks.passed {
            self.conversation.tell(Step::CheckPassed { hook: handler.hook });
        }
        if let Some(failed) = emitted.checks.failed {
            let pending = emitted.checks.pending.len();
            let (hook, reason) = (failed.handler.hook, failed.reason);
            self.conversation.tell(Step::CheckFailed { hook, reason, pending });
        }
        Ok(())
    }

    /// Runs what is pending; the person's next prompt ends it. A failure is a message for the agent.
    async fn check_pending(&mut self, store: &snaphook_command::status::Store) -> Option<String> {
        let cancel = self.conversation.cancel().child_token();
        let options = CallOptions { cancel: Some(cancel.clone()), ..CallOptions::supervised() };
        let host = self.conversation.host;
        let mut work = Box::pin(host.check_files(store, &options));
        let done = tokio::select! {
            done = &mut work => done,
            () = self.prompts.spoken() => {
                cancel.cancel();
                work.await
            }
        };
        let evaluated = match done {
            Ok(evaluated) => evaluated,
            Err(error) => {
                let text = format!("no check ran, because the status of hooks cannot be used: {error}");
                self.conversation.tell(Step::Notice { text });
                return None;
            }
        };
        let session = host.session().id.clone();
        if let Err(error) = snaphook_session::status_folder::note(store, host, Some(&session)) {
            self.conversation.tell(Step::Notice { text: format!("the status of hooks: {error}") });
        }
        for text in &evaluated.notes {
            self.conversation.tell(Step::Notice { text: text.clone() });
        }
        self.conversation.report(evaluated.reports.clone());
        for ran in &evaluated.ran {
            let hook = ran.hook.clone();
            self.conversation.tell(if ran.passed {
                Step::CheckPassed { hook }
            } else {
                let reason = match ran.output.trim() {
                    "" => format!("exit code {}", ran.exit_code),
                    output => output.to_owned(),
                };
                Step::CheckFailed { hook, reason, pending: evaluated.pending.len().saturating_sub(1) }
            });
        }
        match evaluated.ended {
            Ended::Failed => {
                self.is_red = true;
                self.progress.failing =
                    evaluated.ran.last().map(|ran| ran.hook.id.clone()).into_iter().collect();
            }
            Ended::Passed => {
                self.is_red = false;
                self.progress.failing.clear();
            }
            Ended::NoAction | Ended::Abandoned => {}
        }
        let attempt = self.agent_loop.continued(&self.origin()).saturating_add(1);
        evaluated.to_tell().map(|failed| failed.message(attempt, host.home()))
    }
}
