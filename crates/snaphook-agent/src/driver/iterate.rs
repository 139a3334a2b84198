//! What the loop wants done between prompts: lists of lifecycle files, events of iterations, and the look whether the session
//! is complete. Not here: the loop itself (`snaphook_session::agent_loop`).

use std::collections::VecDeque;

use serde_json::json;
use snaphook_command::lifecycle::List;
use snaphook_core::Lifecycle;
use snaphook_session::agent_loop::iterations::{self, Phase};
use snaphook_session::agent_loop::{Act, Moment};

use super::plan::{ListValues, Until};
use super::progress::Standing;
use super::session::{Early, Session};
use super::{DriveError, Limit, Step};

impl Session<'_> {
    /// Tells the loop what happened, and does what it wants done; gives the acts that are left to do.
    pub(super) async fn happened(&mut self, moment: Moment) -> Result<Vec<Act>, DriveError> {
        let mut left = Vec::new();
        let mut acts = VecDeque::from(self.agent_loop.at(self.now(), moment));
        while let Some(act) = acts.pop_front() {
            let answer = match act {
                Act::Iterate(iterations::Step::Run { list, iteration, error }) => {
                    Moment::Ran(self.run_list(list, iteration, error).await?)
                }
                Act::Iterate(iterations::Step::Check) => Moment::Complete(self.is_complete().await),
                act => {
                    left.push(act);
                    continue;
                }
            };
            acts.extend(self.agent_loop.at(self.now(), answer));
        }
        Ok(left)
    }

    pub(super) fn is_delivering(&self) -> bool {
        self.agent_loop.iterations().phase() == Phase::Delivering
    }

    async fn run_list(
        &mut self,
        list: List,
        iteration: Option<u64>,
        error: Option<String>,
    ) -> Result<String, DriveError> {
        let conversation = &mut self.conversation;
        let fields = json!({ "iteration": iteration });
        match list {
            List::PreIteration => drop(conversation.notify(Lifecycle::IterationStart, fields).await?),
            List::PostIteration => drop(conversation.conclude(Lifecycle::IterationEnd, fields).await?),
            List::OnError => {
                let fields = json!({ "iteration": iteration, "error": error });
                drop(conversation.conclude(Lifecycle::IterationError, fields).await?);
            }
            List::SessionStart | List::SessionEnd | List::OnTaskComplete => {}
        }
        let plan = conversation.plan;
        let ran = plan
            .lists
            .run(list, ListValues { iteration, error, ..ListValues::default() }, &plan.cancel)
            .await;
        for text in ran.notes {
            conversation.tell(Step::Notice { text });
        }
        self.take_waiting();
        Ok(ran.piped)
    }

    /// Puts what other lists have for the agent behind what waits already: first come, first served.
    pub(super) fn take_waiting(&mut self) {
        for text in self.conversation.plan.waiting.drain() {
            // What does not fit is more than would be read.
            drop(self.agent_loop.iterations().pending().push(text));
        }
    }

    /// Returns whether no further iteration is needed; notes where none makes sense.
    async fn is_complete(&mut self) -> bool {
        if self.early.is_some() || self.conversation.is_session_interrupted() {
            return true;
        }
        let plan = self.conversation.plan;
        let complete = match &plan.until {
            None => false,
            Some(Until::Text(text)) => {
                self.last_words.as_deref().is_some_and(|words| words.contains(text.as_str()))
            }
            Some(Until::Check(check)) => check.is_complete(&plan.cancel).await,
        };
        let needed_a_person = std::mem::take(&mut self.conversation.needed_a_person);
        if complete {
            return true;
        }
        // The last iteration: whether the next would come to something is no question.
        if plan.limits.iterations.is_some_and(|most| self.agent_loop.iterations().iteration() >= most) {
            if plan.until.is_some() {
                self.early = Some(Early::Limit(self.conversation.limit(Limit::Iterations)));
            }
            return false;
        }
        let calls = self.conversation.summary.calls;
        let standing = self.progress.standing(&plan.workspace, calls).await;
        let (ended, text) = match standing {
            Standing::Moves => (None, String::new()),
            // The next iteration would come to the same denial.
            Standing::Rests { .. } if needed_a_person => {
                (Some(Early::BlockedOnHuman), "a call needs a person, and nobody can be asked".to_owned())
            }
            Standing::Rests { enough: false, .. } => (None, String::new()),
            Standing::Rests { text, .. } => (Some(Early::NoProgress), text),
        };
        if let Some(early) = ended {
            self.conversation.tell(Step::Notice { text: format!("no further iteration: {text}") });
            self.early = Some(early);
            return true;
        }
        false
    }
}
