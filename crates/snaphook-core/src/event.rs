//! Event names and their reply classes: the closed set of lifecycle events, the open set of dotted bus events.
//! Not here: what each event carries and what may be answered (`spec`).

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::bus::BusSpec;
use crate::foreign;
use crate::spec::{self, EventSpec, FieldSpec};

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
    /// Returns what the event carries and what may be answered.
    pub fn spec(self) -> &'static EventSpec {
        spec::of(self)
    }

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

/// The name of an event: a lifecycle event, or a bus event whose name has a dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventName {
    /// One of the closed set.
    Lifecycle(Lifecycle),
    /// One of the open set, such as `task.completed`, of the class [`ReplyClass::Notify`]; or one of [`BusSpec::ALL`].
    Bus(Arc<str>),
}

impl EventName {
    /// Returns what is wrong with asking an event of this name for a field of that name, if it can never be there: a
    /// gate that asks for `event.comand` must not get a silent nothing. Bus events have fields of their own.
    pub fn no_such_field(&self, field: &str) -> Option<String> {
        let fields = match self {
            EventName::Lifecycle(event) => event.spec().payload,
            EventName::Bus(name) => BusSpec::of(name)?.payload,
        };
        if field == "name" || fields.iter().any(|known| known.name == field) {
            return None;
        }
        let names: Vec<_> = fields.iter().map(|known| known.name).collect();
        // Of another event it may not have the field that is meant.
        let has = |ours: &&str| {
            let field = ours.strip_prefix("event.").map(|rest| rest.split([',', ' ']).next().unwrap_or(rest));
            field.is_none_or(|field| field == "name" || names.contains(&field))
        };
        let hint = match foreign::field(field).filter(has) {
            Some(ours) => format!("; read {ours}"),
            None => crate::payload::did_you_mean(field, names.iter().copied()),
        };
        let list = names.join(", ");
        Some(format!("{self} events have no field `{field}`{hint} (fields: name, {list})"))
    }

    /// Reads a name as scripts write it.
    ///
    /// # Errors
    /// A name without a dot that is no lifecycle event, with the nearest one; a bus name with an empty part or
    /// with characters other than letters, digits, `_` and `-`.
    pub fn parse(name: &str) -> Result<Self, UnknownEvent> {
        if let Some(event) = Lifecycle::from_name(name) {
            return Ok(EventName::Lifecycle(event));
        }
        let well_formed = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        };
        if name.contains('.') && name.split('.').all(well_formed) && !BusSpec::is_reserved(name) {
            return Ok(EventName::Bus(name.into()));
        }
        let known = Lifecycle::ALL.iter().map(|event| event.name());
        let known = known.chain(BusSpec::ALL.iter().map(|spec| spec.name));
        let meant = foreign::event(name).map(Lifecycle::name).or_else(|| nearest(name, known));
        Err(UnknownEvent { name: name.to_owned(), nearest: meant })
    }

    /// A doubt about a name of the open set: a lifecycle event spelt with a dot, or what another hook system calls one.
    /// A handler of such a name would never run.
    pub fn doubt(&self) -> Option<String> {
        let EventName::Bus(name) = self else { return None };
        let spelt = Lifecycle::ALL.iter().find(|event| event.name() == name.replace('.', "_"));
        let meant = spelt.copied().or_else(|| foreign::event(name))?;
        Some(format!("\"{name}\" is an event of your own that no agent sends; did you mean \"{meant}\"?"))
    }

    /// The name that scripts use.
    pub fn as_str(&self) -> &str {
        match self {
            EventName::Lifecycle(event) => event.name(),
            EventName::Bus(name) => name,
        }
    }

    /// The reply class; bus events only notify, but for those of the table.
    pub fn class(&self) -> ReplyClass {
        match self {
            EventName::Lifecycle(event) => event.class(),
            EventName::Bus(name) => BusSpec::of(name).map_or(ReplyClass::Notify, |spec| spec.class),
        }
    }

    /// True if the content of the event can be kept from the client or the model: hooks with `on_failure: withhold` do where they fail.
    pub fn can_be_withheld(&self) -> bool {
        match self {
            EventName::Lifecycle(event) => *event == Lifecycle::ToolResult,
            EventName::Bus(name) => &**name == BusSpec::SERVER_MESSAGE,
        }
    }

    /// Returns what a handler may return.
    pub fn answers(&self) -> &'static [FieldSpec] {
        match self {
            EventName::Lifecycle(event) => event.spec().answers,
            // One that is not in the table is a notice.
            EventName::Bus(name) => {
                BusSpec::of(name).map_or(Lifecycle::Notification.spec().answers, |spec| spec.answers)
            }
        }
    }
}

impl From<Lifecycle> for EventName {
    fn from(event: Lifecycle) -> Self {
        EventName::Lifecycle(event)
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for EventName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A name that is neither a lifecycle event nor a bus event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown event \"{name}\"{}", suggestion(*nearest))]
pub struct UnknownEvent {
    /// The name as it was written.
    pub name: String,
    /// The lifecycle event that was probably meant.
    pub nearest: Option<&'static str>,
}

/// `; did you mean "x"?`, or the general advice where nothing is near.
fn suggestion(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!("; did you mean \"{name}\"?"),
        None => {
            "; lifecycle events are a closed set, names of your own need a dot (\"acme.deployed\")".to_owned()
        }
    }
}

/// The candidate that is most like `name`, if one is like it at all.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-', ' '], "");
    let wanted = plain(name);
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&wanted, &plain(candidate)), candidate))
        .filter(|(likeness, _)| *likeness > 0.82)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for event in Lifecycle::ALL {
            assert_eq!(EventName::parse(event.name()), Ok(EventName::Lifecycle(*event)));
        }
    }

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

    #[test]
    fn a_misspelt_name_is_an_error_with_the_nearest() {
        for (written, meant) in [
            ("tool_cal", Some("tool_call")),
            ("toolCall", Some("tool_call")),
            ("tool-result", Some("tool_result")),
            ("agent_stop", Some("agent_start")),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(EventName::parse(written).unwrap_err().nearest, meant, "{written}");
        }
    }

    #[test]
    fn bus_names_have_a_dot_and_whole_parts() {
        assert!(EventName::parse("task.completed").is_ok());
        assert!(EventName::parse("acme.v2.deployed").is_ok());
        for bad in [".x", "x.", "a..b", "a b.c", "tool_call."] {
            assert!(EventName::parse(bad).is_err(), "{bad}");
        }
    }
}
