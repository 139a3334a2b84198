//! The law of gates: verdicts, reasons with their causes, decisions (laws 2 and 4).

use std::sync::Arc;

use serde::Serialize;

use crate::hold::Hold;
use crate::hook::{HookRef, Location};
use crate::payload::Event;

crate::named_enum! {
    /// The verdict of a gate. The order is the law: the strictest verdict wins.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Verdict {
        /// Nothing to say.
        #[default]
        Abstain = "abstain",
        /// No objection. It never cancels another hook's ask or deny.
        Allow = "allow",
        /// The person has to say yes.
        Ask = "ask",
        /// It must not happen.
        Deny = "deny",
    }
}

crate::named_enum! {
    /// The reason why a denial is synthetic: no hook said no, something failed (law 4).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Cause {
        /// The handler raised an error.
        Error = "error",
        /// The handler panicked.
        Panic = "panic",
        /// The handler, or the event's handlers together, used up the CPU budget.
        Budget = "budget",
        /// The handler waited longer than its event allows.
        Timeout = "timeout",
        /// The hook hit its memory limit.
        Memory = "memory",
        /// The handler could not be stopped in time; the host answered without it.
        Stuck = "stuck",
        /// The answer was not one of the event's legal answers.
        Malformed = "malformed",
        /// The hook did not load.
        Load = "load",
        /// The hook is not trusted.
        Untrusted = "untrusted",
        /// Rewrites did not come to rest.
        NoRest = "no_rest",
        /// The call was cancelled.
        Cancelled = "cancelled",
        /// The call needs approval, and nobody can be asked.
        Headless = "headless",
        /// The audit line could not be written.
        Audit = "audit",
        /// The command cannot be held as it would have to be.
        Hold = "hold",
        /// No hook explicitly allowed the call, and a setting does not let such calls through.
        Default = "default",
    }
}

/// One hook's contribution to a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The hook, where it was one.
    pub hook: Option<HookRef>,
    /// The place where the handler stands.
    pub location: Option<Location>,
    /// Its result.
    pub verdict: Verdict,
    /// The reason. Never empty for a deny or an ask.
    pub text: String,
    /// Set where the verdict is synthetic.
    pub cause: Option<Cause>,
}

impl Reason {
    /// Returns whether a broken hook or the host, not a policy, is behind the verdict.
    pub fn is_synthetic(&self) -> bool {
        self.cause.is_some()
    }
}

/// Text for the model, with the hook that gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextText {
    /// The hook.
    pub hook: HookRef,
    /// The text.
    pub text: String,
}

/// The conclusion of the host from all verdicts about one event.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The strictest verdict of all.
    pub verdict: Verdict,
    /// Everybody's reasons, in the order in which they were given. Abstentions give none.
    pub reasons: Vec<Reason>,
    /// The event as rewritten: what may run.
    pub event: Event,
    /// The event as it came.
    pub original: Event,
    /// Text for the model.
    pub context: Vec<ContextText>,
    /// A deny that asks the agent to stop altogether.
    pub terminate: bool,
    /// What the command may touch: the directives of all hooks, combined to the strictest.
    pub hold: Option<Box<Hold>>,
    /// Where the command is held: the event as the gates left it, before its command line became one that holds.
    pub unheld: Option<Event>,
}

impl Decision {
    /// Returns whether the event may go on as it stands: neither denied nor waiting for a person.
    pub fn is_allowed(&self) -> bool {
        self.verdict <= Verdict::Allow
    }

    /// Returns whether the event may not go on as it came: a handler rewrote it, or its command is held.
    pub fn is_rewritten(&self) -> bool {
        is_changed(&self.event, &self.original)
    }

    /// The event as the gates left it, whether it is held or not.
    pub fn judged(&self) -> &Event {
        self.unheld.as_ref().unwrap_or(&self.event)
    }

    /// Returns whether a handler rewrote the event, whether it is held or not.
    pub fn is_rewritten_by_hooks(&self) -> bool {
        is_changed(self.judged(), &self.original)
    }

    /// The reasons of the winning verdict.
    pub fn deciding(&self) -> impl Iterator<Item = &Reason> {
        self.reasons.iter().filter(|reason| reason.verdict == self.verdict)
    }

    /// Returns the message for the model about a denied call: every deciding reason with its hook.
    pub fn message(&self) -> String {
        let one = |reason: &Reason| match (&reason.hook, &reason.location) {
            (Some(hook), Some(location)) => format!("{} [{} at {location}]", reason.text, hook.id),
            (Some(hook), None) => format!("{} [{}]", reason.text, hook.id),
            _ => reason.text.clone(),
        };
        self.deciding().map(one).collect::<Vec<_>>().join("\n")
    }
}

fn is_changed(now: &Event, before: &Event) -> bool {
    match (now.call(), before.call()) {
        (Some(now), Some(before)) => !Arc::ptr_eq(&now.input, &before.input),
        _ => now.subject() != before.subject(),
    }
}
