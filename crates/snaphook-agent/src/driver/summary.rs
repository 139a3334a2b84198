//! The summary of a session, counted from its steps and from nothing else, so that the counts match them.

use std::time::Duration;

use serde::Serialize;
use snaphook_core::Verdict;

use super::Step;
use crate::usage::Usage;

snaphook_core::named_enum! {
    /// The way a session ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Ending {
        /// All prompts were worked on.
        #[default]
        Completed = "completed",
        /// It was interrupted.
        Interrupted = "interrupted",
        /// The agent or the driver failed.
        Failed = "failed",
        /// Hooks blocked the last prompt.
        PromptBlocked = "prompt_blocked",
        /// A denial asked the agent to stop altogether.
        Terminated = "terminated",
        /// A limit was reached: [`Summary::limit`].
        Limit = "limit",
        /// A check of changed files still fails.
        ChecksFailed = "checks_failed",
        /// Iterations left the same files and the same failing checks.
        NoProgress = "no_progress",
        /// A call needs a person, and nobody can be asked.
        BlockedOnHuman = "blocked_on_human",
    }
}

/// A limit of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Limit {
    /// The number of turns.
    #[error("the limit of turns is reached (`--max-turns`)")]
    Turns,
    /// The number of tokens.
    #[error("the limit of tokens is reached (`--max-tokens`)")]
    Tokens,
    /// The number of tool calls.
    #[error("the limit of tool calls is reached (`--max-calls`)")]
    Calls,
    /// The time.
    #[error("the time is over (`--timeout`)")]
    Time,
    /// The number of iterations.
    #[error("the limit of iterations is reached (`--iterations`)")]
    Iterations,
}

/// The summary of a session. Of `calls`, each was either allowed or denied.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Summary {
    /// Prompts, sent or blocked.
    pub prompts: u64,
    /// Prompts that were blocked.
    pub blocked_prompts: u64,
    /// Turns.
    pub turns: u64,
    /// Tool calls.
    pub calls: u64,
    /// Calls that were allowed to run.
    pub allowed: u64,
    /// Calls that were denied.
    pub denied: u64,
    /// Calls about which a hook wanted a person asked, whatever the answer.
    pub asked: u64,
    /// Allowed calls whose input hooks rewrote.
    pub rewritten_inputs: u64,
    /// Results that hooks rewrote.
    pub rewritten_results: u64,
    /// Calls that ran and failed.
    pub failed: u64,
    /// Calls whose result is the recorded one.
    pub recorded: u64,
    /// Checks that failed.
    pub failed_checks: u64,
    /// Texts of hooks that reached the agent.
    pub delivered: u64,
    /// Reports.
    pub reports: u64,
    /// The time that it took, in milliseconds.
    #[serde(rename = "duration_ms", serialize_with = "millis")]
    pub duration: Duration,
    /// The tokens that models took.
    #[serde(skip_serializing_if = "Usage::is_zero")]
    pub usage: Usage,
    /// The way it ended.
    pub ending: Ending,
    /// The limit that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

fn millis<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

impl Summary {
    /// Counts a step.
    pub fn count(&mut self, step: &Step) {
        match step {
            Step::PromptSent { .. } => self.prompts += 1,
            Step::PromptBlocked { .. } => {
                self.prompts += 1;
                self.blocked_prompts += 1;
            }
            Step::TurnStarted { .. } => self.turns += 1,
            Step::CallDecided { decision, .. } => {
                self.calls += 1;
                self.asked += u64::from(decision.reasons.iter().any(|reason| reason.verdict == Verdict::Ask));
                if decision.is_allowed() {
                    self.allowed += 1;
                    self.rewritten_inputs += u64::from(decision.is_rewritten_by_hooks());
                } else {
                    self.denied += 1;
                }
            }
            Step::CallFinished { result, rewritten, recorded, .. } => {
                self.failed += u64::from(result.is_error);
                self.rewritten_results += u64::from(*rewritten);
                self.recorded += u64::from(*recorded);
            }
            Step::CheckFailed { .. } => self.failed_checks += 1,
            Step::Delivered { .. } => self.delivered += 1,
            Step::ModelAnswered { usage, .. } => self.usage += *usage,
            Step::Report(_) => self.reports += 1,
            _ => {}
        }
    }
}
