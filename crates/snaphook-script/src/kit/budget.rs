//! The computing time of a handler, and the texts about budgets that are used up. Not here: measuring time and stopping
//! scripts, which each engine does in the way of its language.

use std::sync::Arc;
use std::time::Duration;

use snaphook_core::{CallContext, Cause, HandlerError, Limits};

/// The time that a handler may still compute.
pub struct Meter(Duration);

/// The time that one turn of a handler may compute.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// The time.
    pub allowed: Duration,
    /// True if the budget of all handlers of the event is closer to its end than the handler's own.
    pub together: bool,
}

impl Meter {
    /// A handler that has not computed yet.
    #[inline]
    pub fn new(limits: &Limits) -> Self {
        Meter(limits.handler_cpu)
    }

    /// The time that the next turn may compute.
    #[inline]
    pub fn turn(&self, call: &Arc<CallContext>) -> Turn {
        let left_together = call.cpu_left();
        Turn { allowed: self.0.min(left_together), together: left_together < self.0 }
    }

    /// Charges a turn to the handler and to its event.
    #[inline]
    pub fn charge(&mut self, call: &Arc<CallContext>, spent: Duration) {
        self.0 = self.0.saturating_sub(spent);
        call.charge(spent);
    }
}

impl Turn {
    /// The failure of a handler that used up the budget in this turn.
    pub fn used_up(self, limits: &Limits) -> HandlerError {
        let text = if self.together {
            format!("the handlers of this event used up their CPU budget of {:?}", limits.event_cpu)
        } else {
            format!("it used up its CPU budget of {:?}", limits.handler_cpu)
        };
        HandlerError::new(Cause::Budget, text)
    }
}

/// The failure of a script that reached its memory limit.
pub fn out_of_memory(limits: &Limits) -> HandlerError {
    HandlerError::new(Cause::Memory, memory_limit(limits))
}

pub(super) fn memory_limit(limits: &Limits) -> String {
    format!("the memory limit of {} MiB is reached", limits.memory >> 20)
}
