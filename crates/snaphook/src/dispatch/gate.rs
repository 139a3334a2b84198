//! Gated events: the merge law end over real handlers, and what the host concludes. Not here: asking the person
//! (`ask`), running the tool (`tool`).

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use snaphook_audit::HookRun;
use snaphook_core::{
    CallContext, Cause, Decision, DefaultVerdict, Event, EventName, GateRun, GrantUse, HandlerError,
    Lifecycle, ReplyClass, ToolCall, Verdict,
};

use crate::dispatch::ask;
use crate::dispatch::handler_loop::{LoopInputs, Run, run_handlers};
use crate::dispatch::poll_handler::{HandlerEnd, guard};
use crate::host::{Current, Host, Inner};
use crate::load::hook_set::broken_text;
use crate::options::{AskMode, CallOptions};
use crate::report::Report;
use crate::supervise::{Stage, supervise};
use crate::sync::until;

/// The conclusion of the host about a gated event, with what went wrong on the way.
#[derive(Debug, Clone)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// Each failure of a handler, with its traceback. Its denial is among the decision's reasons as well.
    pub reports: Vec<Report>,
    /// The handlers that ran, for the audit.
    pub(crate) ran: Vec<HookRun>,
    /// The grants that they used, for the audit.
    pub(crate) uses: Vec<GrantUse>,
}

/// A call that may run, with the final input.
#[derive(Debug, Clone)]
pub struct Permitted {
    /// The call to run: what every gate has seen.
    pub call: ToolCall,
    /// The way it came to this; `decision.original` has the input as it came.
    pub decision: Decision,
    /// The problems on the way.
    pub reports: Vec<Report>,
}

/// A call that must not run.
#[derive(Debug, Clone)]
pub struct Denied {
    /// The way it came to this.
    pub decision: Decision,
    /// The problems on the way.
    pub reports: Vec<Report>,
}

impl Denied {
    /// Returns the text for the model: every deciding reason with its hook.
    pub fn message(&self) -> String {
        self.decision.message()
    }

    /// Returns whether the embedder has to get an approval first. Only with [`AskMode::Defer`] or a UI context that defers.
    pub fn needs_person(&self) -> bool {
        self.decision.verdict == Verdict::Ask
    }

    /// Returns whether no policy said no: hooks or the host failed.
    pub fn is_synthetic(&self) -> bool {
        let mut deciding = self.decision.deciding().peekable();
        deciding.peek().is_some() && deciding.all(|reason| reason.is_synthetic())
    }
}

impl Host {
    /// Gates a tool call. `Continue` has the call to run.
    ///
    /// With [`CallOptions::default`] handlers compute on the caller's thread: the fast path of programs
    /// that trust their engines to stop a runaway script. With [`CallOptions::supervised`] a handler that
    /// computes and cannot be stopped is answered without (a denial with the cause `stuck`), and its hook
    /// is out of service until [`Host::reload`]. Dropping the future cancels the handlers, their dialogs
    /// and their processes.
    pub async fn gate(&self, call: ToolCall, options: &CallOptions) -> ControlFlow<Denied, Permitted> {
        let current = self.inner.current();
        self.inner.gate(&current, call, options).await
    }

    /// Decides about any event of the gate class: `tool_call`, `permission_request`, `user_prompt`,
    /// `session_before_compact`. An event of another class cannot be decided about and is denied.
    pub async fn decide(&self, event: Event, options: &CallOptions) -> Decided {
        let current = self.inner.current();
        self.inner.decide(&current, event, options).await
    }
}

impl Inner {
    pub(crate) async fn gate(
        &self,
        current: &Current,
        call: ToolCall,
        options: &CallOptions,
    ) -> ControlFlow<Denied, Permitted> {
        let Decided { decision, reports, .. } = self.decide(current, Event::tool_call(call), options).await;
        match decision.event.call() {
            Some(call) if decision.is_allowed() => {
                ControlFlow::Continue(Permitted { call: call.clone(), decision, reports })
            }
            _ => ControlFlow::Break(Denied { decision, reports }),
        }
    }

