//! The closed table: what each lifecycle event carries and what its handlers may answer. Payload checks, the
//! re-typing of answers and the reference documentation all read it.

use crate::lifecycle::Lifecycle;
use crate::notation::Notation;

/// The type of a payload field or of an answer's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// Text.
    Text,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Bool,
    /// A list.
    List,
    /// A list of texts.
    Texts,
    /// A map.
    Map,
    /// Anything.
    Any,
}

impl FieldType {
    /// Returns whether a value is of this kind.
    pub fn accepts(self, value: &serde_json::Value) -> bool {
        match self {
            Text => value.is_string(),
            OneOf(texts) => value.as_str().is_some_and(|text| texts.contains(&text)),
            Integer => {
                value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            Bool => value.is_boolean(),
            List => value.is_array(),
            Texts => value.as_array().is_some_and(|items| items.iter().all(serde_json::Value::is_string)),
            Map => value.is_object(),
            Any => true,
        }
    }

    /// Returns how messages name the kind.
    pub fn describe(self) -> String {
        match self {
            Text => "text".to_owned(),
            OneOf(texts) => format!("one of {}", texts.join(", ")),
            Integer => "a whole number".to_owned(),
            Bool => "true or false".to_owned(),
            List => "a list".to_owned(),
            Texts => "a list of texts".to_owned(),
            Map => "a map".to_owned(),
            Any => "any value".to_owned(),
        }
    }

    /// Returns how messages to the authors of hooks name it.
    pub(crate) fn describe_in(self, notation: Notation) -> String {
        match self {
            List => notation.list().to_owned(),
            Texts => format!("{} of texts", notation.list()),
            Map => notation.map().to_owned(),
            other => other.describe(),
        }
    }
}

/// One field of a payload, or one key of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSpec {
    /// The name that scripts use.
    pub name: &'static str,
    /// Its type.
    pub kind: FieldType,
    /// True if it is always there. Answers have no required keys.
    pub required: bool,
    /// One line about it.
    pub doc: &'static str,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct EventSpec {
    /// The event.
    pub event: Lifecycle,
    /// The fields that a handler finds in it, beside `name`.
    pub payload: &'static [FieldSpec],
    /// The fields that a handler may return. An empty answer is always legal.
    pub answers: &'static [FieldSpec],
}

impl EventSpec {
    /// The payload field of this name.
    pub fn field(&self, name: &str) -> Option<&'static FieldSpec> {
        self.payload.iter().find(|field| field.name == name)
    }

    /// The answer key of this name.
    pub fn answer(&self, name: &str) -> Option<&'static FieldSpec> {
        self.answers.iter().find(|field| field.name == name)
    }
}

pub(crate) const fn must(name: &'static str, kind: FieldType, doc: &'static str) -> FieldSpec {
    FieldSpec { name, kind, required: true, doc }
}

pub(crate) const fn may(name: &'static str, kind: FieldType, doc: &'static str) -> FieldSpec {
    FieldSpec { name, kind, required: false, doc }
}

use FieldType::{Any, Bool, Integer, List, Map, OneOf, Text, Texts};

pub(crate) const BLOCK: FieldSpec = may("block", Bool, "true denies");
pub(crate) const REASON: FieldSpec = may("reason", Text, "why, for the model and the person");
pub(crate) const ASK: FieldSpec = may("ask", Text, "a question for the person; a no denies");
pub(crate) const ALLOW: FieldSpec = may("allow", Bool, "true: no objection from this hook");
pub(crate) const CONTEXT: FieldSpec = may("context", Text, "text for the model");
const TERMINATE: FieldSpec = may("terminate", Bool, "with a block: the agent should stop altogether");

const SHELL: FieldSpec = may(
    "shell",
    OneOf(&["bash", "sh"]),
    "the shell that reads the command line, for snaphook.shell.commands",
);

