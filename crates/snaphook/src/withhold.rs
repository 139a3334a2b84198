//! Results that are withheld before any handler runs: a hook that has to check them is not there, or no handler could read them. Not
//! here: handlers that fail over a result (`emit`).

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use snaphook_core::{
    Event, EventName, HookRef, Lifecycle, Payload, ToolCall, ToolResult, Unreadable, Withheld,
};

use crate::emit::Emitted;
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
        let event = Event::tool_result(ToolResult {
            original_input: Arc::clone(&call.input),
            call,
            content: Arc::default(),
            details: Arc::default(),
            is_error: false,
        });
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
    /// Why handlers do not even get to see this result.
    pub(crate) fn withheld(&self, current: &Current, event: &Event) -> Option<Withheld> {
        if let Some(why) = current.loaded.withheld() {
            return Some(why);
        }
        let Payload::Result(result) = event.payload() else { return None };
        let why = Unreadable::of(result)?;
        self.could_rewrite_result(current, &result.call).then_some(Withheld::Unreadable(why))
    }

    /// Puts a text in the place of the result, and says so in the log and the audit.
    pub(crate) fn withhold(&self, current: &Current, event: Event, why: &Withheld) -> Emitted {
        let (hook, cause) = match why {
            Withheld::Hook(hook, cause) => (hook.clone(), Some(*cause)),
            Withheld::Unreadable(_) => (None, None),
        };
        let report = Report {
            hook: hook.clone(),
            location: None,
            event: Some(EventName::Lifecycle(Lifecycle::ToolResult)),
            cause,
            message: why.to_string(),
            traceback: None,
        };
        self.shared.report(&report);
        let mut emitted = Emitted::of(event.withheld(why));
        emitted.rewritten = true;
        emitted.reports.push(report);
        let by: Vec<HookRef> = hook.into_iter().collect();
        self.audit_result(current, &event, &emitted.event, &by, (&[], &[]), Duration::ZERO);
        emitted
    }
}
