//! The steps that a driver reports while it runs. Rendering it as text or JSON is the observer's business.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use snaphook::Report;
use snaphook_core::{ContextText, Decision, Deliver, HookRef, Problem, ToolCall, ToolResult};

use super::Summary;
use crate::usage::Usage;

/// One thing that happened. Everything that a [`Summary`] counts is a step.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Step {
    /// The session begins.
    Started {
        /// The name of the session.
        name: String,
        /// The agent whose session it is.
        agent: String,
        /// The folder that the tools work in.
        project: PathBuf,
    },
    /// Something of the recording or the scratch project could not be taken over.
    Problem(Problem),
    /// A prompt was sent, as its gates left it.
    PromptSent {
        /// The text.
        text: String,
        /// The decision about it; its original has the text as it was written.
        decision: Decision,
    },
    /// A prompt was blocked: its turns are left out.
    PromptBlocked {
        /// The text.
        text: String,
        /// The decision about it, with every reason.
        decision: Decision,
    },
    /// A turn begins.
    TurnStarted {
        /// Its number in the session, from 0.
        index: u64,
    },
    /// The agent said something.
    AssistantText {
        /// The text.
        text: String,
        /// The subagent that said it.
        subagent: Option<String>,
    },
    /// A subagent starts.
    SubagentStarted {
        /// Its id.
        subagent: String,
    },
    /// A subagent has ended.
    SubagentEnded {
        /// Its id.
        subagent: String,
    },
    /// A tool wrote something while it runs. Only where no `tool_result` handler could still change it; the result has
    /// all of it. It comes before the call's [`Step::CallDecided`], which waits for the turn's other calls.
    CallOutput {
        /// The call's id.
        id: Arc<str>,
        /// The text.
        text: String,
    },
    /// A tool begins to run: the gates let its call pass.
    CallStarted {
        /// The call as the agent made it. What hooks made of it is in [`Step::CallDecided`].
        call: ToolCall,
    },
    /// The gates decided about a call. Told when all calls of the turn have ended, in the order of the calls.
    CallDecided {
        /// The call as the agent made it.
        call: ToolCall,
        /// The decision; where it allows, its event has the input that ran.
        decision: Decision,
    },
    /// A call could not be made, and was not gated: its input is none, or there is no such tool. The model is told.
    CallRefused {
        /// The call's id.
        id: Arc<str>,
        /// The tool, as the model named it.
        tool: String,
        /// The reason.
        why: String,
    },
    /// A tool has run.
    CallFinished {
        /// The result as the agent gets it.
        result: ToolResult,
        /// True if `tool_result` handlers changed it.
        rewritten: bool,
        /// True if no tool ran and the result is the recorded one.
        recorded: bool,
        /// The time that the tool ran.
        duration: Duration,
    },
    /// Text of a hook reached the agent.
    Delivered {
        /// When it was to be delivered.
        deliver: Deliver,
        /// The hook and its text.
        text: ContextText,
    },
    /// A hook wants the agent to go on. A replay has no model that could.
    ContinueWith {
        /// The hook and its text.
        text: ContextText,
    },
    /// The agent goes on with the message about a check that failed.
    CheckSent {
        /// The message.
        text: String,
    },
    /// The model is asked.
    ModelAsked {
        /// Its name.
        model: String,
        /// The attempt at this turn, from 1.
        attempt: u32,
    },
    /// A piece of an answer, before it is known whether the turn is accepted. [`Step::AssistantText`] has all of it.
    TextDelta {
        /// The text.
        text: String,
    },
    /// An answer of the model was accepted.
    ModelAnswered {
        /// The model.
        model: String,
        /// The tokens that it took.
        usage: Usage,
    },
    /// An answer of the model was broken, or could not be had; nothing of it counts.
    TurnBroken {
        /// The fault.
        why: String,
        /// The time until it is asked for again; `None` if it is not.
        again_after: Option<Duration>,
    },
    /// The conversation was replaced by a summary of it.
    Compacted {
        /// The summary.
        summary: String,
    },
    /// The person ended work on the prompt; the session goes on.
    PromptCancelled,
    /// The conversation began anew.
    Cleared,
    /// The agent failed at a prompt.
    AgentFailed {
        /// The failure.
        error: String,
    },
    /// A denial asked the agent to stop altogether: the rest of the prompt's turns are left out.
    Terminated {
        /// The number of turns that were left out.
        turns_left_out: usize,
    },
    /// A check of the files that changed passed.
    CheckPassed {
        /// The check.
        hook: HookRef,
    },
    /// A check of the files that changed failed.
    CheckFailed {
        /// The check.
        hook: HookRef,
        /// The reason.
        reason: String,
        /// The number of checks that were not run because of it.
        pending: usize,
    },
    /// An MCP server of the session was connected, or was not.
    Server {
        /// Its name, as it is in the names of its tools.
        name: String,
        /// Its state.
        state: ServerState,
    },
    /// Something that the person should know about the replay itself.
    Notice {
        /// The text.
        text: String,
    },
    /// Something went wrong without changing a decision.
    Report(Arc<Report>),
    /// The session has ended, well or not.
    Ended(Summary),
}

/// The state of an MCP server when it was started, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerState {
    /// Its tools are offered.
    Connected {
        /// Their number.
        tools: usize,
    },
    /// It did not start, or its session did not begin.
    Failed {
        /// The reason.
        why: String,
    },
    /// Nobody said that it may start.
    NotAllowed {
        /// The reason, and how to allow it.
        why: String,
    },
}

/// Takes the steps of a session as they come.
pub trait Observer: Send {
    /// One step. Must not block.
    fn step(&mut self, step: &Step);
}

impl<F: FnMut(&Step) + Send> Observer for F {
    fn step(&mut self, step: &Step) {
        self(step);
    }
}
