//! Questions at the terminal of a session: a line is written and ended by Enter, so that keys which were meant for something else never
//! answer. Not here: reading the line (`owner`).

use snaphook::{Approval, Approved, HookRef, UiReply, UiRequest};

use crate::print::{Paint, lines};

/// A question.
#[derive(Debug, Clone)]
pub(super) enum Question {
    /// Of a hook or the host.
    Request(Option<HookRef>, UiRequest),
    /// A gate's, about letting something pass.
    Approval(Approval),
}

/// The answer to it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answered {
    Reply(UiReply),
    Approved(Approved),
    /// Yes, also to the same call later.
    ApprovedForSession,
}

/// The meaning of a line at a question.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meant {
    Answered(Answered),
    /// The hook of this id is to be shown, and the question asked again.
    Show(String),
    /// The line is no answer, for this reason.
    Again(String),
}

impl Question {
    /// The question, as lines.
    pub(super) fn text(&self, paint: Paint) -> String {
        let (hook, title, rest) = match self {
            Question::Approval(approval) => (None, &approval.title, indented(&approval.message)),
            Question::Request(hook, request) => {
                let (title, rest) = match request {
                    UiRequest::Confirm { title, message } => {
                        (title, message.as_deref().map(indented).unwrap_or_default())
                    }
                    UiRequest::Select { title, options } => {
                        let numbered = options.iter().enumerate();
                        let numbered =
                            numbered.map(|(at, option)| format!("    {}. {}\n", at + 1, lines(option)));
                        (title, numbered.collect())
                    }
                    UiRequest::Input { title, initial } => {
                        let initial = initial.as_ref().filter(|initial| !initial.is_empty());
                        (title, initial.map(|text| indented(&format!("(now: {text})"))).unwrap_or_default())
                    }
                    UiRequest::Editor { title, .. } => (title, String::new()),
                };
                (hook.as_ref(), title, rest)
            }
        };
        let from = hook.map(|hook| format!("[{}] ", lines(&hook.name))).unwrap_or_default();
        format!("\n  {} {from}{}\n{rest}", paint.yellow("?"), paint.bold(&lines(title)))
    }

    /// The text before the answer.
    pub(super) fn prompt(&self) -> String {
        let show = if self.hook().is_some() { ", s shows the hook" } else { "" };
        match self {
            Question::Approval(approval) => {
                let always =
                    if approval.call.is_some() { ", a: yes to this exact call for the session" } else { "" };
                format!(
                    "  y: yes, n: no{always}{show}; any other words: no, and the agent is told them\n  > "
                )
            }
            Question::Request(_, UiRequest::Confirm { .. }) => format!("  y: yes, n: no{show}\n  > "),
            Question::Request(_, UiRequest::Select { .. }) => "  a number\n  > ".to_owned(),
            Question::Request(_, UiRequest::Input { initial, .. }) => {
                let has_initial = initial.as_ref().is_some_and(|initial| !initial.is_empty());
                if has_initial { "  Enter leaves it as it is\n  > " } else { "  > " }.to_owned()
            }
            Question::Request(_, UiRequest::Editor { .. }) => {
                "  Enter opens the editor, n: no answer\n  > ".to_owned()
            }
        }
    }

    /// The hook that asks, where it can be shown.
    fn hook(&self) -> Option<&HookRef> {
        match self {
            Question::Approval(approval) => approval.hooks.first(),
            Question::Request(hook, UiRequest::Confirm { .. }) => hook.as_ref(),
            Question::Request(..) => None,
        }
    }

    /// The meaning of a line; `None` is the end of input. A yes is never guessed.
    pub(super) fn meant(&self, line: Option<&str>) -> Meant {
        let Some(line) = line else { return Meant::Answered(self.none()) };
        let line = line.trim();
        let word = line.to_lowercase();
        match (self, word.as_str()) {
            (_, "s" | "show") if self.hook().is_some() => {
                Meant::Show(self.hook().map(|hook| hook.id.to_string()).unwrap_or_default())
            }
            (Question::Approval(_), "y" | "yes") => Meant::Answered(Answered::Approved(Approved::Yes)),
            (Question::Approval(approval), "a" | "always") if approval.call.is_some() => {
                Meant::Answered(Answered::ApprovedForSession)
            }
            (Question::Approval(_), "" | "n" | "no") => {
                Meant::Answered(Answered::Approved(Approved::No { why: None }))
            }
            // A slip of the finger is no sentence.
            (Question::Approval(_), slip) if slip.chars().count() == 1 => {
                Meant::Again(format!("\"{}\" is none of these", lines(slip)))
            }
            (Question::Approval(_), _) => {
                Meant::Answered(Answered::Approved(Approved::No { why: Some(line.to_owned()) }))
            }
            (Question::Request(_, UiRequest::Confirm { .. }), "y" | "yes") => {
                Meant::Answered(Answered::Reply(UiReply::Confirmed(true)))
            }
            (Question::Request(_, UiRequest::Confirm { .. }), "" | "n" | "no") => {
                Meant::Answered(Answered::Reply(UiReply::Confirmed(false)))
            }
            (Question::Request(_, UiRequest::Confirm { .. }), _) => {
                Meant::Again("answer with y or n".to_owned())
            }
            (Question::Request(_, UiRequest::Select { .. }), "") => Meant::Answered(self.none()),
            (Question::Request(_, UiRequest::Select { options, .. }), number) => {
                match number.parse::<usize>() {
                    Ok(number) if (1..=options.len()).contains(&number) => {
                        Meant::Answered(Answered::Reply(UiReply::Selected(number - 1)))
                    }
                    _ => Meant::Again(format!("answer with a number from 1 to {}", options.len())),
                }
            }
            (Question::Request(_, UiRequest::Input { initial, .. }), "") => {
                Meant::Answered(Answered::Reply(UiReply::Text(initial.clone().unwrap_or_default())))
            }
            (Question::Request(_, UiRequest::Input { .. }), _) => {
                Meant::Answered(Answered::Reply(UiReply::Text(line.to_owned())))
            }
            (Question::Request(_, UiRequest::Editor { .. }), _) => Meant::Answered(self.none()),
        }
    }

