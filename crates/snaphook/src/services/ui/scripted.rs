//! A person made of a list: for tests and for trying hooks out.

use std::collections::VecDeque;

use parking_lot::Mutex;
use snaphook_core::{BoxFuture, HookRef, Notice, UiContext, UiReply, UiRequest};

use super::headless_reply;

/// Answers questions from a list, in order, and remembers what it was asked.
///
/// `yes`, `y`, `true` and `no`, `n`, `false` answer a confirmation; a choice's own text, else its number from 1, a
/// selection; any text an input. An answer that does not fit is used up, and, like an exhausted list, answers as if
/// nobody were there; both are noted in [`ScriptedUi::questions`].
#[derive(Debug, Default)]
pub struct ScriptedUi {
    answers: Mutex<VecDeque<String>>,
    asked: Mutex<Vec<AskedQuestion>>,
    notices: Mutex<Vec<Notice>>,
}

/// One question that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedQuestion {
    /// The hook that asked.
    pub hook: Option<HookRef>,
    /// The question.
    pub request: UiRequest,
    /// The answer.
    pub reply: UiReply,
    /// The reason why the answer is not one of the list.
    pub problem: Option<String>,
}

impl ScriptedUi {
    /// Answers with these, in order.
    pub fn new(answers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let answers = answers.into_iter().map(Into::into).collect();
        ScriptedUi { answers: Mutex::new(answers), ..ScriptedUi::default() }
    }

    /// Reads a list as `--ui scripted:yes,no` has it: separated by commas, spaces around them dropped.
    pub fn parse(list: &str) -> Self {
        let trimmed = list.trim();
        Self::new(trimmed.split(',').map(str::trim).filter(|_| !trimmed.is_empty()))
    }

    /// Every question so far, with its answer.
    pub fn questions(&self) -> Vec<AskedQuestion> {
        self.asked.lock().clone()
    }

    /// The answers that were not needed so far.
    pub fn unused(&self) -> Vec<String> {
        self.answers.lock().iter().cloned().collect()
    }

    /// Every notice so far.
    pub fn notices(&self) -> Vec<Notice> {
        self.notices.lock().clone()
    }

    fn answer(&self, request: &UiRequest) -> Result<UiReply, AnswerError> {
        let Some(answer) = self.answers.lock().pop_front() else {
            return Err(AnswerError::Exhausted);
        };
        match request {
            UiRequest::Confirm { .. } => match answer.to_lowercase().as_str() {
                "yes" | "y" | "true" => Ok(UiReply::Confirmed(true)),
                "no" | "n" | "false" => Ok(UiReply::Confirmed(false)),
                _ => Err(AnswerError::NotYesOrNo(answer)),
            },
            UiRequest::Select { options, .. } => {
                let by_number = || answer.parse::<usize>().ok()?.checked_sub(1);
                let index = options.iter().position(|option| *option == answer).or_else(by_number);
                let index = index.filter(|index| *index < options.len());
                index.map(UiReply::Selected).ok_or(AnswerError::NoChoice(answer))
            }
            UiRequest::Input { .. } | UiRequest::Editor { .. } => Ok(UiReply::Text(answer)),
        }
    }
}

/// The reason why a question has no answer.
#[derive(Debug, thiserror::Error)]
enum AnswerError {
    /// There are no more answers.
    #[error("the script of answers is exhausted")]
    Exhausted,
    /// A yes or a no is needed.
    #[error("\"{0}\" is neither yes nor no")]
    NotYesOrNo(String),
    /// The choices do not have it.
    #[error("\"{0}\" is not one of the choices")]
    NoChoice(String),
}

impl UiContext for ScriptedUi {
    fn has_ui(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        Box::pin(async move {
            let (reply, problem) = match self.answer(&request) {
                Ok(reply) => (reply, None),
                Err(problem) => {
                    tracing::warn!(target: "snaphook", "{problem}");
                    (headless_reply(&request), Some(problem.to_string()))
                }
            };
            self.asked.lock().push(AskedQuestion {
                hook: hook.cloned(),
                request,
                reply: reply.clone(),
                problem,
            });
            reply
        })
    }

    fn notify(&self, _hook: Option<&HookRef>, notice: Notice) {
        self.notices.lock().push(notice);
    }
}
