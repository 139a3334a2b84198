//! The person of a test: absent, there with answers by kind of question, or somewhere outside. Remembers what was asked
//! and told. Not here: how hosts ask (`snaphook`).

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use snaphook::{BoxFuture, HookRef, Notice, UiContext, UiReply, UiRequest, headless_reply};

use crate::arguments::{Fields, describe};
use crate::error::{AnswerError, TestError};
use crate::values::object;

/// The place where the person is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Presence {
    /// No person is there.
    #[default]
    Absent,
    /// At the terminal.
    Present,
    /// Behind the agent's own prompt, which comes later.
    Outside,
}

/// The UI context of one test.
#[derive(Debug, Default)]
pub(crate) struct Person(Mutex<PersonState>);

#[derive(Debug, Default)]
struct PersonState {
    presence: Presence,
    confirm: VecDeque<bool>,
    select: VecDeque<Choice>,
    input: VecDeque<Option<String>>,
    editor: VecDeque<Option<String>>,
    asked: Vec<Value>,
    notified: Vec<Value>,
}

#[derive(Debug)]
enum Choice {
    Text(String),
    /// From 1, as scripts count.
    Number(usize),
    Nothing,
}

impl Person {
    /// `t.headless()`.
    pub(crate) fn leave(&self) {
        let mut state = self.0.lock();
        *state = PersonState {
            asked: std::mem::take(&mut state.asked),
            notified: std::mem::take(&mut state.notified),
            ..PersonState::default()
        };
    }

    /// `t.ui{…}`: comes, and has these answers more.
    ///
    /// # Errors
    /// An invalid answer.
    pub(crate) fn come(&self, value: Option<Value>) -> Result<(), TestError> {
        let known = &["confirm", "select", "input", "editor", "defer"];
        let mut fields = Fields::read("t.ui", value, known)?;
        let confirm = fields.list("confirm").into_iter().map(|answer| match answer {
            Value::Bool(yes) => Ok(yes),
            other => Err(fields_wrong("confirm", "true or false", &other)),
        });
        let confirm = confirm.collect::<Result<Vec<_>, _>>()?;
        let select = fields.list("select").into_iter().map(|answer| match answer {
            Value::String(text) => Ok(Choice::Text(text)),
            Value::Bool(false) => Ok(Choice::Nothing),
            other => {
                let number = other.as_u64().and_then(|number| usize::try_from(number).ok());
                let number = number.filter(|number| *number > 0).map(Choice::Number);
                let wanted = "the text of a choice, its number from 1, or false for no answer";
                number.ok_or_else(|| fields_wrong("select", wanted, &other))
            }
        });
        let select = select.collect::<Result<Vec<_>, _>>()?;
        let input = texts("input", fields.list("input"))?;
        let editor = texts("editor", fields.list("editor"))?;
        let outside = fields.flag("defer")?;
        if outside && !(confirm.is_empty() && select.is_empty() && input.is_empty() && editor.is_empty()) {
            return Err(
                "t.ui: with `defer` the answer comes from outside, so there are no other answers".into()
            );
        }
        let mut state = self.0.lock();
        state.presence = if outside { Presence::Outside } else { Presence::Present };
        state.confirm.extend(confirm);
        state.select.extend(select);
        state.input.extend(input);
        state.editor.extend(editor);
        Ok(())
    }

    /// Returns whether questions are left to the embedder.
    pub(crate) fn is_outside(&self) -> bool {
        self.0.lock().presence == Presence::Outside
    }

    /// Returns what was asked and told since this was last called.
    pub(crate) fn take(&self) -> (Vec<Value>, Vec<Value>) {
        let mut state = self.0.lock();
        (std::mem::take(&mut state.asked), std::mem::take(&mut state.notified))
    }
}

fn fields_wrong(key: &str, wanted: &str, got: &Value) -> TestError {
    TestError::Usage(format!("t.ui: an answer of `{key}` is {wanted}, not {}", describe(got)))
}

fn texts(key: &str, list: Vec<Value>) -> Result<Vec<Option<String>>, TestError> {
    let one = |answer| match answer {
        Value::String(text) => Ok(Some(text)),
        Value::Bool(false) => Ok(None),
        other => Err(fields_wrong(key, "text, or false for no answer", &other)),
    };
    list.into_iter().map(one).collect()
}

