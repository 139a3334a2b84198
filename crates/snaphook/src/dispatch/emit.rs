//! Events that cannot be denied: rewrites that chain, checks that stop at the first failure, notices. Not here: gated
//! events (`gate`), results that are withheld before any handler runs (`withhold`).

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use snaphook_audit::HookRun;
use snaphook_core::{
    Answer, BoxFuture, CallContext, Cause, ContextText, Decision, Deliver, Event, EventName, Handler,
    HandlerError, HandlerInfo, HookRef, Lifecycle, Outcome, Payload, ProgramRun, ReplyClass, Verdict,
    Withheld,
};

use crate::dispatch::failed_check::FailedCheck;
use crate::dispatch::handler_loop::{LoopInputs, Run, run_handlers};
use crate::dispatch::poll_handler::{HandlerEnd, guard};
use crate::host::{Current, Host, Inner};
use crate::load::hook_set::{HookSet, broken_text};
use crate::options::CallOptions;
use crate::report::Report;
use crate::services::EventSource;
use crate::supervise::{Stage, supervise};
use crate::sync::until;

/// The number of times that `agent_end` and `subagent_end` may send the agent on between two prompts of the person.
pub const MAX_CONTINUATIONS: u32 = 3;

/// The result of an event.
#[derive(Debug, Clone)]
pub struct Emitted {
    /// The event, as rewritten where its class allows it.
    pub event: Event,
    /// True if a handler changed it.
    pub rewritten: bool,
    /// The reason that nothing of it may be shown, for an event that can be withheld ([`EventName::can_be_withheld`]).
    pub withheld: Option<Withheld>,
    /// The decision, for an event of the gate class.
    pub decision: Option<Decision>,
    /// Text for the model from gates and rewrites. That of notices is in the outbox (`next_turn`).
    pub context: Vec<ContextText>,
    /// The `context` of a notice's handlers, which waits in the outbox already.
    pub queued: Vec<ContextText>,
    /// `agent_end` and `subagent_end`: go on working, with these texts.
    pub continue_with: Vec<ContextText>,
    /// The result of checks.
    pub checks: Checks,
    /// Of `startup`: each handler that ran, in order.
    pub started: Vec<Started>,
    /// The problems.
    pub reports: Vec<Report>,
    /// True if the call was cancelled before all handlers had run.
    pub cancelled: bool,
}

impl Emitted {
    /// The outcome for the agent.
    pub fn outcome(&self) -> Outcome {
        Outcome::observed(&self.event, self.rewritten, &self.context, &self.continue_with)
    }
}

/// A handler of `startup` that ran.
#[derive(Debug, Clone)]
pub struct Started {
    /// The handler.
    pub handler: HandlerInfo,
    /// The traces of its program, where it is one that ran.
    pub run: Option<Box<ProgramRun>>,
    /// True if it failed.
    pub failed: bool,
}

/// The result of the handlers of `files_changed` and `pre_commit`.
#[derive(Debug, Clone, Default)]
pub struct Checks {
    /// Those that passed, in order.
    pub passed: Vec<HandlerInfo>,
    /// The one that failed; the run stopped there.
    pub failed: Option<FailedCheck>,
    /// Those that were not run any more.
    pub pending: Vec<HandlerInfo>,
    /// The traces of the programs of those that passed.
    pub runs: Vec<(HandlerInfo, ProgramRun)>,
}

impl Host {
    /// Dispatches any event. Gated events are decided as by [`Host::decide`].
    ///
    /// Handlers run one after the other in the declared order, each within its time limit. Of a notice, context goes
    /// to the outbox and failures are swallowed; everything that failed is reported.
    pub async fn emit(&self, event: Event, options: &CallOptions) -> Emitted {
        let current = self.inner.current();
        if event.name().class() == ReplyClass::Gate {
            let decided = self.inner.decide(&current, event, options).await;
            let cancelled = decided.decision.deciding().any(|reason| reason.cause == Some(Cause::Cancelled));
            return Emitted {
                cancelled,
                event: decided.decision.event.clone(),
                rewritten: decided.decision.is_rewritten(),
                context: decided.decision.context.clone(),
                reports: decided.reports,
                decision: Some(decided.decision),
                ..Emitted::of(Event::bus(Arc::default(), Default::default()))
            };
        }
        let context = Arc::new(self.inner.context(&current, options));
        self.inner.emit(&current, context, event, options).await
    }
}

impl EventSource for Inner {
    fn cause(self: Arc<Self>, nested: Arc<CallContext>, event: Event) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let current = self.current();
            self.emit(&current, nested, event, &CallOptions::default()).await;
        })
    }
}

