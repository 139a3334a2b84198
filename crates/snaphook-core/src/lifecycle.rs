//! The closed set of lifecycle events, and the reply classes of all events. Not here: names that scripts write (`event`),
//! what each event carries and what may be answered (`spec`).

use serde::Serialize;

/// The way the host treats the answers and failures of an event's handlers (law 1). Every event has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyClass {
    /// The strictest verdict wins, rewrites chain, a failing handler denies. No wall clock.
    Gate,
    /// Answers chain over a value; a failing handler leaves the value as it was and is reported.
    Rewrite,
    /// The first failing handler stops the run; the rest stay pending.
    Check,
    /// Answers are ignored except for text to the outbox; failures are swallowed and reported.
    Notify,
}

macro_rules! lifecycle {
    ($($variant:ident = $name:literal, $doc:literal;)*) => {
        /// A lifecycle event. The set is closed: `on` with another name without a dot is a load error.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Lifecycle { $(#[doc = $doc] $variant,)* }

        impl Lifecycle {
            /// Every lifecycle event, in the order of a session.
            pub const ALL: &'static [Lifecycle] = &[$(Lifecycle::$variant,)*];

            /// The name that scripts use.
            pub const fn name(self) -> &'static str {
                match self { $(Lifecycle::$variant => $name,)* }
            }

            /// One sentence about it.
            pub const fn doc(self) -> &'static str {
                match self { $(Lifecycle::$variant => $doc,)* }
            }

            /// The event of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Lifecycle::$variant),)* _ => None }
            }
        }
    };
}

lifecycle! {
    Startup = "startup", "The host has loaded its hooks.";
    Session = "session", "A session starts, is switched to, or is cleared.";
    SessionStart = "session_start", "A session starts.";
    SessionEnd = "session_end", "A session ends.";
    SessionBeforeCompact = "session_before_compact", "The conversation is about to be compacted.";
    SessionCompact = "session_compact", "The conversation was compacted.";
    UserPrompt = "user_prompt", "The person sent a prompt.";
    AgentStart = "agent_start", "The agent begins to work on a prompt.";
    AgentEnd = "agent_end", "The agent has ended its work on a prompt.";
    AgentError = "agent_error", "The agent's work on a prompt failed.";
    TurnStart = "turn_start", "A model turn begins.";
    TurnEnd = "turn_end", "A model turn, with its tool calls, has ended.";
    Context = "context", "The messages that go to the model are complete.";
    ModelRequest = "model_request", "A request is about to go to the model.";
    ModelResponse = "model_response", "The model has answered.";
    ToolCall = "tool_call", "A tool is about to run.";
    ToolResult = "tool_result", "A tool has run, well or not. With `on_failure: withhold` in its front matter, a hook that fails keeps the result back.";
    PermissionRequest = "permission_request", "The agent itself wants to ask its person about a tool call.";
    Notification = "notification", "The agent notifies its person.";
    SubagentStart = "subagent_start", "A subagent starts.";
    SubagentEnd = "subagent_end", "A subagent has ended.";
    FilesChanged = "files_changed", "Files changed since the last check, seen after the agent's turn.";
    PreCommit = "pre_commit", "A git commit is about to be made.";
    IterationStart = "iteration_start", "An iteration of an agent loop starts.";
    IterationEnd = "iteration_end", "An iteration of an agent loop has ended.";
    IterationError = "iteration_error", "An iteration of an agent loop failed.";
    Shutdown = "shutdown", "The host is about to go.";
}

impl Lifecycle {
    /// The reply class (law 1).
    pub fn class(self) -> ReplyClass {
        use Lifecycle as L;
        match self {
            L::ToolCall | L::PermissionRequest | L::UserPrompt | L::SessionBeforeCompact => ReplyClass::Gate,
            L::ToolResult | L::Context | L::ModelRequest => ReplyClass::Rewrite,
            L::FilesChanged | L::PreCommit => ReplyClass::Check,
            _ => ReplyClass::Notify,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_are_those_of_the_law() {
        let of = |class| {
            let names: Vec<_> =
                Lifecycle::ALL.iter().filter(|e| e.class() == class).map(|e| e.name()).collect();
            names.join(" ")
        };
        assert_eq!(of(ReplyClass::Gate), "session_before_compact user_prompt tool_call permission_request");
        assert_eq!(of(ReplyClass::Rewrite), "context model_request tool_result");
        assert_eq!(of(ReplyClass::Check), "files_changed pre_commit");
    }
}
