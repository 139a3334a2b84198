//! Tools behind the gate: a blocked call becomes an error result, a permitted one runs with the final input, and
//! `tool_result` handlers see every result.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use serde_json::Value;
use snaphook_core::{
    Cause, ContextText, Decision, Event, EventName, GateRun, Handler, Lifecycle, PartialOutput, Payload,
    Tool, ToolCall, ToolOutput, ToolResult,
};
use tokio::task::JoinSet;

use crate::dispatch::gate::{CANCELLED, Decided, Denied, Permitted};
use crate::dispatch::poll_handler::{Running, guard};
use crate::host::{Current, Host, Inner};
use crate::options::CallOptions;
use crate::report::Report;
use crate::sync::until;

/// The result of a call.
#[derive(Debug, Clone)]
pub struct ToolOutcome {
    /// The call with its final input. Of a blocked one: the input as rewritten until then.
    pub call: ToolCall,
    /// The input as the agent first sent it.
    pub original_input: Arc<Value>,
    /// The decision of the gates. A call that is not allowed did not run.
    pub decision: Decision,
    /// The result for the model, as `tool_result` handlers left it.
    pub output: ToolOutput,
    /// True if `tool_result` handlers changed it.
    pub rewritten_result: bool,
    /// Text for the model beside the result.
    pub context: Vec<ContextText>,
    /// The problems with hooks on the way.
    pub reports: Vec<Report>,
    /// True if the call was cancelled.
    pub cancelled: bool,
}

/// One call of a turn.
pub struct TurnCall {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// The call.
    pub call: ToolCall,
    /// Takes output while the tool runs.
    pub output: PartialOutput,
}

impl TurnCall {
    /// A call whose output is not followed.
    pub fn new(tool: Arc<dyn Tool>, call: ToolCall) -> Self {
        TurnCall { tool, call, output: None }
    }
}

impl std::fmt::Debug for TurnCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TurnCall").field("call", &self.call).finish_non_exhaustive()
    }
}

impl Host {
    /// Gates a call, runs the tool on the final input, and lets `tool_result` handlers rewrite what it says, all on
    /// one set of hooks.
    ///
    /// A blocked call gives an error result with every deciding reason, and no `tool_result`. A tool that panics gives
    /// an error result. `output` reaches the tool only if no `tool_result` handler could still rewrite what it shows.
    pub async fn call_tool(
        &self,
        tool: &dyn Tool,
        call: ToolCall,
        output: PartialOutput,
        options: &CallOptions,
    ) -> ToolOutcome {
        let current = self.inner.current();
        match self.inner.admit(&current, tool, call, options).await {
            ControlFlow::Break(denied) => blocked(denied),
            ControlFlow::Continue(permitted) => {
                self.inner.run_tool(&current, tool, permitted, output, options).await
            }
        }
    }

    /// Returns whether a `tool_result` handler could change what this call's tool says: for who runs tools elsewhere
    /// and would have to read their results for it.
    pub fn could_rewrite(&self, call: &ToolCall) -> bool {
        self.inner.could_rewrite_result(&self.inner.current(), call)
    }

    /// Writes into the audit what a call came to, for who runs tools elsewhere. A result that hooks rewrote has its line already.
    pub fn note_result(&self, call: &ToolCall, bytes: usize, is_error: bool, took: Duration) {
        self.inner.audit_outcome(&self.inner.current(), call, bytes, is_error, took);
    }

    /// Writes into the audit that a held command failed at what holds it.
    pub fn note_wall(&self, call: &ToolCall, text: &str) {
        self.inner.audit_wall(&self.inner.current(), call, text);
    }

    /// Runs the tool calls of one turn: gated one by one in call order, then the permitted ones in parallel. The
    /// outcomes are in call order. Needs a tokio runtime; dropping the future cancels all.
    pub async fn run_turn(&self, calls: Vec<TurnCall>, options: &CallOptions) -> Vec<ToolOutcome> {
        let current = self.inner.current();
        let mut outcomes = Vec::with_capacity(calls.len());
        let mut admitted = Vec::new();
        for (index, TurnCall { tool, call, output }) in calls.into_iter().enumerate() {
            match self.inner.admit(&current, &*tool, call, options).await {
                ControlFlow::Break(denied) => outcomes.push(blocked(denied)),
                ControlFlow::Continue(permitted) => {
                    // What it comes to if its task ends without a word, as when the runtime shuts down.
                    outcomes.push(unfinished(permitted.clone()));
                    admitted.push((index, tool, permitted, output));
                }
            }
        }
        let mut running = JoinSet::new();
        for (index, tool, permitted, output) in admitted {
            let (inner, current, options) = (Arc::clone(&self.inner), Arc::clone(&current), options.clone());
            running.spawn(async move {
                (index, inner.run_tool(&current, &*tool, permitted, output, &options).await)
            });
        }
        while let Some(joined) = running.join_next().await {
            if let Ok((index, outcome)) = joined
                && let Some(slot) = outcomes.get_mut(index)
            {
                *slot = outcome;
            }
        }
        outcomes
    }
}

impl Inner {
    /// Gates a call of this tool. A call for another tool was checked as something else than what would run.
    async fn admit(
        &self,
        current: &Current,
        tool: &dyn Tool,
        call: ToolCall,
        options: &CallOptions,
    ) -> ControlFlow<Denied, Permitted> {
        match guard(|| tool.name() == &*call.tool) {
            Ok(true) => self.gate(current, call, options).await,
            _ => {
                let text = format!("the call is for \"{}\", the tool is another", call.tool);
                let mut run = GateRun::new(Event::tool_call(call), 0);
                run.deny(None, None, Cause::Malformed, text);
                let mut decided = Decided {
                    decision: run.finish(),
                    reports: Vec::new(),
                    ran: Vec::new(),
                    uses: Vec::new(),
                };
                self.audit_decision(current, &mut decided, None);
                ControlFlow::Break(Denied { decision: decided.decision, reports: decided.reports })
            }
        }
    }

