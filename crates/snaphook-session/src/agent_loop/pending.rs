//! Texts of hooks for the agent that it has not seen yet, oldest first. Many may write at once.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use snaphook_command::lifecycle::join_outputs;

/// The most text that waits, in bytes.
pub const MAX_PENDING: usize = 256 * 1024;

/// Text that waits for the next iteration. Clones are one buffer.
#[derive(Debug, Clone, Default)]
pub struct Pending {
    texts: Arc<Mutex<VecDeque<String>>>,
}

impl Pending {
    /// A buffer in which these wait already.
    pub fn of(texts: impl IntoIterator<Item = String>) -> Self {
        Pending { texts: Arc::new(Mutex::new(texts.into_iter().collect())) }
    }

    /// Adds a text behind the others, unless it is empty. Returns what did not fit, and is dropped.
    pub fn push(&self, mut text: String) -> Option<String> {
        if text.is_empty() {
            return None;
        }
        let mut texts = self.texts.lock();
        let room = MAX_PENDING.saturating_sub(texts.iter().map(String::len).sum());
        let cut = (text.len() > room).then(|| text.split_off(text.floor_char_boundary(room)));
        if !text.is_empty() {
            texts.push_back(text);
        }
        cut
    }

    /// Takes all of it out.
    pub fn drain(&self) -> Vec<String> {
        self.texts.lock().drain(..).collect()
    }

    /// Returns what waits.
    pub fn texts(&self) -> Vec<String> {
        self.texts.lock().iter().cloned().collect()
    }

    /// Returns whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.texts.lock().is_empty()
    }
}

/// Texts as one, as the outputs of one list are joined.
pub(super) fn join(texts: impl IntoIterator<Item = String>) -> String {
    let texts: Vec<String> = texts.into_iter().collect();
    join_outputs(texts.iter().map(String::as_str))
}
