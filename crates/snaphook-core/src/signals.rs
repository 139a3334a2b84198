//! Signals of the host's services to the host about the handler that runs now. Services get the call's context only, and
//! a script can catch any error, so "drop this handler" has to travel beside the script, not through it.

use crate::sync::lock;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::task::Waker;

const CLOSED: u8 = 1;
const DEFERS: u8 = 2;
const ABANDONED: u8 = 4;

/// The signals of one event on its way through its handlers. Handlers run one after the other, so there is one set.
#[derive(Debug, Default)]
pub struct Signals {
    flags: AtomicU8,
    /// Counts the handlers, so that a question left behind by one is not taken for the next one's.
    turn: AtomicU32,
    state: Mutex<QuestionState>,
}

#[derive(Debug, Default)]
struct QuestionState {
    question: Option<String>,
    waker: Option<Waker>,
}

impl Signals {
    /// Ends questions: the event is denied already.
    pub fn close(&self) {
        self.flags.fetch_or(CLOSED, Ordering::Relaxed);
    }

    /// Returns whether no more questions are asked.
    pub fn is_closed(&self) -> bool {
        self.has(CLOSED)
    }

    /// A question of this event's handlers may become a verdict, to be answered outside.
    pub fn allow_defer(&self) {
        self.flags.fetch_or(DEFERS, Ordering::Relaxed);
    }

    /// Returns whether a question may be answered outside.
    pub fn may_defer(&self) -> bool {
        self.has(DEFERS)
    }

    /// Another handler begins; questions of earlier handlers are void.
    pub fn begin(&self) {
        self.turn.fetch_add(1, Ordering::Relaxed);
        let _ = self.take_abandoned();
    }

    /// Names the running handler, for [`Signals::abandon`].
    pub fn turn(&self) -> u32 {
        self.turn.load(Ordering::Relaxed)
    }

    /// Has the handler of this turn dropped, if it still runs; `question` is what a person outside has to answer in
    /// its stead. The caller's own future must stay pending. The first question counts.
    pub fn abandon(&self, turn: u32, question: Option<String>) {
        let mut state = self.question_state();
        if turn != self.turn() || self.has(ABANDONED) {
            return;
        }
        state.question = question;
        self.flags.fetch_or(ABANDONED, Ordering::Release);
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }

    /// Returns whether the running handler has to be dropped; gives the question.
    pub fn take_abandoned(&self) -> Option<Option<String>> {
        if self.flags.load(Ordering::Acquire) & ABANDONED == 0 {
            return None;
        }
        let mut state = self.question_state();
        self.flags.fetch_and(!ABANDONED, Ordering::Relaxed);
        state.waker = None;
        Some(state.question.take())
    }

    /// Wakes the task that drives the handler when it is abandoned, also from another thread.
    pub fn wake_when_abandoned(&self, waker: &Waker) {
        let mut state = self.question_state();
        if self.has(ABANDONED) {
            waker.wake_by_ref();
        } else {
            state.waker = Some(waker.clone());
        }
    }

    fn has(&self, flag: u8) -> bool {
        self.flags.load(Ordering::Relaxed) & flag != 0
    }

    fn question_state(&self) -> MutexGuard<'_, QuestionState> {
        lock(&self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_question_counts_and_the_next_handler_starts_clean() {
        let signals = Signals::default();
        signals.begin();
        let turn = signals.turn();
        assert_eq!(signals.take_abandoned(), None);
        signals.abandon(turn, Some("first?".into()));
        signals.abandon(turn, Some("second?".into()));
        assert_eq!(signals.take_abandoned(), Some(Some("first?".into())));
        assert_eq!(signals.take_abandoned(), None);
        signals.abandon(turn, None);
        signals.begin();
        signals.abandon(turn, Some("left behind?".into()));
        assert_eq!(signals.take_abandoned(), None);
    }
}
