//! The person at the session's terminal, as hooks have them. A yes that is to count for the session answers the same question about the
//! same call: asks only, as no denial ever gets here. Not here: dialogs (`dialogs`, `owner`).

use std::collections::HashSet;

use parking_lot::Mutex;
use snaphook::{Approval, Approved, BoxFuture, HookRef, Notice, UiContext, UiReply, UiRequest};

use super::dialogs::{Answered, Question};
use super::owner::Terminal;
use crate::print::Paint;
use crate::terminal::notice_line;

/// The most calls that a yes is kept for.
const MAX_REMEMBERED: usize = 1000;

/// The person at the terminal.
pub(super) struct AtTerminal {
    terminal: Terminal,
    paint: Paint,
    remembered: Mutex<HashSet<String>>,
}

impl AtTerminal {
    pub(super) fn new(terminal: Terminal, paint: Paint) -> Self {
        AtTerminal { terminal, paint, remembered: Mutex::default() }
    }
}

/// The parts that have to be the same for a yes to count again: the tool, all of its input, the question and who asks.
fn key(approval: &Approval) -> Option<String> {
    let (tool, input) = approval.call.as_ref()?;
    let hooks: Vec<&str> = approval.hooks.iter().map(|hook| hook.id.as_str()).collect();
    Some(serde_json::json!([&**tool, &**input, approval.title, hooks]).to_string())
}

impl UiContext for AtTerminal {
    fn has_ui(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        Box::pin(async move {
            match self.terminal.ask(Question::Request(hook.cloned(), request)).await {
                Answered::Reply(reply) => reply,
                Answered::Approved(_) | Answered::ApprovedForSession => UiReply::Nothing,
            }
        })
    }

    fn approve<'a>(&'a self, approval: &'a Approval) -> BoxFuture<'a, Approved> {
        Box::pin(async move {
            let key = key(approval);
            if key.as_ref().is_some_and(|key| self.remembered.lock().contains(key)) {
                return Approved::AsBefore;
            }
            match self.terminal.ask(Question::Approval(approval.clone())).await {
                Answered::Approved(approved) => approved,
                Answered::ApprovedForSession => {
                    let mut remembered = self.remembered.lock();
                    if let Some(key) = key
                        && remembered.len() < MAX_REMEMBERED
                    {
                        remembered.insert(key);
                    }
                    Approved::Yes
                }
                Answered::Reply(_) => Approved::Nothing,
            }
        })
    }

    fn notify(&self, hook: Option<&HookRef>, notice: Notice) {
        if let Some(line) = notice_line(hook, &notice) {
            self.terminal.print(&format!("  {} {line}\n", self.paint.dim("note:")));
        }
    }
}
