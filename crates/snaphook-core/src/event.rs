//! Names of events: of the closed set (`lifecycle`) or of the open set of dotted bus events. Not here: what each event
//! carries and what may be answered (`spec`, `bus`).

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::bus::BusSpec;
use crate::foreign;
use crate::lifecycle::{Lifecycle, ReplyClass};
use crate::nearest::{did_you_mean, nearest};
use crate::spec::FieldSpec;

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
            None => did_you_mean(field, names.iter().copied()),
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