const CALL: &[FieldSpec] = &[
    must("id", Text, "the call's id"),
    must("tool", Text, "canonical tool name"),
    must("native_tool", Text, "the agent's own tool name"),
    must("input", Any, "the agent's own input, as rewritten so far"),
    may("command", Text, "the shell command line"),
    SHELL,
    must("paths", Texts, "every file that the call names, as written"),
    may("content", Text, "the text that would be written"),
    may("url", Text, "the address that would be fetched"),
    may("subagent", Text, "the subagent that makes the call"),
];

const CALL_ANSWERS: &[FieldSpec] = &[
    BLOCK,
    REASON,
    ASK,
    ALLOW,
    may("input", Map, "the whole input, rewritten"),
    may("command", Text, "the command line, rewritten"),
    may("path", Text, "the one path, rewritten"),
    may("content", Text, "the text to write, rewritten"),
    may("url", Text, "the address, rewritten"),
    may("hold", Map, "what the command may touch while it runs, held by the kernel"),
    CONTEXT,
    TERMINATE,
];

const NOTICE: &[FieldSpec] = &[CONTEXT];
const NOTICE_OR_GO_ON: &[FieldSpec] =
    &[CONTEXT, may("continue_with", Text, "go on working, with this text; three times a prompt at most")];
const CHECK: &[FieldSpec] = &[may("fail", Bool, "true: the check failed"), REASON];

const PROMPT: FieldSpec = must("prompt", Text, "what the person wrote");
const MESSAGES: FieldSpec = must("messages", List, "the messages, in the agent's own form");
const SYSTEM: FieldSpec = may("system", Text, "the system prompt");
const MODEL: FieldSpec = may("model", Text, "the model's name");
const PARAMS: FieldSpec = may("params", Map, "sampling parameters, in the agent's own form");
const SESSION_PATH: FieldSpec = may("session_path", Text, "the session's file");
const TURN: FieldSpec = must("turn_index", Integer, "the turn's number in the session, from 0");
const TRIGGER: FieldSpec = may("trigger", OneOf(&["manual", "auto"]), "who asked for it");
const SUBAGENT: FieldSpec = must("subagent", Text, "the subagent's id or name");
const LAST_MESSAGE: FieldSpec = may("last_message", Text, "the last text of the agent");
const FILES: FieldSpec = must("files", Texts, "paths, relative to the project");
const ENDED: FieldSpec = may("reason", Text, "why it ends");
const ITERATION: FieldSpec = must("iteration", Integer, "the iteration's number, from 1");

