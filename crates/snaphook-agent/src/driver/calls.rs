//! The tool calls of one turn: gated, run, and the steps that are reported of each. Not here: which tool a call is for (the
//! drivers).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use snaphook::{ToolOutcome, TurnCall};
use snaphook_core::{
    BoxFuture, Cause, Decision, Deliver, PartialOutput, Tool, ToolCall, ToolOutput, ToolResult,
};
use tokio::sync::mpsc;

use super::conversation::{Conversation, Recorder};
use super::{DriveError, Step};
use crate::message::Message;

/// A call of a driver.
pub struct DriverCall {
    /// The call.
    pub call: ToolCall,
    /// The tool that runs it.
    pub tool: Arc<dyn Tool>,
    /// True if no tool runs, and the result is one that was recorded.
    pub recorded: bool,
}

impl std::fmt::Debug for DriverCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DriverCall").field("call", &self.call).finish_non_exhaustive()
    }
}

/// The way the calls of a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallsEnd {
    /// All have a result.
    Done,
    /// A denial asked the agent to stop altogether.
    Terminated,
}

/// News of calls while they run.
enum Told {
    Started(ToolCall),
    Output(Arc<str>, String),
}

impl Told {
    fn step(self) -> Step {
        match self {
            Told::Started(call) => Step::CallStarted { call },
            Told::Output(id, text) => Step::CallOutput { id, text },
        }
    }
}

/// A tool that writes down that it starts, and tells how long it ran: the host gates all calls of a turn before the first
/// one runs.
struct Started {
    tool: Arc<dyn Tool>,
    recorder: Option<Arc<dyn Recorder>>,
    /// The call as the agent made it, and where its start is told; nothing for a recorded result, for which no tool runs.
    told: Option<(ToolCall, mpsc::UnboundedSender<Told>)>,
    took: Mutex<Duration>,
}

impl Tool for Started {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn run<'a>(&'a self, call: &'a ToolCall, output: PartialOutput) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            // Before it runs: a session that is gone on with never runs a call twice.
            if let Some(recorder) = &self.recorder
                && let Err(error) = recorder.started(&call.id)
            {
                return ToolOutput::error(format!(
                    "the call did not run, because the session's file cannot be written: {error}"
                ));
            }
            if let Some((made, told)) = &self.told {
                // There is no receiver any more once the turn was interrupted.
                let _ = told.send(Told::Started(made.clone()));
            }
            let began = Instant::now();
            let said = self.tool.run(call, output).await;
            *self.took.lock() = began.elapsed();
            said
        })
    }
}

impl Conversation<'_> {
    /// Makes the calls of a turn; their answer is in the conversation already. A subagent's calls (`own` is false) are no part of
    /// the conversation.
    ///
    /// # Errors
    /// A result cannot be written down.
    pub async fn call_tools(&mut self, calls: Vec<DriverCall>, own: bool) -> Result<CallsEnd, DriveError> {
        if calls.is_empty() {
            return Ok(CallsEnd::Done);
        }
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let recorder = self.plan.recorder.as_ref().filter(|_| own);
        let started: Vec<Arc<Started>> = calls
            .iter()
            .map(|one| {
                let (tool, recorder) = (Arc::clone(&one.tool), recorder.cloned());
                let told = (!one.recorded).then(|| (one.call.clone(), sender.clone()));
                Arc::new(Started { tool, recorder, told, took: Mutex::default() })
            })
            .collect();
        let turn_calls = calls.iter().zip(&started).map(|(one, tool)| {
            let (sender, id) = (sender.clone(), Arc::clone(&one.call.id));
            let show = move |text: &str| drop(sender.send(Told::Output(Arc::clone(&id), text.to_owned())));
            TurnCall {
                tool: Arc::clone(tool) as Arc<dyn Tool>,
                call: one.call.clone(),
                output: Some(Arc::new(show)),
            }
        });
        let turn_calls = turn_calls.collect();
        drop(sender);

        let (host, options) = (self.host, self.options());
        let mut running = Box::pin(host.run_turn(turn_calls, &options));
        let outcomes = loop {
            tokio::select! {
                biased;
                Some(told) = receiver.recv() => self.tell(told.step()),
                outcomes = &mut running => break outcomes,
            }
        };
        drop(running);
        while let Ok(told) = receiver.try_recv() {
            self.tell(told.step());
        }
        let took: HashMap<Arc<str>, Duration> = calls
            .iter()
            .zip(&started)
            .map(|(one, tool)| (Arc::clone(&one.call.id), *tool.took.lock()))
            .collect();
        self.tell_outcomes(calls, outcomes, &took, own)
    }

    fn tell_outcomes(
        &mut self,
        calls: Vec<DriverCall>,
        outcomes: Vec<ToolOutcome>,
        took: &HashMap<Arc<str>, Duration>,
        own: bool,
    ) -> Result<CallsEnd, DriveError> {
        let recorded: Vec<bool> = calls.iter().map(|one| one.recorded).collect();
        for (one, outcome) in calls.into_iter().zip(&outcomes) {
            self.tell(Step::CallDecided { call: one.call, decision: outcome.decision.clone() });
        }
        let mut end = CallsEnd::Done;
        let mut context = Vec::new();
        for (recorded, outcome) in recorded.into_iter().zip(outcomes) {
            let ToolOutcome { call, original_input, decision, output, rewritten_result, reports, .. } =
                outcome;
            if decision.terminate {
                end = CallsEnd::Terminated;
            }
            self.needed_a_person |= needed_a_person(&decision);
            self.report(reports);
            if own {
                self.say(Message::tool(&*call.id, output.content.as_str(), output.is_error))?;
            }
            if decision.is_allowed() {
                let (id, name) = (Arc::clone(&call.id), Arc::clone(&call.native_tool));
                let rewritten_input = decision.is_rewritten_by_hooks();
                let result = ToolResult {
                    call,
                    original_input,
                    content: output.content.into(),
                    details: Arc::new(output.details),
                    is_error: output.is_error,
                };
                let duration = took.get(&id).copied().unwrap_or_default();
                self.tell(Step::CallFinished { result, rewritten: rewritten_result, recorded, duration });
                if recorded && rewritten_input {
                    let text = format!(
                        "the input of {name} was rewritten, but its result is the recorded one of the original input"
                    );
                    self.tell(Step::Notice { text });
                }
            }
            context.extend(outcome.context);
        }
        self.deliver(Deliver::Now, context)?;
        Ok(end)
    }
}

/// Returns whether a call was denied only because nobody could be asked about it.
fn needed_a_person(decision: &Decision) -> bool {
    let mut deciding = decision.deciding().peekable();
    !decision.is_allowed()
        && deciding.peek().is_some()
        && deciding.all(|reason| reason.cause == Some(Cause::Headless))
}