impl Emitted {
    /// Returns what came of `startup`, in one line; `None` where no handler ran.
    pub fn startup_summary(&self) -> Option<String> {
        let all = self.started.len();
        let failed: Vec<_> = self.started.iter().filter(|one| one.failed).collect();
        let names: Vec<_> = failed.iter().map(|one| one.handler.hook.id.as_str()).collect();
        let failed = if names.is_empty() {
            "none failed".to_owned()
        } else {
            format!("{} failed ({})", names.len(), names.join(", "))
        };
        let rest = if self.cancelled { "; it was ended before all had run" } else { "" };
        (all > 0 || self.cancelled).then(|| format!("startup hooks: {all} ran, {failed}{rest}"))
    }

    pub(crate) fn of(event: Event) -> Self {
        Emitted {
            event,
            rewritten: false,
            withheld: None,
            decision: None,
            context: Vec::new(),
            queued: Vec::new(),
            continue_with: Vec::new(),
            checks: Checks::default(),
            started: Vec::new(),
            reports: Vec::new(),
            cancelled: false,
        }
    }
}

impl Inner {
    /// Dispatches an event of any class but the gates'.
    pub(crate) async fn emit(
        &self,
        current: &Current,
        context: Arc<CallContext>,
        event: Event,
        options: &CallOptions,
    ) -> Emitted {
        self.note_session(&event);
        let name = event.name().clone();
        let handlers = current.loaded.handlers(&name);
        let limit = match name.class() {
            ReplyClass::Check => self.check_wait,
            _ => self.recipe.limits.wait,
        };
        let is_result = name == EventName::Lifecycle(Lifecycle::ToolResult);
        let withholds = name.can_be_withheld();
        if let Some(why) = withholds.then(|| self.withheld(current, &event)).flatten() {
            return self.withhold(current, event, &why);
        }
        let audited = self.shared.audit.is_some() && is_result;
        let before = audited.then(|| (event.clone(), Instant::now()));
        let mut state = EmitState::new(event, limit);
        // A check that did not load must not pass because it is not there (law 4).
        if name.class() == ReplyClass::Check
            && let Some(failure) = current.loaded.lost_check(&name)
        {
            state.emitted.checks = Checks {
                passed: Vec::new(),
                failed: Some(failure.as_check(name)),
                pending: handlers.iter().map(|handler| handler.info().clone()).collect(),
                runs: Vec::new(),
            };
            return state.emitted;
        }
        if handlers.is_empty() {
            return state.emitted;
        }
        let ran = self.run(&mut state, &current.loaded, &context, name, options).await;
        if withholds {
            state.withhold_unseen(&current.loaded, handlers, ran.is_none());
        }
        let EmitState { mut emitted, rewriters, ran: runs, .. } = state;
        if let Some((before, began)) = before.filter(|_| emitted.rewritten) {
            let uses = context.uses.take();
            let used = (runs.as_slice(), uses.as_slice());
            self.audit_result(current, &before, &emitted.event, &rewriters, used, began.elapsed());
        }
        if ran.is_none() {
            context.cancel_flag().store(true, Ordering::Relaxed);
            emitted.cancelled = true;
        }
        self.deliver(&mut emitted);
        emitted
    }

    /// Runs one check on the event, whatever its matcher says of that.
    pub(crate) async fn run_check(
        &self,
        current: &Current,
        context: Arc<CallContext>,
        handler: &Arc<dyn Handler>,
        event: Event,
        options: &CallOptions,
    ) -> Emitted {
        let loaded = Arc::new(current.loaded.only(handler));
        let name = event.name().clone();
        let mut state = EmitState { chosen: true, ..EmitState::new(event, self.check_wait) };
        let ran = self.run(&mut state, &loaded, &context, name, options).await;
        let mut emitted = state.emitted;
        if ran.is_none() {
            context.cancel_flag().store(true, Ordering::Relaxed);
            emitted.cancelled = true;
        }
        emitted
    }

    /// Runs the handlers; `None` where the call was cancelled before they had all run.
    async fn run(
        &self,
        state: &mut EmitState,
        loaded: &Arc<HookSet>,
        context: &Arc<CallContext>,
        event: EventName,
        options: &CallOptions,
    ) -> Option<()> {
        let cancel = options.cancel.as_ref();
        if options.supervised {
            let (loaded, context, shared) =
                (Arc::clone(loaded), Arc::clone(context), Arc::clone(&self.shared));
            let stage = Stage { loaded, context, shared, event };
            return until(cancel, supervise(state, &stage, &self.recipe.limits)).await;
        }
        let handlers = loaded.handlers(&event);
        until(cancel, run_handlers(state, LoopInputs { loaded, handlers, context, shared: &self.shared }))
            .await
    }