    /// Decides, and writes the audit's line before the decision can be used.
    pub(crate) async fn decide(&self, current: &Current, event: Event, options: &CallOptions) -> Decided {
        let began = self.shared.audit.as_ref().map(|_| Instant::now());
        // One future, not one in another: what it gives is large, and would be moved once more.
        let mut decided = 'decided: {
            if event.name().class() != ReplyClass::Gate {
                let mut run = GateRun::new(event, 0);
                let text = format!("{} is not an event that can be denied or allowed", run.event().name());
                run.deny(None, None, Cause::Malformed, text);
                break 'decided GateState::new(run).finish();
            }
            if matches!(event.name(), EventName::Lifecycle(Lifecycle::UserPrompt)) {
                self.continued.store(0, Ordering::Relaxed);
            }
            let loaded = &current.loaded;
            let name = event.name().clone();
            let handlers = loaded.handlers(&name);
            let default = &self.recipe.default;
            let mut state = GateState::new(GateRun::new(event, handlers.len()).with_default(default));
            let holding = &self.recipe.holding;
            if handlers.is_empty()
                && !loaded.denies()
                && default.verdict == DefaultVerdict::Allow
                && !holding.stands()
            {
                break 'decided state.finish();
            }
            let context = Arc::new(self.context(current, options));
            context.signals.allow_defer();
            loaded.deny(&mut state.run);
            if state.run.is_denied() {
                context.signals.close();
            }
            let cancel = options.cancel.as_ref();
            let ran = if options.supervised && !handlers.is_empty() {
                let shared = Arc::clone(&self.shared);
                let stage =
                    Stage { loaded: Arc::clone(loaded), context: Arc::clone(&context), shared, event: name };
                until(cancel, supervise(&mut state, &stage, &self.recipe.limits)).await
            } else {
                let inputs = LoopInputs { loaded, handlers, context: &context, shared: &self.shared };
                until(cancel, run_handlers(&mut state, inputs)).await
            };
            if ran.is_none() {
                context.cancel_flag().store(true, Ordering::Relaxed);
                state.run.deny(None, None, Cause::Cancelled, CANCELLED.to_owned());
                let mut decided = state.finish();
                decided.uses = context.uses.take();
                break 'decided decided;
            }
            let mut decided = state.finish();
            decided.uses = context.uses.take();
            // Before a person is asked: the yes is to what runs.
            holding.apply(&mut decided.decision);
            if decided.decision.verdict == Verdict::Ask && options.ask == AskMode::Resolve {
                let asked = until(
                    cancel,
                    ask::resolve(&mut decided.decision, &**self.shared.ui_for(options.ui.as_ref())),
                )
                .await;
                if asked.is_none() {
                    ask::deny(&mut decided.decision, None, CANCELLED.to_owned(), Some(Cause::Cancelled));
                }
            }
            decided
        };
        self.audit_decision(current, &mut decided, began.map(|began| began.elapsed()));
        decided
    }
}

/// The reason in the outcome of a cancelled call.
pub(crate) const CANCELLED: &str = "the call was cancelled";

/// One gated event on its way.
pub(crate) struct GateState {
    run: GateRun,
    reports: Vec<Report>,
    running: Option<usize>,
    /// When the handler that is running began, where an audit wants to know.
    began: Option<Instant>,
    ran: Vec<HookRun>,
}

impl GateState {
    fn new(run: GateRun) -> Self {
        GateState { run, reports: Vec::new(), running: None, began: None, ran: Vec::new() }
    }

    fn finish(self) -> Decided {
        Decided { decision: self.run.finish(), reports: self.reports, ran: self.ran, uses: Vec::new() }
    }
}

impl Run for GateState {
    fn next(&mut self, inputs: LoopInputs<'_>) -> Option<(usize, Event)> {
        loop {
            let asked = Cell::new(0);
            let found = guard(|| {
                self.run.next(|index, event| {
                    asked.set(index);
                    inputs.handlers.get(index).is_some_and(|handler| handler.selects(event, inputs.context))
                })
            });
            let (index, failure) = match found {
                Ok(None) => return None,
                Ok(Some(index)) => {
                    let hook = inputs.handlers.get(index).map(|handler| &handler.info().hook);
                    match hook.filter(|hook| inputs.loaded.is_broken(hook)) {
                        None => {
                            self.running = Some(index);
                            self.began = inputs.shared.audit.as_ref().map(|_| Instant::now());
                            return Some((index, self.run.event().clone()));
                        }
                        Some(hook) => (index, HandlerError::new(Cause::Stuck, broken_text(hook))),
                    }
                }
                // The matcher panicked: the handler that it belongs to has failed.
                Err(error) => (asked.get(), error),
            };
            self.record(inputs, index, HandlerEnd::Answered(Err(failure)));
        }
    }

    fn record(&mut self, inputs: LoopInputs<'_>, index: usize, end: HandlerEnd) {
        let Some(handler) = inputs.handlers.get(index) else { return };
        let info = handler.info();
        if let Some(began) = self.began.take() {
            self.ran.push(HookRun { hook: info.hook.clone(), took: began.elapsed() });
        }
        let outcome = match end {
            HandlerEnd::Answered(outcome) => outcome,
            HandlerEnd::Abandoned(question) => {
                if let Some(question) = question {
                    self.run.ask(info, question);
                }
                Ok(Default::default())
            }
        };
        if let Err(error) = &outcome {
            let report = Report::failure(info, error);
            inputs.shared.report(&report);
            self.reports.push(report);
        }
        self.run.record(index, info, outcome);
        if self.run.is_denied() {
            inputs.context.signals.close();
        }
    }

    fn running(&self) -> Option<usize> {
        self.running
    }

    fn limit(&self) -> Option<Duration> {
        None
    }

    fn take(&mut self) -> Self {
        let idle = self.run.idle();
        std::mem::replace(self, GateState::new(idle))
    }
}

impl Inner {
    /// The surroundings of an event that the agent caused.
    pub(crate) fn context(&self, current: &Current, options: &CallOptions) -> CallContext {
        let (session, services) = (Arc::clone(&current.session), Arc::clone(&self.services));
        let mut context = CallContext::new(session, services, self.recipe.limits.event_cpu, 0);
        context.ui = options.ui.clone();
        context
    }
}
