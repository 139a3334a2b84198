//! Results that are withheld before any handler runs: a hook that has to check them is not there, or no handler could read them. Not
//! here: handlers that fail over a result (`emit`).

use std::time::Duration;

use serde_json::Value;
use snaphook_core::{Event, EventName, HookRef, Payload, ToolCall, ToolResult, Unreadable, Withheld};

use crate::dispatch::emit::Emitted;
use crate::host::{Current, Host, Inner};
use crate::report::Report;

impl Host {
    /// Withholds the result of a call that cannot be read, for programs that read results themselves; `None` where no handler would
    /// look at it. A call that cannot be read either is looked at by every handler. The result is in no event, report or audit line.
    pub fn unreadable_result(&self, call: Option<ToolCall>, why: Unreadable) -> Option<Emitted> {
        let current = self.inner.current();
        let looks = match &call {
            Some(call) => self.inner.could_rewrite_result(&current, call),
            None => current.loaded.looks_at_results(),
        };
        if !looks {
            return None;
        }
        let call = call.unwrap_or_else(|| ToolCall::new("", "unknown", Value::Null));
        let why = current.loaded.withheld().unwrap_or(Withheld::Unreadable(why));
        let event = Event::tool_result(ToolResult::new(call, "", Value::Null, false));
        Some(self.inner.withhold(&current, event, &why))
    }

    /// Returns whether an event of this name has any effect: a handler looks at it, or it is withheld since a hook is not there that
    /// may have to check it.
    pub fn looks_at(&self, name: &EventName) -> bool {
        let current = self.inner.current();
        let missing = || name.can_be_withheld() && current.loaded.withheld().is_some();
        !current.loaded.handlers(name).is_empty() || missing()
    }

    /// Withholds what cannot be read, for programs that make an event that can be withheld of it; `event` has nothing of it. `None`
    /// where no handler would look at it.
    pub fn unreadable_event(&self, event: Event, why: Unreadable) -> Option<Emitted> {
        if !self.looks_at(event.name()) {
            return None;
        }
        let current = self.inner.current();
        let why = current.loaded.withheld().unwrap_or(Withheld::Unreadable(why));
        Some(self.inner.withhold(&current, event, &why))
    }

    /// The hook for which the result of this call is withheld if no handler gets to look at it: one whose front matter says
    /// `on_failure: withhold`. The outer `None` where there is none; the inner one where a hook did not load of which nothing is known.
    pub fn checks_result(&self, call: &ToolCall) -> Option<Option<HookRef>> {
        let current = self.inner.current();
        if let Some(Withheld::Hook(hook, _)) = current.loaded.withheld() {
            return Some(hook);
        }
        let mut hooks = self.inner.result_handlers(&current, call).map(|handler| handler.info().hook.clone());
        hooks.find(|hook| current.loaded.withholds(hook)).map(Some)
    }
}

impl Inner {
    /// Returns why handlers do not even get to see this result.
    pub(crate) fn withheld(&self, current: &Current, event: &Event) -> Option<Withheld> {
        if let Some(why) = current.loaded.withheld() {
            return Some(why);
        }
        let why = match event.payload() {
            Payload::Result(result) => {
                Unreadable::of(result).filter(|_| self.could_rewrite_result(current, &result.call))
            }
            Payload::Fields(fields) if !current.loaded.handlers(event.name()).is_empty() => {
                Unreadable::of_fields(fields)
            }
            Payload::Fields(_) | Payload::Call(_) => None,
        };
        why.map(Withheld::Unreadable)
    }

    /// Puts a text in the place of the result, or takes out what a server said, and says so in the log and, of a result, in the audit.
    pub(crate) fn withhold(&self, current: &Current, event: Event, why: &Withheld) -> Emitted {
        let (hook, cause) = match why {
            Withheld::Hook(hook, cause) => (hook.clone(), Some(*cause)),
            Withheld::Blocked(hook, _) => (Some(hook.clone()), None),
            Withheld::Unreadable(_) => (None, None),
        };
        let is_result = matches!(event.payload(), Payload::Result(_));
        let report = Report {
            hook: hook.clone(),
            location: None,
            event: Some(event.name().clone()),
            cause,
            message: why.text(if is_result { "result" } else { "message" }),
            traceback: None,
        };
        self.shared.report(&report);
        let mut emitted = Emitted::of(event.withheld(why));
        emitted.rewritten = true;
        emitted.withheld = Some(why.clone());
        emitted.reports.push(report);
        if !is_result {
            return emitted;
        }
        let by: Vec<HookRef> = hook.into_iter().collect();
        self.audit_result(current, &event, &emitted.event, &by, (&[], &[]), Duration::ZERO);
        emitted
    }
}
