//! The outbox: text that waits to be given to the agent. Hooks fill it, the agent's driver empties it.

use std::collections::VecDeque;

use parking_lot::Mutex;
use snaphook_core::{Deliver, HookRef};
use tokio::sync::Notify;

/// The longest text that is kept, in bytes; the rest is cut with a note.
pub const MAX_TEXT: usize = 64 * 1024;
/// The most texts that wait at a time; newer ones are refused and reported.
pub const MAX_TEXTS: usize = 1000;

/// One text for the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxText {
    /// The hook that sent it.
    pub hook: HookRef,
    /// The text, at most [`MAX_TEXT`] bytes and a note.
    pub text: String,
    /// When it is to be delivered.
    pub deliver: Deliver,
}

/// Text that waits for the agent, oldest first.
#[derive(Debug, Default)]
pub struct Outbox {
    texts: Mutex<VecDeque<OutboxText>>,
    urgent: Notify,
}

/// The reason why a text does not wait for the agent as it was sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutboxError {
    /// Too many texts wait already.
    #[error("text for the agent was refused: {MAX_TEXTS} texts wait already")]
    Full,
    /// The text of so many bytes was too long, and its beginning was kept.
    #[error("text for the agent was cut: {0} bytes, {MAX_TEXT} are kept")]
    Cut(usize),
}

impl Outbox {
    /// Takes out everything that waits for this moment, oldest first.
    pub fn take(&self, deliver: Deliver) -> Vec<OutboxText> {
        let mut texts = self.texts.lock();
        let (taken, rest) = texts.drain(..).partition::<Vec<_>, _>(|text| text.deliver == deliver);
        texts.extend(rest);
        taken
    }

    /// Returns how many texts wait.
    pub fn len(&self) -> usize {
        self.texts.lock().len()
    }

    /// Returns whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Waits until there is text to be delivered now. One waiter at a time is woken.
    pub async fn wait_for_now(&self) {
        loop {
            let notified = self.urgent.notified();
            if self.texts.lock().iter().any(|text| text.deliver == Deliver::Now) {
                return;
            }
            notified.await;
        }
    }

    /// Puts a text in. Says why not, or what was cut.
    pub(crate) fn queue_text(
        &self,
        hook: &HookRef,
        mut text: String,
        deliver: Deliver,
    ) -> Result<(), OutboxError> {
        let mut texts = self.texts.lock();
        if texts.len() >= MAX_TEXTS {
            return Err(OutboxError::Full);
        }
        let length = text.len();
        let cut = length > MAX_TEXT;
        if cut {
            text.truncate(text.floor_char_boundary(MAX_TEXT));
            text.push_str(&format!("\n[cut: {length} bytes, {MAX_TEXT} are kept]"));
        }
        texts.push_back(OutboxText { hook: hook.clone(), text, deliver });
        drop(texts);
        if deliver == Deliver::Now {
            self.urgent.notify_one();
        }
        if cut { Err(OutboxError::Cut(length)) } else { Ok(()) }
    }

    /// Throws everything away; says how much it was.
    pub(crate) fn clear(&self) -> usize {
        self.texts.lock().drain(..).count()
    }
}