    async fn run_tool(
        &self,
        current: &Current,
        tool: &dyn Tool,
        permitted: Permitted,
        output: PartialOutput,
        options: &CallOptions,
    ) -> ToolOutcome {
        let mut outcome = unfinished(permitted);
        let output = output.filter(|_| !self.could_rewrite_result(current, &outcome.call));
        if let Some(ran) = until(options.cancel.as_ref(), run_guarded(tool, &outcome.call, output)).await {
            outcome.output = ran;
            outcome.cancelled = false;
            self.rewrite_result(current, &mut outcome, options).await;
        }
        outcome
    }

    /// Has the `tool_result` handlers look at the result, of failed tools too.
    async fn rewrite_result(&self, current: &Current, outcome: &mut ToolOutcome, options: &CallOptions) {
        if !current.loaded.looks_at_results() {
            return;
        }
        let ToolOutput { content, details, is_error } = std::mem::take(&mut outcome.output);
        let event = Event::tool_result(ToolResult {
            call: outcome.call.clone(),
            original_input: Arc::clone(&outcome.original_input),
            content: content.into(),
            details: Arc::new(details),
            is_error,
        });
        let context = Arc::new(self.context(current, options));
        let emitted = self.emit(current, context, event, options).await;
        outcome.context.extend(emitted.context);
        outcome.reports.extend(emitted.reports);
        outcome.cancelled = emitted.cancelled;
        outcome.output = match emitted.event.payload() {
            // What only some handlers have seen is not shown: one of the others may have removed a secret.
            Payload::Result(result) if !emitted.cancelled => {
                outcome.rewritten_result = emitted.rewritten;
                ToolOutput {
                    content: result.content.to_string(),
                    details: (*result.details).clone(),
                    is_error: result.is_error,
                }
            }
            _ => ToolOutput::error(CANCELLED),
        };
    }

    /// Returns whether a `tool_result` handler could change what this call's tool says. A matcher that is data depends on the
    /// call alone, so it can be tried before there is a result; a handler without one might look at anything.
    pub(crate) fn could_rewrite_result(&self, current: &Current, call: &ToolCall) -> bool {
        current.loaded.withheld().is_some() || self.result_handlers(current, call).next().is_some()
    }

    /// The `tool_result` handlers that could look at what this call's tool says.
    pub(crate) fn result_handlers<'c>(
        &self,
        current: &'c Current,
        call: &ToolCall,
    ) -> impl Iterator<Item = &'c Arc<dyn Handler>> {
        let handlers = current.loaded.handlers(&EventName::Lifecycle(Lifecycle::ToolResult));
        let trial = (!handlers.is_empty()).then(|| {
            let result =
                |is_error| Event::tool_result(ToolResult::new(call.clone(), "", Value::Null, is_error));
            (self.context(current, &CallOptions::default()), [result(false), result(true)])
        });
        handlers.iter().filter(move |handler| {
            let Some((context, results)) = &trial else { return false };
            handler.info().matcher.is_none()
                || results.iter().any(|event| guard(|| handler.selects(event, context)).unwrap_or(true))
        })
    }
}

fn original_input(decision: &Decision, call: &ToolCall) -> Arc<Value> {
    decision.original.call().map_or_else(|| Arc::clone(&call.input), |call| Arc::clone(&call.input))
}

async fn run_guarded(tool: &dyn Tool, call: &ToolCall, output: PartialOutput) -> ToolOutput {
    let failed =
        |error: snaphook_core::HandlerError| ToolOutput::error(format!("the tool {}", error.message));
    let mut running = match guard(|| tool.run(call, output)) {
        Ok(future) => Running(Some(future)),
        Err(error) => return failed(error),
    };
    poll_fn(|cx| match guard(|| running.poll(cx)) {
        Ok(polled) => polled,
        Err(error) => Poll::Ready(failed(error)),
    })
    .await
}

/// Returns what a permitted call comes to if nothing more becomes of it.
fn unfinished(permitted: Permitted) -> ToolOutcome {
    let Permitted { call, decision, reports } = permitted;
    ToolOutcome {
        original_input: original_input(&decision, &call),
        call,
        context: decision.context.clone(),
        decision,
        output: ToolOutput::error(CANCELLED),
        rewritten_result: false,
        reports,
        cancelled: true,
    }
}

fn blocked(denied: Denied) -> ToolOutcome {
    let content = if denied.needs_person() {
        format!("this call needs approval first: {}", denied.message())
    } else {
        denied.message()
    };
    let Denied { decision, reports } = denied;
    let call = match (decision.event.call(), decision.original.call()) {
        (Some(call), _) | (None, Some(call)) => call.clone(),
        // The decision is about the `tool_call` that we made, which has a call.
        (None, None) => ToolCall::new("", "", Value::Null),
    };
    let cancelled = decision.deciding().any(|reason| reason.cause == Some(Cause::Cancelled));
    ToolOutcome {
        original_input: original_input(&decision, &call),
        call,
        context: decision.context.clone(),
        decision,
        output: ToolOutput::error(content),
        rewritten_result: false,
        reports,
        cancelled,
    }
}
