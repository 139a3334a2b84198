//! The audit of a host: when a line is written, and what happens where it is not taken. A gate whose
//! line is not taken is denied. Not here: lines, secrets and files (`snaphook-audit`).

use std::time::Duration;

use serde_json::Value;
use snaphook_audit::{HookRun, LineBuilder};
use snaphook_core::{Cause, Event, GrantUse, HookRef, Payload, Reason, ToolCall, ToolResult, Verdict};

use crate::dispatch::ask;
use crate::dispatch::gate::Decided;
use crate::host::{Current, Inner};
use crate::services::auditor::Auditor;

impl Inner {
    fn line(&self, auditor: &Auditor, current: &Current, event: &Event) -> LineBuilder {
        let session = auditor.fields(&current.session);
        LineBuilder::new(self.shared.clock.now(), &session, auditor.options, event)
    }

    /// Writes the line of a decision. If it is not taken, the decision becomes a denial.
    pub(crate) fn audit_decision(&self, current: &Current, decided: &mut Decided, took: Option<Duration>) {
        let Some(auditor) = &self.shared.audit else { return };
        let decision = &decided.decision;
        let involved = decision.reasons.iter().filter_map(|reason| reason.hook.as_ref());
        let line = self
            .line(auditor, current, &decision.event)
            .decision(decision.verdict, &decision.event, &decision.original, decision.is_rewritten())
            .held(decision.hold.as_deref())
            .reasons(&decision.reasons)
            .hooks(|hook| current.loaded.content_hash(hook), &decided.ran, involved, &decided.uses)
            .finish(took);
        if let Err(report) = auditor.append(&line) {
            self.shared.report(&report);
            if decision.verdict != Verdict::Deny {
                let text = format!("{}; nothing passes of which no line can be written", report.message);
                ask::deny(&mut decided.decision, None, text, Some(Cause::Audit));
            }
            decided.reports.push(report);
        }
    }

    /// Writes that hooks rewrote a result. What is not taken is reported: the tool has run already.
    pub(crate) fn audit_result(
        &self,
        current: &Current,
        before: &Event,
        after: &Event,
        by: &[HookRef],
        (ran, uses): (&[HookRun], &[GrantUse]),
        took: Duration,
    ) {
        let Some(auditor) = &self.shared.audit else { return };
        let (Payload::Result(old), Payload::Result(new)) = (before.payload(), after.payload()) else {
            return;
        };
        let line = self
            .line(auditor, current, after)
            .rewritten_result(old, new, by)
            .hooks(|hook| current.loaded.content_hash(hook), ran, by.iter(), uses)
            .finish(Some(took));
        if let Err(report) = auditor.append(&line) {
            self.shared.report(&report);
        }
    }

    /// Writes that a held command failed at what holds it.
    pub(crate) fn audit_wall(&self, current: &Current, call: &ToolCall, text: &str) {
        let Some(auditor) = &self.shared.audit else { return };
        let event = Event::tool_result(ToolResult::new(call.clone(), "", Value::Null, true));
        let reason = Reason {
            hook: None,
            location: None,
            verdict: Verdict::Abstain,
            text: text.to_owned(),
            cause: Some(Cause::Hold),
        };
        let line = self.line(auditor, current, &event).reasons(&[reason]).finish(None);
        if let Err(report) = auditor.append(&line) {
            self.shared.report(&report);
        }
    }

    /// Writes the result of a tool that the host did not run, and that no hook rewrote.
    pub(crate) fn audit_outcome(
        &self,
        current: &Current,
        call: &ToolCall,
        bytes: usize,
        is_error: bool,
        took: Duration,
    ) {
        let Some(auditor) = &self.shared.audit else { return };
        let event = Event::tool_result(ToolResult::new(call.clone(), "", Value::Null, is_error));
        let line = self.line(auditor, current, &event).plain_result(bytes, is_error).finish(Some(took));
        if let Err(report) = auditor.append(&line) {
            self.shared.report(&report);
        }
    }
}
