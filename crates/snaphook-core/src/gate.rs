//! The merge law as a machine without I/O: which handler runs next, what it saw, what everything comes to
//! (laws 2 to 4). The host drives it; the property tests drive it without a host.
//!
//! A handler has "seen" an input when it ran on it, when its matcher refused it, or when it wrote it. As long as a
//! handler has not seen the input as it stands, it runs again; after [`MAX_ROUNDS`] rounds without rest the call is
//! denied. Whatever comes out undenied was therefore judged by every gate.

use std::sync::Arc;

use crate::answer::Answer;
use crate::default_rule::{DefaultRule, DefaultVerdict};
use crate::event::EventName;
use crate::hold::Hold;
use crate::hook::{HookRef, Location};
use crate::lifecycle::Lifecycle;
use crate::payload::Event;
use crate::ports::{HandlerError, HandlerInfo};
use crate::verdict::{Cause, ContextText, Decision, Reason, Verdict};

/// The number of times that handlers may be run over one event, the first time included.
pub const MAX_ROUNDS: u32 = 3;

/// The message about a directive for a call without a command line.
const NOTHING_TO_HOLD: &str =
    "`hold` is for calls of the tool `bash`, which have a command line; look at `event.tool` first";

/// One event on its way through its gates.
#[derive(Debug)]
pub struct GateRun {
    original: Event,
    event: Event,
    /// Counts rewrites: 0 is the input as it came.
    version: u32,
    /// The version each handler saw last. Empty until the first rewrite: until then each runs once, in order.
    seen: Vec<Option<u32>>,
    handlers: usize,
    cursor: usize,
    round: u32,
    verdict: Verdict,
    reasons: Vec<Reason>,
    context: Vec<ContextText>,
    terminate: bool,
    /// The directives of all handlers, combined to the strictest. One that was given stays, whatever is rewritten later.
    hold: Option<Box<Hold>>,
    /// The version that a handler explicitly allowed last.
    allowed: Option<u32>,
    /// `None`: what no handler explicitly allows is allowed.
    default: Option<Arc<DefaultRule>>,
}

impl GateRun {
    /// Starts an event on its way through so many handlers.
    pub fn new(event: Event, handlers: usize) -> Self {
        GateRun {
            original: event.clone(),
            event,
            version: 0,
            seen: Vec::new(),
            handlers,
            cursor: 0,
            round: 1,
            verdict: Verdict::Abstain,
            reasons: Vec::new(),
            context: Vec::new(),
            terminate: false,
            hold: None,
            allowed: None,
            default: None,
        }
    }

    /// Sets what becomes of a tool call that no handler explicitly allows. Default: it is allowed.
    #[must_use]
    pub fn with_default(mut self, rule: &Arc<DefaultRule>) -> Self {
        self.default = (rule.verdict != DefaultVerdict::Allow).then(|| Arc::clone(rule));
        self
    }

    /// A run of the same event and the same default without handlers.
    #[must_use]
    pub fn idle(&self) -> Self {
        GateRun { default: self.default.clone(), ..GateRun::new(self.event.clone(), 0) }
    }

    /// The event as rewritten so far.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Returns whether the outcome can only be a deny. No more questions are needed.
    pub fn is_denied(&self) -> bool {
        self.verdict == Verdict::Deny
    }

    /// The index of the handler to run now, on [`GateRun::event`]; `None` when all handlers have answered. `selects` is a
    /// handler's matcher.
    pub fn next(&mut self, mut selects: impl FnMut(usize, &Event) -> bool) -> Option<usize> {
        loop {
            while self.cursor < self.handlers {
                let index = self.cursor;
                self.cursor += 1;
                if self.has_seen(index) {
                    continue;
                }
                if selects(index, &self.event) {
                    return Some(index);
                }
                self.mark_seen(index);
            }
            if self.is_denied() || self.seen.iter().all(|seen| *seen == Some(self.version)) {
                return None;
            }
            if self.round == MAX_ROUNDS {
                self.deny_endless_rewrites();
                return None;
            }
            self.round += 1;
            self.cursor = 0;
        }
    }

    /// Takes what the handler that [`GateRun::next`] named came to.
    pub fn record(&mut self, index: usize, info: &HandlerInfo, outcome: Result<Answer, HandlerError>) {
        match outcome {
            Ok(answer) => self.take(index, info, answer),
            Err(error) => self.fail(info, error),
        }
        self.mark_seen(index);
    }

    /// Folds in a denial that no handler gave: a hook that did not load, a cancelled call.
    pub fn deny(&mut self, hook: Option<HookRef>, location: Option<Location>, cause: Cause, text: String) {
        self.add(Reason { hook, location, verdict: Verdict::Deny, text, cause: Some(cause) });
    }