    /// The text that an editor is to be opened with, where the line asks for one.
    pub(super) fn edits(&self, line: Option<&str>) -> Option<String> {
        match self {
            Question::Request(_, UiRequest::Editor { initial, .. }) if line.map(str::trim) == Some("") => {
                Some(initial.clone().unwrap_or_default())
            }
            _ => None,
        }
    }

    /// No answer, which denies.
    pub(super) fn none(&self) -> Answered {
        match self {
            Question::Approval(_) => Answered::Approved(Approved::Nothing),
            Question::Request(..) => Answered::Reply(UiReply::Nothing),
        }
    }
}

fn indented(text: &str) -> String {
    lines(text).lines().map(|line| format!("    {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn approval(call: bool) -> Question {
        let mut approval = Approval::new("Really?", "bash: x");
        approval.call = call.then(|| (Arc::from("bash"), Arc::new(serde_json::json!({ "command": "x" }))));
        Question::Approval(approval)
    }

    fn approved(approved: Approved) -> Meant {
        Meant::Answered(Answered::Approved(approved))
    }

    #[test]
    fn only_a_clear_yes_is_a_yes() {
        for line in ["y", "Y ", "yes"] {
            assert_eq!(approval(true).meant(Some(line)), approved(Approved::Yes), "{line}");
        }
        for line in ["", "n", " No "] {
            assert_eq!(approval(true).meant(Some(line)), approved(Approved::No { why: None }), "{line}");
        }
        for line in ["yes please", "why y", "yy", "use trash"] {
            let why = Some(line.to_owned());
            assert_eq!(approval(true).meant(Some(line)), approved(Approved::No { why }), "{line}");
        }
        assert_eq!(approval(true).meant(None), approved(Approved::Nothing));
        assert!(matches!(approval(true).meant(Some("x")), Meant::Again(_)));
        assert_eq!(approval(true).meant(Some("a")), Meant::Answered(Answered::ApprovedForSession));
        // What is no call has nothing that could come again.
        assert!(matches!(approval(false).meant(Some("a")), Meant::Again(_)));
    }

    #[test]
    fn each_kind_of_question_has_its_answers() {
        let confirm = UiRequest::Confirm { title: "t".to_owned(), message: None };
        let select = UiRequest::Select { title: "t".to_owned(), options: vec!["a".into(), "b".into()] };
        let input = UiRequest::Input { title: "t".to_owned(), initial: Some("old".to_owned()) };
        let editor = UiRequest::Editor { title: "t".to_owned(), initial: Some("old".to_owned()) };
        for (request, line, reply) in [
            (&confirm, Some("y"), Some(UiReply::Confirmed(true))),
            (&confirm, Some(""), Some(UiReply::Confirmed(false))),
            (&confirm, Some("yep"), None),
            (&confirm, None, Some(UiReply::Nothing)),
            (&select, Some("2"), Some(UiReply::Selected(1))),
            (&select, Some("0"), None),
            (&select, Some("3"), None),
            (&select, Some("b"), None),
            (&select, Some(""), Some(UiReply::Nothing)),
            (&input, Some(""), Some(UiReply::Text("old".to_owned()))),
            (&input, Some("New "), Some(UiReply::Text("New".to_owned()))),
            (&editor, Some("n"), Some(UiReply::Nothing)),
        ] {
            let meant = Question::Request(None, request.clone()).meant(line);
            match reply {
                Some(reply) => assert_eq!(meant, Meant::Answered(Answered::Reply(reply)), "{line:?}"),
                None => assert!(matches!(meant, Meant::Again(_)), "{line:?}: {meant:?}"),
            }
        }
        assert_eq!(Question::Request(None, editor).edits(Some("")).as_deref(), Some("old"));
    }
}