impl Lifecycle {
    /// Returns what the event carries and what may be answered.
    pub fn spec(self) -> &'static EventSpec {
        use Lifecycle as L;
        macro_rules! row {
            ($event:ident, $payload:expr, $answers:expr) => {{
                const ROW: EventSpec = EventSpec { event: L::$event, payload: $payload, answers: $answers };
                &ROW
            }};
        }
        match self {
            L::Startup => row!(Startup, &[], NOTICE),
            L::Session => row!(
                Session,
                &[
                    must("reason", OneOf(&["start", "switch", "clear"]), "what happened"),
                    SESSION_PATH,
                    may("previous_session_path", Text, "the file of the session that was left"),
                ],
                NOTICE
            ),
            L::SessionStart => row!(SessionStart, &[SESSION_PATH], NOTICE),
            L::SessionEnd => row!(SessionEnd, &[SESSION_PATH, ENDED], NOTICE),
            L::SessionBeforeCompact => row!(
                SessionBeforeCompact,
                &[TRIGGER, may("instructions", Text, "what the person asked the summary to keep")],
                &[BLOCK, REASON, ASK, ALLOW, CONTEXT]
            ),
            L::SessionCompact => {
                row!(SessionCompact, &[TRIGGER, may("summary", Text, "the summary")], NOTICE)
            }
            L::UserPrompt => row!(
                UserPrompt,
                &[PROMPT],
                &[BLOCK, REASON, ASK, ALLOW, may("prompt", Text, "the prompt, rewritten"), CONTEXT]
            ),
            L::AgentStart => row!(AgentStart, &[may("prompt", Text, "what the person wrote")], NOTICE),
            L::AgentEnd => row!(AgentEnd, &[LAST_MESSAGE], NOTICE_OR_GO_ON),
            L::AgentError => row!(AgentError, &[must("error", Text, "what failed")], NOTICE),
            L::TurnStart => row!(TurnStart, &[TURN], NOTICE),
            L::TurnEnd => row!(TurnEnd, &[TURN], NOTICE),
            L::Context => {
                row!(Context, &[MESSAGES], &[may("messages", List, "the messages, rewritten"), CONTEXT])
            }
            L::ModelRequest => row!(
                ModelRequest,
                &[MODEL, SYSTEM, MESSAGES, PARAMS],
                &[MODEL, SYSTEM, may("messages", List, "the messages, rewritten"), PARAMS]
            ),
            L::ModelResponse => row!(
                ModelResponse,
                &[MODEL, may("content", Any, "what the model said"), may("usage", Map, "tokens used")],
                NOTICE
            ),
            L::ToolCall => row!(ToolCall, CALL, CALL_ANSWERS),
            L::ToolResult => row!(
                ToolResult,
                &[
                    must("id", Text, "the call's id"),
                    must("tool", Text, "canonical tool name"),
                    must("native_tool", Text, "the agent's own tool name"),
                    must("input", Any, "the input that ran"),
                    must("original_input", Any, "the input as the agent sent it"),
                    may("command", Text, "the shell command line"),
                    SHELL,
                    must("paths", Texts, "every file that the call names, as written"),
                    may("url", Text, "the address that was fetched"),
                    may("subagent", Text, "the subagent that made the call"),
                    must("content", Text, "the result's text, as rewritten so far"),
                    may("details", Any, "what the tool says beside the text"),
                    must("is_error", Bool, "whether the tool failed"),
                ],
                &[
                    may("content", Text, "the result's text, rewritten"),
                    may("details", Any, "the details, rewritten"),
                    may("is_error", Bool, "whether the result counts as a failure"),
                    CONTEXT,
                ]
            ),
            L::PermissionRequest => row!(PermissionRequest, CALL, CALL_ANSWERS),
            L::Notification => row!(
                Notification,
                &[
                    must("message", Text, "the text"),
                    may("kind", Text, "the agent's own kind"),
                    may("title", Text, "its title")
                ],
                NOTICE
            ),
            L::SubagentStart => row!(SubagentStart, &[SUBAGENT, may("prompt", Text, "its task")], NOTICE),
            L::SubagentEnd => row!(SubagentEnd, &[SUBAGENT, LAST_MESSAGE], NOTICE_OR_GO_ON),
            L::FilesChanged => row!(FilesChanged, &[FILES], CHECK),
            L::PreCommit => row!(PreCommit, &[FILES], CHECK),
            L::IterationStart => row!(IterationStart, &[ITERATION], NOTICE),
            L::IterationEnd => row!(IterationEnd, &[ITERATION, LAST_MESSAGE], NOTICE),
            L::IterationError => {
                row!(IterationError, &[ITERATION, must("error", Text, "what failed")], NOTICE)
            }
            L::Shutdown => row!(Shutdown, &[ENDED], &[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        for event in Lifecycle::ALL {
            let spec = event.spec();
            assert_eq!(spec.event, *event);
            for rows in [spec.payload, spec.answers] {
                let mut names: Vec<_> = rows.iter().map(|field| field.name).collect();
                names.sort_unstable();
                names.dedup();
                assert_eq!(names.len(), rows.len(), "{}: a name twice", event.name());
            }
            assert!(
                spec.answers.iter().all(|key| !key.required || key.name == "messages"),
                "{}",
                event.name()
            );
        }
    }
}