impl PersonState {
    /// The answer, or why there is none of the test's.
    fn answer(&mut self, request: &UiRequest) -> Result<UiReply, AnswerError> {
        let missing = AnswerError::Missing;
        let text = |answer: Option<Option<String>>, key| {
            let answer = answer.ok_or_else(|| missing(key))?;
            Ok(answer.map_or(UiReply::Nothing, UiReply::Text))
        };
        match request {
            UiRequest::Confirm { .. } => {
                self.confirm.pop_front().map(UiReply::Confirmed).ok_or_else(|| missing("confirm"))
            }
            UiRequest::Select { options, .. } => {
                let choice = self.select.pop_front().ok_or_else(|| missing("select"))?;
                let index = match &choice {
                    Choice::Nothing => return Ok(UiReply::Nothing),
                    Choice::Text(text) => options.iter().position(|option| option == text),
                    Choice::Number(number) => Some(number - 1).filter(|index| *index < options.len()),
                };
                let wrong = || {
                    let answer = match choice {
                        Choice::Text(text) => format!("{text:?}"),
                        Choice::Number(number) => number.to_string(),
                        Choice::Nothing => String::new(),
                    };
                    AnswerError::NoChoice { answer, choices: options.join(", ") }
                };
                index.map(UiReply::Selected).ok_or_else(wrong)
            }
            UiRequest::Input { .. } => text(self.input.pop_front(), "input"),
            UiRequest::Editor { .. } => text(self.editor.pop_front(), "editor"),
        }
    }
}

impl UiContext for Person {
    fn has_ui(&self) -> bool {
        self.0.lock().presence != Presence::Absent
    }

    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        Box::pin(async move {
            let mut state = self.0.lock();
            let (reply, problem) = match (state.presence, &request) {
                (Presence::Absent, _) => return headless_reply(&request),
                (Presence::Outside, UiRequest::Confirm { .. }) => (UiReply::Deferred, None),
                (Presence::Outside, _) => (UiReply::Nothing, None),
                (Presence::Present, _) => match state.answer(&request) {
                    Ok(reply) => (reply, None),
                    Err(error) => (headless_reply(&request), Some(error.to_string())),
                },
            };
            let question = question(hook, request, &reply, problem);
            state.asked.push(question);
            reply
        })
    }

    fn notify(&self, hook: Option<&HookRef>, notice: Notice) {
        let hook = hook.map(|hook| hook.id.as_str());
        let told = match notice {
            Notice::Message { text, level } => json!({"hook": hook, "text": text, "level": level.as_str()}),
            Notice::Status { key, text } => json!({"hook": hook, "status": key, "text": text}),
        };
        self.0.lock().notified.push(object(told));
    }
}

/// A question with its answer, as outcomes have it.
fn question(hook: Option<&HookRef>, request: UiRequest, reply: &UiReply, problem: Option<String>) -> Value {
    let (kind, title, message, options, initial) = match request {
        UiRequest::Confirm { title, message } => ("confirm", title, message, None, None),
        UiRequest::Select { title, options } => ("select", title, None, Some(options), None),
        UiRequest::Input { title, initial } => ("input", title, None, None, initial),
        UiRequest::Editor { title, initial } => ("editor", title, None, None, initial),
    };
    let answer = match reply {
        UiReply::Confirmed(yes) => json!(yes),
        UiReply::Selected(index) => json!(options.as_ref().and_then(|options| options.get(*index))),
        UiReply::Text(text) => json!(text),
        UiReply::Nothing => Value::Null,
        UiReply::Deferred => json!("deferred"),
    };
    object(json!({
        "hook": hook.map(|hook| hook.id.as_str()),
        "kind": kind,
        "title": title,
        "message": message,
        "options": options,
        "initial": initial,
        "answer": answer,
        "problem": problem,
    }))
}

/// A person for a host.
pub(crate) fn shared(person: &Arc<Person>) -> Arc<dyn UiContext> {
    Arc::<Person>::clone(person)
}
