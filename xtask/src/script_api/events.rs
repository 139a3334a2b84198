//! Events and answers as classes, from core's table. Not here: how they are written.

use snaphook_core::{BusSpec, FieldSpec, FieldType, Lifecycle, ReplyClass};

use super::model::{Field, Type};

/// The description of `on`, for the declarations and the page: its forms are made from the events.
pub(crate) const ON: &str = "Registers a handler while the script loads. The handler gets the event and `ctx`, and may return an answer; \
    returning nothing means that it has nothing to say.";

/// An event that handlers can be registered for by a name that is known.
#[derive(Debug, Clone, Copy)]
pub struct KnownEvent {
    name: &'static str,
    doc: &'static str,
    class: ReplyClass,
    payload: &'static [FieldSpec],
    answers: &'static [FieldSpec],
}

impl KnownEvent {
    /// The name that scripts use.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// One sentence about it.
    pub fn doc(self) -> &'static str {
        self.doc
    }

    /// The reply class.
    pub fn class(self) -> ReplyClass {
        self.class
    }

    fn has(self, field: &str) -> bool {
        self.payload.iter().any(|known| known.name == field)
    }
}

impl From<Lifecycle> for KnownEvent {
    fn from(event: Lifecycle) -> Self {
        let spec = event.spec();
        let (payload, answers) = (spec.payload, spec.answers);
        KnownEvent { name: event.name(), doc: event.doc(), class: event.class(), payload, answers }
    }
}

impl From<&BusSpec> for KnownEvent {
    fn from(spec: &BusSpec) -> Self {
        let BusSpec { name, doc, class, payload, answers } = *spec;
        KnownEvent { name, doc, class, payload, answers }
    }
}

/// The types that an event's handlers get and give.
#[derive(Debug, Clone)]
pub struct EventTypes {
    /// The event.
    pub event: KnownEvent,
    /// The class of the event, with its fields.
    pub payload: String,
    /// The fields, `name` first.
    pub fields: Vec<Field>,
    /// The class of the answer, with its fields; events with the same answers share it.
    pub answer: String,
    /// The answer's keys; none for an event that takes no answer.
    pub answers: Vec<Field>,
    /// The class of the matcher, where the event takes one.
    pub matcher: Option<&'static str>,
}

impl EventTypes {
    /// Returns whether the event is about a tool, so that a matcher says which fields there are.
    pub fn is_of_a_tool(&self) -> bool {
        self.matcher == Some("ToolMatcher")
    }

    /// The class of the event behind a matcher.
    pub fn matched(&self) -> String {
        if self.is_of_a_tool() { format!("Matched{}", self.payload) } else { self.payload.clone() }
    }

    /// Returns whether it is of this class.
    pub fn is(&self, class: ReplyClass) -> bool {
        self.event.class() == class
    }
}

/// Every lifecycle event, in the order of a session, and the events of the bus that snaphook causes.
pub fn event_types() -> Vec<EventTypes> {
    let lifecycle = Lifecycle::ALL.iter().map(|event| KnownEvent::from(*event));
    lifecycle.chain(BusSpec::ALL.iter().map(KnownEvent::from)).map(types_of).collect()
}

fn types_of(event: KnownEvent) -> EventTypes {
    let name = Field {
        name: "name".to_owned(),
        optional: false,
        ty: Type::Literal(event.name().to_owned()),
        doc: "The event's name.".to_owned(),
        rhai_as: None,
    };
    EventTypes {
        event,
        payload: format!("{}Event", camel(event.name())),
        fields: std::iter::once(name).chain(event.payload.iter().map(field)).collect(),
        answer: answer_class(event),
        answers: event.answers.iter().map(field).collect(),
        matcher: match () {
            () if event.has("tool") => Some("ToolMatcher"),
            () if event.has("files") => Some("PathMatcher"),
            () => None,
        },
    }
}

/// Events of one class mostly take the same answers; a test holds that a name stands for one set of keys.
fn answer_class(event: KnownEvent) -> String {
    match event.class {
        ReplyClass::Gate if event.has("tool") => "CallAnswer".to_owned(),
        ReplyClass::Gate | ReplyClass::Rewrite => format!("{}Answer", camel(event.name)),
        ReplyClass::Check => "CheckAnswer".to_owned(),
        ReplyClass::Notify if event.answers.is_empty() => "NoAnswer".to_owned(),
        ReplyClass::Notify if event.answers.iter().any(|key| key.name == "continue_with") => {
            "EndAnswer".to_owned()
        }
        ReplyClass::Notify => "NoticeAnswer".to_owned(),
    }
}

fn field(spec: &FieldSpec) -> Field {
    let ty = match spec.kind {
        FieldType::Text => Type::Text,
        FieldType::OneOf(texts) => {
            Type::Union(texts.iter().map(|text| Type::Literal((*text).to_owned())).collect())
        }
        FieldType::Integer => Type::Integer,
        FieldType::Bool => Type::Bool,
        FieldType::List => Type::List(Box::new(Type::Any)),
        FieldType::Texts => Type::List(Box::new(Type::Text)),
        FieldType::Map => Type::Map(Box::new(Type::Text), Box::new(Type::Any)),
        FieldType::Any => Type::Any,
    };
    let name = spec.name.to_owned();
    Field { name, optional: !spec.required, ty, doc: sentence(spec.doc), rhai_as: None }
}

/// The table's remarks are half sentences.
fn sentence(text: &str) -> String {
    capital(text) + "."
}

fn camel(name: &str) -> String {
    name.split(['_', '.']).map(capital).collect()
}

/// The text with a capital at its start.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + chars.as_str()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_class_of_answers_has_one_set_of_keys() {
        let mut seen: HashMap<String, Vec<String>> = HashMap::new();
        for types in event_types() {
            let keys: Vec<_> = types.answers.iter().map(|key| key.name.clone()).collect();
            let known = seen.entry(types.answer.clone()).or_insert_with(|| keys.clone());
            assert_eq!(*known, keys, "{}", types.event.name());
        }
        assert!(seen.len() > 5, "{seen:?}");
    }

    #[test]
    fn events_are_classes() {
        let all = event_types();
        let call = all.iter().find(|types| types.event.name() == "tool_call").unwrap();
        assert_eq!(
            (call.payload.as_str(), call.matched().as_str()),
            ("ToolCallEvent", "MatchedToolCallEvent")
        );
        assert_eq!(call.fields[0].ty, Type::Literal("tool_call".to_owned()));
        let command = call.fields.iter().find(|field| field.name == "command").unwrap();
        assert!(command.optional && command.doc == "The shell command line.", "{command:?}");
    }
}