    /// Sends context of notices to the outbox and holds continuations to their limit.
    fn deliver(&self, emitted: &mut Emitted) {
        if emitted.event.name().class() != ReplyClass::Notify {
            return;
        }
        emitted.queued = std::mem::take(&mut emitted.context);
        for ContextText { hook, text } in &emitted.queued {
            self.shared.queue_text(hook, text.clone(), Deliver::NextTurn);
        }
        if emitted.continue_with.is_empty() {
            return;
        }
        if self.continued.fetch_add(1, Ordering::Relaxed) < MAX_CONTINUATIONS {
            return;
        }
        self.continued.store(MAX_CONTINUATIONS, Ordering::Relaxed);
        for ContextText { hook, .. } in std::mem::take(&mut emitted.continue_with) {
            let message = format!(
                "`continue_with` was ignored: the agent was sent on {MAX_CONTINUATIONS} times since the last prompt"
            );
            let report =
                Report { event: Some(emitted.event.name().clone()), ..Report::about(&hook, message) };
            self.shared.report(&report);
            emitted.reports.push(report);
        }
    }

    /// A session that is switched or cleared starts with nothing kept; a prompt that goes on resets nothing here.
    fn note_session(&self, event: &Event) {
        if *event.name() != EventName::Lifecycle(Lifecycle::Session) {
            return;
        }
        let subject = event.subject();
        let reason = subject.get("reason").and_then(|reason| reason.as_str());
        if matches!(reason, Some("switch" | "clear")) {
            self.shared.forget_session(reason == Some("clear"));
        }
    }
}

/// One event on its way.
pub(crate) struct EmitState {
    emitted: Emitted,
    cursor: usize,
    running: Option<usize>,
    limit: Duration,
    /// True if the handlers run whatever their matchers say.
    chosen: bool,
    /// The hooks that changed the event, each time that they did.
    rewriters: Vec<HookRef>,
    /// When the handler that is running began, where an audit wants to know.
    began: Option<Instant>,
    ran: Vec<HookRun>,
    /// True if every handler had its turn.
    done: bool,
}

impl EmitState {
    fn new(event: Event, limit: Duration) -> Self {
        EmitState {
            emitted: Emitted::of(event),
            cursor: 0,
            running: None,
            limit,
            chosen: false,
            rewriters: Vec::new(),
            began: None,
            ran: Vec::new(),
            done: false,
        }
    }

    /// Puts a text in the place of the result, or takes out what a server said.
    fn withhold(&mut self, why: Withheld) {
        self.emitted.event = self.emitted.event.withheld(&why);
        self.emitted.rewritten = true;
        if let Withheld::Hook(Some(hook), _) | Withheld::Blocked(hook, _) = &why {
            self.rewriters.push(hook.clone());
        }
        self.emitted.withheld = Some(why);
    }

    /// Returns whether nothing is left that a handler could look at.
    fn is_blocked(&self) -> bool {
        self.emitted.withheld.is_some() && matches!(self.emitted.event.payload(), Payload::Fields(_))
    }

    /// Withholds a result that a hook has not seen which has to.
    fn withhold_unseen(&mut self, loaded: &HookSet, handlers: &[Arc<dyn Handler>], cancelled: bool) {
        if self.done {
            return;
        }
        let hook = handlers.iter().map(|handler| &handler.info().hook).find(|hook| loaded.withholds(hook));
        if let Some(hook) = hook {
            let cause = if cancelled { Cause::Cancelled } else { Cause::Stuck };
            self.withhold(Withheld::Hook(Some(hook.clone()), cause));
        }
    }

    fn take_answer(&mut self, info: &HandlerInfo, answer: Answer) -> Result<(), HandlerError> {
        let say = |text: String| ContextText { hook: info.hook.clone(), text };
        match info.event.class() {
            ReplyClass::Check if answer.failed => {
                let reason = match answer.reason.trim() {
                    "" => format!("the check \"{}\" failed and gave no reason", info.hook.name),
                    reason => reason.to_owned(),
                };
                self.emitted.checks.failed =
                    Some(FailedCheck { handler: info.clone(), reason, cause: None, run: answer.run });
                return Ok(());
            }
            ReplyClass::Check => {
                self.emitted.checks.passed.push(info.clone());
                self.emitted.checks.runs.extend(answer.run.map(|run| (info.clone(), *run)));
            }
            ReplyClass::Rewrite if answer.verdict == Verdict::Deny => {
                self.withhold(Withheld::Blocked(info.hook.clone(), answer.reason));
                return Ok(());
            }
            ReplyClass::Rewrite => {
                let changed = answer.rewrite.map(|rewrite| self.emitted.event.apply(&rewrite));
                match changed.transpose() {
                    Ok(Some(Some(event))) => {
                        self.emitted.event = event;
                        self.emitted.rewritten = true;
                        self.rewriters.push(info.hook.clone());
                    }
                    Ok(_) => {}
                    Err(error) => return Err(HandlerError::new(Cause::Malformed, error.to_string())),
                }
            }
            ReplyClass::Notify | ReplyClass::Gate => {
                let may_go_on =
                    matches!(info.event, EventName::Lifecycle(Lifecycle::AgentEnd | Lifecycle::SubagentEnd));
                self.emitted.continue_with.extend(answer.continue_with.filter(|_| may_go_on).map(say));
            }
        }
        self.emitted.context.extend(answer.context.map(say));
        Ok(())
    }