    /// Folds in a question that no handler returned: a confirm that is not answered yet.
    pub fn ask(&mut self, info: &HandlerInfo, question: String) {
        self.add(reason(info, Verdict::Ask, question, None));
    }

    /// Returns what everything comes to.
    pub fn finish(mut self) -> Decision {
        self.apply_default();
        Decision {
            verdict: self.verdict,
            reasons: self.reasons,
            event: self.event,
            original: self.original,
            context: self.context,
            terminate: self.terminate && self.verdict == Verdict::Deny,
            hold: self.hold.filter(|_| self.verdict != Verdict::Deny),
            unheld: None,
        }
    }

    /// Tightens the verdict on a tool call that nobody explicitly allowed as it stands now: an allow of an input that was
    /// rewritten since is about something else. It only ever adds a reason, so nothing gets looser.
    fn apply_default(&mut self) {
        let Some(default) = &self.default else { return };
        let gated = matches!(self.event.name(), EventName::Lifecycle(Lifecycle::ToolCall));
        let allowed = self.allowed == Some(self.version);
        let verdict = default.verdict.verdict();
        if !gated || allowed || self.verdict >= verdict {
            return;
        }
        let text = default.reason();
        self.add(Reason { hook: None, location: None, verdict, text, cause: Some(Cause::Default) });
    }

    fn take(&mut self, index: usize, info: &HandlerInfo, answer: Answer) {
        let allows = answer.verdict == Verdict::Allow;
        if allows {
            self.allowed = Some(self.version);
        }
        match answer.verdict {
            Verdict::Abstain => {}
            Verdict::Deny if answer.reason.trim().is_empty() => {
                let text = format!("blocked by the hook \"{}\", which gave no reason", info.hook.name);
                self.add(reason(info, Verdict::Deny, text, None));
            }
            verdict => self.add(reason(info, verdict, answer.reason, None)),
        }
        self.terminate |= answer.terminate;
        if let Some(text) = answer.context {
            let given = ContextText { hook: info.hook.clone(), text };
            // A handler that ran again says the same again.
            if !self.context.contains(&given) {
                self.context.push(given);
            }
        }
        if let Some(hold) = answer.hold {
            if self.event.call().is_none_or(|call| !call.runs_command_line()) {
                return self.fail(info, HandlerError::new(Cause::Malformed, NOTHING_TO_HOLD));
            }
            self.hold = Some(match self.hold.take() {
                Some(others) => Box::new(others.strictest(*hold)),
                None => hold,
            });
        }
        // What is denied does not run, so there is nothing left to rewrite.
        let Some(rewrite) = answer.rewrite.filter(|_| !self.is_denied()) else { return };
        match self.event.apply(&rewrite) {
            Ok(None) => {}
            Ok(Some(event)) => {
                self.note_first_rewrite(index);
                self.version += 1;
                self.event = event;
                // Who allows and rewrites means what it wrote.
                if allows {
                    self.allowed = Some(self.version);
                }
            }
            Err(error) => self.fail(info, HandlerError::new(Cause::Malformed, error.to_string())),
        }
    }

    fn fail(&mut self, info: &HandlerInfo, error: HandlerError) {
        let location = error.location.or_else(|| Some(info.location()));
        let text = format!("the hook \"{}\" failed: {}", info.hook.name, error.message);
        let cause = Some(error.cause);
        self.add(Reason { hook: Some(info.hook.clone()), location, verdict: Verdict::Deny, text, cause });
    }

    fn add(&mut self, reason: Reason) {
        self.verdict = self.verdict.max(reason.verdict);
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    fn has_seen(&self, index: usize) -> bool {
        self.seen.get(index).is_some_and(|seen| *seen == Some(self.version))
    }

    fn mark_seen(&mut self, index: usize) {
        let version = self.version;
        if let Some(seen) = self.seen.get_mut(index) {
            *seen = Some(version);
        }
    }

    /// Notes at the first rewrite that the handlers up to the writer have seen the event as it was.
    fn note_first_rewrite(&mut self, writer: usize) {
        if self.seen.is_empty() {
            self.seen = vec![None; self.handlers];
            for seen in self.seen.iter_mut().take(writer + 1) {
                *seen = Some(self.version);
            }
        }
    }

    fn deny_endless_rewrites(&mut self) {
        let text = format!("the hooks kept rewriting each other's input; gave up after {MAX_ROUNDS} rounds");
        self.deny(None, None, Cause::NoRest, text);
    }
}

fn reason(info: &HandlerInfo, verdict: Verdict, text: String, cause: Option<Cause>) -> Reason {
    Reason { hook: Some(info.hook.clone()), location: Some(info.location()), verdict, text, cause }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
