//! Notices of hooks to the person (`ctx.ui.notify`) while an agent's event is answered: they are logged, and kept for the answer, where
//! the agent shows it. Questions go on to the UI. Not here: which events of which agent have a place for it (the
//! adapters' `Effect::Tell`).

use std::sync::Arc;

use parking_lot::Mutex;
use snaphook::{Approval, Approved, BoxFuture, HookRef, Level, Notice, UiContext, UiReply, UiRequest};

use crate::log::Log;

/// The most notices that one answer has; the log has all.
const MAX_NOTICES: usize = 10;

/// The longest text of them together, in bytes.
const MAX_BYTES: usize = 4 << 10;

/// The person of one host.
pub(crate) struct Notices {
    asked: Arc<dyn UiContext>,
    log: Log,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    lines: Vec<String>,
    /// The number that had no place.
    more: usize,
}

impl Notices {
    /// With a UI for questions.
    pub(crate) fn new(asked: Arc<dyn UiContext>, log: &Log) -> Arc<Self> {
        Arc::new(Notices { asked, log: log.clone(), waiting: Mutex::default() })
    }

    /// Takes what waits for the person, as one text; `None` where there is nothing.
    pub(crate) fn take(&self) -> Option<String> {
        let Waiting { mut lines, more } = std::mem::take(&mut *self.waiting.lock());
        if more > 0 {
            lines.push(format!("[snaphook] {more} more in its log"));
        }
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn keep(&self, line: String) {
        let mut waiting = self.waiting.lock();
        let length: usize = waiting.lines.iter().map(String::len).sum();
        if waiting.lines.len() < MAX_NOTICES && length < MAX_BYTES {
            waiting.lines.push(cut(line, MAX_BYTES - length));
        } else {
            waiting.more += 1;
        }
    }
}

impl UiContext for Notices {
    fn has_ui(&self) -> bool {
        self.asked.has_ui()
    }

    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        self.asked.ask(hook, request)
    }

    fn approve<'a>(&'a self, approval: &'a Approval) -> BoxFuture<'a, Approved> {
        self.asked.approve(approval)
    }

    fn notify(&self, hook: Option<&HookRef>, notice: Notice) {
        match notice {
            Notice::Message { text, level } => {
                let from = hook.map_or("snaphook", |hook| hook.id.as_str());
                if let Some(hook) = hook {
                    self.log.hook(hook, level, &format!("(notice) {text}"));
                }
                self.keep(match level {
                    Level::Debug | Level::Info => format!("[{from}] {text}"),
                    Level::Warn | Level::Error => format!("[{from}] {}: {text}", level.as_str()),
                });
            }
            // No agent has a line of status for it.
            Notice::Status { key, text } => {
                if let Some(hook) = hook {
                    let text = text.as_deref().unwrap_or("(removed)");
                    self.log.hook(hook, Level::Debug, &format!("(status) {key}: {text}"));
                }
            }
        }
    }
}

fn cut(mut text: String, longest: usize) -> String {
    if text.len() > longest {
        text.truncate(text.floor_char_boundary(longest));
        text.push('…');
    }
    text
}
