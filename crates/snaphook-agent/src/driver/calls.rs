//! The tool calls of one turn: which tool runs, and the steps that are reported of each.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use snaphook::{ToolOutcome, TurnCall};
use snaphook_core::{BoxFuture, Deliver, PartialOutput, Tool, ToolCall, ToolOutput, ToolResult};
use tokio::sync::mpsc;

use super::Step;
use super::run::Run;
use crate::replay::{RecordedCall, Turn};
use crate::tools::Recorded;

/// A tool that tells how long it ran: the host gates all calls of a turn before the first one runs.
struct Timed {
    tool: Arc<dyn Tool>,
    took: Mutex<Duration>,
}

impl Tool for Timed {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn run<'a>(&'a self, call: &'a ToolCall, output: PartialOutput) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            let began = Instant::now();
            let said = self.tool.run(call, output).await;
            *self.took.lock() = began.elapsed();
            said
        })
    }
}

impl Run<'_> {
    /// Makes the calls of a turn; true if a denial asked the agent to stop altogether. A subagent's calls are no part
    /// of the conversation.
    pub(super) async fn calls(&mut self, turn: &Turn) -> bool {
        let calls: Vec<ToolCall> = turn.calls.iter().map(|call| self.call(call, turn)).collect();
        let own = turn.subagent.is_none();
        if own {
            self.history.assistant(turn.text.as_deref(), calls.iter());
        }
        if calls.is_empty() {
            return false;
        }
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let timed: Vec<Arc<Timed>> = turn.calls.iter().map(|call| Arc::new(self.tool(call))).collect();
        let turn_calls = calls.iter().zip(&timed).map(|(call, tool)| {
            let (sender, id) = (sender.clone(), Arc::clone(&call.id));
            // There is no receiver any more once the turn was interrupted.
            let show = move |text: &str| drop(sender.send((Arc::clone(&id), text.to_owned())));
            TurnCall {
                tool: Arc::clone(tool) as Arc<dyn Tool>,
                call: call.clone(),
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
                Some((id, text)) = receiver.recv() => self.tell(Step::CallOutput { id, text }),
                outcomes = &mut running => break outcomes,
            }
        };
        drop(running);
        while let Ok((id, text)) = receiver.try_recv() {
            self.tell(Step::CallOutput { id, text });
        }
        let took: HashMap<Arc<str>, Duration> =
            calls.iter().zip(&timed).map(|(call, tool)| (Arc::clone(&call.id), *tool.took.lock())).collect();
        self.tell_outcomes(turn, calls, outcomes, &took, own)
    }

    fn tell_outcomes(
        &mut self,
        turn: &Turn,
        calls: Vec<ToolCall>,
        outcomes: Vec<ToolOutcome>,
        took: &HashMap<Arc<str>, Duration>,
        own: bool,
    ) -> bool {
        for (call, outcome) in calls.into_iter().zip(&outcomes) {
            self.tell(Step::CallDecided { call, decision: outcome.decision.clone() });
        }
        let mut terminated = false;
        let mut context = Vec::new();
        for (recorded, outcome) in turn.calls.iter().zip(outcomes) {
            let ToolOutcome { call, original_input, decision, output, rewritten_result, reports, .. } =
                outcome;
            terminated |= decision.terminate;
            self.report(reports);
            if own {
                self.history.tool(&call.id, &output.content, output.is_error);
            }
            if decision.is_allowed() {
                let is_recorded = self.tools.get(&recorded.tool, None).is_none();
                let id = Arc::clone(&call.id);
                let rewritten_input = decision.is_rewritten_by_hooks();
                let result = ToolResult {
                    call,
                    original_input,
                    content: output.content.into(),
                    details: Arc::new(output.details),
                    is_error: output.is_error,
                };
                let duration = took.get(&id).copied().unwrap_or_default();
                self.tell(Step::CallFinished {
                    result,
                    rewritten: rewritten_result,
                    recorded: is_recorded,
                    duration,
                });
                if is_recorded && rewritten_input {
                    let text = format!(
                        "the input of {} was rewritten, but its result is the recorded one of the original input",
                        recorded.native_tool
                    );
                    self.tell(Step::Notice { text });
                }
            }
            context.extend(outcome.context);
        }
        self.deliver(Deliver::Now, context);
        terminated
    }

    /// The call as its agent would make it in the scratch project.
    fn call(&self, recorded: &RecordedCall, turn: &Turn) -> ToolCall {
        let input = self.recording.input_in(recorded, self.tools.workspace().root());
        let call = ToolCall::new(recorded.id.as_str(), recorded.tool.as_str(), input);
        let subagent = turn.subagent.as_deref().map(Arc::from);
        ToolCall { subagent, ..call.native(recorded.native_tool.as_str()) }
    }

    fn tool(&self, recorded: &RecordedCall) -> Timed {
        let tool = self.tools.get(&recorded.tool, recorded.cwd.as_deref()).unwrap_or_else(|| {
            let said = recorded.result.clone().map(|result| ToolOutput {
                content: result.content,
                details: result.details,
                is_error: result.is_error,
            });
            Arc::new(Recorded::new(recorded.tool.as_str(), said))
        });
        Timed { tool, took: Mutex::default() }
    }
}