    /// Notes that a handler of `startup` ran. A program that failed is a failure like any other.
    fn note_start(
        &mut self,
        info: &HandlerInfo,
        outcome: Result<Answer, HandlerError>,
    ) -> Result<Answer, HandlerError> {
        let (run, failed) = match &outcome {
            Ok(answer) => (answer.run.clone(), answer.failed),
            Err(_) => (None, true),
        };
        self.emitted.started.push(Started { handler: info.clone(), run, failed });
        match outcome {
            Ok(answer) if answer.failed => Err(HandlerError::new(Cause::Error, answer.reason)),
            outcome => outcome,
        }
    }

    fn fail(&mut self, inputs: LoopInputs<'_>, info: &HandlerInfo, error: &HandlerError) {
        let withholds = info.event.can_be_withheld() && inputs.loaded.withholds(&info.hook);
        let report = if withholds { Report::withheld(info, error) } else { Report::failure(info, error) };
        if withholds {
            self.withhold(Withheld::Hook(Some(info.hook.clone()), error.cause));
        }
        inputs.shared.report(&report);
        self.emitted.reports.push(report);
        if info.event.class() == ReplyClass::Check {
            let reason = format!("the check \"{}\" failed: {}", info.hook.name, error.message);
            let failed = FailedCheck { handler: info.clone(), reason, cause: Some(error.cause), run: None };
            self.emitted.checks.failed = Some(failed);
        }
    }
}

fn out_of_service(inputs: LoopInputs<'_>, hook: &HookRef) -> Result<(), HandlerError> {
    if inputs.loaded.is_broken(hook) {
        Err(HandlerError::new(Cause::Stuck, broken_text(hook)))
    } else {
        Ok(())
    }
}

impl Run for EmitState {
    fn next(&mut self, inputs: LoopInputs<'_>) -> Option<(usize, Event)> {
        while let Some(handler) = inputs.handlers.get(self.cursor).filter(|_| !self.is_blocked()) {
            let index = self.cursor;
            self.cursor += 1;
            let info = handler.info();
            let selects = guard(|| self.chosen || handler.selects(&self.emitted.event, inputs.context));
            if self.emitted.checks.failed.is_some() {
                if !matches!(selects, Ok(false)) {
                    self.emitted.checks.pending.push(info.clone());
                }
                continue;
            }
            let ready = match selects {
                Ok(false) => continue,
                Ok(true) => out_of_service(inputs, &info.hook),
                Err(error) => Err(error),
            };
            match ready {
                Ok(()) => {
                    self.running = Some(index);
                    let audited = inputs.shared.audit.is_some() && info.event.class() == ReplyClass::Rewrite;
                    self.began = audited.then(Instant::now);
                    return Some((index, self.emitted.event.clone()));
                }
                Err(error) => self.fail(inputs, info, &error),
            }
        }
        self.done = true;
        None
    }

    fn record(&mut self, inputs: LoopInputs<'_>, index: usize, end: HandlerEnd) {
        let Some(handler) = inputs.handlers.get(index) else { return };
        let info = handler.info();
        if let Some(began) = self.began.take() {
            self.ran.push(HookRun { hook: info.hook.clone(), took: began.elapsed() });
        }
        let outcome = match end {
            HandlerEnd::Answered(outcome) => outcome,
            // It has seen the result, and its answer is missing.
            HandlerEnd::Abandoned(_) if inputs.loaded.withholds(&info.hook) => {
                Err(HandlerError::new(Cause::Headless, "was ended while it asked"))
            }
            // Questions of these events are never deferred, and nothing denies them.
            HandlerEnd::Abandoned(_) => Ok(Answer::default()),
        };
        let outcome = if info.event == EventName::Lifecycle(Lifecycle::Startup) {
            self.note_start(info, outcome)
        } else {
            outcome
        };
        if let Err(error) = outcome.and_then(|answer| self.take_answer(info, answer)) {
            self.fail(inputs, info, &error);
        }
    }

    fn running(&self) -> Option<usize> {
        self.running
    }

    fn limit(&self) -> Option<Duration> {
        Some(self.limit)
    }

    fn take(&mut self) -> Self {
        let idle = EmitState::new(self.emitted.event.clone(), self.limit);
        std::mem::replace(self, EmitState { cursor: usize::MAX, chosen: self.chosen, ..idle })
    }
}
